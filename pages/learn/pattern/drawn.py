"""The figure that a page draws first, and the changes that turn it into the figure at another place of a slider."""

from collections.abc import Hashable
from typing import Any, NamedTuple

import streamlit as st

from embedviz.figures.draft import Draft
from pages._shared.output import figure
from pages._shared.sources.current import View
from pages.learn.pattern.hand import ArrowPlane

_DRAWN = "learn:drawn"


class FirstDrawn(NamedTuple):
    """The figure drawn before a slider moves. Later figures are sent as changes of this one.

    Attributes:
        mark: What the figure depends on, without the slider. If it changes, a new first figure is drawn.
        number: Number of this first figure, so that changes are not applied to an earlier one.
        first: The layout and traces as sent; None for a plane of arrows.
        figure: The plotly figure; None for a plane of arrows.
    """

    mark: Any
    number: int
    first: Draft | None
    figure: Any


def first_drawn(view: View, key: str, of: Hashable, now: Draft | ArrowPlane) -> FirstDrawn:
    """Return the first figure of the session; if none fits, make it from `now` and store it in its place.

    The stored figure fits if `key`, `of`, the appearance and the use of large type are the same.

    Args:
        key: Key of the figure.
        of: What the figure depends on, without the slider.
        now: The figure to draw now.
    """
    known: FirstDrawn | None = st.session_state.get(_DRAWN)
    drawn, large = None, False
    if isinstance(now, Draft):
        drawn = figure.as_drawn(now, key)
        large = drawn.layout != now.layout
    mark = (key, of, view.look, large)
    if known is None or known.mark != mark:
        number = 1 + (known.number if known is not None else 0)
        made = now.figure() if isinstance(now, Draft) else None
        known = st.session_state[_DRAWN] = FirstDrawn(mark, number, drawn, made)
    return known


def changes(first: Draft, other: Draft) -> dict[str, Any]:
    """Return what differs in figure `other` from figure `first`: “data” for each trace, and “layout”.

    Raises:
        ValueError: The figures have different numbers of traces.
    """
    traces = zip(first.data, other.data, strict=True)
    return {"data": [_changed(old, new) for old, new in traces], "layout": _changed(first.layout, other.layout)}


def _changed(old: Any, new: Any) -> Any:
    """Return the changed and new items of `new`, with None for each item that only `old` has.

    Mappings are compared key by key. Two lists of mappings of equal length give a mapping: index as text → changes. Any
    other `new` is returned whole.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        return {name: _changed(old.get(name), new.get(name)) for name in names}
    pair = isinstance(old, list) and isinstance(new, list) and len(old) == len(new)
    if pair and all(isinstance(one, dict) for one in (*old, *new)):
        return {str(at): _changed(*both) for at, both in enumerate(zip(old, new, strict=True)) if both[0] != both[1]}
    return new
