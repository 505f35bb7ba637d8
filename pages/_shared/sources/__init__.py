"""What a page works on: the space in use, texts, a corpus, a test set, a model; uploads."""
