"""Semantic axes: a map whose directions are defined by words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from embedviz.core.options import OptionError, TextOption
from embedviz.core.phrases import share
from embedviz.core.progress import Report
from embedviz.core.space import Ints, UnknownWordError, VectorSpace
from embedviz.neighbors import formula
from embedviz.projection.layout import COMPONENTS, EQUAL, Layout, Projector
from embedviz.projection.pca import ROW as PCA
from embedviz.projection.pca import ROWS_AS, principal, rows_of

_PRINCIPAL = re.compile(r"pc\s*([0-9]{1,2})", re.IGNORECASE)
_HIGHEST = 20
_EXAMPLES = {
    "Size and danger": ("small:large, tiny:huge", "safe:dangerous, harmless:deadly"),
    "Gender and age": ("man:woman, king:queen, boy:girl", "young:old, child:adult"),
    "France, Italy and their capitals": ("italy:france, rome:paris", "italy:rome, france:paris, spain:madrid"),
}
_NAMES = ("across", "upward", "toward you")
_SQUARE = 0.03  # a cosine below this counts as a right angle
_SAME = 0.999  # two directions with a larger cosine are the same
_FLAT = 1e-3  # a smaller singular value counts as 0: the directions span fewer dimensions
_LONGEST_TITLE = 40


def axes(
    space: VectorSpace,
    rows: Ints,
    *,
    components: int,
    x: str,
    y: str,
    z: str,
    rows_as: str,
    report: Report | None = None,
) -> Layout:
    """Return the coordinates of the rows along two or three directions; the mean of the rows is at 0.

    `x`, `y` and `z` name the directions. “PC 2” is the second principal component of the rows. “man:woman, king:queen”
    is the mean of the differences woman − man and queen − king. “woman - man” is a formula. Differences and formulas
    use unit vectors.

    Raises:
        OptionError: A text is not a direction, a word is unknown, or two directions are the same.
    """
    texts = (x, y, z)[:components]
    matrix = rows_of(space, rows, rows_as)
    centered = (matrix - matrix.mean(axis=0)).astype(np.float64)
    directions = np.stack([_direction(space, centered, text, name) for text, name in zip(texts, _NAMES, strict=False)])
    cosines = directions @ directions.T
    for (i, one), (j, other) in combinations(enumerate(_NAMES[:components]), 2):
        if abs(cosines[i, j]) > _SAME:
            raise OptionError(f"The directions {one} and {other} are the same; choose another for one of them.")
    total = float((centered**2).sum())
    points = np.asarray(centered @ directions.T, np.float32)
    if not total:
        return Layout(points, tuple(_title(space, text) for text in texts), EQUAL)
    titles = tuple(
        f"{_title(space, text)} ({share(float((along**2).sum()) / total, fine=True)} of variance)"
        for text, along in zip(texts, (centered @ directions.T).T, strict=True)
    )
    return Layout(points, titles, " ".join(_meaning(centered, directions, cosines, total)))


def examples(space: VectorSpace) -> dict[str, dict[str, str]]:
    """Return the examples of axes whose words are all in this space: a mapping from title to texts for `x` and `y`."""
    named = {title: dict(zip("xy", texts, strict=True)) for title, texts in _EXAMPLES.items()}
    return {title: texts for title, texts in named.items() if all(_known(space, text) for text in texts.values())}


def _known(space: VectorSpace, text: str) -> bool:
    return all(word.strip() in space.index for pair in text.split(",") for word in pair.split(":"))


def _meaning(centered: Any, directions: Any, cosines: Any, total: float) -> Iterator[str]:
    """Yield sentences on how to read the map.

    One gives the share of variance along the axes of the map, along the principal axes, and along random axes.
    """
    count = len(directions)
    yield "Each axis says how far a word goes in its direction, from the middle of the words shown."
    basis, lengths, _ = np.linalg.svd(directions.T, full_matrices=False)
    spanned = basis[:, lengths > _FLAT]
    if spanned.shape[1] < count:
        yield f"The {count} directions lie in one plane of the space, so they hold no more than two."
        count = spanned.shape[1]
    held = float(((centered @ spanned) ** 2).sum()) / total
    most = min(count, len(centered) - 1, centered.shape[1])
    best = float(principal(centered.astype(np.float32), most)[1].sum())
    chance = count / centered.shape[1]
    yield (
        f"Together they hold {share(held, fine=True)} of the variance; the best {count} directions (PCA) hold "
        f"{share(best, fine=True)}, {count} by chance about {share(chance, fine=True)}."
    )
    slanting = [
        f"{one} and {other} {np.degrees(np.arccos(cosines[i, j])):.0f}°"
        for (i, one), (j, other) in combinations(enumerate(_NAMES[: len(directions)]), 2)
        if abs(cosines[i, j]) > _SQUARE
    ]
    if slanting:
        yield f"In the space the axes are not at right angles ({', '.join(slanting)}), so distances here are bent."


def _direction(space: VectorSpace, centered: Any, text: str, name: str) -> Any:
    """Return the direction that a text describes, (d,) float64, of length one.

    Args:
        centered: The rows of the map minus their mean, for principal components.
        text: The text of `x`, `y` or `z` in `axes()`.
        name: The name of the axis, for the message of an error.
    """
    if number := _PRINCIPAL.fullmatch(text):
        return _component(centered, int(number[1]), name)
    try:
        if ":" in text and text not in space.index:
            vector = np.mean([_difference(space, pair) for pair in text.split(",")], axis=0)
        else:
            vector = formula.parse(text, space.index).vector(space).astype(np.float64)
    except (formula.FormulaError, UnknownWordError) as error:
        raise OptionError(f"{name.capitalize()}: {error}") from None
    length = float(np.linalg.norm(vector))
    if length < 1e-6:
        raise OptionError(f"{name.capitalize()}: the vectors of “{text}” cancel out. Choose other words.")
    return vector / length


def _difference(space: VectorSpace, pair: str) -> Any:
    start, colon, end = pair.partition(":")
    if not colon:
        raise formula.FormulaError(f"“{pair.strip()}” is no pair; write two words with a colon between, man:woman.")
    from_, to = (formula.parse(side, space.index).vector(space).astype(np.float64) for side in (start, end))
    return to - from_


def _component(centered: Any, number: int, name: str) -> Any:
    most = min(len(centered) - 1, centered.shape[1], _HIGHEST)
    if not 1 <= number <= most:
        raise OptionError(f"{name.capitalize()}: there is PC 1 to PC {most} here; PC {number} was asked for.")
    along = principal(centered.astype(np.float32), number)[0][:, -1].astype(np.float64)
    vector = centered.T @ along
    length = float(np.linalg.norm(vector))
    return vector / length if length else np.eye(centered.shape[1])[number - 1]


def _title(space: VectorSpace, text: str) -> str:
    """Return the title of an axis: the words at its two ends, such as "man, king → woman, queen"."""
    if _PRINCIPAL.fullmatch(text):
        return text
    if ":" in text and text not in space.index:
        starts, ends = zip(*(pair.split(":", 1) for pair in text.split(",")), strict=True)
    else:
        read = formula.parse(text, space.index)
        starts, ends = read.negative, read.positive
    if not starts or not ends:
        return _shortened(text)
    return f"{_listed(starts)} → {_listed(ends)}"


def _listed(words: Sequence[str]) -> str:
    """Return the first words that fit in the title of an axis, with commas; “…” stands for words that do not fit."""
    named = [word.strip() for word in words]
    count = len(named)
    while count > 1 and len(", ".join(named[:count])) > _LONGEST_TITLE // 2:
        count -= 1
    return _shortened(", ".join([*named[:count], *(["…"] if count < len(named) else [])]))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TITLE else f"{text[: _LONGEST_TITLE - 1]}…"


def _seconds(n: int, d: int, options: Mapping[str, Any]) -> float:
    return 3 * PCA.seconds(n, d, options)


def _memory(n: int, d: int, options: Mapping[str, Any]) -> float:
    return 40.0 * n * d


def _text(name: str, default: str, where: str, label: str) -> TextOption:
    return TextOption(
        name,
        default,
        f"What is drawn {where}: pairs of words (man:woman, king:queen), a formula (woman - man), or a principal "
        "direction (PC 2).",
        label,
        longest=500,
    )


ROW = Projector(
    "axes",
    "Axes",
    axes,
    (
        COMPONENTS,
        _text("x", "PC 1", "across", "Across"),
        _text("y", "PC 2", "upward", "Upward"),
        _text("z", "PC 3", "toward you, in three dimensions", "Toward"),
        ROWS_AS,
    ),
    "Axes that you define by words.",
    "Bolukbasi et al. 2016; Grand et al. 2022",
    seconds=_seconds,
    memory=_memory,
    free=False,
)
