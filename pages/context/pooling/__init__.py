"""The page Sentences; its name in the address is `pooling`."""
