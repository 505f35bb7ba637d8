"""Lasting change of words over a series of spaces, compared with the same spaces in a mixed order.

The measure is the mean cosine of a word with itself within the early and within the late spaces, minus its mean cosine
between early and late spaces. Spaces with little noise have high cosines with each other, which alone looks like
lasting change. So the cosine that noise explains is subtracted first. For each word and pair of spaces, this cosine is
the product of two numbers, one for each space. After that, a word with nothing but noise gets the same value in any
order of the spaces.

The words that changed are found by a competition of the true order with two mixed orders. Each word is won by the order
in which its value is highest, and the wins of the mixed orders estimate the false discoveries (Emery, Hasam, Noble and
Keich 2020, with two decoys). The rule aims at a false discovery rate of `AIM`, so that the true rate stays below
`LEVEL` even if noise fades over the spaces; docs/calibration.md has the measured rates. The competition needs four
spaces. With fewer, only the change from the first to the last space is listed, and no word is called changed.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from typing import NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import joined, number, share, without_common_start
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, VectorSpace
from embedviz.core.stats.intervals import LEVEL
from embedviz.geometry.comparison.procrustes import self_cosines

MOST_STEPS = 8
"""Maximum number of spaces that are compared; a longer series is thinned evenly."""
MOST_WORDS = 5_000
"""Maximum number of words that are compared: the first words that all spaces have."""
FEWEST_WORDS = 40
AIM = 0.03
"""Target false discovery rate of the rule for clear changes; results promise only the higher rate `LEVEL`."""
_NEAR = 100  # words on either side by frequency; their median is subtracted from the value of a word
_MIXED = 2  # number of mixed orders
_FITTED = 30  # iterations to fit the noise of each space


class WordChange(NamedTuple):
    """A word, its lasting change, and whether the change is clearly more than noise."""

    word: str
    change: float
    clear: bool


@dataclass(frozen=True, eq=False)
class SeriesChange:
    """Lasting change of every word that all spaces of a series have.

    Attributes:
        steps: Names of the compared spaces, in order.
        of: Number of spaces in the series before thinning.
        words: Words that have a nonzero vector in every space, (n,).
        total: Number of words with a nonzero vector in every space, before the limit `MOST_WORDS`.
        change: Change of each word by the measure that the module describes, (n,). For fewer than four spaces, change
            is 1 − the cosine between the first and the last space. A median is subtracted (`matched`).
        mixed: Change of each word if the spaces are in a mixed order, where only noise causes change; for two such
            orders, (n, 2). Shape (n, 0) for fewer than four spaces.
        matched: Whether the median over words of similar frequency is subtracted from each change. If False, the median
            over all words is subtracted. This happens for at most 200 words, or if the rows are in no known order.
    """

    steps: tuple[str, ...]
    of: int
    words: tuple[str, ...]
    total: int
    change: Float
    mixed: Float
    matched: bool

    @property
    def lasting(self) -> bool:
        """Return whether lasting change is measured; this needs at least four spaces."""
        return self.mixed.size > 0

    @property
    def limit(self) -> float:
        """Return the 95th percentile of the change, over all words in the mixed orders of the spaces.

        For fewer than four spaces there are no mixed orders, and it is the percentile in the true order.
        """
        return float(np.quantile(self.mixed if self.lasting else self.change, 1 - LEVEL))

    @cached_property
    def clear(self) -> frozenset[int]:
        """Return the indices of the words that clearly changed; at most 5 % of these are expected to be false alarms.

        Empty for fewer than four spaces.
        """
        if not self.lasting:
            return frozenset()
        best = self.mixed.max(axis=1)
        wins = self.change > best
        scores = np.where(wins, self.change, best)
        order = np.argsort(-scores, kind="stable")
        true, false = np.cumsum(wins[order]), np.cumsum(~wins[order])
        passing = np.flatnonzero((1 + false) <= AIM * _MIXED * true)
        last = int(passing[-1]) + 1 if len(passing) else 0
        return frozenset(place for place in order[:last].tolist() if wins[place])

    def changed(self, count: int = 12) -> tuple[WordChange, ...]:
        """Return the `count` words with the greatest lasting change, greatest first."""
        order = np.argsort(-self.change, kind="stable")[: max(0, count)].tolist()
        return tuple(WordChange(self.words[at], float(self.change[at]), at in self.clear) for at in order)

    def place(self, word: str) -> int | None:
        """Return the rank of a word by its change (1: the greatest); None if the word was not compared."""
        if word not in self.words:
            return None
        return 1 + int(np.count_nonzero(self.change > self.change[self.words.index(word)]))

    def verdict(self, word: str) -> str:
        """Say whether a word changed more than noise explains, with its rank; or why the word was not tested."""
        place = self.place(word)
        if place is None:
            return f"Not tested: “{word}” is not among the {len(self.words):,} words compared over all spaces."
        rank = f"rank {place:,} of {len(self.words):,} words"
        if not self.lasting:
            return f"Not tested against noise, which needs four spaces ({rank} by change)."
        rank = f"{rank}; the rank itself is not tested"
        if self.words.index(word) in self.clear:
            return f"Yes: “{word}” changed more than noise explains ({rank})."
        early, late = self.ends
        return f"Not clearly: the change of “{word}” between {early} and {late} may be noise ({rank})."

    @property
    def meaning(self) -> str:
        """Say how many words changed clearly."""
        count = len(self.clear)
        if not self.lasting:
            between = f"between {self.steps[0]} and {self.steps[-1]}"
            return f"These words changed most {between}. Fewer than four spaces cannot separate change from noise."
        if not count:
            return f"No word of {len(self.words):,} changed more from early to late spaces than noise may explain."
        return (
            f"{count:,} of {len(self.words):,} words changed more from early to late spaces than noise explains. "
            f"At most {share(LEVEL)} of these are expected to be false alarms."
        )

    @property
    def ends(self) -> tuple[str, str]:
        """Return names for the early and the late half of the spaces, such as “1900–1940”.

        They consist of the names of the spaces, without the beginning that all these names have in common.
        """
        names, half = without_common_start(self.steps), len(self.steps) // 2
        early, late = (f"{part[0]}–{part[-1]}" if half > 1 else part[0] for part in (names[:half], names[-half:]))
        return early, late

    @property
    def measure(self) -> str:
        """Explain what the change of a word is."""
        if not self.lasting:
            return f"Sorted by change: 1 − the cosine of a word with itself, minus the median of {self._others}."
        names, half = without_common_start(self.steps), len(self.steps) // 2
        return (
            "Change: the mean cosine distance between early and late vectors of a word, minus the mean within each "
            f"period. Early: the spaces {joined(names[:half])}. Late: the spaces {joined(names[-half:])}. The value 0 "
            f"is the median of {self._others}. A change in the first or last space alone cannot be separated from "
            "noise."
        )

    @property
    def _others(self) -> str:
        return "words of similar frequency" if self.matched else "all words"

    @property
    def tick(self) -> float:
        """Return the change that a tick marks in word lists: the smallest significant one, or `limit` if none is."""
        return min((float(self.change[place]) for place in self.clear), default=self.limit)

    @property
    def baseline(self) -> str:
        """Say what the change at `tick`, the mark in the lists of words, means.

        It is the smallest clear change, or a limit below which 95 % of the changes lie.
        """
        if not self.lasting:
            return f"95\u00a0% of the {len(self.words):,} words change less than {number(self.limit)}."
        if self.clear:
            return f"The {len(self.clear):,} clear words change by {number(self.tick)} or more."
        return f"95\u00a0% of words change less than {number(self.limit)} if the spaces are in a mixed order."

    @property
    def method(self) -> str:
        """Explain how change is computed."""
        early, late = self.ends
        figure = "Change: 1 minus the cosine of a word with itself from the first to the last space"
        if self.lasting:
            figure = (
                f"Change: mean cosine of a word with itself within {early} and within {late}, minus that between "
                "early and late spaces. Cosines that the noise of each space explains are subtracted first"
            )
        fewest = math.ceil(1 / (AIM * _MIXED))
        test = (
            f" In a mixed order of the spaces, 95\u00a0% of words change less than {number(self.limit)}. A word "
            "that only has noise gets about the same value in any order of the spaces. Clear changes: "
            f"target-decoy competition with two mixed orders (Emery et al. 2020); {fewest} words or more are needed. "
            f"In made-up series, also with noise that fades, fewer than {share(LEVEL)} of them were false alarms."
        )
        return (
            f"{figure}; the median of {self._others} is subtracted. Spaces are rotated onto each other in pairs, each "
            f"word by a rotation fitted on other words.{test if self.lasting else ''}{self._cut}"
        )

    @property
    def _cut(self) -> str:
        """Say how many words and how many spaces were compared; each sentence begins with a blank.

        The text is empty if all words and all spaces were compared.
        """
        fewer, thinned = len(self.words) < self.total, len(self.steps) < self.of
        return (f" Compared: the first {len(self.words):,} of {self.total:,} shared words." if fewer else "") + (
            f" Compared: {len(self.steps)} of {self.of} spaces, evenly spread." if thinned else ""
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows for an export, one row for each word."""
        rows = zip(self.words, self.change.tolist(), *self.mixed.T.tolist(), strict=True)
        mixed = [f"mixed order {place + 1}" for place in range(self.mixed.shape[1])]
        return ("word", "change", *mixed, "clear"), ((*row, int(at in self.clear)) for at, row in enumerate(rows))


