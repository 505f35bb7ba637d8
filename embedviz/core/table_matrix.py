"""The matrix of a space that is larger than memory: rows in a table of LanceDB, read when they are needed.

A table is a folder `NAME.lance`. The package pylance reads it, and searches it with an approximate index (IVF-PQ). The
extra `large` installs pylance.
"""

import os
import threading
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.store import SpaceError

Float = NDArray[np.float32]
Ints = NDArray[np.int64]
MOST_WHOLE = 2**30
"""Maximum bytes of a table that may be loaded into memory as a whole."""
_AHEAD = 16 * 2**20  # bytes that are read at a time when rows are read in order
_PARTS = 20_000  # single rows that are requested at a time


def lance() -> Any:
    """Import and return the package pylance.

    Raises:
        SpaceError: The package is not installed.
    """
    os.environ.setdefault("LANCE_LOG", "error")  # otherwise its log messages go to the terminal
    try:
        return import_module("lance")
    except ImportError:
        raise SpaceError(
            "This space lies in a table of LanceDB. Reading it needs the Python package pylance. "
            "Install it with: pip install 'embedviz[large]'"
        ) from None


class TableMatrix:
    """n rows of d numbers in a table of LanceDB. It has those methods of a numpy array that `VectorSpace` uses.

    Rows are read from the disk when they are indexed. A table of up to 1 GiB can be converted to an array.

    Args:
        folder: The folder of the saved space.
        about: The entry *table* of the folder's card: `path` of the table (relative to the folder, or absolute),
            `column`, `rows`, `dimensions`, `version`, and `index` if there is an approximate index.
        ids: For each row, the row id that the table gives it, (n,); None if the ids are 0 to n − 1.

    Raises:
        SpaceError: The table is gone or changed, or pylance is not installed.
    """

    dtype = np.dtype(np.float32)
    ndim = 2

    def __init__(self, folder: Path, about: Mapping[str, Any], ids: Ints | None = None) -> None:
        path = folder / str(about["path"])
        self.path, self.column, self.index = path, str(about["column"]), dict(about.get("index") or {})
        self.shape = int(about["rows"]), int(about["dimensions"])
        self.size = self.shape[0] * self.shape[1]
        self.nbytes = 4 * self.size
        self._ids = ids
        self._ahead, self._first = np.empty((0, self.shape[1]), np.float32), 0
        self._lock = threading.Lock()
        package = lance()
        try:
            self._table = package.dataset(str(path), version=about.get("version"))
            found = int(self._table.count_rows())
        except Exception as error:  # pylance raises its own exceptions from Rust
            raise SpaceError(_gone(path, error)) from None
        if found != self.shape[0]:
            raise SpaceError(f"The table {path.name} has {found:,} rows; {self.shape[0]:,} were there. Open it again.")

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, tuple):
            taken = self[rows[0]]
            return taken[rows[1]] if taken.ndim == 1 else taken[:, rows[1]]
        if isinstance(rows, slice):
            start, stop, step = rows.indices(self.shape[0])
            return self._range(start, stop) if step == 1 else self[np.arange(start, stop, step)]
        places = np.asarray(rows)
        places = np.flatnonzero(places) if places.dtype == bool else places.astype(np.int64)
        if places.ndim == 0:
            return self._single(places.reshape(1))[0]
        return self._single(places)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if self.nbytes > MOST_WHOLE:
            raise SpaceError(
                f"This needs all {self.shape[0]:,} rows in memory ({self.nbytes / 1e9:,.1f} GB), and they lie in a "
                "table of LanceDB. Use a space of fewer rows, or write this one with: embedviz convert … saved:NAME"
            )
        return np.asarray(self._range(0, self.shape[0]), dtype)

    def _range(self, start: int, stop: int) -> Float:
        """Return the rows from `start` to `stop`, without `stop`.

        The rows after them are read too and held in memory, because they are usually requested next.
        """
        if stop <= start:
            return np.empty((0, self.shape[1]), np.float32)
        with self._lock:
            if not self._first <= start <= stop <= self._first + len(self._ahead):
                rows = max(stop - start, _AHEAD // max(1, 4 * self.shape[1]))
                rows = min(rows, self.shape[0] - start)
                self._ahead, self._first = self._read(start, rows), start
            found = self._ahead[start - self._first : stop - self._first]
            if self._ahead.nbytes > 2 * _AHEAD:
                self._ahead = self._ahead[:0]
        return found

    def _read(self, start: int, rows: int) -> Float:
        return self._numbers(self._table.to_table(columns=[self.column], offset=start, limit=rows))

    def _single(self, places: Ints) -> Float:
        """Return the rows at these indices. They are read in ascending order, and repeated rows only once."""
        if len(places) and (places.max() >= self.shape[0] or places.min() < -self.shape[0]):
            raise IndexError(f"The table has {self.shape[0]:,} rows.")
        found = np.empty((len(places), self.shape[1]), np.float32)
        for begin in range(0, len(places), _PARTS):
            some, back = np.unique(places[begin : begin + _PARTS] % self.shape[0], return_inverse=True)
            read = self._numbers(self._table.take(some.tolist(), columns=[self.column]))
            found[begin : begin + _PARTS] = read[back]
        return found

    def _numbers(self, table: Any) -> Float:
        column = table.column(0).combine_chunks()
        numbers = np.asarray(column.flatten().to_numpy(zero_copy_only=False), np.float32)
        if numbers.size != len(table) * self.shape[1]:
            raise SpaceError(f"The table {self.path.name} was changed. Open it again.")
        return numbers.reshape(len(table), self.shape[1])

    def search(self, query: Float, k: int, nprobes: int, refine: int) -> Ints:
        """Return the indices of the k rows that the approximate index finds nearest to a vector, nearest first.

        Args:
            query: Shape (d,), not all zero.
            nprobes: Number of the index's partitions to search.
            refine: The exact vectors of refine × k candidates are compared with the query; 0 compares none.
        """
        how = {"column": self.column, "q": query, "k": k, "nprobes": nprobes, "refine_factor": refine or None}
        found = self._table.scanner(columns=["_distance"], with_row_id=True, nearest=how).to_table()
        numbers = np.asarray(found["_rowid"].to_numpy(), np.int64)
        if self._ids is None:
            return numbers
        order = self._order
        rows: Ints = order[np.searchsorted(self._ids, numbers, sorter=order)]
        return rows

    @cached_property
    def _order(self) -> Ints:
        numbers = np.zeros(0, np.int64) if self._ids is None else self._ids
        return np.asarray(np.argsort(numbers, kind="stable"), np.int64)

    def ids(self) -> Ints:
        """Return for each row the row id that the table gives it, (n,)."""
        found = self._table.to_table(columns=[], with_row_id=True)["_rowid"]
        return np.asarray(found.to_numpy(), np.int64)


def _gone(path: Path, error: Exception) -> str:
    first = str(error).partition("\n")[0][:120]
    return f"The table {path.name} cannot be opened at the version that was read ({first}). Open it again."
