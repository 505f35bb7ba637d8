"""Which words tell two words apart: ratios of their co-occurrence probabilities, as in Table 1 of the GloVe paper.

X_ik is how often word k stands within the window of word i, X_i the sum over all k, and P(k|i) = X_ik / X_i. What is
common to both words, or strange to both, has a ratio P(k|i) / P(k|j) near 1 (Pennington, Socher and Manning 2014).
"""

from __future__ import annotations

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

WINDOW = Parameter("window", 1, 50, 10, "Words on either side that count as near.", "Window")
PROBES = Words("probes", "", "Words to try; empty: the most telling ones, and some that are not.", "Words to try", 30)
MOST_PROBES = 30
FEWEST = 20
"""Words that a probe must have beside it, met about as often, before it is said how many of them are as telling."""
PAIRS = (("ice", "steam"), ("king", "queen"), ("man", "woman"), ("india", "australia"), ("river", "money"))
"""Pairs to begin with; the first whose words stand often enough in a corpus."""
_OFTEN = 10  # times that a word of such a pair stands in the corpus at least
_OF_EACH = 2  # probes of each kind that are chosen
_MET = 5  # pairs that a chosen probe has at least
_COMMON = 300  # the most frequent words of a text, among which strange ones are looked for
_SHORT = 2  # letters of a word that seldom says what a text is about
_BLOCK = 2**22  # words of the corpus that are looked at together


class Ratio(NamedTuple):
    """A word k beside two words i and j.

    Attributes:
        word: The word that is tried.
        pairs: How often it stands near i, and near j.
        shares: P(k|i) and P(k|j).
        ratio: P(k|i) / P(k|j); infinite where it never stands near j, None where it stands near neither.
        low, high: The interval of the ratio, by Wilson for its share of the two; `high` may be infinite. With 95 %
            probability the intervals of all words tried hold at once.
        beyond: Of the words met about as often, the share whose ratio is as far from 1; None where they are too few.
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
        """1 where it speaks for i, −1 for j, 0 where its interval holds 1 and it tells nothing."""
        return int(self.low > 1) - int(self.high < 1)


@dataclass(frozen=True)
class Ratios:
    """Words tried beside two words.

    Attributes:
        one, other: The words i and j.
        window, weighting: What counts as near, as `cooccurrences` has it.
        occurrences: How often each of the two stands in the corpus.
        totals: X_i and X_j.
        rows: The words that were tried, in the order of their ratio.
        chosen: Whether they were chosen by their ratios, the extreme ones among them.
        tried: Words that the intervals account for: all that could have been chosen, or those that were asked for.
        missing: Words that were asked for and do not stand in the corpus.
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
        """Which words tell the two apart, and which do not, in a sentence or two."""
        for_one = [row.word for row in self.rows if row.tells > 0]
        for_other = [row.word for row in reversed(self.rows) if row.tells < 0]
        both = [row.word for row in self.rows if not row.tells and row.ratio is not None]
        never = [row.word for row in self.rows if row.ratio is None]
        said = [
            f"{joined(words[:4])} {_verb(words, 'speak')} for {word}"
            for word, words in ((self.one, for_one), (self.other, for_other))
            if words
        ]
        which = "No word of this corpus, as often as each is met," if self.chosen else "None of these words"
        sentence = f"{'; '.join(said)}." if said else f"{which} tells {self.one} and {self.other} apart."
        if both and said:
            sentence += f" {joined(both[:4])} {_verb(both, 'do', 'es')} not tell them apart."
        return f"{sentence} {joined(never[:4])} {_verb(never, 'stand')} near neither." if never else sentence

    @property
    def note(self) -> str:
        """The sample, the interval, and what the choice of the words does to it."""
        said = [
            f"{self.one} stands in the corpus {counted(self.occurrences[0], 'time')}, {self.other} "
            f"{counted(self.occurrences[1], 'time')}; words at most {self.window} apart count"
            f"{' as one over their distance' if self.weighting == 'distance' else ''}.",
            "A ratio of 1 is what a word gives that is equally common near both.",
            f"With 95\u00a0% probability the intervals of all {counted(self.tried, 'word')} tried hold at once; all "
            "meetings in one line count as one draw.",
        ]
        if self.chosen:
            said.append(
                "The words were chosen for their ratios, the extreme ones first: expect less of them elsewhere."
            )
        if self.missing:
            said.append(f"Not in the corpus: {joined(self.missing)}.")
        return " ".join(said)


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
    """Return how much more often words stand near one word than near another, the highest ratio first.

    Args:
        probes: Words to try; where there are none, the most telling for each of the two, and some that are common or
            strange to both.

    Raises:
        OptionError: One of the two does not stand in the corpus, or never near another word, or both are the same.
    """
    window = int(WINDOW.check(window, len(corpus.words)))
    numbers = [_number(corpus, word) for word in (one, other)]
    if numbers[0] == numbers[1]:
        raise OptionError(f"Both words are “{one}”; two different ones are needed.")
    if len(probes) > MOST_PROBES:
        raise OptionError(f"{len(probes):,} words are to be tried; at most {MOST_PROBES} are.")
    met = np.zeros((2, len(corpus.words)), np.int64)
    weighted = np.zeros(met.shape)
    for place, word in enumerate((one, other)):
        tell(report, place / 2, f"what stands near {word}")
        met[place], weighted[place] = near(corpus, numbers[place], window, weighting)
        if not met[place].any():
            raise OptionError(f"“{word}” never stands near another word in {corpus.name}.")
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
    """Return how often each word of a corpus stands within the window of a word, (V,), as counted and as weighted."""
    pairs, weighted = np.zeros(len(corpus.words), np.int64), np.zeros(len(corpus.words))
    for words, _, distance in _meetings(corpus, word, window):
        found = np.bincount(words, minlength=len(pairs))
        pairs += found
        weighted += found / (distance if weighting == "distance" else 1)
    return pairs, weighted