@offered(
    "found",
    "for one in found.changed(12):",
    "    print(one.word, one.change, one.clear)",
    "print(found.meaning, found.baseline)",
)
def series(
    spaces: Sequence[VectorSpace], *, names: Sequence[str] = (), seed: int = 0, report: Report | None = None
) -> SeriesChange:
    """Return the lasting change of every word over two or more spaces, in the order given.

    Args:
        names: One name for each space. With another number of names, the spaces' own names are used.

    Raises:
        OptionError: There are fewer than two spaces, or they share fewer than 40 words.
    """
    if len(spaces) < 2:
        raise OptionError(f"{len(spaces)} spaces were given; change needs two or more.")
    called = list(names) if len(names) == len(spaces) else [space.origin.name for space in spaces]
    places = np.unique(np.linspace(0, len(spaces) - 1, min(len(spaces), MOST_STEPS)).round().astype(int)).tolist()
    chosen = [spaces[at] for at in places]
    words = _common(chosen)
    if len(words) < FEWEST_WORDS:
        raise OptionError(f"All spaces have {len(words):,} words in common; the list of changes needs {FEWEST_WORDS}.")
    cosines = _self_cosines(chosen, words[:MOST_WORDS], seed, report)
    matched = chosen[0].origin.order != "none" and len(cosines) > 2 * _NEAR
    if len(chosen) >= 4:
        cosines = _less_noise(cosines)
    orders = [_contrast(order) for order in _orders(len(chosen))]
    figures = np.stack([_less_median(np.tensordot(cosines, each), matched) for each in orders], axis=1)
    return SeriesChange(
        tuple(called[at] for at in places),
        len(spaces),
        tuple(words[:MOST_WORDS]),
        len(words),
        np.asarray(figures[:, 0], np.float32),
        np.asarray(figures[:, 1:], np.float32),
        matched,
    )


