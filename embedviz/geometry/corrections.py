"""Corrections of a space, such as centering. A corrected space has `~` and the correction's name in its address.

A correction of `MAPS` is fitted to rows and gives a map of vectors, so it can be fitted to some rows and tested on
others. The map is x → ((x − shift) · scale) turn, scaled to length one if `unit`; or the map is a flow. Rows of zeros,
and rows that are not finite, are left out of the fit. `CORRECTIONS` also has the Gaussian copy, which replaces all
rows.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from embedviz.core.options import Method, OptionError, Parameter, check, choose, table
from embedviz.core.space import GROUP_COLUMN, Float, Ints, Origin, VectorSpace, lengths
from embedviz.core.stats.copies import cloud_of
from embedviz.geometry.flow import FlowMap, fit_flow
from embedviz.geometry.isotropy import Moments, moments

_NOTHING_ASSEMBLED = "After a correction no vectors are assembled for words that are not in the vocabulary."
_DEAD = 1e-3
"""A dimension counts as constant if its standard deviation ÷ the median standard deviation is at most this value."""
_FLOW_ROWS = 50_000
"""Maximum number of rows for the training of a flow."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A correction after it was fitted to some rows: any correction of `MAPS` except the flow.

    Attributes:
        shift: Vector that is subtracted from every row, (d,); None for no shift.
        scale: Factor for each dimension, (d,); None for no scaling.
        turn: Matrix by which rows are multiplied, (d, k); None for no multiplication.
        unit: Whether each row is finally scaled to length one.
    """

    shift: Float | None = None
    scale: Float | None = None
    turn: Float | None = None
    unit: bool = False

    def width(self, dimensions: int) -> int:
        """Return the number of dimensions of corrected rows, for rows with `dimensions` dimensions."""
        return dimensions if self.turn is None else int(self.turn.shape[1])

    def apply(self, rows: Float) -> Float:
        """Return the corrected rows, (m, k). A row of zeros means “no vector”, and stays zeros."""
        given = np.asarray(rows, np.float32)
        made: Any = given
        if self.shift is not None:
            made = made - self.shift
        if self.scale is not None:
            made = made * self.scale
        if self.turn is not None:
            made = made @ self.turn
        if self.unit:
            made = made / np.maximum(lengths(made), np.finfo(np.float32).tiny)[:, None]
        return _narrow(np.where(np.any(given, axis=1, keepdims=True), made, 0))


FittedMap = Fitted | FlowMap
"""A correction of `MAPS` after it was fitted to rows."""


def _center(space: VectorSpace, rows: Ints) -> Fitted:
    return Fitted(_narrow(_of(space, rows).mean))


def _zscore(space: VectorSpace, rows: Ints) -> Fitted:
    return Fitted(*_standard(_of(space, rows)))


def _standard(found: Moments) -> tuple[Float, Float]:
    """Return for each dimension its mean, (d,), and 1 ÷ standard deviation, or 0 if it counts as constant, (d,)."""
    spread = np.sqrt(np.maximum(np.diag(found.covariance), 0.0))
    live = spread > _DEAD * np.median(spread)
    return _narrow(found.mean), _narrow(np.where(live, 1 / np.where(live, spread, 1.0), 0.0))


def _flow(space: VectorSpace, rows: Ints, *, steps: int, seed: int) -> FlowMap:
    shift, scale = _standard(_of(space, rows))
    if not (scale > 0).any():
        raise OptionError("All rows are equal, so there is nothing for a flow to learn.")
    usable = _directed(space, rows)
    drawn = np.sort(np.random.default_rng(seed).permutation(usable)[:_FLOW_ROWS])
    return fit_flow(space.matrix[drawn], shift, scale, steps=steps, seed=seed)


def _abtt(space: VectorSpace, rows: Ints, *, components: int) -> Fitted:
    found = _of(space, rows)
    removed = components or max(1, round(found.dimensions / 100))
    if removed >= found.dimensions:
        raise OptionError(f"abtt would remove {removed} of {found.dimensions} dimensions, so nothing is left.")
    top = found.spectrum[1][:removed]
    return Fitted(_narrow(found.mean), turn=_narrow(np.eye(found.dimensions) - top.T @ top))


def _whiten(space: VectorSpace, rows: Ints, *, components: int, floor: float) -> Fitted:
    found = _of(space, rows)
    values, directions = found.spectrum
    rank = int(np.count_nonzero(values > floor * values[0])) if values[0] > 0 else 0
    if not rank:
        raise OptionError("All rows are equal, so there is no variance to whiten.")
    rank = min(rank, components or rank)
    return Fitted(_narrow(found.mean), turn=_narrow((directions[:rank] / np.sqrt(values[:rank])[:, None]).T))


def _unit(space: VectorSpace, rows: Ints) -> Fitted:
    return Fitted(unit=True)


def _gaussian(space: VectorSpace, rows: Ints, *, seed: int) -> Iterator[Float]:
    """Yield a Gaussian copy of each block of the space, in order; rows of zeros stay zeros."""
    found = _of(space, rows)
    cloud, random = cloud_of(found.mean, found.covariance), np.random.default_rng(seed)
    for block in space.blocks():
        drawn = cloud.draw(block.stop - block.start, random)
        drawn[~(space.norms[block] > 0)] = 0
        yield drawn


def _directed(space: VectorSpace, rows: Ints) -> Ints:
    """Return the numbers of the rows that are finite and not zero."""
    return rows[(space.norms[rows] > 0) & np.isfinite(space.norms[rows])]


def _of(space: VectorSpace, rows: Ints) -> Moments:
    usable = _directed(space, rows)
    if not len(usable):
        raise OptionError(f"{space.origin.name} has no rows with a direction, so no correction can be fitted.")
    return moments(space, usable)


def _narrow(array: Any) -> Float:
    return cast(Float, np.ascontiguousarray(array, np.float32))


MAPS: dict[str, Method] = table(
    Method(
        "center",
        "Centered",
        _center,
        summary="Subtracts the mean vector from every row, so cosines no longer contain the shared direction.",
        source="Mu and Viswanath 2018, step 1",
    ),
    Method(
        "zscore",
        "Standardized",
        _zscore,
        summary="Every dimension gets mean 0 and standard deviation 1, so no single one dominates the cosines. "
        "Constant dimensions become 0.",
        source="Timkey and van Schijndel 2021",
    ),
    Method(
        "abtt",
        "All but the top",
        _abtt,
        (Parameter("components", 0, 1_000, 0, "Number of principal components removed.", "Components", "d ÷ 100"),),
        summary="Removes the mean and the largest principal components of the centered rows. They may reflect "
        "frequency more than meaning.",
        source="Mu and Viswanath 2018; there the original rows are projected, here the centered rows",
    ),
    Method(
        "whiten",
        "Whitened",
        _whiten,
        (
            Parameter(
                "components",
                0,
                100_000,
                0,
                "Number of principal components kept.",
                "Components",
                "all above the floor",
            ),
            Parameter(
                "floor",
                1e-12,
                0.5,
                1e-5,
                "Components with less than this share of the largest variance are left out as rounding errors.",
                "Floor",
            ),
        ),
        summary="Gives every kept principal component the same variance. This makes the space isotropic, but not "
        "necessarily more meaningful.",
        source="Su et al. 2021, BERT-whitening",
    ),
    Method(
        "flow",
        "Flow",
        _flow,
        (
            Parameter("steps", 0, 2_000, 200, "Training steps, each with 256 rows.", "Steps"),
            Parameter("seed", 0, 2**31 - 1, 0, "Another seed trains another flow.", "Seed"),
        ),
        summary="Maps the rows to a standard Gaussian by an invertible network. It is trained on the rows alone, so "
        "it makes the space even, but not necessarily more meaningful.",
        source="Li et al. 2020, BERT-flow; affine couplings of Dinh et al. 2017",
        long=True,
    ),
    Method(
        "unit",
        "Unit length",
        _unit,
        summary="Scales every row to length one. Cosines stay the same, dot products become cosines, and distances "
        "order words as cosines do.",
    ),
)
"""The corrections that give a map. Each function takes a space, row numbers and options, and returns a `FittedMap`."""
CORRECTIONS: dict[str, Method] = MAPS | table(
    Method(
        "gaussian",
        "Structureless copy",
        _gaussian,
        (Parameter("seed", 0, 2**31 - 1, 0, "Another seed draws another copy.", "Seed"),),
        summary="Draws every row from a Gaussian cloud with the same mean and covariance. It has no groups, neighbors "
        "or meaning: results that a page still shows here are chance.",
    )
)
"""All corrections: the maps, and the Gaussian copy, whose function yields the new rows block by block."""
KEEPS_COSINES = ("unit",)
"""Corrections that leave all cosines, and so all neighbors by cosine, unchanged."""


def caution(names: Sequence[str]) -> str:
    """Return a warning about the measures of a corrected space; empty if no correction changes cosines.

    Args:
        names: Names of the corrections of the space.
    """
    if "gaussian" in names:
        return f"This space is a structureless copy. {CORRECTIONS['gaussian'].summary}"
    fit = [MAPS[name].title.lower() for name in names if name in MAPS and name not in KEEPS_COSINES]
    if not fit:
        return ""
    return (
        f"This space is corrected ({', '.join(fit)}), fitted to the same rows. On other rows its measures would be "
        "less even."
    )


def made_by(space: VectorSpace) -> tuple[str, ...]:
    """Return the name of the correction that made the space, in a tuple; an empty tuple for other spaces."""
    return (str(space.origin.parameters.get("correction", "")),) if space.origin.kind == "correction" else ()


def fitted(space: VectorSpace, name: str, rows: Ints | None = None, **options: Any) -> FittedMap:
    """Return a correction of `MAPS`, fitted to rows of a space.

    Args:
        rows: Row numbers, ascending; None for all rows.
        options: The options of the correction.

    Raises:
        OptionError: The correction is unknown, an option is out of range, or the rows do not allow a fit.
    """
    method = choose(MAPS, name, "correction")
    function: Callable[..., FittedMap] = method.function
    return function(space, np.arange(len(space)) if rows is None else rows, **check(method, options, space))


def corrected(space: VectorSpace, name: str, *, rows: Ints | None = None, **options: Any) -> VectorSpace:
    """Return a new space: the space after a correction of `CORRECTIONS`, with the correction in its name.

    Output vectors and the n-gram vectors of a fastText model are dropped: a correction is fitted to the rows only.

    Args:
        rows: Row numbers that the correction is fitted to, ascending; None for all rows.
        options: The options of the correction.

    Raises:
        OptionError: The correction is unknown, an option is out of range, or the rows do not allow a fit.
    """
    method = choose(CORRECTIONS, name, "correction")
    values = check(method, options, space)
    if name in MAPS:
        way = fitted(space, name, rows, **values)
        width = way.width(space.dimensions)
        made = (way.apply(space.matrix[block]) for block in space.blocks())
    else:
        width = space.dimensions
        made = method.function(space, np.arange(len(space)) if rows is None else rows, **values)
    matrix = np.empty((len(space), width), np.float32)
    for block, part in zip(space.blocks(), made, strict=True):
        matrix[block] = part
    notes = [space.origin.note, "" if name in MAPS else method.summary]
    named = {key: value for key, value in space.origin.parameters.items() if key == GROUP_COLUMN}
    origin = Origin(
        "correction",
        f"{space.origin.name}, {method.title.lower()}",
        space.origin.order,
        {"correction": name, **values, "of": space.origin.name, **named},
        space.origin.checksum,
        space.origin.versions,
        " ".join(filter(None, [*notes, _NOTHING_ASSEMBLED if space.subwords else ""])),
    )
    # checked=True, because the rows and words were checked before
    return dataclasses.replace(
        space, matrix=matrix, folder=None, origin=origin, subwords=None, outputs=None, checked=True
    )
