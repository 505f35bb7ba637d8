"""Makers of static spaces: one vector per word."""
