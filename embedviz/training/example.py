"""A small training that the program runs itself, so that there is a recording before a visitor has trained anything."""

from embedviz.core import device
from embedviz.core.call import offered
from embedviz.core.progress import Report, tell
from embedviz.core.space import VectorSpace
from embedviz.corpus.preparing import TEACHING, prepare
from embedviz.corpus.teaching import SETTINGS
from embedviz.training import word2vec
from embedviz.training.replay import Film, film
from embedviz.training.runs import TrainingResult, train

WATCHED = ("king", "queen", "bank", "paris")


OPTIONS = {**SETTINGS, "vector_size": 30, "epochs": 8, "workers": 1}


def train_example(folder: str, *, report: Report | None = None) -> TrainingResult:
    """Train Word2Vec on the teaching corpus, and save the space with its recording to the folder.

    This takes about 2 seconds with one worker.

    Raises:
        FileExistsError: The folder exists already.
    """
    with device.scratch() as scratch:
        corpus = prepare(TEACHING, scratch / "corpus")
        return train(str(corpus.folder), "word2vec", folder, options=OPTIONS, watched=WATCHED, report=report)


@offered("space", "print(space.words[:10], space.dimensions)")
def example_space(*, report: Report | None = None) -> VectorSpace:
    """Train the example, and return its space with input and output vectors. No file stays on the disk."""
    with device.scratch() as scratch:
        corpus = prepare(TEACHING, scratch / "corpus")
        tell(report, 0.2, "training on the teaching corpus")
        return word2vec.train(corpus, **OPTIONS).space


def example_film(*, report: Report | None = None) -> Film:
    """Train the example, and return its recording as a movie in two dimensions. Nothing is saved."""
    with device.scratch() as scratch:
        folder = scratch / "example"
        train_example(str(folder), report=report)
        return film(folder)
