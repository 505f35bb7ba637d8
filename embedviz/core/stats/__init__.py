"""Intervals, permutation tests, resampling, correlation, and structureless copies: Gaussian clouds like the data."""
