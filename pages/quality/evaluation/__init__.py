"""The page Evaluation."""
