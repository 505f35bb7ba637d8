"""What a new process does before anybody asks: load and compile what is asked first."""

from embedviz.core.progress import Report


def warm(*, report: Report | None = None) -> None:
    """Import in a new process what its first jobs need: slow map methods, training, the encoder."""
    from embedviz import projection
    from embedviz.contextual import senses, word_path
    from embedviz.training import warming

    projection.warm(report=report)
    warming.warm(report=report)
    senses.warm(report=report)
    word_path.warm(report=report)
