"""Maps: n rows of d numbers laid out in two dimensions, each with what it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from embedviz.neighbors import top
from embedviz.options import Choice, Method, OptionError, Parameter, check, choose, table
from embedviz.space import Float, Ints, VectorSpace

Place = Literal["near", "elsewhere", "absent"]
_EXACT_BELOW = 2_000  # dimensions up to which the covariance is decomposed whole


class Layout(NamedTuple):
    """What a method returns: points (n, 2), a title for each axis or none, and what it means in a sentence."""

    points: Float
    axes: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, eq=False)
class Projection:
    """A map of some rows of a space.

    Attributes:
        words: The words shown, in order.
        rows: Their rows in the space, shape (n,).
        points: Where they lie, (n, 2) float32, read-only.
        axes: A title for each axis, or empty where axes mean nothing.
        meaning: What may be read from this kind of map, in a sentence.
    """

    words: Sequence[str]
    rows: Ints
    points: Float
    method: str
    parameters: dict[str, Any]
    axes: tuple[str, ...]
    meaning: str

    @cached_property
    def position(self) -> dict[int, int]:
        """Row of the space to position on the map."""
        return {row: place for place, row in enumerate(self.rows.tolist())}

    def table(self, values: Sequence[str] | None = None) -> Iterator[tuple[str, float, float, str]]:
        """Word, x and y of each point, with its value from a list of n where one is given."""
        for place, (word, (x, y)) in enumerate(zip(self.words, self.points.tolist(), strict=True)):
            yield word, x, y, values[place] if values is not None else ""


def pca(space: VectorSpace, rows: Ints, *, x: int, y: int, rows_as: str) -> Layout:
    """Two principal directions of the centered rows (Pearson 1901), by scikit-learn.

    Raises:
        OptionError: Fewer than three rows, or a direction beyond those there are.
    """
    from sklearn.decomposition import PCA

    most = min(len(rows) - 1, space.dimensions)
    if max(x, y) > most:
        raise OptionError(
            f"{len(rows):,} words in {space.dimensions} dimensions have {max(most, 0)} principal directions; "
            f"{max(x, y)} was asked for."
        )
    matrix = np.asarray(space.unit_rows(rows) if rows_as == "unit" else space.matrix[rows])
    solver = "covariance_eigh" if space.dimensions <= _EXACT_BELOW else "randomized"
    fitted = PCA(max(x, y), svd_solver=solver, random_state=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # equal rows have no variance to share
        points = fitted.fit_transform(matrix)[:, [x - 1, y - 1]].astype(np.float32)
    shares = np.nan_to_num(fitted.explained_variance_ratio_[[x - 1, y - 1]])
    axes = tuple(
        f"direction {number} ({_percent(share)} of variance)" for number, share in zip((x, y), shares, strict=True)
    )
    meaning = (
        f"A shadow of the space: these two directions hold {_percent(float(shares.sum()))} of the variance. "
        "Words lie at least as far apart in the space as here; words that meet here may be far apart there."
        if shares.any()
        else "These rows do not differ: the map is one point."
    )
    return Layout(points, axes, meaning)


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %") if share >= 0.1 else f"{share * 100:.1f} %"


_DIRECTIONS = 10

PROJECTIONS: dict[str, Method] = table(
    Method(
        "pca",
        "PCA",
        pca,
        (
            Parameter("x", 1, _DIRECTIONS, 1, "The principal direction drawn across.", "Across"),
            Parameter("y", 1, _DIRECTIONS, 2, "The principal direction drawn upward.", "Upward"),
            Choice(
                "rows_as",
                ("stored", "unit"),
                "stored",
                "The rows as stored, or all at length one, as cosine sees them.",
                "Rows",
            ),
        ),
        "The two directions of greatest variance: a shadow of the space, the same at every run.",
        "Pearson 1901",
    ),
)


def project(
    space: VectorSpace, rows: Sequence[int] | Ints | None = None, method: str = "pca", **options: Any
) -> Projection:
    """A map of these rows (all, when none are named) by a method of `PROJECTIONS`.

    Raises:
        OptionError: An unknown method, an option out of range, or too few rows.
    """
    row = choose(PROJECTIONS, method, "projection")
    chosen = np.arange(len(space)) if rows is None else np.asarray(rows, np.int64)
    if len(chosen) < 3:
        raise OptionError(f"A map needs three words at least; {len(chosen):,} were given.")
    values = check(row, options, space)
    layout: Layout = row.function(space, chosen, **values)
    layout.points.flags.writeable = False
    words = space.words if rows is None else space.words_at(chosen)
    return Projection(words, chosen, layout.points, method, values, layout.axes, layout.meaning)


def whereabouts(shown: Projection, row: int, others: Ints, k: int = 15) -> tuple[Place, ...]:
    """Where words lie on a map as seen from one word: among its k nearest there, elsewhere, or not on the map.

    Args:
        row: The word's row in the space.
        others: Rows of the words asked for, (m,).
    """
    here = shown.position.get(row)
    if here is None:
        return tuple("elsewhere" if int(other) in shown.position else "absent" for other in others)
    distances = np.linalg.norm(shown.points - shown.points[here], axis=1)
    distances[here] = np.inf
    near = set(top(-distances, k).tolist())
    return tuple(_place(shown.position.get(int(other)), near) for other in others)


def _place(position: int | None, near: set[int]) -> Place:
    if position is None:
        return "absent"
    return "near" if position in near else "elsewhere"
