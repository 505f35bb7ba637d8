"""The page Evaluate."""
