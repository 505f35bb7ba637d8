"""The page Isotropy."""
