"""Intervals, permutation tests, resampling, correlation, and structureless copies (Gaussian rows like the data)."""
