"""Pages of the section Start."""
