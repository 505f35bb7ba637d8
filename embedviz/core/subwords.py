"""FastText's subwords: a vector for a word without a row, from the n-grams of its letters (Bojanowski et al. 2017).

A word is first written as `<word>`. Its n-grams are all runs of `min_n` to `max_n` characters of this text. A single
`<` or `>` is no n-gram.
Each n-gram has one row of a matrix, its bucket: the 32-bit FNV-1a hash of its UTF-8 bytes, modulo the number of
buckets. The bytes are read as signed, as in fastText's C++. Different n-grams may share a bucket.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float32]
Ints = NDArray[np.int64]

_BASIS, _PRIME = np.uint32(2166136261), np.uint32(16777619)
_OTHER_BASIS = np.uint32(84696351)  # start of a second hash, which separates n-grams with equal first hashes
_GATHERED = 16 * 2**20  # bytes of bucket vectors read at a time
_CUT = 2**18  # n-grams per run of words, unless one word has more


class NGrams(NamedTuple):
    """The m n-grams of some words: first all n-grams of the first word, by position, then those of the next word.

    Attributes:
        data: The joined bytes of the words.
        starts, ends: Start and end of each n-gram in `data`, (m,).
        words: Index of the word to which each n-gram belongs, (m,).
        keys: A number for each n-gram, (m,). Equal n-grams have equal numbers.
        buckets: The bucket of each n-gram: its row in the matrix of n-gram vectors, (m,).
    """

    data: NDArray[np.uint8]
    starts: Ints
    ends: Ints
    words: Ints
    keys: NDArray[np.uint64]
    buckets: Ints

    def text(self, place: int) -> str:
        """Return the n-gram at index `place` as text."""
        return self.data[self.starts[place] : self.ends[place]].tobytes().decode("utf-8", "replace")


@dataclass(frozen=True, eq=False)
class Subwords:
    """The n-gram vectors of a fastText model.

    Any string of letters has n-grams, so a nonsense word gets a vector too.

    Attributes:
        min_n, max_n: The shortest and the longest n-gram, in characters.
        buckets: The n-gram vectors, one row for each bucket, (b, d) float32, read-only; may be a memory map.
    """

    min_n: int
    max_n: int
    buckets: Float

    def __post_init__(self) -> None:
        view = np.asarray(self.buckets).view()
        view.flags.writeable = False
        object.__setattr__(self, "buckets", view)

    def ngrams(self, word: str) -> list[str]:
        """Return the n-grams of a word in the order of their starts; an empty list if the word is too short."""
        spans = _spans([_bytes(word)], self.min_n, self.max_n)
        text = spans.data.tobytes()
        return [text[a:b].decode("utf-8", "replace") for a, b in zip(spans.starts, spans.ends, strict=True)]

    def rows(self, word: str) -> Ints:
        """Return the bucket of each n-gram of a word, in the order of `ngrams`."""
        return self.hashes(word) % len(self.buckets)

    def hashes(self, word: str) -> Ints:
        """Return the 32-bit FNV-1a hash of each n-gram of a word, in the order of `ngrams`."""
        return _hashes(_spans([_bytes(word)], self.min_n, self.max_n))

    def each(self, words: Sequence[str]) -> Iterator[NGrams]:
        """Yield the n-grams of the words, a batch of words at a time. `NGrams.words` has indices into all `words`."""
        coded = [_bytes(word) for word in words]
        for start, stop in _runs(coded, self.max_n):
            spans = _spans(coded[start:stop], self.min_n, self.max_n)
            hashes = _hashes(spans)
            keys = hashes.astype(np.uint64) << np.uint64(32) | _hashes(spans, _OTHER_BASIS).astype(np.uint64)
            word = np.repeat(np.arange(start, stop), spans.counts)
            yield NGrams(spans.data, spans.starts, spans.ends, word, keys, hashes % len(self.buckets))

    def vector(self, word: str) -> Float:
        """Return the mean of the vectors of a word's n-grams, (d,). For a word without n-grams return zeros."""
        rows = self.rows(word)
        total = np.zeros(self.buckets.shape[1], np.float32)
        for part in np.split(rows, range(self._at_once, len(rows), self._at_once)):
            total += self.buckets[part].sum(axis=0)
        return np.asarray(total / max(1, len(rows)), np.float32)

    def composed(self, words: Sequence[bytes], own: Float) -> Float:
        """Return the vectors of words that have a row of their own, (m, d).

        Each vector is the mean of the word's row and the vectors of its n-grams.

        Args:
            words: m words as UTF-8.
            own: The rows of the words, shape (m, d).
        """
        total, counts = np.array(own, np.float32), np.zeros(len(words), np.int64)
        for start, stop in _runs(words, self.max_n):
            spans = _spans(words[start:stop], self.min_n, self.max_n)
            counts[start:stop] = spans.counts
            word, rows = np.repeat(np.arange(start, stop), spans.counts), _hashes(spans) % len(self.buckets)
            for first in range(0, len(rows), self._at_once):
                part = slice(first, first + self._at_once)
                filled, places = np.unique(word[part], return_index=True)
                total[filled] += np.add.reduceat(self.buckets[rows[part]], places, axis=0)
        return np.asarray(total / (counts[:, None] + np.float32(1)), np.float32)

    @property
    def _at_once(self) -> int:
        return max(1, _GATHERED // (4 * int(self.buckets.shape[1])))


class _NgramSpans(NamedTuple):
    """Starts and ends of all n-grams in the joined bytes of some words, and the number of n-grams per word."""

    data: NDArray[np.uint8]
    starts: Ints
    ends: Ints
    counts: Ints


def _runs(words: Sequence[bytes], max_n: int) -> Iterator[tuple[int, int]]:
    """Yield start and stop of groups of words. A group has at most `_CUT` n-grams, or is a single word.

    The n-grams are not counted: at most `max_n` n-grams begin at each byte, so this number per byte is assumed.
    """
    most = max_n * np.cumsum([len(word) + 2 for word in words])
    start = 0
    while start < len(words):
        before = most[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(most, before + _CUT, "right")))
        yield start, stop
        start = stop


