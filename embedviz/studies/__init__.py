"""Makers and users together, as named functions that pages, commands and jobs all call."""
