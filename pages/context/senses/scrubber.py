"""Points that move from layer to layer: a slider, a strip of small pictures, and the picture of one layer.

All parts show one movie. It is sent once and moved in the browser; the address is told a layer when the slider is let
go, and a row when a point is clicked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.figures.theme import THEMES
from pages._shared.app import address
from pages._shared.app.component import component
from pages._shared.app.escape import inside, plain
from pages._shared.app.events import sent

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from embedviz.core.space import Float

_mount = component(__file__)
LONGEST = 160
"""Characters of a text that are shown about its word."""
_FINE = 10_000  # steps from the middle of a picture to its farther edge


@dataclass(frozen=True, eq=False)
class Movie:
    """The same points at every layer.

    Attributes:
        points: Where they lie, turned so that they move and do not jump, (layers, n, 2).
        texts: What each stands in, n of them.
        spans: From which character to which the word itself stands in each text.
        groups: What each belongs to, where that is known; the eight largest groups have colors, the others are grey.
        order: The groups in the order of their colors, if that is not the order in which they first appear.
        layers: The number of each layer; 0, 1, 2 … where none are given.
        marks: Named places beside the points, each (layers, 2).
    """

    points: Float
    texts: Sequence[str]
    spans: Sequence[tuple[int, int]]
    groups: Sequence[str] | None = None
    order: Sequence[str] = ()
    layers: Sequence[int] = ()
    marks: Mapping[str, Float] = field(default_factory=dict)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The number of each layer."""
        return tuple(self.layers) or tuple(range(len(self.points)))


def chosen(movie: Movie, default: int) -> tuple[int, int | None]:
    """Return the layer and the row that the address names: the default and None where it names none that there are."""
    layer, row = _whole(address.get("layer")), _whole(address.get("row"))
    return (
        layer if layer in movie.numbers else default,
        row if row is not None and row < len(movie.texts) else None,
    )


def scrubber(movie: Movie, layer: int, *, key: str, line: DeltaGenerator | None = None) -> None:
    """Draw Play, the slider and the small pictures, one a layer; the address takes the layer that is chosen.

    Args:
        movie: What moves.
        layer: Of its numbers, the one that is shown.
        key: Names the movie; its picture has the same.
        line: Where Play and the slider stand; above the small pictures where it is not given.
    """

    def moved() -> None:
        number = sent(f"{key}-strip", "layer")
        if number in movie.numbers:
            address.put(layer=str(number))

    with line or nullcontext():
        _mount(key=f"{key}-line", data={"key": key, "part": "line"})
    data = {"key": key, "part": "strip", "movie": content(movie), "layer": movie.numbers.index(layer)}
    _mount(key=f"{key}-strip", data=data, on_layer_change=moved)


def picture(movie: Movie, row: int | None, *, key: str, height: int = 440, summary: str = "") -> None:
    """Draw the layer that the scrubber of the same key has chosen; the address takes the row that is clicked.

    Args:
        movie: What moves.
        row: The chosen one, whose text stays written beside it.
        key: Of the scrubber. An export row finds the picture as `drawing:KEY`.
        height: In CSS pixels; on a phone it is less.
        summary: What is seen, in words, for those who cannot see it.
    """

    def clicked() -> None:
        number = sent(f"{key}-picture", "row")
        if isinstance(number, int) and number < len(movie.texts):
            address.put(row=str(number) if number >= 0 else None)

    data = {"key": key, "part": "picture", "row": -1 if row is None else row, "height": height, "summary": summary}
    _mount(key=f"{key}-picture", data=data, on_row_change=clicked)


def content(movie: Movie) -> dict[str, Any]:
    """Return what the browser is sent of a movie: whole numbers about the middle, and texts cut about words.

    Raises:
        ValueError: A place is no number.
    """
    points = np.asarray(movie.points, np.float64)
    marks = {plain(name, 40): np.asarray(places, np.float64) for name, places in movie.marks.items()}
    every = np.concatenate([points.reshape(-1, 2), *marks.values()])
    if not np.isfinite(every).all():
        raise ValueError("A movie has places that are no numbers.")
    low, high = every.min(axis=0), every.max(axis=0)
    reach = float((high - low).max() / 2) or 1.0

    def fine(places: Any) -> list[int]:
        return np.rint((places - (low + high) / 2) * _FINE / reach).astype(int).ravel().tolist()

    names, codes = _grouped(movie.groups, movie.order)
    return {
        "numbers": movie.numbers,
        "points": [fine(layer) for layer in points],
        "box": [max(0.02, float(side) / 2 / reach) * _FINE for side in high - low],
        "texts": [_pieces(text, *span) for text, span in zip(movie.texts, movie.spans, strict=True)],
        "groups": [plain(name, 24) for name in names],
        "codes": codes,
        "marks": {name: fine(places) for name, places in marks.items()},
        "themes": {name: _colors(theme) for name, theme in THEMES.items()},
    }


def _grouped(groups: Sequence[str] | None, order: Sequence[str] = ()) -> tuple[list[str], list[int]]:
    """Return names of the largest groups, those of `order` first, and the place of each row's own, else −1."""
    most = len(THEMES["light"].categorical)
    if groups is None:
        return [], []
    present = set(groups)
    sizes = {name: 0 for name in order if name in present}
    for name in groups:
        sizes[name] = sizes.get(name, 0) + 1
    large = set(sorted(sizes, key=lambda name: -sizes[name])[:most])
    names = [name for name in sizes if name in large]
    places = {name: place for place, name in enumerate(names)}
    return names, [places.get(name, -1) for name in groups]


def _pieces(text: str, start: int, end: int) -> tuple[str, str, str]:
    """Return what stands before the word, the word, and what stands after it; a long text is cut on both sides."""
    room = max(0, LONGEST - (end - start)) // 2
    first, last = max(0, start - room), min(len(text), end + room)
    before, after = text[first:start], text[end:last]
    if first:
        before = f"…{before[before.find(' ') :] if ' ' in before else before}"
    if last < len(text):
        after = f"{after[: after.rfind(' ') + 1] if ' ' in after else after}…"
    return _shown(before), _shown(text[start:end]), _shown(after)


def _shown(text: str) -> str:
    """Return what `inside` does, at once where nothing could be wrong with it: thousands of sentences go by here."""
    return text if text.isascii() and text.isprintable() and "  " not in text else inside(text)


def _colors(theme: Any) -> dict[str, Any]:
    return {"points": theme.categorical, "labels": theme.categorical_labels, "rest": theme.rest, "muted": theme.muted}


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else None
