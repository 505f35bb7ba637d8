"""The nearest neighbors that words keep from one space to another.

The k nearest words by cosine are searched among the words that both spaces share. The spaces may therefore differ in
size, scale, dimensions and rotation.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted, number, share
from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.intervals import margin
from embedviz.core.stats.resampling import drawn_rows
from embedviz.geometry.comparison.shared import CASES, FEWEST, Figure, Shared, shared, unit_pair

K = 10
SAMPLE = 3_000
"""Maximum number of words whose neighbors are compared, drawn at random."""
CHANGES = ("word", "share of neighbors kept", "share by chance", "neighbors kept", "neighbors lost", "neighbors new")
"""Header of the exported table of words; `NeighborChange.row_with` gives the rows of the table."""
SAME, NEARLY = 1e-5, 0.014
"""Below these distances, two unit vectors are the same up to rounding, or nearly the same (cosine 0.9999)."""
_AT_ONCE = 8_000_000  # cosines in memory at a time: 32 MB


@dataclass(frozen=True)
class NeighborChange:
    """One word and its nearest neighbors in two spaces, nearest first.

    Attributes:
        overlap: Share of the k nearest neighbors that are kept, 0 to 1.
        kept: Neighbors in both spaces.
        lost: Neighbors only in the first space.
        new: Neighbors only in the other space.
    """

    word: str
    overlap: float
    kept: tuple[str, ...]
    lost: tuple[str, ...]
    new: tuple[str, ...]

    def row_with(self, chance: float) -> tuple[str | float, ...]:
        """Return the row for an export with the header `CHANGES`; `chance` is the share of neighbors kept by chance."""
        return self.word, self.overlap, chance, *map(", ".join, (self.kept, self.lost, self.new))

    def card(self) -> dict[str, Any]:
        """Return the fields as plain JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}


