"""A small training in advance, so that the first training of a visitor starts quickly."""

import tempfile
from pathlib import Path

from embedviz.core.progress import Report
from embedviz.corpus.tokenized import write_corpus
from embedviz.training.runs import train


def warm(*, report: Report | None = None) -> None:
    """Train a few words, and discard the result. This imports and compiles what every first training needs.

    In a new process this takes about two seconds.
    """
    with tempfile.TemporaryDirectory(prefix="embedviz-warm-") as folder:
        corpus = write_corpus([["ready", "steady", "go"] * 4] * 4, Path(folder) / "corpus", name="a few words")
        options = {"vector_size": 2, "min_count": 1, "epochs": 1, "workers": 1}
        train(str(corpus.folder), "word2vec", str(Path(folder) / "space"), options=options, report=report)
