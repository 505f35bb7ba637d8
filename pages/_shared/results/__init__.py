"""Results of the library on pages: calls, their cache, their jobs, and their Python."""
