"""Pages of the section Quality."""
