"""The page Documents."""
