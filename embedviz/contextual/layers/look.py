"""The data that the measures of a layer need, and estimates with their standard errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.contextual.layers.sample import FrequentWords, Tokens
from embedviz.core.options import OptionError
from embedviz.core.space import Float, Ints, Origin, VectorSpace, lengths, unit_rows
from embedviz.core.stats.intervals import Z
from embedviz.geometry.isotropy import SLIGHT, Rogue, Striking, directions, largest_parts, moments
from embedviz.geometry.isotropy.tokens import (
    Mean,
    agreement_without,
    baseline,
    group_sums,
    intra_similarity,
    self_similarity,
)

Doubles = NDArray[np.float64]
EQUAL = 10
"""Number of random occurrences of each word for the explainable variance, which depends on this number."""
PAIRS = 20_000
"""Number of random pairs of words whose cosines with and without rogue dimensions are compared."""
GROUPS = 200
"""Number of groups of random words, each with `EQUAL` words: the baseline of the explainable variance."""
_ROGUES = 5
STRUCK = (1, 3, 5)
"""Cosines are computed without the 1, 3 and 5 largest rogue dimensions, and compared with full cosines."""


class Value(NamedTuple):
    """The value of a measure at one layer; fields are None if undefined.

    Attributes:
        low, high: 95 % interval. The resampled units are texts (or sentences), words, or texts and words together.
        chance: Baseline from tokens of the same layer, for example from random words or from shuffled tokens.
        isotropic: Baseline: the value for isotropic vectors (independent normal numbers).
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    isotropic: float | None = None

    @property
    def against(self) -> float | None:
        """Return the baseline: the chance value if there is one, else the isotropic value."""
        return self.isotropic if self.chance is None else self.chance


class LayerEstimate(NamedTuple):
    """The value of a measure at a layer, with what each text and each word contributes to its error (first order).

    Attributes:
        texts: Contribution of each text or sentence, (u,); empty if only words are resampled.
        words: Contribution of each word, (w,); empty if words are not resampled.
    """

    value: float
    texts: Doubles
    words: Doubles

    @property
    def error(self) -> float | None:
        """Return the standard error from texts and words together.

        It is None unless there are at least three texts or at least three words.
        """
        parts = [_square(each) for each in (self.texts, self.words) if len(each)]
        return math.sqrt(sum(parts)) if parts and max(len(self.texts), len(self.words)) > 2 else None

    def less(self, other: LayerEstimate) -> LayerEstimate:
        """Return the estimate of the difference: this value minus the value of `other`, from the same texts.

        The words of the two estimates are taken as independent samples.
        """
        words = [each for each in (self.words, -other.words) if len(each)]
        texts = self.texts - other.texts if len(self.texts) and len(other.texts) else np.zeros(0)
        return LayerEstimate(self.value - other.value, texts, np.concatenate(words) if words else np.zeros(0))


def summed(groups: Ints, values: Doubles, least: int = 0) -> Doubles:
    """Return the sum of the values in each group 0, 1, …; the sum of an empty group is 0.

    Args:
        groups: Number of the group of each value.
        least: Minimum number of groups in the result.
    """
    return np.bincount(groups, weights=values, minlength=least).astype(np.float64, copy=False)


def _square(parts: Doubles) -> float:
    """Return the variance of the sum of independent, centered contributions."""
    return float((parts**2).sum()) * len(parts) / max(1, len(parts) - 1)


def interval(found: LayerEstimate, chance: float | None = None, isotropic: float | None = None) -> Value:
    """Return the value with its 95 % interval and baselines; without an interval if `found` has no standard error."""
    error = found.error
    if error is None:
        return Value(found.value, None, None, chance, isotropic)
    return Value(found.value, found.value - Z * error, found.value + Z * error, chance, isotropic)