@dataclass(frozen=True, eq=False)
class Overlap:
    """The share of each word's k nearest neighbors that are the same in two spaces.

    Attributes:
        k: Number of neighbors compared, limited to less than half the number of shared words.
        shared: The shared words, among which neighbors are searched, in the order of the first space.
        looked: Indices of the compared words among the shared words, ascending, (m,).
        ours, theirs: For each compared word, the indices of its k nearest neighbors among the shared words, in the
            first and in the other space; nearest first, (m, k).
        values: Share of the k nearest neighbors that each compared word keeps, 0 to 1, (m,).
        to_old: For each compared word, the mean cosine, in the other space, with the words that are its k nearest
            neighbors in the first space, (m,).
        margin: Half the width of the 95 % interval of the mean; 0 if all shared words were compared.
        apart: Greatest distance between the two unit vectors of a shared word; None if the dimensions differ.
    """

    k: int
    shared: Shared
    looked: Ints
    ours: Ints
    theirs: Ints
    values: Float
    to_old: Float
    margin: float
    apart: float | None = None

    @property
    def mean(self) -> float:
        """Return the mean share of neighbors kept, 0 to 1."""
        return float(self.values.mean())

    @property
    def low(self) -> float:
        """Return the lower end of the 95 % interval of `mean`."""
        return max(0.0, self.mean - self.margin)

    @property
    def high(self) -> float:
        """Return the upper end of the 95 % interval of `mean`."""
        return min(1.0, self.mean + self.margin)

    @property
    def chance(self) -> float:
        """Return the mean share of neighbors kept for two unrelated spaces: k ÷ (n − 1)."""
        return self.k / (len(self.shared) - 1)

    @cached_property
    def histogram(self) -> Ints:
        """Return the number of words that keep 0, 1, … k of their k nearest neighbors, (k + 1,)."""
        return np.bincount(self._counts, minlength=self.k + 1)

    @cached_property
    def by_chance(self) -> Float:
        """Return the expected histogram for two unrelated spaces (hypergeometric), (k + 1,)."""
        from scipy.stats import hypergeom

        others = len(self.shared) - 1
        return np.asarray(hypergeom(others, self.k, self.k).pmf(np.arange(self.k + 1)) * len(self.looked))

    @property
    def _counts(self) -> Ints:
        return np.rint(self.values * self.k).astype(np.int64)

    @property
    def _noise(self) -> float:
        """Return three standard errors of the mean share of neighbors kept, for unrelated spaces (hypergeometric)."""
        others, k = len(self.shared) - 1, self.k
        variance = self.chance * (1 - self.chance) * (others - k) / max(1, others - 1) / k
        return float(3 * np.sqrt(variance / len(self.looked)))

    @property
    def within(self) -> str:
        """Return the mean share of neighbors kept as text, with its 95 % interval if only a sample was compared."""
        return share(self.mean) + (f" ({share(self.low)} to {share(self.high)})" if self.margin else "")

    @property
    def figure(self) -> Figure:
        """Return a row of the results table: the mean share of neighbors kept, with its baseline."""
        name, meaning = f"Neighbors kept, of {self.k}", "Mean share of a word’s nearest neighbors that are the same."
        return Figure(name, self.within, share(self.chance), "two unrelated spaces", meaning)

    def card(self) -> dict[str, Any]:
        """Return the main numbers as plain JSON values."""
        names = "k", "mean", "low", "high", "chance"
        counts = {"sample": len(self.looked), "histogram": self.histogram.tolist()}
        return {**{name: getattr(self, name) for name in names}, **counts}

    @property
    def sample(self) -> str:
        """Say how many of the shared words are compared; without a full stop."""
        looked, n = len(self.looked), len(self.shared)
        nouns = f"shared {self.shared.noun}s"
        return f"{looked:,} of {n:,} {nouns}, drawn at random" if looked < n else f"All {n:,} {nouns}"

    def listed(self, among: int = 0) -> str:
        """Say from which words `changed()` chooses its list; without a full stop.

        Args:
            among: As in `changed`.
        """
        count, noun = self._first(among), self.shared.noun
        looked = counted(len(self.looked), noun)
        return (
            f"Chosen from {f'the {count:,} most frequent of ' if count < len(self.looked) else ''}the {looked} compared"
        )

    def frequent(self, among: int) -> str:
        """Say that a list has only the most frequent compared words; empty if all compared words are among these.

        Args:
            among: As in `changed`: only words among the first `among` shared words count as the most frequent.
        """
        count, looked, nouns = self._first(among), len(self.looked), f"{self.shared.noun}s"
        if count == looked:
            return ""
        return (
            f"Most frequent: the first {among:,} shared {nouns}, in the order of the first space. "
            f"{count:,} of the {looked:,} {nouns} compared are among them."
        )

    def _first(self, among: int) -> int:
        """Return how many of the compared words are among the first `among` words that the spaces share.

        If `among` is 0, return the number of all compared words.
        """
        return int(np.count_nonzero(self.looked < (among or len(self.shared))))

    @property
    def baseline(self) -> str:
        """Say the sample, the mean share of neighbors kept, and this share for unrelated spaces."""
        within = f" (95\u00a0%: {share(self.low)} to {share(self.high)})" if self.margin else ""
        return (
            f"{self.sample}. Mean share kept: {share(self.mean)}{within}; two unrelated spaces: {share(self.chance)}."
        )

    @property
    def method(self) -> str:
        """Explain how neighbors are compared."""
        return f"Neighbors: nearest by cosine, searched among the shared {self.shared.noun}s only."

    @property
    def meaning(self) -> str:
        """Say how many neighbors words keep, or that the vectors are the same."""
        if self.apart is not None and self.apart < SAME:
            return f"These are the same vectors: each {self.shared.noun} has the same direction in both spaces."
        if self.apart is not None and self.apart < NEARLY:
            return f"{self._nearly} {self._overlapping}"
        return self._overlapping

    @property
    def _nearly(self) -> str:
        """Say that the two vectors of each word are nearly the same, with a lower bound of their cosine."""
        short = (self.apart or 0.0) ** 2 / 2
        digits = 1 - math.floor(math.log10(short))
        cosine = math.floor((1 - short) * 10**digits) / 10**digits
        return (
            f"The vectors are nearly the same, but not equal: the two vectors of each {self.shared.noun} have a cosine "
            f"of {number(cosine, digits)} or more."
        )

    @property
    def _overlapping(self) -> str:
        """Say how many neighbors a word keeps on average."""
        if self.mean == 1.0:
            return f"Every {self.shared.noun} keeps all of its {self.k} nearest neighbors."
        sentence = f"A {self.shared.noun} keeps {self._few(self.mean)} of its {self.k} nearest neighbors on average"
        if self.margin:
            sentence += f" (95\u00a0% interval: {self._few(self.low)} to {number(self.high * self.k)})"
        if self.mean - self.chance <= max(self.margin, self._noise):
            return f"{sentence}, no more than in two unrelated spaces."
        ends = f"Unrelated spaces keep {share(self.chance)}, equal spaces 100\u00a0%"
        return f"{sentence}. That is {share(self.mean)}. {ends}."

    def _few(self, value: float) -> str:
        """Format k times a share, a number of neighbors. It is rounded down: 9.999 of 10 must not become 10."""
        return number(math.floor(100 * value * self.k + 1e-6) / 100)

    @property
    def by_word(self) -> str:
        """Say how many words keep none of their neighbors, in these spaces and in two unrelated spaces."""
        return (
            f"Word by word: {self.histogram[0]:,} of {counted(len(self.looked), self.shared.noun)} keep none of their "
            f"{self.k} nearest neighbors; in two unrelated spaces, about {round(self.by_chance[0]):,} would."
        )

    def place(self, word: str) -> int | None:
        """Return the index of a word among the compared words; None if the word was not compared."""
        return self._places.get(word)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Return a mapping from each compared word to its index among the compared words."""
        return {self.shared.words[place]: at for at, place in enumerate(self.looked.tolist())}

    def change(self, at: int) -> NeighborChange:
        """Return the kept, lost and new neighbors of the compared word with index `at`."""
        words, near, then = self.shared.words, self.ours[at].tolist(), self.theirs[at].tolist()
        common, gone = set(near) & set(then), set(near) - set(then)
        return NeighborChange(
            words[int(self.looked[at])],
            float(self.values[at]),
            tuple(words[place] for place in near if place in common),
            tuple(words[place] for place in near if place in gone),
            tuple(words[place] for place in then if place not in common),
        )

    def changed(self, count: int = 10, *, most: bool = True, among: int = 0) -> tuple[NeighborChange, ...]:
        """Return the words that keep the fewest (or most) neighbors, at most `count`.

        Words that keep equally many are ordered by `to_old`: the mean cosine, in the other space, with the old
        neighbors.

        Args:
            most: Whether to return the words that changed most; else those that changed least.
            among: Use only words among the first `among` shared words; 0 for all. If the first space lists its words by
                frequency, this leaves out rare words, whose neighbors change more by noise.
        """
        return tuple(self.change(int(at)) for at in self.order(most=most, among=among)[: max(0, count)])

    def order(self, *, most: bool = True, among: int = 0) -> Ints:
        """Return indices of compared words, the most (or least) changed first; arguments as in `changed()`."""
        chosen = np.flatnonzero(self.looked < (among or len(self.shared)))
        sign = 1 if most else -1
        return np.asarray(chosen[np.lexsort((sign * self.to_old[chosen], sign * self.values[chosen]))])

    def keeping(self, count: int) -> tuple[str, ...]:
        """Return the compared words that keep exactly `count` of their neighbors, in the order of the first space."""
        return tuple(self.shared.words[place] for place in self.looked[self._counts == count].tolist())

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows for an export: the compared words, most changed first."""
        return CHANGES, (self.change(int(at)).row_with(self.chance) for at in self.order())


