"""Ratios of co-occurrence probabilities of two words, as in Table 1 of the GloVe paper.

X_ik is the count of word k within the windows of word i, X_i is the sum of X_ik over all k, and P(k|i) = X_ik / X_i. A
word k that is related to both i and j, or to neither, has a ratio P(k|i) / P(k|j) near 1 (Pennington, Socher and
Manning 2014).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError, Parameter, Words
from embedviz.core.phrases import counted, cut, joined
from embedviz.core.progress import Report, tell
from embedviz.core.space import Ints
from embedviz.core.stats.intervals import simultaneous_z, wilson
from embedviz.corpus.cooccurrence import Weighting
from embedviz.corpus.function_words import ENGLISH
from embedviz.corpus.tokenized import Corpus

WINDOW = Parameter("window", 1, 50, 10, "Words on each side that count as near.", "Window")
PROBES = Words(
    "probes",
    "",
    "Words to compare; empty: those with extreme ratios, and some with a ratio near 1.",
    "Words to compare",
    30,
)
MOST_PROBES = 30
FEWEST = 20
"""Minimum number of words to compare with for `Ratio.beyond`; with fewer words it is None."""
PAIRS = (("ice", "steam"), ("king", "queen"), ("man", "woman"), ("india", "australia"), ("river", "money"))
"""Suggested pairs of words: the first pair that is frequent enough in a corpus is used."""
_OFTEN = 10  # minimum count of a word of a suggested pair; less in a small corpus
_OF_EACH = 2  # number of probes of each kind that are chosen
_MET = 5  # minimum number of co-occurrences of a chosen probe
_COMMON = 300  # number of the most frequent words; words near neither of the two are chosen from these
_SHORT = 2  # maximum number of letters of words that are suggested last
_BLOCK = 2**22  # words of the corpus in a block


class Ratio(NamedTuple):
    """The ratio of a word k for two words i and j.

    Attributes:
        word: The word k.
        pairs: Number of co-occurrences of k with i, and with j.
        shares: P(k|i) and P(k|j).
        ratio: P(k|i) / P(k|j); infinite if k never occurs near j, None if k occurs near neither i nor j.
        low, high: Interval of the ratio (Wilson); `high` may be infinite. It is widened so that with 95 % probability
            the intervals of all `Ratios.tried` words hold simultaneously.
        beyond: Words with half to twice as many co-occurrences as k are compared: the share of them whose ratio is at
            least as far from 1. None for fewer than `FEWEST` such words.
    """

    word: str
    pairs: tuple[int, int]
    shares: tuple[float, float]
    ratio: float | None
    low: float
    high: float
    beyond: float | None

    @property
    def tells(self) -> int:
        """Return 1 if the word is significantly nearer to i, −1 if it is nearer to j, 0 if the interval contains 1."""
        return int(self.low > 1) - int(self.high < 1)


@dataclass(frozen=True)
class Ratios:
    """Ratios P(k|i) / P(k|j) of co-occurrence probabilities: several words k are compared near two words i and j.

    Attributes:
        one, other: The words i and j.
        window, weighting: As for `cooccurrences`.
        occurrences: Counts of the words i and j in the corpus.
        totals: X_i and X_j.
        rows: Ratios of the compared words k, the highest first.
        chosen: Whether the program chose the words k by their ratios; False if the caller gave them.
        tried: Number of words for which the intervals hold simultaneously: all candidates, or the given words.
        missing: Given words that are not in the corpus.
    """

    one: str
    other: str
    window: int
    weighting: Weighting
    occurrences: tuple[int, int]
    totals: tuple[float, float]
    rows: tuple[Ratio, ...]
    chosen: bool
    tried: int
    missing: tuple[str, ...] = ()

    @property
    def meaning(self) -> str:
        """Say which words are significantly nearer to `one`, which to `other`, and which differ too little to tell."""
        for_one = [row.word for row in self.rows if row.tells > 0]
        for_other = [row.word for row in reversed(self.rows) if row.tells < 0]
        both = [row.word for row in self.rows if not row.tells and row.ratio is not None]
        never = [row.word for row in self.rows if row.ratio is None]
        sentences = [
            f"Nearer to {word}: {joined(words[:4])}."
            for word, words in ((self.one, for_one), (self.other, for_other))
            if words
        ]
        which = "No word of this corpus" if self.chosen else "None of these words"
        sentences = sentences or [f"{which} is significantly nearer to one of {self.one} and {self.other}."]
        if both and (for_one or for_other):
            sentences.append(f"No significant difference: {joined(both[:4])}.")
        if never:
            sentences.append(f"Near neither: {joined(never[:4])}.")
        return " ".join(sentences)

    @property
    def note(self) -> str:
        """Describe the counts and the intervals, in sentences."""
        sentences = [
            f"Counts: {self.one} {self.occurrences[0]:,}, {self.other} {self.occurrences[1]:,}. Words within "
            f"{self.window} words count as near{', weighted by 1 / distance' if self.weighting == 'distance' else ''}.",
            "A ratio of 1: equally frequent near both.",
            f"With 95\u00a0% probability the intervals of all {counted(self.tried, 'compared word')} hold at once. "
            "All co-occurrences in one line count as one observation.",
        ]
        if self.chosen:
            sentences.append("The words were chosen for extreme ratios, so expect smaller differences in other texts.")
        if self.missing:
            sentences.append(f"Not in the corpus: {joined(self.missing)}.")
        return " ".join(sentences)


@offered(
    "found",
    "for row in found.rows:",
    "    print(row.word, row.pairs, row.ratio, row.low, row.high, row.beyond)",
    "print(found.meaning, found.note, sep='\\n')",
)
def ratios(
    corpus: Corpus,
    one: str,
    other: str,
    probes: Sequence[str] = (),
    *,
    window: int = 10,
    weighting: Weighting = "flat",
    report: Report | None = None,
) -> Ratios:
    """Return for some words k the ratio P(k|one) / P(k|other), the highest ratio first.

    Args:
        probes: The words k. If empty, words typical of one or of the other are chosen, words near both, and words
            rarely near either.
        window, weighting: As for `cooccurrences`.

    Raises:
        OptionError: One of the two words is not in the corpus or has no word near it; both words are the same; there
            are more than 30 probes; or the window is out of range.
    """
    window = int(WINDOW.check(window, len(corpus.words)))
    numbers = [_number(corpus, word) for word in (one, other)]
    if numbers[0] == numbers[1]:
        raise OptionError(f"Both words are “{one}”. Give two different words.")
    if len(probes) > MOST_PROBES:
        raise OptionError(f"{len(probes):,} words are given; at most {MOST_PROBES} are compared.")
    met = np.zeros((2, len(corpus.words)), np.int64)
    weighted = np.zeros(met.shape)
    for place, word in enumerate((one, other)):
        tell(report, place / 2, f"counting words near {word}")
        met[place], weighted[place] = near(corpus, numbers[place], window, weighting)
        if not met[place].any():
            raise OptionError(f"“{word}” has no word near it in {corpus.name}.")
    known = [word for word in dict.fromkeys(probes) if word in corpus.index]
    spread = _spread(corpus, numbers, window, weighting, weighted)
    tried_of = len(known) if probes else int(np.count_nonzero(met.sum(axis=0) >= _MET))
    table = _Table(corpus, met, weighted, spread, max(1, tried_of))
    missing = tuple(word for word in dict.fromkeys(probes) if word not in corpus.index)
    tried = [corpus.index[word] for word in known] if probes else table.telling(numbers)
    rows = sorted(map(table.ratio, tried), key=lambda row: (-1.0 if row.ratio is None else row.ratio, row.low))
    return Ratios(
        one,
        other,
        window,
        weighting,
        (int(corpus.counts[numbers[0]]), int(corpus.counts[numbers[1]])),
        table.totals,
        tuple(rows[::-1]),
        not probes,
        table.tried,
        missing,
    )


def near(corpus: Corpus, word: int, window: int, weighting: Weighting = "flat") -> tuple[Ints, Any]:
    """Return how often a word co-occurs with each word of a corpus, (V,), and the sum of the weights, (V,).

    A co-occurrence has the weight 1 ÷ distance, or 1 with the weighting *flat*: then both arrays are equal.
    """
    pairs, weighted = np.zeros(len(corpus.words), np.int64), np.zeros(len(corpus.words))
    for words, _, distance in _meetings(corpus, word, window):
        found = np.bincount(words, minlength=len(pairs))
        pairs += found
        weighted += found / (distance if weighting == "distance" else 1)
    return pairs, weighted


def _meetings(corpus: Corpus, word: int, window: int) -> Iterator[tuple[Ints, Ints, int]]:
    """Yield the words near a word, the numbers of their lines, and their distance from the word.

    One item has all words that are at one distance from the occurrences in one block of the text.
    """
    starts = corpus.starts()
    for first in range(0, len(corpus.tokens), _BLOCK):
        places = np.flatnonzero(np.asarray(corpus.tokens[first : first + _BLOCK]) == word) + first
        lines = np.searchsorted(corpus.ends, places, side="right")
        for distance in range(1, window + 1):
            inside = places - distance >= starts[lines], places + distance < corpus.ends[lines]
            found = np.concatenate([places[inside[0]] - distance, places[inside[1]] + distance])
            yield np.asarray(corpus.tokens)[found], np.concatenate([lines[each] for each in inside]), distance


def _spread(corpus: Corpus, numbers: Sequence[int], window: int, weighting: Weighting, weighted: Any) -> Any:
    """Return, for each word k, the variance of its weighted co-occurrences with the first word, (V,).

    The variance is a sum over lines of (a − p · (a + b))². Here a and b are the weighted co-occurrences of k with the
    first and with the second word in a line. p is the first word's share of the co-occurrences of all words k.

    Args:
        numbers: Numbers of the two words.
        weighted: Weighted co-occurrences of each word with the two words, (2, V).
    """
    usual = float(weighted[0].sum() / weighted.sum())
    lines_of, words_of, values = [], [], []
    for word, value in zip(numbers, (1 - usual, -usual), strict=True):
        for words, lines, distance in _meetings(corpus, word, window):
            lines_of.append(lines)
            words_of.append(words)
            values.append(np.full(len(words), value / (distance if weighting == "distance" else 1)))
    keys = np.concatenate(lines_of).astype(np.int64) * len(corpus.words) + np.concatenate(words_of)
    each, inverse = np.unique(keys, return_inverse=True)
    residuals = np.bincount(inverse, np.concatenate(values), len(each))
    return np.bincount(each % len(corpus.words), residuals**2, len(corpus.words))


def suggested(corpus: Corpus) -> tuple[str, str]:
    """Return two suggested words: a pair of `PAIRS`, else the two most frequent content words.

    Words of three letters or more are preferred to words of one or two letters. If the corpus has only one word, both
    are this word.
    """
    often = max(2, min(_OFTEN, len(corpus.tokens) // 5_000))
    for one, other in PAIRS:
        if all(word in corpus.index and corpus.counts[corpus.index[word]] >= often for word in (one, other)):
            return one, other
    content = [word for word in corpus.words[:_COMMON] if word not in ENGLISH]
    words = sorted(content, key=lambda word: len(word) <= _SHORT) + list(corpus.words[:2])
    return words[0], next((word for word in words[1:] if word != words[0]), words[0])


def _number(corpus: Corpus, word: str) -> int:
    if word not in corpus.index:
        raise OptionError(f"“{cut(word, 40)}” is not in {corpus.name}. Choose another word.")
    return corpus.index[word]


@dataclass(frozen=True, eq=False)
class _Table:
    """Co-occurrences of each word of the vocabulary with two given words i and j.

    Attributes:
        pairs: Number of co-occurrences, (2, V).
        weighted: Sum of the weights of these co-occurrences, (2, V).
        spread: Estimated variance of each word's weighted co-occurrences with i, (V,).
        tried: Number of words whose intervals hold simultaneously.
    """

    corpus: Corpus
    pairs: Ints
    weighted: Any
    spread: Any
    tried: int

    @cached_property
    def totals(self) -> tuple[float, float]:
        """Return X_i and X_j: the weighted co-occurrences of each given word, summed over all words."""
        one, other = self.weighted.sum(axis=1).tolist()
        return one, other

    @cached_property
    def met(self) -> Ints:
        """Return the number of co-occurrences of each word with i plus the number of those with j, (V,)."""
        return np.asarray(self.pairs.sum(axis=0), np.int64)

    @cached_property
    def z(self) -> float:
        """Return the half-width, in standard errors, of intervals that hold simultaneously for `tried` words."""
        return simultaneous_z(self.tried)

    @cached_property
    def _single(self) -> Any:
        """Return the variance of each word's count near i if all co-occurrences were independent draws, (V,).

        `spread` is the same variance, measured over lines.
        """
        usual = self.totals[0] / sum(self.totals)
        return usual * (1 - usual) * self.weighted.sum(axis=0) ** 2 / np.maximum(self.met, 1)

    @cached_property
    def draws(self) -> Any:
        """Estimate the effective sample size of each word: its number of independent co-occurrences, (V,)."""
        single = np.maximum(self._single, np.finfo(np.float64).tiny)
        return self.met / np.maximum(1.0, self.spread / single)

    def ratio(self, row: int) -> Ratio:
        """Return the ratio of the word with the number `row`, with the interval of the ratio."""
        word, met = self.corpus.words[row], (int(self.pairs[0, row]), int(self.pairs[1, row]))
        one, other = (float(each) for each in self.weighted[:, row])
        shares = one / self.totals[0], other / self.totals[1]
        if not sum(met):
            return Ratio(word, met, shares, None, 0.0, np.inf, None)
        found = shares[0] / shares[1] if other else np.inf
        more = self.totals[1] / self.totals[0]
        low, high = wilson(one / (one + other), float(self.draws[row]), self.z)
        bounds = [bound / (1 - bound) * more if bound < 1 else np.inf for bound in (low, high)]
        return Ratio(word, met, shares, found, bounds[0], bounds[1], self._beyond(row, found))

    def _beyond(self, row: int, found: float) -> float | None:
        """Return the share of the words with a similar count whose ratio is as far from 1 as `found`, or farther.

        A word has a similar count if its value in `met` is half to twice the value of the word `row`. The result is
        None for fewer than `FEWEST` words with a similar count.
        """
        alike = (self.met * 2 >= self.met[row]) & (self.met <= 2 * self.met[row])
        alike[row] = False
        if alike.sum() < FEWEST:
            return None
        one, other = self.weighted[:, alike]
        with np.errstate(divide="ignore"):
            logs = np.log(one / self.totals[0]) - np.log(other / self.totals[1])
            return float((np.abs(logs) >= abs(np.log(found)) - 1e-9).mean())

    def telling(self, given: Sequence[int]) -> list[int]:
        """Choose words to compare: words typical of i, words typical of j, words near both, words rarely near either.

        Args:
            given: Numbers of the words i and j, which are not chosen.
        """
        sure = self._sureness()
        often = np.flatnonzero(self.met >= _MET)
        ranked = often[np.argsort(-sure[often], kind="stable")]
        ends = ranked[sure[ranked] > self.z], ranked[::-1][sure[ranked[::-1]] < -self.z]
        found = [row for end in ends for row in self._first(end, given)]
        found = found or [row for end in ends for row in self._first(end, given, function_words=True)]
        telling = bool(found)
        shared = often[np.abs(sure[often]) < self.z]
        found += self._first(shared[np.argsort(-self.met[shared], kind="stable")], [*given, *found])
        common = np.arange(min(_COMMON, len(self.corpus.words)))
        rarely = self.met[common] / self.corpus.counts[common]
        if found and not telling:
            return found  # without typical words, a word near neither shows nothing
        return found + self._first(common[np.argsort(rarely, kind="stable")], [*given, *found])

    def _sureness(self) -> Any:
        """Return how far each word's co-occurrences with i exceed the expected value, in standard errors, (V,).

        The expected value is the word's co-occurrences with i and j, times the share of i among all such co-occurrences
        of the vocabulary. The result is 0 for words that never co-occur with i or j.
        """
        usual = self.totals[0] / sum(self.totals)
        more = self.weighted[0] - usual * self.weighted.sum(axis=0)
        error = np.sqrt(np.maximum(self.spread, self._single))
        return np.where(self.met > 0, more / np.maximum(error, np.finfo(np.float64).tiny), 0.0)

    def _first(self, rows: Ints, without: Sequence[int], *, function_words: bool = False) -> list[int]:
        """Return the first `_OF_EACH` of the words `rows` that are not in `without`.

        Function words are left out by default.
        """
        named = ((row, self.corpus.words[row]) for row in rows.tolist() if row not in without)
        wanted = (row for row, word in named if function_words or word not in ENGLISH)
        return list(islice(wanted, _OF_EACH))
