"""Rotation of one space onto another: fitted on some shared words, tested on others.

First the rows of both spaces are scaled to length one, centered and scaled again, as in vecmap (Artetxe et al. 2018).
The rotation is U Vᵀ, from the singular value decomposition of XᵀY (Schönemann 1966). If one space has fewer dimensions,
its rows are padded with zeros.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core import device
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints
from embedviz.core.stats.intervals import Share
from embedviz.geometry.comparison.shared import Figure, Shared

HELDOUT = 1_000
_FOLDS = 5  # folds of the words in `self_cosines`
_AXES_AGREE = 0.1  # minimum share of words found without a rotation for “the axes agree”
_AT_ONCE = 8_000_000  # cosines in memory at a time: 32 MB


class Precision(NamedTuple):
    """Share of words whose nearest word in the other space is the word itself, with its 95 % interval (Wilson 1927)."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{share(self.value)} ({share(self.low)} to {share(self.high)})"


@dataclass(frozen=True)
class Procrustes:
    """How often the nearest word to a held-out word, after the rotation into the other space, is the word itself.

    Attributes:
        nearest: Share of held-out words whose nearest word by cosine similarity is the word itself.
        csls: This share if nearness is CSLS (Conneau et al. 2018), 2 cos − r_T − r_S. Here r_T and r_S are the mean
            cosines of the two compared vectors with their k nearest words in the other space.
        identity: `nearest` without a rotation; None if the dimensions differ.
        random: `nearest` after a random rotation.
        heldout, training: Number of words tested, and number of words that the rotation was fitted on.
        candidates: Number of words among which the nearest word is searched: all shared words.
        dimensions: Dimensions of the first and of the other space.
        k: Number of neighbors in CSLS.
    """

    nearest: Precision
    csls: Precision
    identity: Precision | None
    random: Precision
    heldout: int
    training: int
    candidates: int
    dimensions: tuple[int, int]
    k: int

    @property
    def chance(self) -> float:
        """Return the probability that one guess among all n candidates is right, 1 ÷ n."""
        return 1 / self.candidates

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Return three rows of the results table: precision by cosine, by CSLS, and by cosine without a rotation."""
        guess, same = f"one guess among {self.candidates:,}", self.identity
        unturned = "Spaces of different dimensions cannot be compared without a rotation."
        if same is not None:
            unturned = "The same without a rotation, only centered: it is high if the axes already agree."
            if same.low > self.random.high and same.value > _AXES_AGREE:
                unturned = (
                    "Without a rotation, only centered. The axes already agree: perhaps one space was made from the "
                    "other, or they were aligned before."
                )
        random, chance = share(self.random.value), share(self.chance)
        found = "Share of held-out words whose nearest word after the rotation is the same word."
        held_back = "The same with a correction for hubs, words that are near to many others."
        here = "–" if same is None else str(same)
        return (
            Figure(
                "Same word nearest, cosine", str(self.nearest), random, f"a random rotation; {guess}: {chance}", found
            ),
            Figure("Same word nearest, CSLS", str(self.csls), chance, guess, held_back),
            Figure("Same word nearest, no rotation", here, random, "a random rotation", unturned),
        )

    def card(self) -> dict[str, Any]:
        """Return all numbers as plain JSON values."""
        return {
            "precision_at_1": self.nearest.value,
            "low": self.nearest.low,
            "high": self.nearest.high,
            "csls": self.csls.value,
            "identity": None if self.identity is None else self.identity.value,
            "random": self.random.value,
            "chance": self.chance,
            "heldout": self.heldout,
            "training": self.training,
        }

    @property
    def undetermined(self) -> bool:
        """Return whether the rotation is partly arbitrary, because there are fewer training words than dimensions."""
        return self.training < min(self.dimensions)

    @property
    def sample(self) -> str:
        """Describe the words that the rotation is fitted and tested on."""
        padded = ""
        if self.dimensions[0] != self.dimensions[1]:
            padded = f" Rows of {min(self.dimensions):,} numbers are filled with zeros to {max(self.dimensions):,}."
        loose = (
            f" {self.training:,} words are fewer than {min(self.dimensions):,} dimensions: the rotation is partly "
            "arbitrary."
            if self.undetermined
            else ""
        )
        return (
            f"The rotation is fitted on {self.training:,} shared words and tested on {self.heldout:,} others."
            f"{padded}{loose}"
        )


def procrustes_of(
    words: Shared, pair: tuple[Float, Float], heldout: int, k: int, seed: int, report: Report | None = None
) -> Procrustes:
    """Return how well a rotation maps one space onto the other, tested on held-out words.

    Args:
        pair: Unit rows of the shared words, (n, d) and (n, e).
        heldout: Number of words tested, limited to a fifth of the shared words. The rotation is fitted on
            the other words.
        k: Number of neighbors in CSLS.

    Raises:
        OptionError: `heldout` or k is below 1.
    """
    if heldout < 1 or k < 1:
        raise OptionError(f"heldout is {heldout} and k {k}; both are 1 or more.")
    random, n = np.random.default_rng(seed), len(words)
    ours, theirs = normalised(*pair)
    mixed = random.permutation(n)
    tested = np.sort(mixed[: max(1, min(heldout, n // 5))])
    training = np.setdiff1d(np.arange(n), tested, assume_unique=True)
    turned = ours @ rotation(ours[training], theirs[training])
    k = min(k, n)
    spread = _mean_of_nearest(theirs, turned, k, report)  # r_S of each candidate
    cosines = turned[tested] @ theirs.T
    toward = np.partition(cosines, n - k, axis=1)[:, n - k :].mean(axis=1, keepdims=True)  # r_T, one for each word
    turn = np.linalg.qr(random.normal(size=(ours.shape[1],) * 2))[0].astype(np.float32)
    same = pair[0].shape[1] == pair[1].shape[1]
    return Procrustes(
        _first(cosines, tested),
        _first(2 * cosines - toward - spread, tested),
        _first(ours[tested] @ theirs.T, tested) if same else None,
        _first((ours[tested] @ turn) @ theirs.T, tested),
        len(tested),
        len(training),
        n,
        (pair[0].shape[1], pair[1].shape[1]),
        k,
    )


def normalised(ours: Float, theirs: Float) -> tuple[Float, Float]:
    """Return both sets of unit rows centered, scaled to length one again, and padded with zeros to equal width.

    A row equal to the mean becomes zeros.
    """
    width = max(ours.shape[1], theirs.shape[1])
    return _normalised(ours, width), _normalised(theirs, width)


def _normalised(unit: Float, width: int) -> Float:
    centered = unit - unit.mean(axis=0, dtype=np.float64).astype(np.float32)
    lengths = np.linalg.norm(centered, axis=1, keepdims=True)
    lengths[lengths < 1e-6] = np.inf  # a row equal to the mean has no direction left
    rows = np.zeros((len(unit), width), np.float32)
    np.divide(centered, lengths, out=rows[:, : unit.shape[1]])
    return rows


def rotation(ours: Float, theirs: Float) -> Float:
    """Return the rotation or reflection that maps `ours` nearest to `theirs`, row by row, (d, d) (Schönemann 1966)."""
    return rotation_of(ours.T @ theirs)


def rotation_of(products: Float) -> Float:
    """Return the rotation for a matrix XᵀY (`products`): U Vᵀ of its singular value decomposition U S Vᵀ, (d, d)."""
    from scipy.linalg import svd

    with device.library_threads():
        left, _, right = svd(products.astype(np.float64), full_matrices=False)
    return np.asarray(left @ right, np.float32)


def self_cosines(pair: tuple[Float, Float], seed: int = 0) -> Float:
    """Return the cosine between the two vectors of each word, (n,), after a rotation fitted on other words.

    The words are in five folds. The rotation for the words of one fold is fitted on the other four.

    Args:
        pair: Unit rows of the same words in two spaces, (n, d) and (n, e).
    """
    ours, theirs = normalised(*pair)
    products = ours.T @ theirs
    fold = np.random.default_rng(seed).permutation(len(ours)) % _FOLDS
    cosines = np.zeros(len(ours), np.float32)
    for part in range(_FOLDS):
        held = np.flatnonzero(fold == part)
        if len(held):
            turn = rotation_of(products - ours[held].T @ theirs[held])
            cosines[held] = np.einsum("ij,ij->i", ours[held] @ turn, theirs[held])
    return cosines


def _first(scores: Any, tested: Ints) -> Precision:
    """Return the share of tested words whose best candidate, by score, is the word itself.

    Args:
        scores: Row i has the scores of tested word i with every candidate.
        tested: The column of each tested word in `scores`.
    """
    found = Share(int(np.count_nonzero(scores.argmax(axis=1) == tested)), len(tested))
    return Precision(found.value, *found.interval)


def _mean_of_nearest(of: Float, among: Float, k: int, report: Report | None) -> Float:
    """Return the mean cosine of each row of `of` with its k nearest rows of `among`, (n,)."""
    n = len(among)
    means = np.empty(len(of), np.float32)
    step = max(1, _AT_ONCE // n)
    for start in range(0, len(of), step):
        cosines = of[start : start + step] @ among.T
        cosines.partition(n - k, axis=1)
        means[start : start + step] = cosines[:, n - k :].mean(axis=1)
        if report is not None:
            done = min(start + step, len(of))
            report(done / len(of), f"{done:,} of {len(of):,} words compared")
    return means
