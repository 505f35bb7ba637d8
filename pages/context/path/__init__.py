"""The page Path."""
