"""One layer as the measures see it, and numbers with what each text and each word adds to their intervals."""

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
from embedviz.geometry.isotropy import SLIGHT, Rogue, Striking, directions, moments
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
"""Occurrences that are drawn of each word for its explainable variance, which depends on how many there are."""
PAIRS = 20_000
GROUPS = 200
"""Groups of random words."""
_ROGUES = 5
STRUCK = (1, 3, 5)
"""Dimensions without which cosines are taken."""


class Value(NamedTuple):
    """A number of one layer; what has no meaning is None.

    Attributes:
        low, high: Its 95 % interval, if other texts (and words) were drawn.
        chance: What the same tokens give without what is measured, as the measure says.
        isotropic: What independent normal numbers of the same size give.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    isotropic: float | None = None

    @property
    def against(self) -> float | None:
        """Its baseline: chance where there is one, else the isotropic value."""
        return self.isotropic if self.chance is None else self.chance


class Estimate(NamedTuple):
    """A number, and what each unit adds to its deviation from the mean over all samples.

    Attributes:
        texts: Of each text or sentence, (u,). `words`: of each word, where words are drawn as well.
    """

    value: float
    texts: Doubles
    words: Doubles

    @property
    def error(self) -> float | None:
        """The standard error: texts and words each add their squares. None where there are too few."""
        parts = [_square(each) for each in (self.texts, self.words) if len(each)]
        return math.sqrt(sum(parts)) if parts and max(len(self.texts), len(self.words)) > 2 else None

    def less(self, other: Estimate) -> Estimate:
        """Return the difference of two numbers of the same texts."""
        words = [each for each in (self.words, -other.words) if len(each)]
        texts = self.texts - other.texts if len(self.texts) and len(other.texts) else np.zeros(0)
        return Estimate(self.value - other.value, texts, np.concatenate(words) if words else np.zeros(0))


def summed(groups: Ints, values: Doubles, least: int = 0) -> Doubles:
    """Return the sum of the values of each group, one number for each group from 0."""
    return np.bincount(groups, weights=values, minlength=least).astype(np.float64, copy=False)


def _square(parts: Doubles) -> float:
    """Return the variance of a sum of independent parts that are centered."""
    return float((parts**2).sum()) * len(parts) / max(1, len(parts) - 1)


def interval(found: Estimate, chance: float | None = None, isotropic: float | None = None) -> Value:
    """Return a number with its interval and its baselines."""
    error = found.error
    if error is None:
        return Value(found.value, None, None, chance, isotropic)
    return Value(found.value, found.value - Z * error, found.value + Z * error, chance, isotropic)


def difference_errors(layers: Sequence[dict[str, Estimate | None]]) -> dict[str, Doubles]:
    """Return, for each measure with intervals, the standard error of the difference of each two layers, (K, K)."""
    found = {}
    for name in layers[0]:
        each = [one for layer in layers if (one := layer[name]) is not None and one.error is not None]
        if len(each) < len(layers):
            continue
        found[name] = np.array([[_apart(one, other) for other in each] for one in each])
    return found


def _apart(one: Estimate, other: Estimate) -> float:
    """Return the standard error of the difference of two layers, on the same texts and words."""
    return math.sqrt(_square(one.texts - other.texts) + _square(one.words - other.words))


@dataclass(frozen=True, eq=False)
class LayerLook:
    """A layer as the measures see it: rows of its tokens, (t, d), and which of them are words, by sentence and kind."""

    rows: Float
    kept: Tokens
    words: FrequentWords
    seed: int

    @cached_property
    def norms(self) -> Float:
        """Lengths of the tokens, (t,)."""
        return lengths(self.rows)

    @cached_property
    def unit(self) -> Float:
        """The tokens at length one, (t, d)."""
        return unit_rows(self.rows, self.norms)

    @property
    def dimensions(self) -> int:
        """D."""
        return int(self.rows.shape[1])

    @cached_property
    def space(self) -> VectorSpace:
        """The words' tokens as a space."""
        return space_of(self.rows[self.kept.wordy], "words")

    @cached_property
    def values(self) -> Doubles | None:
        """Variances of the words along their principal directions, (d,); None where too few have a direction."""
        live = np.flatnonzero(self.space.norms > 0)
        return moments(self.space, live).spectrum[0] if len(live) > 3 else None

    @cached_property
    def similarity(self) -> Doubles:
        """Of each word, (w,)."""
        places, groups = self.words.places, self.words.groups
        return self_similarity(self.unit[places], groups, len(self.words.names))

    def mean(self, values: Doubles) -> Estimate | None:
        """Return the mean of a number for each sentence, (s,); where it is not a number, the sentence is left out."""
        known = np.isfinite(values)
        if not known.any():
            return None
        middle = float(values[known].mean())
        each = np.where(known, values - middle, 0.0) / known.sum()
        return Estimate(middle, summed(self.kept.unit, each), np.zeros(0))

    def pairs(self, chosen: Ints) -> Estimate:
        """Return the mean cosine of all pairs of these tokens, one a sentence; by the mean of each with the others."""
        rows = self.unit[chosen].astype(np.float64)
        live = (rows**2).sum(axis=1) > 0.5
        value, count = _pairs(self.unit[chosen]).value, int(live.sum())
        each = np.where(live, (rows @ rows.sum(axis=0) - 1) / (count - 1) - value, 0.0)
        return Estimate(value, summed(self.kept.unit, 2 * each / count), np.zeros(0))

    @cached_property
    def base(self) -> Estimate:
        """The mean cosine of two words from different sentences."""
        return self.pairs(self.kept.one_each)

    @cached_property
    def mean_similarity(self) -> Estimate | None:
        """Over words. A word adds by its own similarity, an occurrence by its cosines with the others."""
        known = np.isfinite(self.similarity)
        if not known.any():
            return None
        places, groups = self.words.places, self.words.groups
        middle, count = float(self.similarity[known].mean()), int(known.sum())
        own = np.where(known, self.similarity - middle, 0.0) / count
        rows, sizes = self.unit[places], self.words.counts[groups]
        near = (np.einsum("ij,ij->i", rows, group_sums(rows, groups, len(known))[groups]) - 1) / (sizes - 1)
        shift = np.where(known[groups], own[groups] + 2 * (near - self.similarity[groups]) / count, 0.0) / sizes
        texts = summed(self.kept.unit[self.kept.sentence[places]], shift, int(self.kept.unit.max()) + 1)
        return Estimate(middle, texts, own)

    @cached_property
    def intra(self) -> Estimate | None:
        """The mean cosine of a token with the mean of its sentence."""
        return self.mean(intra_similarity(self.rows, self.unit, self.kept.sentence, self.kept.sentences))

    @cached_property
    def dealt(self) -> float | None:
        """The same when the tokens are dealt to the sentences anew, as many to each."""
        order = np.random.default_rng([self.seed, 3]).permutation(len(self.rows))
        found = self.mean(intra_similarity(self.rows[order], self.unit[order], self.kept.sentence, self.kept.sentences))
        return None if found is None else found.value

    @cached_property
    def groups(self) -> tuple[Float, Float] | None:
        """Ten occurrences of each word that has as many, (g, 10, d), and ten words of ten sentences, as often."""
        random = np.random.default_rng([self.seed, 4])
        if self.kept.sentences < EQUAL:
            return None
        order = random.permutation(len(self.words.groups))
        ranked = order[np.argsort(self.words.groups[order], kind="stable")]
        starts = np.concatenate([[0], np.cumsum(self.words.counts)[:-1]])[self.words.counts >= EQUAL]
        if not len(starts):
            return None
        own = self.words.places[ranked[starts[:, None] + np.arange(EQUAL)]]
        other = np.stack([random.choice(self.kept.one_each, EQUAL, replace=False) for _ in range(GROUPS)])
        return self.rows[own], self.rows[other]

    @cached_property
    def rogues(self) -> tuple[Rogue, ...]:
        """The dimensions that add most to the mean cosine of two words, over all pairs."""
        live = np.flatnonzero(self.space.norms > 0)
        if len(live) < 2:
            return ()
        parts = directions(self.space, live).parts
        mean = float(parts.sum())
        clear = mean > SLIGHT and (interval(self.base).low or 0) > 0
        order = np.argsort(-parts, kind="stable")[:_ROGUES].tolist()
        return tuple(Rogue(at, float(parts[at]), float(parts[at]) / mean if clear else None) for at in order)

    @cached_property
    def striking(self) -> tuple[Striking, ...]:
        """What cosines tell without the first of these dimensions; empty where that has no meaning."""
        random = np.random.default_rng([self.seed, 5])
        wordy = np.flatnonzero(self.kept.wordy & (self.norms > 0))
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
    """Return the mean cosine of all pairs of those that have a direction.

    Raises:
        OptionError: There are not two.
    """
    live = unit[np.einsum("ij,ij->i", unit, unit) > 0.5]
    if len(live) < 2:
        raise OptionError("The vectors of a layer are all zeros: they have no direction to measure.")
    return baseline(live)


def space_of(rows: Float, name: str) -> VectorSpace:
    """Return rows as a space with numbers for words."""
    return VectorSpace([str(row) for row in range(len(rows))], rows, origin=Origin("selection", name))
