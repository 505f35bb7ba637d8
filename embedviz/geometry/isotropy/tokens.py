"""Measures of tokens in context, at one layer: how alike the occurrences of a word are, and the tokens of a sentence.

Definitions are those of Ethayarajh (2019); means over all pairs are exact, by closed forms. Rows are tokens, groups are
words or sentences.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.space import Float, Ints
from embedviz.core.stats.intervals import Z

Doubles = NDArray[np.float64]


class Mean(NamedTuple):
    """A mean and its 95 % interval; no interval where there are too few to tell."""

    value: float
    low: float | None = None
    high: float | None = None


def baseline(unit: Float) -> Mean:
    """Return the mean cosine of all pairs of these rows of length one, (n, d): (‖Σ u‖² − n) ÷ n(n − 1).

    One token a sentence makes it the anisotropy baseline: no two of them share a context. The interval is that of a
    mean over pairs (Hoeffding 1948): 2 ÷ √n times the spread of the rows' mean cosines with the others.
    """
    exact = unit.astype(np.float64)
    n = len(exact)
    total = exact.sum(axis=0)
    value = float(np.clip((total @ total - n) / (n * (n - 1)), -1.0, 1.0))
    each = (exact @ total - 1) / (n - 1)
    return Mean(value, *_around(value, 2 * float(each.std(ddof=1)) / n**0.5 if n > 2 else None))


def self_similarity(unit: Float, groups: Ints, count: int) -> Doubles:
    """Return the mean cosine of two different occurrences of each word, (count,); not a number where there are not two.

    (‖Σ u‖² − Σ ‖u‖²) ÷ n(n − 1), over all pairs. A row of zeros has a cosine of 0 with every other.

    Args:
        unit: Rows of length one, (t, d).
        groups: The word of each, 0 to `count` − 1, (t,).
    """
    sizes = np.bincount(groups, minlength=count).astype(np.float64)
    sums = group_sums(unit, groups, count)
    with np.errstate(invalid="ignore", divide="ignore"):
        own = np.bincount(groups, weights=np.einsum("ij,ij->i", unit, unit), minlength=count)
        found = (np.einsum("ij,ij->i", sums, sums) - own) / (sizes * (sizes - 1))
    return np.where(sizes > 1, np.clip(found, -1.0, 1.0), np.nan)


def intra_similarity(rows: Float, unit: Float, groups: Ints, count: int) -> Doubles:
    """Return the mean cosine of a sentence's tokens with the mean of their vectors, (count,).

    Each token is itself a part of that mean: of n unrelated tokens it is about 1 ÷ √n, not 0. Not a number where there
    is no token, or where the mean has no direction.

    Args:
        rows: Tokens as they are, (t, d). `unit`: at length one.
        groups: The sentence of each, (t,).
    """
    sizes = np.bincount(groups, minlength=count)
    sums = group_sums(rows, groups, count)
    lengths = np.linalg.norm(sums, axis=1)
    towards = (sums / np.where(lengths > 0, lengths, 1)[:, None]).astype(np.float32)
    cosines = np.einsum("ij,ij->i", unit, towards[groups])
    found = np.bincount(groups, weights=cosines, minlength=count)
    return np.where((sizes > 0) & (lengths > 0), found / np.maximum(sizes, 1), np.nan)


def explainable(rows: Float, *, centered: bool = False) -> Doubles:
    """Return maximum explainable variance σ₁² ÷ Σ σᵢ² of each of g groups of n occurrences, (g, n, d) to (g,).

    As the paper has it, of the rows as they are: the share of their squares along one direction, which is near the
    self-similarity. Centered it is the share of variance in the first component, and never below 1 ÷ (n − 1). Either
    depends on n: only groups of one size compare. Not a number where a group does not vary.
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
    """Return r² of the cosines of pairs of rows of length one, (p, d) each, with those without these dimensions.

    None where one of the two does not vary, or nothing is left of a row.
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
