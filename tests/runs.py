"""A run small enough for tests: a space that was really trained, with its record and its words on their way."""

from embedviz import training
from embedviz.corpus.tokenized import write_corpus
from embedviz.training import trainers
from tests import tiny_trainer

LINES = [
    f"the {person} {verb} the {item} in the {place}".split()
    for person in ("king", "queen", "man", "woman", "boy", "girl")
    for verb, item in (("drinks", "tea"), ("drinks", "coffee"), ("reads", "book"), ("reads", "letter"))
    for place in ("house", "garden", "palace")
]


def trained(folder, tmp_path, **options):
    """The folder, with a space of sixteen words that learned for four passes."""
    there = tmp_path / "toy-corpus"
    if not there.exists():
        write_corpus(LINES, there, name="Toy")
    trainers.TRAINERS["tiny"] = tiny_trainer.ROW
    try:
        training.train(str(there), "tiny", str(folder), options={"epochs": 4, **options})
    finally:
        del trainers.TRAINERS["tiny"]
    return folder
