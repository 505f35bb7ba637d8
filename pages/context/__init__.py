"""Pages of the section Context."""
