"""LanceDB: a table of vectors, which is a folder such as `database/words.lance`. Needs the package pylance.

    lancedb.connect("database").create_table("words", [{"text": "piano", "vector": [0.1, 0.2]}])

The newest version of the table is read, as batches of Arrow. A table that refers to files elsewhere is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embedviz.core.phrases import printable
from embedviz.files.errors import FormatError, damaged
from embedviz.files.source import Source
from embedviz.formats import arrow
from embedviz.formats.extras import package
from embedviz.formats.reading import Format, Rows

if TYPE_CHECKING:
    import pyarrow as pa

VERSIONS, ENDING = "_versions", ".manifest"
_STEP = 4096


def is_version(path: Path) -> bool:
    """Return whether a file is the manifest of a version of a table. A manifest stands for the whole folder."""
    return path.parent.name == VERSIONS and path.suffix == ENDING


def not_by_content(head: bytes) -> bool:
    """Return False: a table is a folder and has no first bytes, so `is_version()` recognises it instead."""
    return False


def read(source: Source, text_column: str = "", vector_column: str = "") -> Rows:
    """Return the rows of a table of vectors, with its other columns.

    Raises:
        FormatError: The package pylance is missing, the table is damaged or refers to files elsewhere, or no column
            holds vectors.
    """
    lance = package("lance", "pylance", "a table of LanceDB")
    folder = source.path.parent.parent
    try:
        table = _Lance(lance.dataset(str(folder)))
    except FormatError:
        raise
    except Exception as error:  # pylance passes on errors of Rust as various types
        raise damaged("table of LanceDB", error) from None
    return arrow.rows_of(table, text_column, vector_column)


FORMAT = Format(
    "lance",
    "LanceDB table (with the package pylance)",
    not_by_content,
    read,
    "row",
    "A folder NAME.lance: one column of vectors, and a column of words or texts; other columns come along.",
    options=("text_column", "vector_column"),
    folder=True,
)


class _Lance:
    """A Lance table as a `BatchedTable` of `arrow`."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        for fragment in dataset.get_fragments():
            for file in fragment.metadata.files:
                inside = not Path(file.path).is_absolute() and ".." not in Path(file.path).parts
                if not inside or getattr(file, "base_id", None) is not None:
                    text = f"The table refers to a file elsewhere ({printable(file.path, 60)}). Copy the whole table."
                    raise FormatError(text, {"reason": "path", "usable": 0})
        self.schema: pa.Schema = dataset.schema
        self.rows: int | None = dataset.count_rows()

    def batches(self, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches, each of them validated."""
        for batch in self._dataset.to_batches(columns=columns, batch_size=_STEP):
            batch.validate(full=True)
            yield batch
