"""Measures of tokens in context at one layer: how similar are the occurrences of one word, or the tokens of a sentence.

The definitions are those of Ethayarajh (2019). Means over all pairs are exact, from closed forms. A row is a token, and
a group is a word or a sentence.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.space import Float, Ints
from embedviz.core.stats.intervals import Z

Doubles = NDArray[np.float64]


class Mean(NamedTuple):
    """A mean and its 95 % interval; `low` and `high` are None without an interval, as for two vectors."""

    value: float
    low: float | None = None
    high: float | None = None


def baseline(unit: Float) -> Mean:
    """Return the mean cosine over all pairs of n ≥ 2 unit rows u, (n, d): (‖Σ u‖² − n) ÷ n(n − 1).

    If all rows are tokens of different sentences, so that no two rows share a context, this mean is the anisotropy
    baseline. The standard error of a mean over pairs is 2 ÷ √n times the standard deviation of the mean cosines of each
    row with all others (Hoeffding 1948).
    """
    exact = unit.astype(np.float64)
    n = len(exact)
    total = exact.sum(axis=0)
    value = float(np.clip((total @ total - n) / (n * (n - 1)), -1.0, 1.0))
    each = (exact @ total - 1) / (n - 1)
    return Mean(value, *_around(value, 2 * float(each.std(ddof=1)) / n**0.5 if n > 2 else None))


def self_similarity(unit: Float, groups: Ints, count: int) -> Doubles:
    """Return for each word the mean cosine between two of its occurrences, (count,); NaN for fewer than two.

    The mean is (‖Σ u‖² − Σ ‖u‖²) ÷ n(n − 1) for n occurrences u. A row of zeros has a cosine of 0 with every other row.

    Args:
        unit: Token vectors, scaled to length one, (t, d).
        groups: The word of each token, 0 to `count` − 1, (t,).
    """
    sizes = np.bincount(groups, minlength=count).astype(np.float64)
    sums = group_sums(unit, groups, count)
    with np.errstate(invalid="ignore", divide="ignore"):
        own = np.bincount(groups, weights=np.einsum("ij,ij->i", unit, unit), minlength=count)
        found = (np.einsum("ij,ij->i", sums, sums) - own) / (sizes * (sizes - 1))
    return np.where(sizes > 1, np.clip(found, -1.0, 1.0), np.nan)


def intra_similarity(rows: Float, unit: Float, groups: Ints, count: int) -> Doubles:
    """Return for each sentence the mean cosine of its tokens with the mean token vector, (count,).

    Each token is part of that mean, so n unrelated tokens give about 1 ÷ √n, not 0. The value is NaN for a sentence
    without tokens or with a mean of zero.

    Args:
        rows: Token vectors, (t, d).
        unit: The same vectors, scaled to length one, (t, d).
        groups: The sentence of each token, 0 to `count` − 1, (t,).
    """
    sizes = np.bincount(groups, minlength=count)
    sums = group_sums(rows, groups, count)
    lengths = np.linalg.norm(sums, axis=1)
    towards = (sums / np.where(lengths > 0, lengths, 1)[:, None]).astype(np.float32)
    cosines = np.einsum("ij,ij->i", unit, towards[groups])
    found = np.bincount(groups, weights=cosines, minlength=count)
    return np.where((sizes > 0) & (lengths > 0), found / np.maximum(sizes, 1), np.nan)


def explainable(rows: Float, *, centered: bool = False) -> Doubles:
    """Return the maximum explainable variance σ₁² ÷ Σ σᵢ² of g groups of n occurrences, (g,).

    Ethayarajh (2019) does not center the rows. Then the value is the share of the sum of squares along one direction,
    which is close to the self-similarity. For centered rows, the value is the share of variance of the first component,
    at least 1 ÷ (n − 1). Both values depend on n, so only groups of equal size can be compared. The value is NaN for a
    group of zeros and, if centered, for a group of equal rows.

    Args:
        rows: Occurrences of each word, (g, n, d).
        centered: Whether to subtract the mean of each group first.
    """
    exact = rows.astype(np.float64)
    squares = np.einsum("gnd,gnd->g", exact, exact)
    if centered:
        exact -= exact.mean(axis=1, keepdims=True)
    values = np.linalg.eigvalsh(exact @ exact.transpose(0, 2, 1))  # (g, n), ascending
    total = values.sum(axis=1)
    varies = total > 1e-10 * squares
    return np.where(varies, values[:, -1] / np.where(varies, total, 1), np.nan)


def agreement_without(one: Float, other: Float, struck: Ints) -> float | None:
    """Return r² between pair cosines with and without some dimensions.

    None if the cosines with or without these dimensions are all equal, or if a row is zeros without these dimensions.

    Args:
        one, other: Unit rows; row i of both is pair i, (p, d) each.
        struck: The dimensions to leave out.
    """
    parts = np.einsum("ij,ij->i", one[:, struck], other[:, struck]).astype(np.float64)
    whole = np.einsum("ij,ij->i", one, other).astype(np.float64)
    left = [1 - np.einsum("ij,ij->i", rows[:, struck], rows[:, struck]).astype(np.float64) for rows in (one, other)]
    if min(float(each.min()) for each in left) < 1e-9:
        return None
    rest = (whole - parts) / np.sqrt(left[0] * left[1])
    if min(float(whole.std()), float(rest.std())) < 1e-7:
        return None
    return float(np.corrcoef(whole, rest)[0, 1]) ** 2


def group_sums(rows: Float, groups: Ints, count: int) -> Doubles:
    """Return the sum of the rows of each group, (count, d), in double precision."""
    found = np.zeros((count, rows.shape[1]))
    if len(rows):
        order = np.argsort(groups, kind="stable")
        sizes = np.bincount(groups, minlength=count)
        present = np.flatnonzero(sizes)
        starts = np.concatenate([[0], np.cumsum(sizes[present])[:-1]])
        found[present] = np.add.reduceat(rows[order], starts, axis=0, dtype=np.float64)
    return found


def _around(middle: float, error: float | None) -> tuple[float | None, float | None]:
    return (None, None) if error is None else (middle - Z * error, middle + Z * error)
