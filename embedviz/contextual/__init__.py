"""Models that read words in context: vectors of tokens, of a word's occurrences and of sentences, and their layers."""
