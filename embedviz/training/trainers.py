"""`TRAINERS`: the table of all trainers, by name; see `embedviz.training.base`."""

from embedviz.training import counts, fasttext, glove, textcnn, word2vec
from embedviz.training.base import Needs, Trainer

TRAINERS: dict[str, Trainer] = {
    row.name: row for row in (word2vec.ROW, fasttext.ROW, glove.ROW, *counts.ROWS, textcnn.ROW)
}


def trainer_of(name: str) -> Trainer:
    """Return the trainer with this name. For a name unknown to this version, return a trainer without options."""
    return TRAINERS.get(name) or Trainer(name, name, lambda *_: None, costs=lambda *_: Needs(0, 0, 0, 0.0))
