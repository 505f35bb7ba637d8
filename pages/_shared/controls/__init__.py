"""Controls made from the library's tables of options, and the word box."""
