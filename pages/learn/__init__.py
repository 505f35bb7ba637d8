"""The section Learn: a course of short lessons, each with one figure to handle."""
