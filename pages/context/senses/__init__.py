"""The page Senses."""
