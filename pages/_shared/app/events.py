"""Callbacks and values of component events."""

from typing import Any

import streamlit as st


def nothing() -> None:
    """Do nothing: a callback for events whose value the page reads from the component's result.

    Streamlit adds an event to the result only if the event has a callback.
    """


def sent(key: str, event: str) -> Any:
    """Return what an event of the component `key` sent in this run; None without an event."""
    value = (st.session_state.get(key) or {}).get(event)
    return None if isinstance(value, bool) else value
