"""Pages of the section Texts."""
