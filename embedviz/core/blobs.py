"""`WordBlob`: many words stored as one text, and `BlobIndex`, which finds their rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
_ROWS_AT_ONCE = 65_536  # words decoded at a time
_BASIS, _PRIME = 0xCBF29CE484222325, 0x100000001B3  # constants of the 64-bit hash FNV-1a


class WordBlob(Sequence[str]):
    """n words stored as one UTF-8 text with offsets. A word is decoded only when it is read.

    Args:
        blob: The bytes of all words, one after the other, shape (b,).
        offsets: The start of each word in `blob`, and b as the last number, shape (n + 1,).
    """

    def __init__(self, blob: NDArray[np.uint8], offsets: Ints) -> None:
        self.blob, self.offsets = blob, offsets

    @classmethod
    def of(cls, words: Sequence[str]) -> WordBlob:
        """Return these words as a `WordBlob`. If they are a `WordBlob` already, return it unchanged."""
        if isinstance(words, cls):
            return words
        encoded = [word.encode("utf-8", "replace") for word in words]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(word) for word in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        if row < 0:
            row += len(self)
        if not 0 <= row < len(self):
            raise IndexError(row)
        return bytes(self.blob[self.offsets[row] : self.offsets[row + 1]]).decode("utf-8", "replace")

    def at(self, rows: Ints) -> list[str]:
        """Return the words of these rows. For many rows the whole `blob` is first copied to bytes, which is faster."""
        places = np.asarray(rows, np.int64)
        if 16 * len(places) < len(self):
            return [self[row] for row in places.tolist()]
        text = self.blob.tobytes()
        starts, ends = self.offsets[:-1][places].tolist(), self.offsets[1:][places].tolist()
        return [text[start:end].decode("utf-8", "replace") for start, end in zip(starts, ends, strict=True)]

    def beginning(self, row: int, most: int) -> str:
        """Return the first `most` bytes of the word of a row, as text. A character that is cut in two is left out."""
        start, end = int(self.offsets[row]), int(self.offsets[row + 1])
        return bytes(self.blob[start : min(end, start + most)]).decode("utf-8", "ignore")

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _ROWS_AT_ONCE):
            bounds = self.offsets[start : start + _ROWS_AT_ONCE + 1].tolist()
            text = self.blob[bounds[0] : bounds[-1]].tobytes()
            for begin, end in itertools.pairwise(bounds):
                yield text[begin - bounds[0] : end - bounds[0]].decode("utf-8", "replace")


class BlobIndex(Mapping[str, int]):
    """Mapping from each word of a `WordBlob` to its row. It takes 12 bytes per word; a dict takes about 150.

    A lookup searches the hash of the word (FNV-1a, 64 bits) in the sorted hashes of all words. Then it compares the
    bytes of the words that have this hash.

    Attributes:
        words: The words of the rows.
        repeated: The first row whose word is also in an earlier row; None if all words are unique.
    """

    def __init__(self, words: WordBlob) -> None:
        from embedviz.core.hashing import hashes_of

        self.words = words
        hashes = hashes_of(words.blob, words.offsets)
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._rows = hashes[order], order.astype(np.int32 if len(words) < 2**31 else np.int64)
        self.repeated = self._repeated()

    def __getitem__(self, word: str) -> int:
        if isinstance(word, str):
            try:
                wanted = word.encode()
            except UnicodeEncodeError:  # half of a surrogate pair
                raise KeyError(word) from None
            key = np.uint64(_hash(wanted))
            start, end = (int(np.searchsorted(self._hashes, key, side)) for side in ("left", "right"))
            for row in self._rows[start:end].tolist():
                if self._bytes(row) == wanted:
                    return int(row)
        raise KeyError(word)

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def _bytes(self, row: int) -> bytes:
        return bytes(self.words.blob[self.words.offsets[row] : self.words.offsets[row + 1]])

    def _repeated(self) -> int | None:
        """Return the first row whose word is also in an earlier row; None if all words are unique."""
        shared = np.flatnonzero(self._hashes[1:] == self._hashes[:-1])
        found = [int(self._rows[at + 1]) for at in shared.tolist() if self._twin(at)]
        return min(found, default=None)

    def _twin(self, at: int) -> bool:
        """Return whether entry `at + 1` of the sorted hashes has the same hash and word as an earlier entry."""
        word, before = self._bytes(int(self._rows[at + 1])), at
        while before >= 0 and self._hashes[before] == self._hashes[at + 1]:
            if self._bytes(int(self._rows[before])) == word:
                return True
            before -= 1
        return False


def _hash(word: bytes) -> int:
    found = _BASIS
    for each in word:
        found = (found ^ each) * _PRIME & 0xFFFFFFFFFFFFFFFF
    return found
