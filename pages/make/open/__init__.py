"""The page Open."""
