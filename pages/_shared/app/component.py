"""Components of the program's own: a script and its styles that lie beside the module that mounts them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.figures import web

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


def component(module: str, *styles: str) -> ComponentRenderer:
    """Register the component of a module, `NAME.mjs` and `NAME.css` beside `NAME.py`; returns what mounts it.

    Args:
        module: The module's `__file__`.
        styles: Names of shared style sheets that come before its own.
    """
    path = Path(module)
    css = "".join([*(web.STYLES[name] for name in styles), path.with_suffix(".css").read_text("utf-8")])
    return st.components.v2.component(f"embedviz.{path.stem}", js=web.component(path.with_suffix(".mjs")), css=css)
