"""Statistics of a corpus: word frequency by rank, the effect of a minimum count, and the lengths of lines.

In every language, counts fall roughly as a power of the rank (Zipf's law). Texts of random letters and blanks show the
same (Miller 1957), so they are the baseline.
"""

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
"""Maximum number of words of random letters."""
MOST_FOUND = 200
_POINTS = 200  # maximum number of points of a curve
_FITTED = 60  # maximum number of ranks that a line is fitted to
_FEWEST = 20  # minimum number of words for a line
_LEAST = 5  # smaller counts come in steps that are too coarse for a line
_LETTERS_OF = 50_000  # maximum number of words whose letters are counted


class WordCount(NamedTuple):
    """A word of the vocabulary: its rank from 1, its count, and its share of all words of the text."""

    rank: int
    word: str
    times: int
    share: float


class MinCountEffect(NamedTuple):
    """The words of a text that reach a minimum count: number and share of the different words, and of all tokens."""

    min_count: int
    words: int
    words_share: float
    tokens: int
    tokens_share: float


class PowerLaw(NamedTuple):
    """A power law fitted to counts: count = scale / rank ** exponent.

    Attributes:
        ranks: The last rank that was used in the fit; the first rank is 1.
        factor: Mean deviation of the counts from the fit, as a factor; 1 is a perfect fit.
        most: The largest deviation over all ranks of the fit, as a factor.
    """

    exponent: float
    scale: float
    ranks: int
    factor: float
    most: float


@dataclass(frozen=True, eq=False)
class Curve:
    """Word frequency by rank.

    Attributes:
        ranks: Ranks of the points, evenly spaced on a logarithmic scale, (m,).
        shares: Share of the word at each rank among all words of the text, (m,).
        line: The power law that fits `shares`. None for fewer than 20 different words, or fewer than 3 different
            counts.
        words: Number of words in the text.
    """

    ranks: Ints
    shares: Float
    line: PowerLaw | None
    words: int


@dataclass(frozen=True, eq=False)
class Lengths:
    """Lengths of the lines of a corpus, in words.

    Attributes:
        counts: Number of lines in each bin, (b,).
        edges: Edges of the bins, (b + 1,).
        median, longest: Median and maximum length, in words.
        short: Share of lines that are shorter than a full window of `window` words on each side.
    """

    counts: Ints
    edges: Ints
    median: float
    longest: int
    short: float
    window: int

    @property
    def meaning(self) -> str:
        """Say how long the lines are, and which share of them is shorter than a full context window.

        A full window is `window` words on each side of a word, and the word itself.
        """
        half = f"Half of the lines have at most {self.median:,.0f} words; the longest has {self.longest:,}."
        short = f"{share(self.short)} are" if self.short else "None is"
        whole = f"a full window of {self.window} words on each side ({2 * self.window + 1} words)"
        return f"{half} {short} shorter than {whole}."


@dataclass(frozen=True, eq=False)
class Described:
    """Statistics of a corpus.

    Attributes:
        tokens, words, lines: Number of words, of different words, and of lines.
        curve: Word frequencies in the corpus.
        typed: Word frequencies in a random text with the same frequencies of letters, at most `TYPED` words.
        lengths: Lengths of the lines.
        once: Share of the different words that occur once.
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
        """Say how the counts of words fall with their rank, compared with a text of random letters."""
        line, typed = self.curve.line, self.typed.line
        if line is None:
            return f"{counted(self.words, 'different word')}: too few counts for a line."
        fall = f"On this plot the counts fall along a line with slope {number(-line.exponent)}"
        if typed is None:
            return f"{fall}."
        return (
            f"{fall}, as text often does. That is no proof of quality: randomly typed letters and blanks fall about "
            f"as steeply ({number(-typed.exponent)})."
        )

    @property
    def note(self) -> str:
        """Describe the corpus, the fit of the power law and the text of random letters, in sentences."""
        line = self.curve.line
        fitted = ""
        if line is not None:
            off = f"{number(line.factor)} on average, {number(line.most)} at most"
            fitted = f"The line is fitted to ranks 1 to {line.ranks:,}. Deviation factor: {off}."
        random = counted(self.typed.words, "word")
        typed = f"Random letters: {random}; letters and blanks are as frequent as here; seed 0."
        once = f"{share(self.once)} of the different words occur once." if self.once else ""
        return " ".join(
            filter(None, [f"All {self.tokens:,} words." if self.tokens > 1 else "Its only word.", fitted, typed, once])
        )


@offered("found", "print(corpus.size, found.meaning, found.note, sep='\\n')")
def described(corpus: Corpus, *, window: int = 5, report: Report | None = None) -> Described:
    """Return statistics of a corpus: word frequencies there and in a text of random letters, and line lengths."""
    tell(report, 0.0, "sorting the counts")
    curve = curve_of(corpus.counts)
    tell(report, 0.3, "drawing random letters")
    typed = curve_of(typed_at_random(corpus, min(TYPED, len(corpus.tokens))))
    tell(report, 0.8, "measuring the lines")
    once = float(np.mean(corpus.counts == 1))
    return Described(len(corpus.tokens), len(corpus.words), len(corpus), curve, typed, lengths_of(corpus, window), once)


def curve_of(counts: Ints) -> Curve:
    """Return the curve of descending counts, with the fitted power law."""
    total = int(counts.sum())
    ranks = _spread(len(counts), _POINTS)
    line = fitted(counts)
    if line is not None:
        line = line._replace(scale=line.scale / total)
    return Curve(ranks, (counts[ranks - 1] / total).astype(np.float32), line, total)


def fitted(counts: Ints) -> PowerLaw | None:
    """Fit a power law to descending counts by least squares, at ranks evenly spaced on a logarithmic scale.

    Counts below five are left out, because small counts come in coarse steps. They are used if the other counts have
    fewer than three different values. The result is None for fewer than 20 words, or for fewer than three different
    counts.
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
    return PowerLaw(float(-slope) + 0.0, float(np.exp(height)), len(used), float(np.exp(off)), float(np.exp(most)))


