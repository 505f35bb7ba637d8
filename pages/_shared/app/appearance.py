"""What the browser shows now: light or dark, wide or phone. For figures that Python colors.

Streamlit does not run the script again when the menu's Light and Dark are chosen, nor when a phone is turned. A hidden
component notices both and asks for a run, only where Python believed something else.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, cast

import streamlit as st

from pages._shared.app.events import nothing

Theme = Literal["light", "dark"]
Width = Literal["wide", "phone"]

_MEMORY = "_appearance"
_SCRIPT = """
const PHONE = matchMedia("(max-width: 640px)");
let latest = new WeakMap(); // shadow root -> how to look again
let known = new WeakMap(); // shadow root -> the theme it last had

/** Whether the page's background is dark, by its luminance. */
function isDark(color) {
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128;
}

// Streamlit keeps the menu's choice for the path that was loaded alone; a visitor means it for the whole program.
const PATH = location.pathname;
const keyOf = (path) => `stActiveTheme-${path}-v2`;
function shareChoice(changed) {
  try {
    const choice = localStorage.getItem(keyOf(PATH));
    if (choice === null && !changed) return;
    for (const link of document.querySelectorAll('[data-testid="stSidebarNavLink"]')) {
      const key = keyOf(new URL(link.href).pathname);
      if (choice === null) localStorage.removeItem(key);
      else localStorage.setItem(key, choice);
    }
  } catch {} // no storage: the choice stays with its page
}

// Runs again when `data` or the theme changes.
export default function ({ data, parentElement, setStateValue }) {
  let told = data.seen;
  const look = () => {
    const style = getComputedStyle(parentElement.host);
    const theme = isDark(style.getPropertyValue("--st-background-color").trim()) ? "dark" : "light";
    const seen = `${theme} ${PHONE.matches ? "phone" : "wide"}`;
    if (seen !== told) setStateValue("seen", (told = seen));
    setTimeout(shareChoice, 300, known.has(parentElement) && known.get(parentElement) !== theme);
    known.set(parentElement, theme);
  };
  PHONE.removeEventListener("change", latest.get(parentElement));
  latest.set(parentElement, look);
  PHONE.addEventListener("change", look);
  look();
  return () => PHONE.removeEventListener("change", latest.get(parentElement));
}
"""
_mount = st.components.v2.component("embedviz.appearance", js=_SCRIPT)


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
