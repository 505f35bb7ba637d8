"""ELMo: a bidirectional language model of two LSTM layers, and its three layers of vectors (Peters et al. 2018).

Unlike in the paper, tokens have a table of embeddings in place of character convolutions. There is no projection and no
residual connection between the layers.

`model`: vocabulary, tokenizer, network · `training`: train on some texts, with held-out perplexity · `reading`: a
word's vectors in two sentences · `files`: use a trained ELMo as an encoder, or save it as one · `folder`: load a saved
ELMo.
"""