def typed_at_random(corpus: Corpus, words: int, *, seed: int = 0) -> Ints:
    """Return the counts of the different words in a text of random letters, in descending order.

    Letters and blanks are as frequent as in the corpus, so the mean length of words is the same.

    Args:
        words: Number of words to draw.
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


def minimum_count_effect(corpus: Corpus, min_count: int) -> MinCountEffect:
    """Return how many different words a minimum count keeps, and which share of the text these words are."""
    rows = corpus.vocabulary_size(min_count)
    tokens = int(corpus.counts[:rows].sum())
    return MinCountEffect(
        min_count, rows, rows / max(1, len(corpus.words)), tokens, tokens / max(1, len(corpus.tokens))
    )


@offered("kept", "for each in kept:", "    print(each.min_count, each.words, f'{each.tokens_share:.3f}')")
def thresholds(corpus: Corpus, min_count: int) -> list[MinCountEffect]:
    """Return how many words, and how much of the text, remain with each minimum count: `THRESHOLDS` and `min_count`."""
    return [minimum_count_effect(corpus, count) for count in sorted({*THRESHOLDS, min_count})]


def learned(corpus: Corpus, min_count: int) -> str:
    """Say how many words training learns with a minimum count, their share of the text, and their median count."""
    effect = minimum_count_effect(corpus, min_count)
    if not effect.words:
        return f"No word occurs {min_count:,} times: no word would be left for training."
    half = f"Half of them occur at most {counted(int(np.median(corpus.counts[: effect.words])), 'time')}."
    if effect.words_share == 1:
        return f"With a minimum count of {min_count:,} every word gets a vector: {effect.words:,} words. {half}"
    return f"Training learns vectors of {effect.words:,} words, {share(effect.tokens_share)} of the text. {half}"


def lengths_of(corpus: Corpus, window: int) -> Lengths:
    """Return the lengths of the lines as a histogram whose bins are wider for longer lines."""
    sizes = np.diff(corpus.ends, prepend=0)
    edges = np.unique(np.round(np.geomspace(1, int(sizes.max()) + 1, 25)).astype(np.int64))
    counts, _ = np.histogram(sizes, edges) if len(edges) > 1 else (np.array([len(sizes)]), edges)
    short = float(np.mean(sizes < 2 * window + 1))
    return Lengths(counts.astype(np.int64), edges, float(np.median(sizes)), int(sizes.max()), short, window)


@offered("entries", "for entry in entries:", "    print(entry.rank, entry.word, entry.times)")
def most_frequent(corpus: Corpus, most: int) -> list[WordCount]:
    """Return the `most` most frequent words with rank, count and share."""
    return _entries(corpus, list(range(min(most, len(corpus.words)))))


def search(corpus: Corpus, text: str, most: int = MOST_FOUND) -> list[WordCount]:
    """Return the word `text` if it is in the vocabulary, then words that contain `text`, the most frequent first.

    At most `most` words are returned.
    """
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


def _entries(corpus: Corpus, rows: list[int]) -> list[WordCount]:
    total = max(1, len(corpus.tokens))
    counts = corpus.counts[rows].tolist() if rows else []
    return [
        WordCount(row + 1, corpus.words[row], count, count / total) for row, count in zip(rows, counts, strict=True)
    ]


def _spread(last: int, most: int) -> Ints:
    """Return at most `most` different ranks from 1 to `last`, evenly spaced on a logarithmic scale."""
    return np.unique(np.round(np.geomspace(1, max(1, last), most)).astype(np.int64))
