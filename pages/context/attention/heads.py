"""The picture of all heads of all layers, and of one head: lines, matrix or dimensions."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.contextual.heads import token_text
from pages._shared.app import presenting
from pages._shared.app.component import component
from pages._shared.app.escape import plain
from pages._shared.app.events import sent

if TYPE_CHECKING:
    from embedviz.contextual.heads import Heads
    from embedviz.figures.theme import Theme

_mount = component(__file__)
VIEWS = {"lines": "Lines", "matrix": "Matrix", "dimensions": "Dimensions"}
"""Titles of the pictures of a head, by name in the address."""
LEGENDS = {
    "lines": "Blue: where {token} looks. Grey: where the others look. Tick: the weight if all tokens got the same.",
    "matrix": "Rows: from. Columns: to. Framed: the chosen token.",
    "dimensions": "Same color in query and key: the dimension adds to the weight. Other color: it subtracts.",
}


def legend(view: str, token: str) -> str:
    """Return the legend of a picture; `token` is the name of the chosen token, quotation marks included."""
    return f"{LEGENDS[view].format(token=token)} Click another token to see where it looks."


def sheet(
    found: Heads, layer: int, head: int, choose: Callable[[int, int], None], theme: Theme, *, key: str, hide: bool
) -> None:
    """Draw every head of every layer; a click calls `choose` with layer and head.

    Args:
        hide: Whether to leave out special tokens.
    """

    def chosen() -> None:
        clicked = sent(key, "head")
        layer, head = (clicked.get("layer"), clicked.get("head")) if isinstance(clicked, dict) else (None, None)
        if isinstance(layer, int) and isinstance(head, int) and 0 < layer <= found.layers and 0 < head <= found.heads:
            choose(layer, head)

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
    """Draw one head; a click calls `choose` with "token" or "key", and the number of the clicked query or key.

    Args:
        token: Number of the query token.
        to: Number of the key token.
        view: One of `VIEWS`.
        hide: Whether to leave out special tokens.
    """

    def chosen(name: str) -> None:
        number = sent(key, name)
        if isinstance(number, int) and 0 <= number < len(found):
            choose(name, number)

    place = (layer - 1, head - 1)
    data = {
        **_both(found, theme, hide),
        "part": "opened",
        "key": key,
        "label": f"Layer {layer}, head {head}",
        "view": view,
        "lecture": presenting.on("attention-head"),
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
        "tokens": [plain(token_text(token), 24) for token in found.tokens],
        "special": found.special.tolist(),
        "hide": hide,
        "scale": list(theme.sequential),
        "look": theme.name,
    }
