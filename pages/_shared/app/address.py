"""The address holds the view: what a person chose, read before any widget exists and written once a change.

Streamlit empties the address on a page switch. What a visitor chose on a page is then taken from their session, so that
coming back finds it; on the same page the address alone counts, so that the browser's Back undoes a choice. What was
restored is written at the end of the run: earlier, the browser would still show the other page's path, and keep a view
in its history that never was. Until the browser has it, a run may still come with the bare address, and the browser's
history keeps that one too: after a switch that restored a view, the bare address of the page stands for this view.
A switch with an address of its own (`go`) writes that address under the path of the page that is left before the other
page comes: in the browser's history it stands for the view that was left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple, NoReturn, TypeVar

import streamlit as st

SHARED = ("space", "word", "texts", "model", "corpus")
MOST_LISTED = 100
_Usual = TypeVar("_Usual", int, None)
_KEPT = "address:kept"
_ALL = "all pages"
_PAGE = "address:page"
_RESTORED = "address:restored"
_STANDS = "address:stands"
_LEFT = "address:left"
_CARRIED = ("texts", "model", "corpus")
_ARRIVES = 2.0  # seconds in which the browser has an address that was written


class _Stands(NamedTuple):
    """An address that stands for a view, and when that view was written in its place; None before."""

    address: Mapping[str, Sequence[str]]
    view: dict[str, list[str]]
    written: float | None = None


def begin(page: str) -> None:
    """Reads the address of this run; on a page switch without an address, restores what was chosen there before.

    `settle` belongs to it, at the end of the run.
    """
    st.session_state.pop(_RESTORED, None)
    kept: dict[str, dict[str, list[str]]] = st.session_state.setdefault(_KEPT, {})
    switched = st.session_state.get(_PAGE) not in (None, page)
    st.session_state[_PAGE] = page
    current = {name: st.query_params.get_all(name) for name in st.query_params}
    if switched:
        st.session_state.pop(_STANDS, None)
        left: _Stands | None = st.session_state.get(_LEFT, {}).get(page)
        if left is not None and current == left.address:
            st.session_state[_STANDS] = left
            st.session_state[_RESTORED] = current = left.view
        elif not set(current) - set(SHARED):
            bare = not current
            current = {**kept.get(_ALL, {}), **kept.get(page, {}), **current}
            st.session_state[_RESTORED] = current
            if bare:
                st.session_state[_STANDS] = _Stands({}, current)
    elif (stands := st.session_state.get(_STANDS)) is not None and current == stands.address:
        st.session_state[_RESTORED] = current = stands.view
    remember(page, current)


def settle() -> None:
    """Writes what was restored in this run into the address, unless the browser has it and went back from it."""
    restored = st.session_state.pop(_RESTORED, None)
    if not restored:
        return
    stands: _Stands | None = st.session_state.get(_STANDS)
    if stands is not None:
        if stands.written is not None and time.monotonic() - stands.written >= _ARRIVES:
            return
        st.session_state[_STANDS] = stands._replace(written=stands.written or time.monotonic())
    st.query_params.from_dict(restored)


def _current() -> dict[str, list[str]]:
    restored: dict[str, list[str]] | None = st.session_state.get(_RESTORED)
    if restored is not None:
        return dict(restored)
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _values(name: str) -> list[str]:
    restored: dict[str, list[str]] | None = st.session_state.get(_RESTORED)
    return st.query_params.get_all(name) if restored is None else restored.get(name, [])


def place() -> tuple[str, dict[str, list[str]]]:
    """The page and what its address says: where to come back to."""
    return st.session_state.get(_PAGE, ""), _current()


def names() -> list[str]:
    """What the address says anything under."""
    return [*_current()]


def remember(page: str, values: Mapping[str, Sequence[str]]) -> None:
    """Makes these values what was last chosen on a page, so that going there brings them and nothing older."""
    kept = st.session_state.setdefault(_KEPT, {})
    kept[_ALL] = {name: list(listed) for name, listed in values.items() if name in SHARED}
    kept[page] = {name: list(listed) for name, listed in values.items() if name not in SHARED}


def go(page: Any, query: Mapping[str, str | Sequence[str]], *, carry: bool = True) -> NoReturn:
    """Opens a page with this address and ends this run; Back finds this page as it is left.

    Args:
        page: Its file, as `st.switch_page` takes it, or the page itself.
        query: What its address says.
        carry: Whether it is told the corpus, the texts and the model in use as well.
    """
    here, view = place()
    carried = {name: listed for name, listed in view.items() if carry and name in _CARRIED}
    wanted = carried | {name: [each] if isinstance(each, str) else list(each) for name, each in query.items()}
    wanted = {name: listed for name, listed in wanted.items() if any(listed)}
    if getattr(page, "url_path", None) != here:
        stands = _Stands(wanted, view)
        st.session_state.setdefault(_LEFT, {})[here] = st.session_state[_STANDS] = stands
    st.switch_page(page, query_params=wanted)


def page_name(file: str) -> str:
    """Return what a page is called in an address: its file, or its folder where the file is `page.py`."""
    path = PurePosixPath(file)
    return path.parent.name if path.name == "page.py" else path.stem


def get(name: str, default: str = "") -> str:
    """What the address says under a name, or the default."""
    values = _values(name)
    return values[-1] if values else default


def whole(name: str, low: int, high: int, usual: _Usual) -> int | _Usual:
    """The whole number that the address has under a name, or the usual one where it has none that is allowed."""
    text = get(name)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high else usual


def get_list(name: str) -> list[str]:
    """All values the address holds under a name, each once, at most a hundred."""
    return list(dict.fromkeys(_values(name)))[:MOST_LISTED]


def put(**values: str | Sequence[str] | None) -> None:
    """Writes these names into the address in one step; None or an empty list takes a name out of it."""
    current: dict[str, list[str]] = _current()
    st.session_state.pop(_RESTORED, None)
    before = {name: st.query_params.get_all(name) for name in st.query_params}
    for name, value in values.items():
        if value is None or (not isinstance(value, str) and not value):
            current.pop(name, None)
        else:
            current[name] = [value] if isinstance(value, str) else list(value)
    if not current:
        st.session_state.pop(_STANDS, None)  # now the bare address is meant
    if current != before:
        st.query_params.from_dict(current)
    remember(st.session_state.get(_PAGE, ""), current)


def bind(name: str, value: Any, to_text: Callable[[Any], str] = str) -> dict[str, Any]:
    """Keyword arguments that tie a widget to the address: the widget shows `value`, and a change is written there.

    Use as `st.selectbox(label, options, **bind("color", current))`.
    """
    key = f"{st.session_state.get(_PAGE, '')}:{name}"
    st.session_state[key] = value

    def write() -> None:
        chosen = st.session_state[key]
        put(**{name: None if chosen is None else to_text(chosen)})

    return {"key": key, "on_change": write}


def bind_list(name: str, values: Sequence[str]) -> dict[str, Any]:
    """The same for a widget of several values, which the address holds one by one, in their order."""
    key = f"{st.session_state.get(_PAGE, '')}:{name}"
    st.session_state[key] = list(values)

    def write() -> None:
        put(**{name: list(st.session_state[key])})

    return {"key": key, "on_change": write}
