"""Alignment and uniformity of unit vectors (Wang and Isola 2020): the two properties that a contrastive loss optimizes.

Lower values of both properties are better. Rows are scaled to length one first.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError

Reals = NDArray[np.float64]


def alignment(one: Any, other: Any, alpha: float = 2.0) -> float:
    """Return the alignment: the mean of ‖x − y‖^α over positive pairs of unit vectors, 0 or more.

    With α = 2 the alignment equals 2 − 2 · mean cosine. It is 0 if the two vectors of every pair are equal.

    Args:
        one, other: The vectors; row i of both is pair i, (n, d) each.

    Raises:
        OptionError: There is no pair, the shapes differ, or a row is zero.
    """
    first, second = nonzero_unit_rows(one), nonzero_unit_rows(other)
    if first.shape != second.shape or not len(first):
        raise OptionError(f"Pairs need two tables of one shape; given: {first.shape} and {second.shape}.")
    return float((np.linalg.norm(first - second, axis=1) ** alpha).mean())


def uniformity(rows: Any, t: float = 2.0) -> float:
    """Return the uniformity: log mean exp(−t ‖x − y‖²) over all pairs of the rows, (n, d).

    Rows are scaled to length one first. The value is 0 if all rows are equal, and about −2t for random points on a
    sphere of many dimensions.

    Raises:
        OptionError: There are fewer than two rows, or a row is zero.
    """
    unit = nonzero_unit_rows(rows)
    if len(unit) < 2:
        raise OptionError(f"{len(unit)} row was given; uniformity needs two or more.")
    return pair_uniformity((unit @ unit.T)[np.triu_indices(len(unit), 1)], t)


def pair_uniformity(cosines: Any, t: float = 2.0) -> float:
    """Return the `uniformity` over pairs of rows with these cosines, for example a random sample of all pairs."""
    return float(np.log(np.exp(-t * (2 - 2 * np.asarray(cosines))).mean()))


def nonzero_unit_rows(rows: Any) -> Reals:
    """Return the rows scaled to length one, in float64, (n, d).

    Raises:
        OptionError: A row is zero.
    """
    found = np.asarray(rows, np.float64)
    lengths = np.linalg.norm(found, axis=-1, keepdims=True)
    if not (lengths > 0).all():
        raise OptionError("A vector of zeros has no direction. Leave its row out.")
    return np.asarray(found / lengths)