def _common(spaces: Sequence[VectorSpace]) -> list[str]:
    """Return the words that have a nonzero vector in every space, in the order of the first space."""
    return reduce(
        lambda words, space: [
            word for word in words if (row := space.index.get(word)) is not None and space.norms[row] > 0
        ],
        spaces,
        list(spaces[0].words),
    )


def _self_cosines(spaces: Sequence[VectorSpace], words: Sequence[str], seed: int, report: Report | None) -> Float:
    """Return the cosine of each of n words with itself, for each pair of m spaces, (n, m, m)."""
    rows = [np.array([space.index[word] for word in words], np.int64) for space in spaces]
    units = [np.asarray(space.unit_rows(own)) for space, own in zip(spaces, rows, strict=True)]
    found = np.ones((len(words), len(spaces), len(spaces)), np.float32)
    pairs = list(combinations(range(len(spaces)), 2))
    for done, (one, other) in enumerate(pairs):
        tell(report, done / len(pairs), f"pair {done + 1} of {len(pairs)}")
        found[:, one, other] = found[:, other, one] = self_cosines((units[one], units[other]), seed)
    return found


def _less_noise(cosines: Float) -> Float:
    """Return the cosines, (n, m, m), minus the cosines that independent noise alone explains.

    For each word, each of the m spaces gets one number. If two spaces differ by noise alone, the cosine of the word
    between them is the product of their numbers. The numbers of a word are fitted to all pairs of different spaces.
    """
    count = cosines.shape[1]
    apart = cosines * (1 - np.eye(count, dtype=np.float32))
    mean = apart.sum(axis=(1, 2)) / (count * (count - 1))
    fit = np.repeat(np.sqrt(np.clip(mean, 1e-4, None))[:, None], count, axis=1)
    for _ in range(_FITTED):
        squares = (fit**2).sum(axis=1, keepdims=True) - fit**2
        best = np.einsum("nij,nj->ni", apart, fit) / np.maximum(squares, 1e-6)
        fit = np.clip((fit + best) / 2, 0, 1)
    return np.asarray(cosines - fit[:, :, None] * fit[:, None, :], np.float32)