@offered("kept", "print(kept.meaning)", "print(kept.changed(8))", command="compare {one} {other} -k {k} --case {case}")
def overlap(
    one: VectorSpace,
    other: VectorSpace,
    *,
    k: int = K,
    case: str = CASES[0],
    sample: int = SAMPLE,
    seed: int = 0,
    report: Report | None = None,
) -> Overlap:
    """Return the share of its k nearest neighbors that each shared word keeps from one space to the other.

    Args:
        k: Number of nearest neighbors by cosine; limited to less than half the number of shared words.
        case: How labels are matched, one of `CASES`.
        sample: Maximum number of words compared, drawn at random.

    Raises:
        OptionError: Fewer than four words are shared, k or the sample is below 1, or the case is unknown.
    """
    words = shared(one, other, seed=seed, case=case)
    return overlap_of(words, unit_pair(one, other, words), sampled_places(len(words), sample, seed), k, report)


@offered("kept", "print(kept.meaning)", "print(kept.changed(8))")
def overlap_among(
    one: VectorSpace, other: VectorSpace, rows: Ints, *, k: int = K, sample: int = SAMPLE, report: Report | None = None
) -> Overlap:
    """Return the `overlap` of the words in some rows; only these words count as possible neighbors.

    Args:
        rows: Row numbers in the first space.

    Raises:
        OptionError: Fewer than four of the words are in both spaces, or k or the sample is below 1.
    """
    found = shared(one, other, most=max(len(one), 1))
    places = np.flatnonzero(np.isin(found.ours, np.asarray(rows, np.int64)))
    if len(places) < FEWEST:
        raise OptionError(
            f"{len(places)} of these {one.noun}s are in both spaces; {FEWEST} are needed to compare them."
        )
    listed = tuple(found.words[place] for place in places.tolist())
    words = Shared(listed, found.ours[places], found.theirs[places], len(places), 0, noun=one.noun)
    return overlap_of(words, unit_pair(one, other, words), sampled_places(len(words), sample, 0), k, report)


