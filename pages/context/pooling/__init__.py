"""The page Pooling."""
