"""All heads of all layers as a sheet of small pictures, and one head opened: lines, matrix or dimensions."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from embedviz.contextual.heads import shown
from pages._shared.app.component import component
from pages._shared.app.escape import plain

if TYPE_CHECKING:
    from embedviz.contextual.heads import Heads
    from embedviz.figures.theme import Theme

_mount = component(__file__)
VIEWS = {"lines": "Lines", "matrix": "Matrix", "dimensions": "Dimensions"}
"""How a head is drawn, by name."""
LEGENDS = {
    "lines": "Thicker is more; ticks: even attention.",
    "matrix": "The framed row is the token that asks; the scale is that of the sheet.",
    "dimensions": "Blue above 0, rust below; each of the two columns has its own scale.",
}


def sheet(
    found: Heads, layer: int, head: int, choose: Callable[[int, int], None], theme: Theme, *, key: str, hide: bool
) -> None:
    """Draw every head of every layer; the layer and the head of a picture that is clicked go to `choose`.

    Args:
        hide: Whether special tokens are left out.
    """

    def chosen() -> None:
        asked = (st.session_state.get(key) or {}).get("head")
        place = (asked.get("layer"), asked.get("head")) if isinstance(asked, dict) else (None, None)
        if place[0] in range(1, found.layers + 1) and place[1] in range(1, found.heads + 1):
            choose(*place)

    data = {
        **_both(found, theme, hide),
        "part": "sheet",
        "label": "Every head: layers downward, heads across",
        "weights": base64.b64encode(np.round(255 * found.weights).astype(np.uint8).tobytes()).decode(),
        "layers": found.layers,
        "heads": found.heads,
        "layer": layer,
        "head": head,
    }
    _mount(key=key, data=data, on_head_change=chosen)


def opened(
    found: Heads,
    layer: int,
    head: int,
    token: int,
    to: int,
    choose: Callable[[str, int], None],
    theme: Theme,
    *,
    view: str,
    key: str,
    hide: bool,
) -> None:
    """Draw one head; a token that is clicked goes to `choose`, as "token" where it asks and "key" where it is asked.

    Args:
        token: The query.
        to: The key that is told about.
        view: One of `VIEWS`.
        hide: Whether special tokens are left out.
    """

    def chosen(name: str) -> None:
        number = (st.session_state.get(key) or {}).get(name)
        if number in range(len(found)):
            choose(name, int(number))

    place = (layer - 1, head - 1)
    data = {
        **_both(found, theme, hide),
        "part": "opened",
        "key": key,
        "label": f"Layer {layer}, head {head}",
        "view": view,
        "rows": np.round(found.weights[place].astype(np.float64), 4).tolist(),
        "even": np.round(found.uniform.astype(np.float64), 4).tolist(),
        "token": token,
        "to": to,
        "diverging": list(theme.diverging),
        "query": np.round(found.queries[place][token].astype(np.float64), 3).tolist(),
        "keys": np.round(found.keys[place].astype(np.float64), 3).tolist() if view == "dimensions" else [],
    }
    _mount(
        key=key,
        data=data,
        on_token_change=lambda: chosen("token"),
        on_key_change=lambda: chosen("key"),
    )


def _both(found: Heads, theme: Theme, hide: bool) -> dict[str, Any]:
    return {
        "tokens": [plain(shown(token), 24) for token in found.tokens],
        "special": found.special.tolist(),
        "hide": hide,
        "scale": list(theme.sequential),
        "look": theme.name,
    }
