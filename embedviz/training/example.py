"""A small training that the program runs itself, so that a recording is there before anybody has trained."""

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
    """Train Word2Vec on the teaching corpus with one worker and save the space with its recording: about 2 seconds.

    Raises:
        FileExistsError: The folder is there already.
    """
    with device.scratch() as scratch:
        corpus = prepare(TEACHING, scratch / "corpus")
        return train(str(corpus.folder), "word2vec", folder, options=OPTIONS, watched=WATCHED, report=report)


@offered("space", "print(space.words[:10], space.dimensions)")
def example_space(*, report: Report | None = None) -> VectorSpace:
    """Train the example and return its space with input and output vectors; nothing is saved."""
    with device.scratch() as scratch:
        corpus = prepare(TEACHING, scratch / "corpus")
        tell(report, 0.2, "training on the teaching corpus")
        return word2vec.train(corpus, **OPTIONS).space


def example_film(*, report: Report | None = None) -> Film:
    """Train the example and return its recording as a movie of two dimensions; nothing is saved."""
    with device.scratch() as scratch:
        folder = scratch / "example"
        train_example(str(folder), report=report)
        return film(folder)
