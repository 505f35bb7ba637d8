"""Intervals, permutation tests, resampling, correlation, and structureless copies."""
