"""Makers and users together, as named functions that pages, commands and jobs all call."""

from __future__ import annotations

from embedviz.progress import Report


def warm(*, report: Report | None = None) -> None:
    """Gets a new process ready for what is asked first: maps by the slow methods, a training, the encoder, a path."""
    from embedviz import projection
    from embedviz.studies import path, senses
    from embedviz.studies.training import warming

    projection.warm(report=report)
    warming.warm(report=report)
    senses.warm(report=report)
    path.warm(report=report)
