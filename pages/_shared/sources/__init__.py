"""The inputs of a page: the space in use, texts, a corpus, a test set, a model; uploads."""
