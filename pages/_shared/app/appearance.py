"""The appearance in the browser, light or dark, wide or phone, for figures that Python colors.

Streamlit does not rerun the script when a visitor chooses Light or Dark in the menu, or turns a phone. A hidden
component notices both, and requests a rerun if Python assumed something else.
"""

from typing import Literal, NamedTuple, cast

import streamlit as st

from pages._shared.app.component import component
from pages._shared.app.events import nothing

Theme = Literal["light", "dark"]
Width = Literal["wide", "phone"]

_MEMORY = "_appearance"
_mount = component(__file__)


class Appearance(NamedTuple):
    """The theme and the width of the browser."""

    theme: Theme
    width: Width


def appearance(key: str = "appearance") -> Appearance:
    """Return the theme and the coarse width; a change of either reruns the page or the calling fragment.

    Args:
        key: Unique on the page. Call this once per page or fragment that draws figures.
    """
    st.html(f"<style>.st-key-{key} {{ display: none; }}</style>")
    believed = _believed()
    result = _mount(key=key, data={"seen": " ".join(believed)}, on_seen_change=nothing)
    seen = _parsed(result.seen) or believed
    st.session_state[_MEMORY] = seen
    return seen


def _believed() -> Appearance:
    """Return Streamlit's theme and the width of the last run; in the first run, guess the width from the User-Agent."""
    known = st.session_state.get(_MEMORY)
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    if known is not None:
        return Appearance(theme, known[1])
    return Appearance(theme, "phone" if "Mobi" in st.context.headers.get("User-Agent", "") else "wide")


def _parsed(seen: object) -> Appearance | None:
    """Return the appearance that the browser reports; None if the report is not valid."""
    theme, _, width = str(seen).partition(" ")
    if theme not in ("light", "dark") or width not in ("wide", "phone"):
        return None
    return Appearance(cast("Theme", theme), cast("Width", width))
