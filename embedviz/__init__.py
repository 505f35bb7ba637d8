"""See and question embeddings: everything is a `VectorSpace`, and every number comes with its sample and baseline."""

from embedviz import moved
from embedviz.core.space import Origin, UnknownWordError, VectorSpace

moved.install()

__all__ = ["Origin", "UnknownWordError", "VectorSpace"]
__version__ = "0.1.0"