def difference_errors(layers: Sequence[dict[str, LayerEstimate | None]]) -> dict[str, Doubles]:
    """Return, for each measure, the standard errors of the differences between all pairs of layers, (K, K).

    A measure is left out if one of its estimates is missing or has no standard error.
    """
    found = {}
    for name in layers[0]:
        each = [one for layer in layers if (one := layer[name]) is not None and one.error is not None]
        if len(each) < len(layers):
            continue
        found[name] = np.array([[_difference_error(one, other) for other in each] for one in each])
    return found


def _difference_error(one: LayerEstimate, other: LayerEstimate) -> float:
    """Return the standard error of the difference between the estimates of two layers, on the same texts and words."""
    return math.sqrt(_square(one.texts - other.texts) + _square(one.words - other.words))


@dataclass(frozen=True, eq=False)
class LayerLook:
    """The data of a layer: the vectors of the tokens, (t, d), the sentence of each token, and the frequent words."""

    rows: Float
    tokens: Tokens
    words: FrequentWords
    seed: int

    @cached_property
    def norms(self) -> Float:
        """Return the Euclidean length of each token's vector, (t,)."""
        return lengths(self.rows)

    @cached_property
    def unit(self) -> Float:
        """Return the tokens' vectors scaled to length one, (t, d)."""
        return unit_rows(self.rows, self.norms)

    @property
    def dimensions(self) -> int:
        """Return the number of dimensions, d."""
        return int(self.rows.shape[1])

    @cached_property
    def space(self) -> VectorSpace:
        """Return a space of the vectors of those tokens that are words, one row per token."""
        return space_of(self.rows[self.tokens.wordy], "words")

    @cached_property
    def values(self) -> Doubles | None:
        """Return the variance of the words along each principal direction, (d,); None with under 4 nonzero vectors."""
        live = np.flatnonzero(self.space.norms > 0)
        return moments(self.space, live).spectrum[0] if len(live) > 3 else None

    @cached_property
    def similarity(self) -> Doubles:
        """Return the self-similarity of each frequent word, (w,): the mean cosine of two of its occurrences."""
        places, groups = self.words.places, self.words.groups
        return self_similarity(self.unit[places], groups, len(self.words.names))

    def mean(self, values: Doubles) -> LayerEstimate | None:
        """Return the mean of the finite numbers in `values`, (s,), one per sentence; None without a finite number."""
        known = np.isfinite(values)
        if not known.any():
            return None
        middle = float(values[known].mean())
        each = np.where(known, values - middle, 0.0) / known.sum()
        return LayerEstimate(middle, summed(self.tokens.unit, each), np.zeros(0))

    def pairs(self, chosen: Ints) -> LayerEstimate:
        """Return the mean cosine of all pairs of some tokens, one from each sentence.

        Args:
            chosen: The index of the token of each sentence, (s,).
        """
        rows = self.unit[chosen].astype(np.float64)
        live = (rows**2).sum(axis=1) > 0.5
        value, count = _pairs(self.unit[chosen]).value, int(live.sum())
        each = np.where(live, (rows @ rows.sum(axis=0) - 1) / (count - 1) - value, 0.0)
        return LayerEstimate(value, summed(self.tokens.unit, 2 * each / count), np.zeros(0))

    @cached_property
    def base(self) -> LayerEstimate:
        """Take one random word of each sentence, and return the mean cosine of all pairs of these words."""
        return self.pairs(self.tokens.one_each)

    @cached_property
    def mean_similarity(self) -> LayerEstimate | None:
        """Return the mean self-similarity over the frequent words; None if there are none."""
        known = np.isfinite(self.similarity)
        if not known.any():
            return None
        places, groups = self.words.places, self.words.groups
        middle, count = float(self.similarity[known].mean()), int(known.sum())
        own = np.where(known, self.similarity - middle, 0.0) / count
        rows, sizes = self.unit[places], self.words.counts[groups]
        near = (np.einsum("ij,ij->i", rows, group_sums(rows, groups, len(known))[groups]) - 1) / (sizes - 1)
        shift = np.where(known[groups], own[groups] + 2 * (near - self.similarity[groups]) / count, 0.0) / sizes
        texts = summed(self.tokens.unit[self.tokens.sentence[places]], shift, int(self.tokens.unit.max()) + 1)
        return LayerEstimate(middle, texts, own)

    @cached_property
    def intra(self) -> LayerEstimate | None:
        """Return the mean cosine of a token with its sentence's mean vector, averaged first within each sentence."""
        return self.mean(intra_similarity(self.rows, self.unit, self.tokens.sentence, self.tokens.sentences))

    @cached_property
    def dealt(self) -> float | None:
        """Return the baseline of `intra`: its value after the tokens are shuffled among all sentences.

        `intra` is the mean cosine of a token with its sentence's mean vector. Each sentence keeps its number of tokens.
        The result is None if no sentence has a value.
        """
        order = np.random.default_rng([self.seed, 3]).permutation(len(self.rows))
        of, count = self.tokens.sentence, self.tokens.sentences
        found = self.mean(intra_similarity(self.rows[order], self.unit[order], of, count))
        return None if found is None else found.value

    @cached_property
    def groups(self) -> tuple[Float, Float] | None:
        """Sample vectors of occurrences of the same word, (g, EQUAL, d), and of random words, (GROUPS, EQUAL, d).

        The g words are those with `EQUAL` occurrences or more. None without such a word, or with fewer than `EQUAL`
        sentences.
        """
        random = np.random.default_rng([self.seed, 4])
        if self.tokens.sentences < EQUAL:
            return None
        order = random.permutation(len(self.words.groups))
        ranked = order[np.argsort(self.words.groups[order], kind="stable")]
        starts = np.concatenate([[0], np.cumsum(self.words.counts)[:-1]])[self.words.counts >= EQUAL]
        if not len(starts):
            return None
        own = self.words.places[ranked[starts[:, None] + np.arange(EQUAL)]]
        other = np.stack([random.choice(self.tokens.one_each, EQUAL, replace=False) for _ in range(GROUPS)])
        return self.rows[own], self.rows[other]

    @cached_property
    def rogues(self) -> tuple[Rogue, ...]:
        """Return the rogue dimensions: those with the largest shares of the mean cosine of two words, at most five."""
        live = np.flatnonzero(self.space.norms > 0)
        if len(live) < 2:
            return ()
        parts = directions(self.space, live).parts
        mean = float(parts.sum())
        clear = mean > SLIGHT and (interval(self.base).low or 0) > 0
        return largest_parts(parts, mean, _ROGUES, clear=clear)

    @cached_property
    def striking(self) -> tuple[Striking, ...]:
        """Return r² between full cosines and cosines without the largest 1, 3 or 5 rogue dimensions."""
        random = np.random.default_rng([self.seed, 5])
        wordy = np.flatnonzero(self.tokens.wordy & (self.norms > 0))
        pairs = random.integers(0, len(wordy), (2, PAIRS))
        one, other = self.unit[wordy[pairs[:, pairs[0] != pairs[1]]]]
        found = []
        for struck in STRUCK:
            if struck < self.dimensions and len(self.rogues) >= struck:
                at = np.asarray([rogue.dimension for rogue in self.rogues[:struck]], np.int64)
                value = agreement_without(one, other, at)
                if value is not None:
                    found.append(Striking(struck, value, 1 - struck / self.dimensions))
        return tuple(found)


def _pairs(unit: Float) -> Mean:
    """Return the mean cosine of all pairs of nonzero rows of `unit`.

    Raises:
        OptionError: Fewer than two vectors are nonzero.
    """
    live = unit[np.einsum("ij,ij->i", unit, unit) > 0.5]
    if len(live) < 2:
        raise OptionError("All vectors of a layer are zero, so there is nothing to measure.")
    return baseline(live)


def space_of(rows: Float, name: str) -> VectorSpace:
    """Return a space of these rows; the words of the space are the row numbers."""
    return VectorSpace([str(row) for row in range(len(rows))], rows, origin=Origin("selection", name))
