"""A figure, formula and sentence that follow sliders in the browser: Python sends all steps of a slider in advance."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from embedviz.core.glossary import pieces
from embedviz.figures.draft import Draft
from pages._shared.app import presenting, states
from pages._shared.app.component import component
from pages._shared.app.escape import plain
from pages._shared.output import figure
from pages.learn.pattern.drawn import FirstDrawn, changes, first_drawn
from pages.learn.pattern.hand import ArrowPlane
from pages.learn.pattern.latex import stacked

if TYPE_CHECKING:
    from pages._shared.sources.current import View

_COLUMNS = "learn:columns"
_MOST_COLUMNS = 12
"""Greatest number of columns that a session keeps. A column: the steps of one slider, while the others stay."""
_ALL: Mapping[str, Sequence[int]] = MappingProxyType({})
_mount = component(__file__, isolated=False)


class SliderStep(NamedTuple):
    """The figure and the texts of a lesson for one value of each slider.

    Attributes:
        drawn: The figure, or a plane of arrows.
        formula: Lines of LaTeX.
        meaning: What the figure shows.
    """

    drawn: Draft | ArrowPlane
    formula: tuple[str, ...]
    meaning: str


class SteppedFigure(NamedTuple):
    """A figure that follows its sliders: the key of its container, and the step at the current values."""

    key: str
    now: SliderStep


def stepped(
    view: View,
    key: str,
    of: Hashable,
    along: Mapping[str, Sequence[float]],
    here: Mapping[str, float],
    at: Callable[..., SliderStep],
    *,
    near: Mapping[str, Sequence[int]] = _ALL,
) -> SteppedFigure:
    """Draw the figure at the current values of the sliders, and send the browser the steps at other values.

    A step is the change of figure, formula and sentence at one value of one slider; the other sliders keep their
    values. The browser changes the figure in place while `of` is the same, because a new figure takes as long as
    several steps. While only one slider moves, its steps are not sent again.

    Args:
        key: Key of the figure's container.
        of: What the figure depends on, besides the values of the sliders.
        along: All values of each slider, by the slider's name in the address.
        here: The current value of each slider.
        at: Returns the step for values of the sliders, given by name; it depends on these values and `of` alone.
        near: Indexes of the values whose steps are sent, by slider; by default all.
    """
    places = {name: list(values).index(here[name]) for name, values in along.items()}
    now = at(**here)
    place, parts = st.container(), st.container(gap=None)
    drawn = first_drawn(view, key, of, now.drawn)
    with parts:  # the number of a new figure comes before the figure
        _mount(key=f"{key}-here", data={"key": key, "part": "here", "of": drawn.number, "places": places})
    with place:
        if isinstance(now.drawn, Draft):
            figure.plotly(drawn.figure, key)
        else:
            now.drawn.draw(view, key)
    held: dict[Any, tuple[FirstDrawn, dict[int, dict[str, Any]]]] = st.session_state.setdefault(_COLUMNS, {})

    def column(name: str, values: Sequence[float]) -> dict[int, dict[str, Any]]:
        mark = (key, of, name, tuple(sorted((other, value) for other, value in here.items() if other != name)))
        known = held.pop(mark, None)
        before = known[1] if known is not None and known[0] is drawn else {}
        found = {
            number: before.get(number) or _sent(view, key, drawn.first, at(**{**here, name: values[number]}))
            for number in near.get(name, range(len(values)))
        }
        held[mark] = drawn, found
        return found

    for name, values in along.items():
        others = {other: number for other, number in places.items() if other != name}
        steps = {str(number): step for number, step in column(name, values).items()}
        with parts:
            data = {"key": key, "part": "column", "of": drawn.number, "name": name, "others": others, "steps": steps}
            _mount(key=f"{key}-steps-{name}", data=data)
    for old in [*held][:-_MOST_COLUMNS]:
        del held[old]
    return SteppedFigure(key, now)


def _sent(view: View, key: str, first: Draft | None, step: SliderStep) -> dict[str, Any]:
    """Return the data of a step for the browser: the changes of the figure, the formula, and the sentence.

    Changes are given relative to `first`, the figure as the page drew it first.
    """
    explained = dict(st.session_state.get(states.TERMS, {}))
    lines = [stacked(line) if view.phone else line for line in step.formula]
    texts = {"formula": lines, "meaning": pieces(plain(step.meaning, 600), explained)}
    if isinstance(step.drawn, Draft) and first is not None:
        return {**changes(first, figure.as_drawn(step.drawn, key)), **texts}
    return {"arrows": step.drawn.sent(view), **texts} if not isinstance(step.drawn, Draft) else texts


def formula(view: View, one: SteppedFigure) -> None:
    """Write the formula of a figure that follows its sliders."""
    lines = [stacked(line) if view.phone else line for line in one.now.formula]
    _mount(key=f"{one.key}-formula", data={"key": one.key, "part": "formula", "now": lines, "katex": typesetter()})


def meaning(one: SteppedFigure) -> None:
    """Write the sentence of a figure; the browser changes the sentence as the sliders move."""
    presenting.note_meaning(one.now.meaning)
    written = pieces(plain(one.now.meaning, 600), st.session_state.setdefault(states.TERMS, {}))
    _mount(key=f"{one.key}-meaning", data={"key": one.key, "part": "meaning", "now": written})


@cache
def typesetter() -> str:
    """Return the file name of KaTeX among Streamlit's scripts: it also typesets the formulas that Streamlit writes."""
    (found,) = (Path(st.__file__).parent / "static" / "static" / "js").glob("katex.*.js")
    return found.name
