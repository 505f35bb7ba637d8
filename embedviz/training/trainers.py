"""`TRAINERS`: the ways to make a space of words from a corpus, functions as `embedviz.training.base` says."""

from __future__ import annotations

from collections.abc import Callable

from embedviz.core.options import Method, table
from embedviz.training import counts, fasttext, glove, textcnn, word2vec
from embedviz.training.base import Needs

TRAINERS: dict[str, Method] = table(
    word2vec.ROW,
    fasttext.ROW,
    glove.ROW,
    *counts.ROWS,
    textcnn.ROW,
)

NEEDS: dict[str, Callable[..., Needs]] = {
    "word2vec": word2vec.needs,
    "fasttext": fasttext.needs,
    "glove": glove.needs,
    **counts.NEEDS,
    "textcnn": textcnn.needs,
}
"""What each will take, told before it begins: the same arguments, without a watcher."""
