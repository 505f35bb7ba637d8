"""The colors of a map: at once where that is quick, else by a job, while the map is shown in one color."""

from __future__ import annotations

from dataclasses import dataclass

from embedviz.core.call import Call, call
from embedviz.core.options import Method, OptionError
from embedviz.projection.coloring import Coloring
from pages._shared.app import states
from pages._shared.results import calls, work

_SLOT = "color"


@dataclass(frozen=True)
class Paint:
    """The coloring, or why there is none: a problem in a sentence, or a task that still computes it."""

    color: Coloring | None = None
    problem: str = ""
    task: work.Task | None = None


def paint(asked: Call, by: Method) -> Paint:
    """Return the colors that a call gives, by a row of `COLORINGS`."""
    if not by.long:
        work.release(_SLOT)
        try:
            return Paint(calls.result(asked))
        except (OptionError, LookupError) as error:
            return Paint(problem=str(error))
    task = calls.task(_SLOT, asked, title="Coloring a map")
    if task.running:
        return Paint(task=task)
    return Paint(task.result) if task.result is not None else Paint(problem=task.sentence)


def matching(words: Call, pattern: str) -> list[int]:
    """Return the positions on a map of these words of those in which a pattern is found.

    Raises:
        PatternError: It cannot be read.
    """
    asked = call("embedviz.neighbors.lookup:matching_rows", words.value("space"), words.part("rows"), pattern)
    return [*map(int, calls.result(asked))]


def waiting(shown: Paint, by: Method) -> None:
    """Says that the colors are on their way, and runs the page again when they are there."""
    if shown.task is not None:
        work.watch(shown.task, lambda _: states.pill(f"Coloring: {by.title.lower()} …"))
