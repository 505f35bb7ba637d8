"""The frame of every page: address, routes, tokens, appearance, and messages in place of a result."""
