"""Maps: rows of a space, laid out as points in two or three dimensions."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import Choice, OptionError, check, choose
from embedviz.core.phrases import lasting
from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.geometry.alignment import aligned
from embedviz.neighbors import top
from embedviz.projection import axes, pca, random_projection, tsne, umap
from embedviz.projection.layout import Layout, Projector, StoppedRun, with_points
from embedviz.projection.nearest import meaning_with
from embedviz.projection.sampling import FEWEST

__all__ = [
    "PROJECTIONS",
    "Layout",
    "Projection",
    "Projector",
    "TimeEstimate",
    "estimate",
    "idle",
    "lay_out",
    "metric_of",
    "on_the_way",
    "placed",
    "project",
    "warm",
    "whereabouts",
]

Place = Literal["near", "elsewhere", "absent"]

PROJECTIONS: dict[str, Projector] = {
    row.name: row for row in (pca.ROW, tsne.ROW, umap.ROW, axes.ROW, random_projection.ROW)
}


@dataclass(frozen=True, eq=False)
class Projection:
    """A map of some rows of a space.

    Attributes:
        words: The n words on the map.
        rows: Row of each word in the space, shape (n,).
        points: Point of each word on the map, (n, 2) or (n, 3) float32, read-only.
        method: Name of the projection method in `PROJECTIONS`.
        parameters: Mapping from each option of the method to its value.
        axes: A title for each axis; empty if the axes mean nothing.
        meaning: How to read this kind of map, in a sentence.
        labels: In a space of texts, the label of each row. None in a space of words: there the words are the labels.
        shipped: Whether the layout was computed in advance and ships with the program.
    """

    words: Sequence[str]
    rows: Ints
    points: Float
    method: str
    parameters: dict[str, Any]
    axes: tuple[str, ...]
    meaning: str
    labels: Sequence[str] | None = None
    shipped: bool = False

    @property
    def stopped(self) -> StoppedRun | None:
        """Return the step at which the run that computed the map was stopped; None if the run went to its end."""
        return PROJECTIONS[self.method].stopped(len(self.rows), self.parameters)

    @cached_property
    def position(self) -> dict[int, int]:
        """Return a mapping from each row of the space that is on the map to its index in `rows` and `points`."""
        return {row: place for place, row in enumerate(self.rows.tolist())}

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the first columns of `table()`: word, x, y, and z in three dimensions."""
        return ("word", *"xyz"[: self.points.shape[1]])

    def table(self, *more: Sequence[str | float], places: Ints | None = None) -> Iterator[tuple[str | float, ...]]:
        """Yield the rows of a table, one for each point: its word, its coordinates, then its value in each of `more`.

        Args:
            more: Columns after the coordinates, each a list of n values.
            places: Indices of the points to yield; None for all points.
        """
        listed = range(len(self.rows)) if places is None else places.tolist()
        points = self.points if places is None else self.points[places]
        for place, point in zip(listed, points.tolist(), strict=True):
            yield self.words[place], *point, *(column[place] for column in more)


@offered("shown", "for row in list(shown.table())[:5]:", "    print(*row)")
def project(
    space: VectorSpace,
    rows: Sequence[int] | Ints | None = None,
    method: str = "pca",
    *,
    report: Report | None = None,
    **options: Any,
) -> Projection:
    """Return a map of these rows (all if None) by a method of `PROJECTIONS`.

    Raises:
        OptionError: The method is unknown, an option is out of range, or there are too few rows.
    """
    return placed(space, rows, method, options, lay_out(space, rows, method, report=report, **options))


def lay_out(
    space: VectorSpace,
    rows: Sequence[int] | Ints | None = None,
    method: str = "pca",
    *,
    report: Report | None = None,
    **options: Any,
) -> Layout:
    """Return the layout of these rows (all if None) by a method of `PROJECTIONS`: the slow part of `project()`.

    Raises:
        OptionError: The method is unknown, an option is out of range, or there are too few rows.
    """
    row, chosen, values = _checked(space, rows, method, options)
    if not row.free:
        layout: Layout = row.function(space, chosen, report=report, **values)
    else:
        face = _facing(space, chosen)
        layout = row.function(space, chosen, report=with_points(report, face), **values)
        layout = layout._replace(points=face(layout.points))
    if (stopped := row.stopped(len(chosen), values)) is not None:
        layout = layout._replace(meaning=f"{stopped.sentence} {layout.meaning}")
    layout.points.flags.writeable = False
    return layout


def on_the_way(
    space: VectorSpace, rows: Sequence[int] | Ints | None, method: str, options: Mapping[str, Any], points: Float
) -> Projection:
    """Return the map of a run that stops at a given step, from the points that a longer run reported at this step.

    The map is equal to the map that `project()` computes with these options.

    Args:
        options: The options of the method; the entry `until` is the step.
        points: The points that the run reported at this step.
    """
    row, chosen, values = _checked(space, rows, method, options)
    directed = metric_of(method, values) != "cosine"
    zeros = 0 if directed else int(np.count_nonzero(space.norms[chosen] == 0))
    meaning, stopped = meaning_with(row.meaning, zeros), row.stopped(len(chosen), values)
    text = meaning if stopped is None else f"{stopped.sentence} {meaning}"
    points = np.array(points, np.float32)
    points.flags.writeable = False
    return placed(space, chosen, method, values, Layout(points, (), text))


