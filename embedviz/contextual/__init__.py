"""Makers: sentences in, one vector per token, per occurrence of a word, or per sentence out."""
