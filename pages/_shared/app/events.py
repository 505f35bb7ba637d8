"""Callbacks and values of component events."""

from typing import Any

import streamlit as st


def nothing() -> None:
    """Do nothing: naming the event makes it part of the result, and the next run reads it."""


def sent(key: str, event: str) -> Any:
    """Return what a component's event sent in this run, None without one; `key` is the component's."""
    value = (st.session_state.get(key) or {}).get(event)
    return None if isinstance(value, bool) else value
