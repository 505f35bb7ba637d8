"""Imports that a new worker process does in advance, so that its first job starts sooner."""

from embedviz.core.progress import Report


def warm(*, report: Report | None = None) -> None:
    """Import and compile what the first jobs of a process need: slow map methods, training, the encoder."""
    from embedviz import projection
    from embedviz.contextual import senses, word_path
    from embedviz.training import warming

    projection.warm(report=report)
    warming.warm(report=report)
    senses.warm(report=report)
    word_path.warm(report=report)
