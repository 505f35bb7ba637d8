"""Explore embeddings: each space is a `VectorSpace`, and each result names its sample and its baseline."""

from embedviz import moved
from embedviz.core.space import Origin, UnknownWordError, VectorSpace

moved.install()

__all__ = ["Origin", "UnknownWordError", "VectorSpace"]
__version__ = "0.1.0"