def _meetings(corpus: Corpus, word: int, window: int) -> Iterator[tuple[Ints, Ints, int]]:
    """Yield the words at each distance from a word and the lines that they stand in, block by block."""
    starts = corpus.starts()
    for first in range(0, len(corpus.tokens), _BLOCK):
        places = np.flatnonzero(np.asarray(corpus.tokens[first : first + _BLOCK]) == word) + first
        lines = np.searchsorted(corpus.ends, places, side="right")
        for distance in range(1, window + 1):
            inside = places - distance >= starts[lines], places + distance < corpus.ends[lines]
            found = np.concatenate([places[inside[0]] - distance, places[inside[1]] + distance])
            yield np.asarray(corpus.tokens)[found], np.concatenate([lines[each] for each in inside]), distance


def _spread(corpus: Corpus, numbers: Sequence[int], window: int, weighting: Weighting, weighted: Any) -> Any:
    """Return the variance of each word's meetings with the first word beyond its usual share, over lines, (V,).

    Each line gives one residual: its meetings with the first word less the usual share of its meetings with both.
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
    """Return two words to begin with: of those in `PAIRS`, or the most frequent ones that are no function words.

    Words of one letter or two are taken only where there is nothing longer.
    """
    often = max(2, min(_OFTEN, len(corpus.tokens) // 5_000))
    for one, other in PAIRS:
        if all(word in corpus.index and corpus.counts[corpus.index[word]] >= often for word in (one, other)):
            return one, other
    content = [word for word in corpus.words[:_COMMON] if word not in ENGLISH]
    words = sorted(content, key=lambda word: len(word) <= _SHORT) + list(corpus.words[:2])
    return words[0], next((word for word in words[1:] if word != words[0]), words[0])


def _verb(words: Sequence[str], verb: str, ending: str = "s") -> str:
    return verb + ending if len(words) == 1 else verb


def _number(corpus: Corpus, word: str) -> int:
    if word not in corpus.index:
        raise OptionError(f"“{cut(word, 40)}” does not stand in {corpus.name}. Take a word that does.")
    return corpus.index[word]


@dataclass(frozen=True, eq=False)
class _Table:
    """What stands near each of two words: how often each word of the vocabulary, (2, V), and the same weighted.

    `spread` is the variance over lines, (V,); `tried` the number of words that the intervals account for.
    """

    corpus: Corpus
    pairs: Ints
    weighted: Any
    spread: Any
    tried: int

    @cached_property
    def totals(self) -> tuple[float, float]:
        """X_i and X_j."""
        one, other = self.weighted.sum(axis=1).tolist()
        return one, other

    @cached_property
    def met(self) -> Ints:
        """How often each word stands near either, (V,)."""
        return np.asarray(self.pairs.sum(axis=0), np.int64)

    @cached_property
    def z(self) -> float:
        """Standard errors of an interval that holds for all words tried at once ."""
        return simultaneous_z(self.tried)

    @cached_property
    def _single(self) -> Any:
        """Variance of each word's meetings with the first word if every meeting were a draw of its own, (V,)."""
        usual = self.totals[0] / sum(self.totals)
        return usual * (1 - usual) * self.weighted.sum(axis=0) ** 2 / np.maximum(self.met, 1)

    @cached_property
    def draws(self) -> Any:
        """How many independent meetings the meetings of each word amount to, (V,)."""
        single = np.maximum(self._single, np.finfo(np.float64).tiny)
        return self.met / np.maximum(1.0, self.spread / single)

    def ratio(self, row: int) -> Ratio:
        """Return a word's ratio, with its interval."""
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
        """Return the share of words met half to twice as often whose ratio is as far from 1 or farther."""
        alike = (self.met * 2 >= self.met[row]) & (self.met <= 2 * self.met[row])
        alike[row] = False
        if alike.sum() < FEWEST:
            return None
        one, other = self.weighted[:, alike]
        with np.errstate(divide="ignore"):
            logs = np.log(one / self.totals[0]) - np.log(other / self.totals[1])
            return float((np.abs(logs) >= abs(np.log(found)) - 1e-9).mean())

    def telling(self, asked: Sequence[int]) -> list[int]:
        """Return words that are telling for the one, for the other, common to both, and strange to both."""
        sure = self._sureness()
        often = np.flatnonzero(self.met >= _MET)
        ranked = often[np.argsort(-sure[often], kind="stable")]
        ends = ranked[sure[ranked] > self.z], ranked[::-1][sure[ranked[::-1]] < -self.z]
        found = [row for end in ends for row in self._first(end, asked)]
        found = found or [row for end in ends for row in self._first(end, asked, function_words=True)]
        telling = bool(found)
        shared = often[np.abs(sure[often]) < self.z]
        found += self._first(shared[np.argsort(-self.met[shared], kind="stable")], [*asked, *found])
        common = np.arange(min(_COMMON, len(self.corpus.words)))
        rarely = self.met[common] / self.corpus.counts[common]
        if found and not telling:
            return found  # beside nothing that tells, what is strange to both is of no use
        return found + self._first(common[np.argsort(rarely, kind="stable")], [*asked, *found])

    def _sureness(self) -> Any:
        """Return by how many standard errors the share of a word's meetings with the first is above the usual, (V,)."""
        usual = self.totals[0] / sum(self.totals)
        more = self.weighted[0] - usual * self.weighted.sum(axis=0)
        error = np.sqrt(np.maximum(self.spread, self._single))
        return np.where(self.met > 0, more / np.maximum(error, np.finfo(np.float64).tiny), 0.0)

    def _first(self, rows: Ints, without: Sequence[int], *, function_words: bool = False) -> list[int]:
        """Return the first few of some words, function words only where these are wanted."""
        named = ((row, self.corpus.words[row]) for row in rows.tolist() if row not in without)
        wanted = (row for row, word in named if function_words or word not in ENGLISH)
        return list(islice(wanted, _OF_EACH))
