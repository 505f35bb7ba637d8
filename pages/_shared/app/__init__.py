"""The frame of every page: address, routes, tokens, appearance, and what stands in place of a result."""
