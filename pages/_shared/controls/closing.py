"""Popovers that close when a choice in them is made."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal

import streamlit as st


def popover(
    label: str, key: str, *, icon: str | None = None, type: Literal["secondary", "tertiary"] = "tertiary"
) -> Any:
    """Draw a popover that `closes` can close.

    Args:
        key: Its name in the state of the session.
        type: The look of its button.
    """
    return st.popover(label, key=key, icon=icon, type=type, width="content", on_change="rerun")


def closes(key: str, act: Callable[..., object]) -> Callable[..., None]:
    """Return a callback that does what `act` does, and closes the popover with this key."""

    @wraps(act)
    def both(*args: Any, **kwargs: Any) -> None:
        act(*args, **kwargs)
        st.session_state[key] = False

    return both
