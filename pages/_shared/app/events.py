"""Callbacks and values of component events."""

from typing import Any

import streamlit as st


def nothing() -> None:
    """Do nothing. An event needs a callback to become part of the component's result, which the next run reads."""


def sent(key: str, event: str) -> Any:
    """Return what an event of the component `key` sent in this run; None without an event."""
    value = (st.session_state.get(key) or {}).get(event)
    return None if isinstance(value, bool) else value
