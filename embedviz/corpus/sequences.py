"""Counts of word sequences: |V|^L sequences of length L are possible, but a text has only a few of them."""

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
        length: Length L of the sequences, in words.
        possible: |V|^L, an integer of any size.
        seen: Number of different sequences in the text.
        places: Number of sequences in the text, repetitions included: an upper bound of `seen`.
        new: Share of the sequences in the second half of the lines that are not in the first half; None if there is
            only one line, or the second half has no sequence.
    """

    length: int
    possible: int
    seen: int
    places: int
    new: float | None


@dataclass(frozen=True)
class SequenceCounts:
    """Counts of the sequences of 1 to L words in a corpus; a sequence does not cross the end of a line."""

    rows: tuple[SequenceCount, ...]
    vocabulary: int

    @property
    def meaning(self) -> str:
        """Say how many of the longest sequences were seen.

        Also say which share of the sequences in the second half of the lines is new.
        """
        last = self.rows[-1]
        sentence = (
            f"{last.seen:,} different sequences of {last.length} words were seen, of {last.possible:.1e} possible."
        )
        if last.new is None:
            return sentence
        return f"{sentence} {share(last.new)} of those in the second half do not occur in the first."

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[int | float | None, ...]]]:
        """Return the header and one row per length, for an export. `possible` is converted to a float."""
        rows = ((row.length, float(row.possible), row.seen, row.places, row.new) for row in self.rows)
        return ("length", "possible", "seen", "places", "new in the second half"), rows


@offered(
    "found", "for row in found.rows:", "    print(row.length, row.possible, row.seen, row.new)", "print(found.meaning)"
)
def sequence_counts(corpus: Corpus, *, longest: int = 5, report: Report | None = None) -> SequenceCounts:
    """Count the different sequences of each length from 1 to `longest` words, or to the length of the longest line.

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
        if length > 1:  # code of a sequence: number of its first length − 1 words, combined with its last word
            codes = _numbered(codes[:-1]) * size + tokens[length - 1 :]
        inside = lines[: len(codes)] == lines[length - 1 :]
        counted, early = codes[inside], lines[: len(codes)][inside] < half
        if not len(counted):
            break
        late = counted[~early]
        new = float(np.isin(late, counted[early], invert=True).mean()) if len(late) and half else None
        rows.append(SequenceCount(length, size**length, len(np.unique(counted)), len(counted), new))
    if not rows:
        raise OptionError(f"{corpus.name} has no word. Choose another text.")
    return SequenceCounts(tuple(rows), size)


def _numbered(codes: Ints) -> Ints:
    """Replace each number in `codes` by its rank among the different numbers, from 0, so that numbers stay small."""
    return np.asarray(np.unique(codes, return_inverse=True)[1], np.int64)
