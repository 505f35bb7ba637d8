"""The program's own components: each has a script and styles beside the module that mounts it."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from embedviz.figures import web


def component(module: str, *styles: str, isolated: bool = True) -> ComponentRenderer:
    """Register the component of a module `NAME.py` from `NAME.mjs` and `NAME.css`; return the function that mounts it.

    Args:
        module: The module's `__file__`. The style sheet may be missing.
        styles: Names of shared style sheets that come before that of the module.
        isolated: Whether the styles of the page do not apply inside the component.
    """
    path = Path(module)
    own = path.with_suffix(".css")
    css = "".join([*(web.STYLES[name] for name in styles), own.read_text("utf-8") if own.exists() else ""])
    script = web.component(path.with_suffix(".mjs"))
    return st.components.v2.component(f"embedviz.{path.stem}", js=script, css=css or None, isolate_styles=isolated)
