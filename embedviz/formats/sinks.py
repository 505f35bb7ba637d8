"""Destinations for the rows of a file: an array in memory, or a `.npy` file."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np

from embedviz.core.space import Float


class Sink(Protocol):
    """A destination for the rows of a file."""

    def append(self, values: Float) -> None:
        """Append m rows, shape (m, d)."""


class MemorySink:
    """A destination in memory: one array, which grows if needed.

    Args:
        most: Number of rows for which memory is allocated at the beginning.
    """

    def __init__(self, dimensions: int, most: int = 0) -> None:
        self._matrix = np.empty((most, dimensions), np.float32)
        self._rows = 0

    def append(self, values: Float) -> None:
        """Append m rows, shape (m, d). Rows that were written into an array from `room()` are not copied."""
        rows = self._rows + len(values)
        if rows > len(self._matrix):
            self._matrix.resize((rows + rows // 8, self._matrix.shape[1]), refcheck=False)
        place = self._matrix[self._rows : rows]
        if place.ctypes.data != values.ctypes.data:
            place[:] = values
        self._rows = rows

    def room(self, rows: int) -> Float | None:
        """Return the part of the array for the next rows, shape (rows, d); None if the array is too small."""
        end = self._rows + rows
        return self._matrix[self._rows : end] if end <= len(self._matrix) else None

    def matrix(self) -> Float:
        """Return all rows, shape (n, d). Nothing may be appended afterwards."""
        if len(self._matrix) != self._rows:
            self._matrix.resize((self._rows, self._matrix.shape[1]), refcheck=False)
        return self._matrix


class RowRoom:
    """Arrays into which a reader writes its numbers: without copying, in the array of a sink in memory, or new ones.

    Attributes:
        most: Number of rows for which memory is allocated. The size of the file limits it, because a header may be
            wrong.
        sink: The sink in memory whose array is used; None if the rows go to another sink.
    """

    def __init__(self, dimensions: int, most: int) -> None:
        self.dimensions, self.most = dimensions, most
        self.sink: MemorySink | None = None

    def __call__(self, rows: int) -> Float:
        """Return an array for the next rows, shape (rows, d): part of the sink's array if possible."""
        found = self.sink.room(rows) if self.sink else None
        return np.empty((rows, self.dimensions), np.float32) if found is None else found

    def in_memory(self) -> MemorySink:
        """Create and return a sink in memory whose array the reader fills."""
        self.sink = MemorySink(self.dimensions, self.most)
        return self.sink


class FileSink:
    """A destination on disk: a `.npy` file. After the last row, the number of rows is written into the header."""

    def __init__(self, path: Path, dimensions: int) -> None:
        self._file: BinaryIO = path.open("wb")
        self._dimensions, self._rows = dimensions, 0
        self._header()

    def __enter__(self) -> FileSink:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._file.seek(0)
            self._header()
        finally:
            self._file.close()

    def append(self, values: Float) -> None:
        """Append m rows, shape (m, d)."""
        self._file.write(np.ascontiguousarray(values, "<f4").data)
        self._rows += len(values)

    def _header(self) -> None:
        # numpy pads the header so that the first axis can grow to 21 digits: both headers have the same length
        shape = (self._rows, self._dimensions)
        np.lib.format.write_array_header_1_0(self._file, {"descr": "<f4", "fortran_order": False, "shape": shape})
