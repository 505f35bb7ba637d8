"""The page Analogy."""
