"""Pages of the section Words."""