def _orders(count: int) -> list[list[int]]:
    """Return the true order of `count` spaces, and two mixed orders with early and late spaces in both halves.

    If `count` is odd, the middle space is left out. For fewer than four spaces, only the true order is returned.
    """
    places, half = list(range(count)), count // 2
    if count < 4:
        return [places]
    ends = [*places[:half], *places[-half:]]
    alternate = [*ends[::2], *ends[1::2]]
    paired = [at for at in ends if ends.index(at) % 4 in (0, 3)]
    rest = [at for at in ends if at not in paired]
    paired, rest = (paired + rest)[:half], (paired + rest)[half:]
    return [ends, alternate, [*paired, *rest]]


def _contrast(order: Sequence[int]) -> Float:
    """Return a weight for each pair of spaces, (m, m); the sum of a word's weighted cosines measures its change.

    The sum is the mean cosine within the two halves of `order`, minus the mean cosine between the halves. For fewer
    than four spaces it is minus the cosine between the first and the last space. The weights are symmetric.
    """
    size, half = max(order) + 1, len(order) // 2
    weights = np.zeros((size, size))
    if len(order) < 4:
        pairs = {(order[0], order[-1]): -1.0}
    else:
        early, late = order[:half], order[half:]
        within = [*combinations(early, 2), *combinations(late, 2)]
        pairs = dict.fromkeys(within, 1 / len(within)) | {(one, other): -1 / half**2 for one in early for other in late}
    for (one, other), weight in pairs.items():
        weights[one, other] = weights[other, one] = weight / 2
    return np.asarray(weights, np.float32)


def _less_median(values: Float, matched: bool) -> Float:
    """Return the value of each word minus the median of the words with similar frequency, (n,).

    These are up to 100 words on either side in the frequency order. If not `matched`, the order is unknown, and the
    median of all words is subtracted.
    """
    if not matched:
        return np.asarray(values - np.median(values))
    windows = np.lib.stride_tricks.sliding_window_view(values, 2 * _NEAR + 1)
    middles = np.median(windows, axis=1)
    return np.asarray(values - np.pad(middles, _NEAR, mode="edge"))
