"""Points at every layer, as the browser receives them: whole numbers, texts cut around a word, and colors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from embedviz.core.space import Float
from embedviz.figures.theme import THEMES
from pages._shared.app.escape import inside, plain

LONGEST = 160
"""Greatest number of characters of a text around its word."""
_FINE = 10_000  # steps from the center of a picture to its edge along the longer side


@dataclass(frozen=True, eq=False)
class Movie:
    """The same points at every layer, for example the occurrences of a word.

    Attributes:
        points: Coordinates of the points, each layer rotated onto the next, (layers, n, 2).
        texts: The text of each point, n of them.
        spans: Start and end of the word in each text, in characters.
        groups: The group of each point, if known; the eight largest groups have colors, the others are grey.
        order: The groups in the order of their colors; by default in order of appearance.
        layers: The number of each layer; by default 0, 1, 2 …
        marks: Named extra points, each of shape (layers, 2).
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
        """Return the number of each layer."""
        return tuple(self.layers) or tuple(range(len(self.points)))


def content(movie: Movie) -> dict[str, Any]:
    """Return the data of a movie for the browser: integer coordinates around the center, and cut texts.

    Raises:
        ValueError: A coordinate is not a finite number.
    """
    points = np.asarray(movie.points, np.float64)
    marks = {plain(name, 40): np.asarray(places, np.float64) for name, places in movie.marks.items()}
    every = np.concatenate([points.reshape(-1, 2), *marks.values()])
    if not np.isfinite(every).all():
        raise ValueError("A movie has places that are no numbers.")
    low, high = every.min(axis=0), every.max(axis=0)
    reach = float((high - low).max() / 2) or 1.0

    def fine(places: Any) -> list[int]:
        steps: list[int] = np.rint((places - (low + high) / 2) * _FINE / reach).astype(int).ravel().tolist()
        return steps

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
    """Return the names of the largest groups, and for each point the index of its group in these names.

    There are at most as many names as colors for groups in a theme. Names in `order` come first, in this order. A point
    of another group has the index −1. Both lists are empty without groups.
    """
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
    """Return the text before the word, the word, and the text after it.

    Texts over about `LONGEST` characters are cut on both sides of the word.
    """
    room = max(0, LONGEST - (end - start)) // 2
    first, last = max(0, start - room), min(len(text), end + room)
    before, after = text[first:start], text[end:last]
    if first:
        before = f"…{before[before.find(' ') :] if ' ' in before else before}"
    if last < len(text):
        after = f"{after[: after.rfind(' ') + 1] if ' ' in after else after}…"
    return _safe(before), _safe(text[start:end]), _safe(after)


def _safe(text: str) -> str:
    """Return a text without control characters and without runs of blanks.

    A text that is already safe (printable ASCII without double blanks) is returned at once, to save time.
    """
    return text if text.isascii() and text.isprintable() and "  " not in text else inside(text)


def _colors(theme: Any) -> dict[str, Any]:
    return {"points": theme.categorical, "labels": theme.categorical_labels, "rest": theme.rest, "muted": theme.muted}
