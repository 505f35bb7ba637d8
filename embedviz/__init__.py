"""The library behind the app and the commands: it reads, trains and measures embeddings, and draws the figures.

A set of vectors with labels is a `VectorSpace`. Each result names its sample and its baseline. The pages of the app are
in `pages`.
"""

from embedviz import moved
from embedviz.core.space import Origin, UnknownWordError, VectorSpace

moved.install()

__all__ = ["Origin", "UnknownWordError", "VectorSpace"]
__version__ = "0.1.0"