def _spans(words: Sequence[bytes], min_n: int, max_n: int) -> _NgramSpans:
    data = np.frombuffer(b"".join(b"<" + word + b">" for word in words), np.uint8)
    heads = np.flatnonzero((data & 0xC0) != 0x80)  # where a character begins
    word_ends = np.cumsum([len(word) + 2 for word in words])
    past = np.searchsorted(heads, word_ends)  # for each word, the index after its last character
    lengths = np.diff(past, prepend=0)
    ends = np.repeat(past, lengths)
    sizes = np.arange(max(1, min_n), max_n + 1)
    first = np.arange(len(heads))[:, None]
    inside = first + sizes <= ends[:, None]
    alone = (sizes == 1) & ((first == (ends - np.repeat(lengths, lengths))[:, None]) | (first + 1 == ends[:, None]))
    character, size = np.nonzero(inside & ~alone)
    bounds = np.append(heads, len(data))
    word = np.repeat(np.arange(len(words)), lengths)[character]
    counts = np.bincount(word, minlength=len(words)).astype(np.int64)
    return _NgramSpans(data, bounds[character], bounds[character + sizes[size]], counts)


def _hashes(spans: _NgramSpans, basis: np.uint32 = _BASIS) -> Ints:
    """Return the 32-bit FNV-1a hash of each n-gram, shape (m,)."""
    hashes = np.full(len(spans.starts), basis, np.uint32)
    signed = spans.data.view(np.int8).astype(np.int32).view(np.uint32)
    at, active = spans.starts.copy(), np.arange(len(spans.starts))
    while len(active):
        hashes[active] = (hashes[active] ^ signed[at[active]]) * _PRIME
        at[active] += 1
        active = active[at[active] < spans.ends[active]]
    return hashes.astype(np.int64)


def _bytes(word: str) -> bytes:
    return word.encode("utf-8", "replace")
