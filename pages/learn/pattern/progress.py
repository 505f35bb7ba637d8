"""Which lessons are done: kept in the visitor's own browser, or for this visit where the browser keeps nothing."""

from collections.abc import Collection

import streamlit as st

from pages._shared.app.component import component
from pages._shared.app.events import nothing

_DONE = "learn:done"
_CLEARED = "learn:cleared"
_OPENED = "learn:opened"
_mount = component(__file__)


def begin(known: Collection[str]) -> set[str]:
    """Return the names of the finished lessons that exist; the browser reports its own in a second run."""
    st.html("<style>.st-key-progress { display: none; }</style>")
    done: set[str] = st.session_state.setdefault(_DONE, set())
    counts = {"cleared": st.session_state.get(_CLEARED, 0), "opened": st.session_state.get(_OPENED, 0)}
    data = {"done": sorted(done), **counts}
    result = _mount(key="progress", data=data, on_done_change=nothing)
    done |= read(result.get("done"), known, st.session_state.get(_CLEARED, 0))
    return done


def read(value: object, known: Collection[str], cleared: int = 0) -> set[str]:
    """Return the existing lessons of a report; none where the list was emptied after it was sent."""
    if not isinstance(value, dict) or value.get("cleared") != cleared:
        return set()
    listed = value.get("names")
    return {name for name in listed if name in known} if isinstance(listed, list) else set()


def note_done(name: str) -> None:
    """Note that a lesson's question is answered; the browser learns it in the next run."""
    done: set[str] = st.session_state.setdefault(_DONE, set())
    if name not in done:
        done.add(name)
        st.rerun()


def note_opened() -> None:
    """Note that a lesson is opened; the browser shows it from its top."""
    st.session_state[_OPENED] = st.session_state.get(_OPENED, 0) + 1


def clear() -> None:
    """Forget what is done, here and in the browser."""
    st.session_state[_DONE] = set()
    st.session_state[_CLEARED] = st.session_state.get(_CLEARED, 0) + 1
