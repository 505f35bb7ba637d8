"""Pages: controls, one call into the library, its result as a figure and a sentence."""
