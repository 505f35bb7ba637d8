"""The program's style sheet, with the theme's colors for tables and small figures."""

from pathlib import Path

import streamlit as st

from embedviz.figures.theme import Theme

_RULES = Path(__file__).with_suffix(".css").read_text("utf-8")
_NAMES = ("bg", "muted", "border", "grid", "ink", "yellow")


def apply(theme: Theme) -> None:
    """Put the style sheet and the theme's colors on the page."""
    values = "".join(f"--ev-{name}: {getattr(theme, name)};" for name in _NAMES)
    values += f"--ev-blue: {theme.categorical[0]}; --ev-track: {theme.grid};"
    st.html(f"<style>{_RULES} :root {{{values}}}</style>")
