"""The colors of a map: at once where that is quick, else by a job, while the map is shown in one color."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from embedviz.core.options import Method, OptionError
from embedviz.projection.coloring import Coloring
from pages._shared.app import states
from pages._shared.results import cache, work

if TYPE_CHECKING:
    from pages._shared.sources.current import View


_SLOT = "color"


@dataclass(frozen=True)
class Paint:
    """The coloring, or why there is none: a problem in a sentence, or a task that still computes it."""

    color: Coloring | None = None
    problem: str = ""
    task: work.Task | None = None


def paint(view: View, words: cache.Shown, by: Method, options: cache.Options) -> Paint:
    """The colors of these words by a row of `COLORINGS`."""
    if not by.long:
        work.release(_SLOT)
        try:
            return Paint(cache.colored(words, by.name, cache.text(options)))
        except (OptionError, LookupError) as error:
            return Paint(problem=str(error))
    task = work.run(
        _SLOT,
        "embedviz.projection.coloring:coloring",
        view.space,
        cache.sample(words).rows,
        by.name,
        key=f"{words}|{by.name}|{cache.text(options)}",
        private=view.recipe.private,
        title="Coloring a map",
        **options,
    )
    if task.running:
        return Paint(task=task)
    return Paint(task.result) if task.result is not None else Paint(problem=task.sentence)


def waiting(shown: Paint, by: Method) -> None:
    """Says that the colors are on their way, and runs the page again when they are there."""
    if shown.task is not None:
        work.watch(shown.task, lambda _: states.pill(f"Coloring: {by.title.lower()} …"))
