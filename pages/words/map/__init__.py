"""The page Map."""
