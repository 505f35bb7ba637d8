"""The rows of a remote table as batches of Arrow, the common form of all sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

STEP = 2_000
"""Maximum number of rows of a batch from PostgreSQL or Parquet."""
MOST_COLUMNS = 20
"""Maximum number of columns that are read besides the vectors."""


class RemoteRows(NamedTuple):
    """The rows of a remote table while it is read.

    Attributes:
        schema: The names and types of the columns that are read.
        batches: The rows in batches, at most as many rows as the option `limit` in the table's address allows.
        total: The number of rows of the whole table; None if it is not known.
        vector: The name of the column of vectors; empty to detect it.
    """

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    total: int | None
    vector: str
