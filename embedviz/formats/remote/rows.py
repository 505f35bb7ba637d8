"""Rows of a table elsewhere, as batches of Arrow: what each kind of source gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

STEP = 2_000
"""Rows that are asked for at a time."""
MOST_COLUMNS = 20
"""Columns that come along beside the vectors."""


class RemoteRows(NamedTuple):
    """A table that is being read.

    Attributes:
        schema: The names and types of the columns that are read.
        batches: The rows, some at a time.
        total: Rows of the whole table, of which the first are read; None where it is not known.
        vector: The column of vectors.
    """

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    total: int | None
    vector: str
