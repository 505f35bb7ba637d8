"""The map on a page: its job, the mounted figure, the badge."""
