"""What the browser shows now: light or dark, wide or phone. For figures that Python colors.

Streamlit does not run the script again when the menu's Light and Dark are chosen, nor when a phone is turned. A hidden
component notices both and asks for a run, only where Python believed something else.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, cast

import streamlit as st

from pages._shared.app.component import component
from pages._shared.app.events import nothing

Theme = Literal["light", "dark"]
Width = Literal["wide", "phone"]

_MEMORY = "_appearance"
_mount = component(__file__)


class Appearance(NamedTuple):
    """What the browser shows."""

    theme: Theme
    width: Width


def appearance(key: str = "appearance") -> Appearance:
    """The theme and the coarse width; a change of either runs again the page, or the fragment this is called in.

    Args:
        key: Unique on the page; call it once for each page or fragment that draws such figures.
    """
    st.html(f"<style>.st-key-{key} {{ display: none; }}</style>")
    believed = _believed()
    result = _mount(key=key, data={"seen": " ".join(believed)}, on_seen_change=nothing)
    seen = _parsed(result.seen) or believed
    st.session_state[_MEMORY] = seen
    return seen


def _believed() -> Appearance:
    """What the last run saw, else what the browser said of itself when it came."""
    known = st.session_state.get(_MEMORY)
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    if known is not None:
        return Appearance(theme, known[1])
    return Appearance(theme, "phone" if "Mobi" in st.context.headers.get("User-Agent", "") else "wide")


def _parsed(seen: object) -> Appearance | None:
    """The component's own words, or None for anything else that a browser may send."""
    theme, _, width = str(seen).partition(" ")
    if theme not in ("light", "dark") or width not in ("wide", "phone"):
        return None
    return Appearance(cast("Theme", theme), cast("Width", width))
