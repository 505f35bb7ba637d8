"""Where the rows of a file go: an array in memory, or a file."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np

from embedviz.core.space import Float


class Sink(Protocol):
    """Where rows go."""

    def append(self, values: Float) -> None:
        """Take m more rows, shape (m, d)."""


class MemorySink:
    """Rows kept in one array, which grows where there are more than room was made for."""

    def __init__(self, dimensions: int, most: int = 0) -> None:
        self._matrix = np.empty((most, dimensions), np.float32)
        self._rows = 0

    def append(self, values: Float) -> None:
        """Take m more rows, shape (m, d)."""
        rows = self._rows + len(values)
        if rows > len(self._matrix):
            self._matrix.resize((rows + rows // 8, self._matrix.shape[1]), refcheck=False)
        self._matrix[self._rows : rows] = values
        self._rows = rows

    def matrix(self) -> Float:
        """Return all rows, shape (n, d); nothing may be appended afterwards."""
        self._matrix.resize((self._rows, self._matrix.shape[1]), refcheck=False)
        return self._matrix


class FileSink:
    """Rows written to a `.npy` file as they come; its header is completed at the end."""

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
        """Take m more rows, shape (m, d)."""
        self._file.write(np.ascontiguousarray(values, "<f4").data)
        self._rows += len(values)

    def _header(self) -> None:
        # numpy pads the header so that the first axis can grow to 21 digits: both headers are of one length
        shape = (self._rows, self._dimensions)
        np.lib.format.write_array_header_1_0(self._file, {"descr": "<f4", "fortran_order": False, "shape": shape})
