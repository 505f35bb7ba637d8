"""Many texts as one: `WordBlob`, which decodes one at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class WordBlob(Sequence[str]):
    """Words kept as one UTF-8 text with offsets, decoded one at a time; never a list of n strings.

    Args:
        blob: The bytes of all words, one after the other, shape (b,).
        offsets: Where each word begins, and the end, shape (n + 1,).
    """

    def __init__(self, blob: NDArray[np.uint8], offsets: Ints) -> None:
        self.blob, self.offsets = blob, offsets

    @classmethod
    def of(cls, words: Sequence[str]) -> WordBlob:
        """Return the same words as a blob."""
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
        """Return the words of these rows; many at once take a third of the time."""
        places = np.asarray(rows, np.int64)
        if 16 * len(places) < len(self):
            return [self[row] for row in places.tolist()]
        text = self.blob.tobytes()
        starts, ends = self.offsets[places].tolist(), self.offsets[places + 1].tolist()
        return [text[start:end].decode("utf-8", "replace") for start, end in zip(starts, ends, strict=True)]

    def beginning(self, row: int, most: int) -> str:
        """Return the first bytes of an entry, at most so many, without a letter that is cut off at their end."""
        start, end = int(self.offsets[row]), int(self.offsets[row + 1])
        return bytes(self.blob[start : min(end, start + most)]).decode("utf-8", "ignore")

    def __iter__(self) -> Iterator[str]:
        text = self.blob.tobytes()
        bounds = self.offsets.tolist()
        for start, end in itertools.pairwise(bounds):
            yield text[start:end].decode("utf-8", "replace")
