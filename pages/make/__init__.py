"""Pages of the section Make."""
