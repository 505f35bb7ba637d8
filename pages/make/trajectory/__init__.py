"""The page Trajectory."""
