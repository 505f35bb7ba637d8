"""Keys of widgets whose value the program sets: a new key whenever the program, not the visitor, changes the value.

A browser does not draw the widgets of a closed popover, but keeps their last values and sends them with the next run.
That would undo what Back, a link or another control has changed meanwhile. Under a new key the old value is gone.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

_TURNS, _CHOSEN = "widget-keys:turns", "widget-keys:chosen"


def current(name: str) -> str:
    """Return the present key of the widget of this name."""
    turn: int = st.session_state.get(_TURNS, {}).get(name, 0)
    return f"{name}#{turn}" if turn else name


def renew(name: str) -> str:
    """Return a new key, which resets the widget of this name."""
    turns = st.session_state.setdefault(_TURNS, {})
    turns[name] = turns.get(name, 0) + 1
    return current(name)


def tie(name: str, value: Any, write: Callable[[Any], object]) -> dict[str, Any]:
    """Return keyword arguments for a widget that shows `value` and calls `write` with what a visitor chooses."""
    key, chosen = current(name), st.session_state.setdefault(_CHOSEN, set())
    if name in chosen:  # the widget is drawn: a corrected value reaches it under the same key, and it keeps the focus
        chosen.remove(name)
    elif key in st.session_state and st.session_state[key] != value:
        key = renew(name)
    st.session_state[key] = value

    def change() -> None:
        taken = st.session_state[key]
        if key == current(name):
            chosen.add(name)
        elif taken == value:
            return  # a browser that does not know the new key yet sends the old value
        write(taken)

    return {"key": key, "on_change": change}