def _facing(space: VectorSpace, rows: Ints) -> Callable[[Float], Float]:
    """Return a function that rotates or mirrors points to match the PCA of these rows.

    So all maps of the rows are oriented alike.
    """
    directions = functools.cache(
        lambda components: pca.principal_coordinates(np.asarray(space.matrix[rows]), components)
    )
    return lambda points: aligned(points, directions(points.shape[1]))


def warm(*, report: Report | None = None) -> None:
    """Import and compile what each slow method needs: compute a tiny map with the method. This takes some seconds."""
    matrix = np.random.default_rng(0).normal(size=(40, 5)).astype(np.float32)
    tiny = VectorSpace([str(row) for row in range(len(matrix))], matrix)
    for row in PROJECTIONS.values():
        if row.long:
            lay_out(tiny, None, row.name)


def placed(
    space: VectorSpace,
    rows: Sequence[int] | Ints | None,
    method: str,
    options: Mapping[str, Any],
    layout: Layout,
) -> Projection:
    """Return the map that has this layout.

    Args:
        rows, method, options: The rows of the layout (all if None), and the method and options that computed it.
    """
    row, chosen, values = _checked(space, rows, method, options)
    words = space.words if rows is None else space.words_at(chosen)
    labels = [space.label(place) for place in chosen.tolist()] if space.texts is not None else None
    return Projection(words, chosen, layout.points, row.name, values, layout.axes, layout.meaning, labels)


def _checked(
    space: VectorSpace, rows: Sequence[int] | Ints | None, method: str, options: Mapping[str, Any]
) -> tuple[Projector, Ints, dict[str, Any]]:
    """Return the method with the name `method`, the rows (all if None), and the checked value of every option.

    The limits of options depend on the number of rows.
    """
    row = choose(PROJECTIONS, method, "projection")
    chosen = np.arange(len(space)) if rows is None else np.asarray(rows, np.int64)
    if len(chosen) < FEWEST:
        raise OptionError(f"A map needs three words or more, not {len(chosen)}.")
    return row, chosen, check(row, options, chosen)


def metric_of(method: str, options: Mapping[str, Any]) -> str:
    """Return the metric of a method with these options: *cosine* if it uses rows at length one, else *euclidean*.

    Raises:
        OptionError: The method is unknown.
    """
    row = choose(PROJECTIONS, method, "projection")
    usual = {option.name: option.default for option in row.options if isinstance(option, Choice)}
    chosen = {**usual, **options}
    return str(chosen["metric"]) if "metric" in chosen else "cosine" if chosen.get("rows_as") == "unit" else "euclidean"


class TimeEstimate(NamedTuple):
    """Cost of a projection on this machine: seconds, bytes of memory, and a sentence about the seconds for the user."""

    seconds: float
    memory: int
    sentence: str


def estimate(n: int, d: int, method: str, options: Mapping[str, Any]) -> TimeEstimate:
    """Return the time and memory that this machine needs for a map of n words with vectors of d dimensions.

    Raises:
        OptionError: The method is unknown, or an option is out of range.
    """
    row = choose(PROJECTIONS, method, "projection")
    values = check(row, options, range(n))
    seconds = row.seconds(n, d, values)
    return TimeEstimate(seconds, int(row.memory(n, d, values)), f"{lasting(seconds).capitalize()} on this machine.")


def idle(method: Projector, components: int) -> tuple[str, ...]:
    """Return the names of options that need no control on the page: *components*, and for two dimensions also *z*."""
    return ("components", *("z" for option in method.options if option.name == "z" and components < 3))


def whereabouts(projected: Projection, row: int, others: Ints, k: int = 15) -> tuple[Place, ...]:
    """Return for each of m words whether it is near a given word on a map, elsewhere on the map, or not on it.

    *near*: it is one of the k nearest points of the given word. *elsewhere*: it is another point of the map. *absent*:
    it is not on the map. If the given word is not on the map, no word is near.

    Args:
        row: Row of the given word in the space.
        others: Rows in the space of the words to look for on the map, (m,).
    """
    here = projected.position.get(row)
    if here is None:
        return tuple("elsewhere" if int(other) in projected.position else "absent" for other in others)
    distances = np.linalg.norm(projected.points - projected.points[here], axis=1)
    distances[here] = np.inf
    near = set(top(-distances, k).tolist())
    return tuple(_place(projected.position.get(int(other)), near) for other in others)


def _place(position: int | None, near: set[int]) -> Place:
    if position is None:
        return "absent"
    return "near" if position in near else "elsewhere"
