"""Figures: each function draws a result that another package computed."""
