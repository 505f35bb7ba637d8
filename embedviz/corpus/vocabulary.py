"""The words of a corpus as numbers: how their counts fall with their rank, what a least count throws away, its lines.

Counts that fall as a power of the rank, Zipf's law, are seen in every language; and also where letters and blanks are
typed at random (Miller 1957), which is drawn beside them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.phrases import counted, number, share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, WordBlob
from embedviz.corpus.tokenized import Corpus

THRESHOLDS = (1, 2, 3, 5, 10, 20, 50, 100)
TYPED = 200_000
"""Words that are typed at random at most."""
MOST_FOUND = 200
_POINTS = 200  # ranks of a curve that are kept
_FITTED = 60  # ranks that a line is fitted to
_FEWEST = 20  # words that a line needs
_LEAST = 5  # counts below it come in steps too coarse for a line
_LETTERS_OF = 50_000  # words whose letters are counted


class Entry(NamedTuple):
    """A word of the vocabulary: its rank from 1, how often it stands in the corpus, and its share of all words."""

    rank: int
    word: str
    times: int
    share: float


class Kept(NamedTuple):
    """What a least count keeps: so many different words, and so many of the corpus, each with its share of all."""

    min_count: int
    words: int
    words_share: float
    tokens: int
    tokens_share: float


class Line(NamedTuple):
    """A line through counts on logarithmic scales: count = scale / rank ** exponent.

    Attributes:
        ranks: The last rank that it was fitted to, from the first.
        factor: How far the counts lie from it, as a factor, on average over the ranks that it was fitted at; 1: on it.
        most: The greatest factor, over all ranks from the first to the last.
    """

    exponent: float
    scale: float
    ranks: int
    factor: float
    most: float


@dataclass(frozen=True, eq=False)
class Curve:
    """How often the word of each rank stands in a text.

    Attributes:
        ranks: Some ranks, the first ones all, (m,).
        shares: The share of the text that the word of each is, (m,).
        line: Fitted to them; None where there are too few different counts. Its scale is a share.
        words: Of the text.
    """

    ranks: Ints
    shares: Float
    line: Line | None
    words: int


@dataclass(frozen=True, eq=False)
class Lengths:
    """How long the lines of a corpus are, in words.

    Attributes:
        counts: Lines in each bin, `edges` the bins, one more of these.
        median, longest: In words.
        short: The share of lines shorter than a whole window of `window` words to each side, its word included.
    """

    counts: Ints
    edges: Ints
    median: float
    longest: int
    short: float
    window: int

    @property
    def meaning(self) -> str:
        """What they mean for a window."""
        half = f"Half of them have {self.median:,.0f} words or fewer, the longest {self.longest:,}."
        short = f"{share(self.short)} are" if self.short else "None is"
        whole = f"a whole window of {self.window} words to each side ({2 * self.window + 1} words)"
        return f"{half} {short} shorter than {whole}."


@dataclass(frozen=True, eq=False)
class Described:
    """The numbers of a corpus.

    Attributes:
        curve: Of the corpus, `typed` of as many words typed at random with its letters, at most `TYPED`.
        once: The share of different words that stand in it once.
    """

    tokens: int
    words: int
    lines: int
    curve: Curve
    typed: Curve
    lengths: Lengths
    once: float

    @property
    def meaning(self) -> str:
        """What the figure means."""
        line, typed = self.curve.line, self.typed.line
        if line is None:
            return f"With {counted(self.words, 'different word')} there are too few counts for a line."
        power = number(-line.exponent)
        off = f"{number(line.factor)} on average, {number(line.most)} at most"
        fall = f"Counts fall as rank to the power {power}. They lie off this line by a factor of {off}."
        if typed is None:
            return fall
        return f"{fall} Its letters typed at random give {number(-typed.exponent)}: the fall alone is no sign of sense."

    @property
    def note(self) -> str:
        """The sample and the method."""
        line = self.curve.line
        fitted = f"The line is fitted to ranks 1 to {line.ranks:,}, evenly on the scale." if line is not None else ""
        typed = (
            f"Typed at random: {counted(self.typed.words, 'word')}, each letter and the blank as often as here, seed 0."
        )
        once = f"{share(self.once)} of the different words stand in it once." if self.once else ""
        return " ".join(
            filter(None, [f"All {self.tokens:,} words." if self.tokens > 1 else "Its only word.", fitted, typed, once])
        )


@offered("found", "print(corpus.size, found.meaning, found.note, sep='\\n')")
def described(corpus: Corpus, *, window: int = 5, report: Report | None = None) -> Described:
    """Return the numbers of a corpus: its curve, that of random typing, its lines."""
    tell(report, 0.0, "counts are put in order")
    curve = curve_of(corpus.counts)
    tell(report, 0.3, "letters are typed at random")
    typed = curve_of(typed_at_random(corpus, min(TYPED, len(corpus.tokens))))
    tell(report, 0.8, "lines are measured")
    once = float(np.mean(corpus.counts == 1))
    return Described(len(corpus.tokens), len(corpus.words), len(corpus), curve, typed, lengths_of(corpus, window), once)


def curve_of(counts: Ints) -> Curve:
    """Return the curve of counts in descending order, with the line that fits it."""
    total = int(counts.sum())
    ranks = _spread(len(counts), _POINTS)
    line = fitted(counts)
    if line is not None:
        line = line._replace(scale=line.scale / total)
    return Curve(ranks, (counts[ranks - 1] / total).astype(np.float32), line, total)


def fitted(counts: Ints) -> Line | None:
    """Fit a line to counts in descending order by least squares, at ranks spread evenly over the logarithmic scale.

    Words that stand less than five times are left out where others are not, since their counts come in coarse steps.
    None for fewer than twenty words or three different counts.
    """
    often = int(np.searchsorted(-counts, -_LEAST, side="right"))
    used = counts[:often] if len(np.unique(counts[:often])) >= 3 else counts
    ranks = _spread(len(used), _FITTED)
    seen = used[ranks - 1]
    if len(used) < _FEWEST or len(np.unique(seen)) < 3:
        return None
    x, y = np.log(ranks), np.log(seen)
    slope, height = np.polyfit(x, y, 1)
    off = float(np.mean(np.abs(y - (height + slope * x))))
    most = float(np.max(np.abs(np.log(used) - (height + slope * np.log(np.arange(1, len(used) + 1))))))
    return Line(float(-slope) + 0.0, float(np.exp(height)), len(used), float(np.exp(off)), float(np.exp(most)))


def typed_at_random(corpus: Corpus, words: int, *, seed: int = 0) -> Ints:
    """Return the counts, in descending order, of words typed at random.

    Each letter comes as often as in the corpus, and so does the blank: words are as long on average.
    """
    letters: Counter[str] = Counter()
    total = 0
    for word, count in zip(corpus.words[:_LETTERS_OF], corpus.counts[:_LETTERS_OF].tolist(), strict=True):
        total += count
        for letter in word:
            letters[letter] += count
    random = np.random.default_rng(seed)
    chances = np.fromiter(letters.values(), np.float64)
    lengths = random.geometric(total / letters.total(), words)
    ends = np.cumsum(lengths)
    signs = random.choice(len(letters), int(ends[-1]), p=chances / chances.sum())
    listed = list(letters)
    text = "".join([listed[sign] for sign in signs.tolist()])
    found = Counter(text[start:end] for start, end in pairwise([0, *ends.tolist()]))
    return -np.sort(-np.fromiter(found.values(), np.int64))


def kept(corpus: Corpus, min_count: int) -> Kept:
    """Return what a least count keeps of a corpus."""
    rows = corpus.kept(min_count)
    tokens = int(corpus.counts[:rows].sum())
    return Kept(min_count, rows, rows / max(1, len(corpus.words)), tokens, tokens / max(1, len(corpus.tokens)))


@offered("kept", "for each in kept:", "    print(each.min_count, each.words, f'{each.tokens_share:.3f}')")
def thresholds(corpus: Corpus, min_count: int) -> list[Kept]:
    """Return what each of some least counts keeps, this one among them."""
    return [kept(corpus, count) for count in sorted({*THRESHOLDS, min_count})]


def lengths_of(corpus: Corpus, window: int) -> Lengths:
    """Return how long the lines are; bins grow with the length."""
    sizes = np.diff(corpus.ends, prepend=0)
    edges = np.unique(np.round(np.geomspace(1, int(sizes.max()) + 1, 25)).astype(np.int64))
    counts, _ = np.histogram(sizes, edges) if len(edges) > 1 else (np.array([len(sizes)]), edges)
    short = float(np.mean(sizes < 2 * window + 1))
    return Lengths(counts.astype(np.int64), edges, float(np.median(sizes)), int(sizes.max()), short, window)


@offered("entries", "for entry in entries:", "    print(entry.rank, entry.word, entry.times)")
def most_frequent(corpus: Corpus, most: int) -> list[Entry]:
    """Return the first words of the vocabulary."""
    return _entries(corpus, list(range(min(most, len(corpus.words)))))


def search(corpus: Corpus, text: str, most: int = MOST_FOUND) -> list[Entry]:
    """Return the word itself where it is in the vocabulary, then words that contain it, the most frequent first."""
    if not text:
        return []
    words = WordBlob.of(corpus.words)
    needle = text.encode("utf-8", "replace")
    rows: dict[int, None] = {}
    own = None
    blob = words.blob.tobytes()
    start = blob.find(needle)
    while start >= 0:
        row = int(np.searchsorted(words.offsets, start, side="right")) - 1
        first, after = int(words.offsets[row]), int(words.offsets[row + 1])
        inside = start + len(needle) <= after
        if inside:
            own = row if (start, start + len(needle)) == (first, after) else own
            if len(rows) < most:
                rows[row] = None
            elif own is not None:
                break
        start = blob.find(needle, after if inside else start + 1)
    others = [row for row in rows if row != own]
    return _entries(corpus, ([own] if own is not None else []) + others[: most - (own is not None)])


def _entries(corpus: Corpus, rows: list[int]) -> list[Entry]:
    total = max(1, len(corpus.tokens))
    counts = corpus.counts[rows].tolist() if rows else []
    return [Entry(row + 1, corpus.words[row], count, count / total) for row, count in zip(rows, counts, strict=True)]


def _spread(last: int, most: int) -> Ints:
    """Return ranks from 1 to the last, evenly on a logarithmic scale; each once."""
    return np.unique(np.round(np.geomspace(1, max(1, last), most)).astype(np.int64))
