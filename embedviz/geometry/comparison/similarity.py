"""Agreement of two spaces without a rotation: CKA, and the correlation between the cosines of both spaces."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from embedviz.core.phrases import number, value_or_dash
from embedviz.core.space import Float, VectorSpace
from embedviz.core.stats.intervals import Z
from embedviz.geometry.comparison.shared import Figure, Shared, shared

FEWEST_PAIRS = 10


@dataclass(frozen=True)
class Cka:
    """Linear centered kernel alignment (CKA; Kornblith et al. 2019), 0 to 1; rotation and scale do not change CKA.

    Attributes:
        value: CKA of the two spaces. `value`, `shuffled` and `debiased` are None if all rows of a space are equal.
        shuffled: Exact mean of CKA over all shuffles of the words of one space; the fewer the words, the higher.
        debiased: CKA by the unbiased estimate (Song et al. 2012), about 0 for unrelated spaces; None if that estimate
            does not exist.
        words: Number of shared words.
    """

    value: float | None
    shuffled: float | None
    debiased: float | None
    words: int

    @property
    def figure(self) -> Figure:
        """Return a row of the results table: CKA, with its baseline."""
        debiased = f"Debiased: {value_or_dash(self.debiased)}; by chance 0."
        meaning = f"1 if the spaces are equal up to rotation and scale. {debiased}"
        here, shuffled = value_or_dash(self.value), value_or_dash(self.shuffled)
        return Figure("CKA", here, shuffled, "the words of one space shuffled", meaning)


@dataclass(frozen=True)
class CosineAgreement:
    """Correlation between the cosines in one space and in the other, over the same random pairs of words.

    Attributes:
        spearman, pearson: Correlations, −1 to 1; by chance 0. None for fewer than ten pairs, or if all cosines of a
            space are equal.
        low, high: 95 % interval of the Spearman correlation (Bonett and Wright 2000); 0 if `spearman` is None.
        pairs: Number of random pairs. Each word is in at most one pair, so that the pairs are independent.
    """

    spearman: float | None
    pearson: float | None
    low: float
    high: float
    pairs: int

    @property
    def figure(self) -> Figure:
        """Return a row of the results table: the correlation of cosines, with its baseline."""
        within = f" ({number(self.low)} to {number(self.high)})" if self.spearman is not None else ""
        here, pearson = f"{value_or_dash(self.spearman)}{within}", value_or_dash(self.pearson)
        meaning = f"Spearman correlation of the cosines of {self.pairs:,} random pairs. Pearson: {pearson}."
        return Figure("Correlation of cosines", here, "0", "two unrelated spaces", meaning)


def cka(one: VectorSpace, other: VectorSpace, *, seed: int = 0) -> Cka:
    """Return the linear CKA of two spaces, over the centered rows of their shared words.

    Raises:
        OptionError: Fewer than four words are shared.
    """
    return cka_of(one, other, shared(one, other, seed=seed))


def cka_of(one: VectorSpace, other: VectorSpace, words: Shared) -> Cka:
    """Return the linear CKA of two spaces, over the centered rows of the given shared words.

    CKA is ‖XᵀY‖² ÷ (‖XᵀX‖ ‖YᵀY‖), with Frobenius norms. If the words of Y are shuffled, the mean of ‖XᵀY‖² is
    tr(XXᵀ) tr(YYᵀ) ÷ (n − 1).
    """
    n = len(words)
    ours, theirs = _centered(one.matrix[words.ours]), _centered(other.matrix[words.theirs])
    across, within, beyond = (_squares(*each) for each in ((ours, theirs), (ours, ours), (theirs, theirs)))
    if not within or not beyond:
        return Cka(None, None, None, n)
    lengths = [np.einsum("ij,ij->i", rows, rows) for rows in (ours, theirs)]
    scale = float(np.sqrt(within * beyond))
    shuffled = float(lengths[0].sum() * lengths[1].sum()) / (n - 1) / scale

    def unbiased(squares: float, a: Any, b: Any) -> float:
        return squares - n / (n - 2) * float(a @ b) + float(a.sum() * b.sum()) / ((n - 1) * (n - 2))

    size = unbiased(within, lengths[0], lengths[0]) * unbiased(beyond, lengths[1], lengths[1])
    debiased = unbiased(across, *lengths) / float(np.sqrt(size)) if size > 1e-12 * within * beyond else None
    return Cka(across / scale, shuffled, debiased, n)


def _centered(rows: Float) -> Any:
    """Return the centered rows, divided by their largest absolute value so that no product overflows."""
    exact = rows.astype(np.float64)
    exact -= exact.mean(axis=0)
    largest = float(np.abs(exact).max(initial=0.0))
    spread = float(np.abs(rows).max(initial=0.0))
    if largest <= 1e-6 * spread:  # all rows are equal; the rest is rounding
        return np.zeros_like(exact)
    return exact / largest


def _squares(ours: Any, theirs: Any) -> float:
    products = ours.T @ theirs
    return float(np.einsum("ij,ij->", products, products))


def agreement_of(pair: tuple[Float, Float], seed: int) -> CosineAgreement:
    """Return the correlation of the cosines of two spaces over random pairs of shared words.

    Args:
        pair: Unit rows of the shared words, (n, d) and (n, e).
    """
    from scipy.stats import spearmanr

    mixed = np.random.default_rng(seed).permutation(len(pair[0]))
    count = len(mixed) // 2
    left, right = mixed[:count], mixed[count : 2 * count]
    ours, theirs = (np.einsum("ij,ij->i", unit[left], unit[right]).astype(np.float64) for unit in pair)
    if count < FEWEST_PAIRS or np.ptp(ours) < 1e-6 or np.ptp(theirs) < 1e-6:
        return CosineAgreement(None, None, 0.0, 0.0, count)
    pearson = float(np.corrcoef(ours, theirs)[0, 1])
    spearman = float(spearmanr(ours, theirs).statistic)
    middle = np.arctanh(np.clip(spearman, -0.999999, 0.999999))
    half = Z * np.sqrt((1 + spearman**2 / 2) / (count - 3))
    low, high = np.tanh([middle - half, middle + half]).tolist()
    return CosineAgreement(spearman, pearson, low, max(high, spearman), count)
