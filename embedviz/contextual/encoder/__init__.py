"""Encode sentences with any text model of Hugging Face's transformers: the hidden states of every layer.

A model is a folder with `config.json`, weights in safetensors and a fast tokenizer. Only a fast tokenizer gives the
characters of each token. Nothing is downloaded, no code of the folder is run, no pickle is opened.

`folder`: check a model's folder · `loading`: `load` · `windows`: tokens, windows, batches · `reading`: `encode`.
"""

from embedviz.contextual.encoder.folder import EncoderError, network_folder
from embedviz.contextual.encoder.loading import (
    BUILTIN,
    BUILTIN_NOTE,
    Encoder,
    cached_per_model,
    checksum_of,
    load,
    pooling_of,
)
from embedviz.contextual.encoder.reading import attending, encode, versions
from embedviz.contextual.encoder.windows import most_central, window_starts

__all__ = [
    "BUILTIN",
    "BUILTIN_NOTE",
    "Encoder",
    "EncoderError",
    "attending",
    "cached_per_model",
    "checksum_of",
    "encode",
    "load",
    "most_central",
    "network_folder",
    "pooling_of",
    "versions",
    "window_starts",
]
