"""Sequences of words against data: |V|^L are possible, and a text shows few of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Ints
from embedviz.corpus.tokenized import Corpus

MOST_LENGTH = 8


class SequenceCount(NamedTuple):
    """Sequences of one length.

    Attributes:
        length: L.
        possible: |V|^L, a whole number of any size.
        seen: Different sequences in the text.
        places: Sequences in the text with repetitions; no more different ones can be seen.
        new: Share of the sequences in the second half of the lines that the first half does not have; None where the
            second half has none.
    """

    length: int
    possible: int
    seen: int
    places: int
    new: float | None


@dataclass(frozen=True)
class SequenceCounts:
    """Sequences of 1 to L words in a corpus; none reaches beyond its line."""

    rows: tuple[SequenceCount, ...]
    vocabulary: int

    @property
    def meaning(self) -> str:
        """Say how many of the longest sequences were seen, and how many of the second half are new."""
        last = self.rows[-1]
        sentence = (
            f"{last.seen:,} different sequences of {last.length} words were seen, of {last.possible:.1e} possible."
        )
        if last.new is None:
            return sentence
        return f"{sentence} {share(last.new)} of those in the second half do not occur in the first."

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[int | float | None, ...]]]:
        """Return header and rows of an export; the possible numbers as floats."""
        rows = ((row.length, float(row.possible), row.seen, row.places, row.new) for row in self.rows)
        return ("length", "possible", "seen", "places", "new in the second half"), rows


@offered(
    "found", "for row in found.rows:", "    print(row.length, row.possible, row.seen, row.new)", "print(found.meaning)"
)
def sequence_counts(corpus: Corpus, *, longest: int = 5, report: Report | None = None) -> SequenceCounts:
    """Count different sequences of 1 to `longest` words, or to the length of the longest line.

    Raises:
        OptionError: The length is out of range, or the text has no word.
    """
    if not 1 <= longest <= MOST_LENGTH:
        raise OptionError(f"The length is {longest}. Give 1 to {MOST_LENGTH}.")
    tokens = np.asarray(corpus.tokens, np.int64)
    lines = np.repeat(np.arange(len(corpus)), np.diff(corpus.ends, prepend=0))
    size, half = len(corpus.words), len(corpus) // 2
    codes = tokens
    rows: list[SequenceCount] = []
    for length in range(1, longest + 1):
        tell(report, (length - 1) / longest, f"sequences of {length} words")
        if length > 1:  # the number of the shorter sequence, then the next word
            codes = _numbered(codes[:-1]) * size + tokens[length - 1 :]
        inside = lines[: len(codes)] == lines[length - 1 :]
        counted, early = codes[inside], lines[: len(codes)][inside] < half
        if not len(counted):
            break
        late = counted[~early]
        new = float(np.isin(late, counted[early], invert=True).mean()) if len(late) else None
        rows.append(SequenceCount(length, size**length, len(np.unique(counted)), len(counted), new))
    if not rows:
        raise OptionError(f"{corpus.name} has no word. Choose another text.")
    return SequenceCounts(tuple(rows), size)


def _numbered(codes: Ints) -> Ints:
    """Return codes as the numbers of their values in order, so that they stay small."""
    return np.asarray(np.unique(codes, return_inverse=True)[1], np.int64)
