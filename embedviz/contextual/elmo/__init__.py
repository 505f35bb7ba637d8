"""ELMo: a two-layer bidirectional LSTM language model and its three layers (Peters et al. 2018).

Tokens have a table of embeddings in place of the paper's character convolutions. There is no projection and no residual
connection between the layers.

`model`: vocabulary, tokenizer, network · `training`: a model of some texts, with held-out perplexity · `reading`:
one word in two sentences · `files`: as an encoder, and saved as a folder · `folder`: the network of a folder.
"""