@offered("change", "print(change)")
def changed_word(
    one: VectorSpace,
    other: VectorSpace,
    word: str,
    *,
    k: int = K,
    case: str = CASES[0],
    seed: int = 0,
    report: Report | None = None,
) -> NeighborChange | None:
    """Return the neighbors that one word keeps, loses and gains; None if a space has no nonzero vector of the word.

    Raises:
        OptionError: Fewer than four words are shared, k is below 1, or the case is unknown.
    """
    words = shared(one, other, also=word, seed=seed, case=case)
    place = words.place(word)
    if place is None:
        return None
    looked = np.array([place])
    return overlap_of(words, unit_pair(one, other, words), looked, k, report).change(0)


def sampled_places(n: int, sample: int, seed: int) -> Ints:
    """Return the indices of the words to compare: all n, or a random sample if n is larger than `sample`.

    Raises:
        OptionError: The sample is below 1.
    """
    if sample < 1:
        raise OptionError(f"The sample is {sample}; it is 1 or more.")
    return drawn_rows(n, sample, seed)


def overlap_of(words: Shared, pair: tuple[Float, Float], looked: Ints, k: int, report: Report | None = None) -> Overlap:
    """Return the overlap of neighbors for some of the shared words.

    Args:
        pair: Unit rows of all shared words in both spaces, (n, d) and (n, e).
        looked: Indices of the words to compare among the shared words, ascending, (m,).

    Raises:
        OptionError: k is below 1.
    """
    if k < 1:
        raise OptionError(f"k is {k}; it is 1 or more.")
    k = max(1, min(k, (len(words) - 1) // 2))
    m = len(looked)
    ours, theirs, to_old = np.empty((m, k), np.int64), np.empty((m, k), np.int64), np.zeros(m, np.float32)
    step = max(1, _AT_ONCE // len(words))
    for start in range(0, m, step):
        rows = looked[start : start + step]
        ours[start : start + step] = nearest_places(pair[0], rows, k)
        theirs[start : start + step] = nearest_places(pair[1], rows, k)
        for near in ours[start : start + step].T:
            to_old[start : start + step] += np.einsum("md,md->m", pair[1][rows], pair[1][near]) / k
        if report is not None:
            done = start + len(rows)
            report(done / m, f"{done:,} of {m:,} words compared")
    same = (ours[:, :, None] == theirs[:, None, :]).any(axis=2).sum(axis=1)
    values = np.asarray(same / k, np.float32)
    alike = pair[0].shape == pair[1].shape
    apart = float(np.linalg.norm(pair[0] - pair[1], axis=1).max()) if alike else None
    return Overlap(k, words, looked, ours, theirs, values, to_old, margin(values, len(words)), apart)


def nearest_places(unit: Float, rows: Ints, k: int) -> Ints:
    """Return for each of the m `rows` the indices of the k nearest other rows of `unit`, (m, k), nearest first.

    Args:
        unit: Rows of length one. Nearness is the cosine.
    """
    cosines = unit[rows] @ unit.T
    cosines[np.arange(len(rows)), rows] = -np.inf
    found = np.argpartition(cosines, cosines.shape[1] - k, axis=1)[:, -k:]
    order = np.argsort(-np.take_along_axis(cosines, found, axis=1), axis=1, kind="stable")
    return np.asarray(np.take_along_axis(found, order, axis=1), np.int64)
