"""A figure with its formula and its sentence that follow sliders in the browser: all places of the sliders are sent."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from embedviz.core.glossary import pieces
from embedviz.figures.draft import Draft
from pages._shared.app import presenting, states
from pages._shared.app.component import component
from pages._shared.app.escape import plain
from pages._shared.output import figure
from pages.learn.pattern.latex import stacked

if TYPE_CHECKING:
    from pages._shared.sources.current import View

_DRAWN, _COLUMNS = "learn:drawn", "learn:columns"
_MOST_COLUMNS = 12
"""Columns of steps that a session holds: one for each slider and each place of the others."""
_mount = component(__file__, isolated=False)


class SliderStep(NamedTuple):
    """What a lesson draws and writes at one place of its sliders.

    Attributes:
        drawn: The figure.
        formula: Lines of LaTeX.
        meaning: What the figure shows, in one or two sentences.
    """

    drawn: Draft
    formula: tuple[str, ...]
    meaning: str


class SteppedFigure(NamedTuple):
    """A figure that follows its sliders, with what is drawn at the present place; `key` is that of its container."""

    key: str
    now: SliderStep


def stepped(
    view: View,
    key: str,
    of: Hashable,
    along: Mapping[str, Sequence[float]],
    here: Mapping[str, float],
    at: Callable[..., SliderStep],
) -> SteppedFigure:
    """Draw the figure, and send what stands at each place of each slider while the others stay where they are.

    The page draws one figure as long as `of` is the same, and the browser changes it: a figure that Python gives anew
    is built from nothing, which takes as long as several steps.

    Args:
        key: Of the figure's container.
        of: What the figure is about, beside the places of the sliders.
        along: The values of each slider, by its name in the address, as many as the slider has places.
        here: The present value of each.
        at: Returns the step at some values, given by name; a pure function of these and of `of`.
    """
    places = {name: list(values).index(here[name]) for name, values in along.items()}
    now = at(**here)
    first, drawn = _first(view, key, of, now.drawn)
    figure.plotly(drawn, key)
    held: dict[Any, tuple[Draft, list[dict[str, Any]]]] = st.session_state.setdefault(_COLUMNS, {})

    def column(name: str, values: Sequence[float]) -> list[dict[str, Any]]:
        mark = (key, of, name, tuple(sorted((other, value) for other, value in here.items() if other != name)))
        known = held.pop(mark, None)
        if known is None or known[0] is not first:
            known = first, [_sent(view, key, first, at(**{**here, name: value})) for value in values]
        held[mark] = known
        return known[1]

    table = {name: column(name, values) for name, values in along.items()}
    for old in [*held][:-_MOST_COLUMNS]:
        del held[old]
    _mount(key=f"{key}-steps", data={"key": key, "part": "table", "places": places, "steps": table})
    return SteppedFigure(key, now)


def _sent(view: View, key: str, first: Draft, step: SliderStep) -> dict[str, Any]:
    """Return what the browser gets of a step: what changes in the first figure, the formula, and the sentence."""
    explained = dict(st.session_state.get(states.TERMS, {}))
    lines = [stacked(line) if view.phone else line for line in step.formula]
    changed = changes(first, figure.as_drawn(step.drawn, key))
    return {**changed, "formula": lines, "meaning": pieces(plain(step.meaning, 600), explained)}


def formula(view: View, one: SteppedFigure) -> None:
    """Write the formula of a figure that follows its sliders."""
    lines = [stacked(line) if view.phone else line for line in one.now.formula]
    _mount(key=f"{one.key}-formula", data={"key": one.key, "part": "formula", "now": lines, "katex": typesetter()})


def meaning(one: SteppedFigure) -> None:
    """Write what a figure shows that follows its sliders."""
    presenting.note_meaning(one.now.meaning)
    written = pieces(plain(one.now.meaning, 600), st.session_state.setdefault(states.TERMS, {}))
    _mount(key=f"{one.key}-meaning", data={"key": one.key, "part": "meaning", "now": written})


@cache
def typesetter() -> str:
    """Return the name of the file with KaTeX among Streamlit's own scripts, which typeset the other formulas."""
    (found,) = (Path(st.__file__).parent / "static" / "static" / "js").glob("katex.*.js")
    return found.name


def changes(first: Draft, other: Draft) -> dict[str, Any]:
    """Return the parts of a figure that differ from those of the first one: of each trace, and of the layout.

    Raises:
        ValueError: The figures have not the same number of traces.
    """
    traces = zip(first.data, other.data, strict=True)
    return {"data": [_changed(old, new) for old, new in traces], "layout": _changed(first.layout, other.layout)}


def _changed(old: Any, new: Any) -> Any:
    """Return what is new or other in a part; None for what is gone, and by its number for a part of a list."""
    if isinstance(old, dict) and isinstance(new, dict):
        names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        return {name: _changed(old.get(name), new.get(name)) for name in names}
    pair = isinstance(old, list) and isinstance(new, list) and len(old) == len(new)
    if pair and all(isinstance(one, dict) for one in (*old, *new)):
        return {str(at): _changed(*both) for at, both in enumerate(zip(old, new, strict=True)) if both[0] != both[1]}
    return new


def _first(view: View, key: str, of: Hashable, now: Draft) -> tuple[Draft, Any]:
    """Return the figure that this page drew first of this subject, as a draft and as Plotly's figure."""
    drawn = figure.as_drawn(now, key)
    mark = (key, of, view.look, drawn.layout == now.layout)
    known = st.session_state.get(_DRAWN)
    if known is None or known[0] != mark:
        known = st.session_state[_DRAWN] = (mark, drawn, now.figure())
    return known[1], known[2]
