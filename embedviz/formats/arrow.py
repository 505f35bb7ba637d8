"""Tables of vectors in columns: Parquet, Arrow files and streams (Feather version 2, Hugging Face datasets).

The vectors are one column of lists or many columns of numbers, as in `records`. pyarrow reads a batch of rows at a
time. Each batch of Arrow is validated, since the offsets of a damaged file could point outside its memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from embedviz.core.phrases import counted, unique_names
from embedviz.core.space import Column, Float, Ints, VectorSpace, WordBlob
from embedviz.files.errors import FormatError, damaged
from embedviz.files.source import CHUNK, Source
from embedviz.formats.labels import MOST_COLUMNS
from embedviz.formats.matrices import as_float32, check_shape
from embedviz.formats.parquet_footer import announced_values
from embedviz.formats.reading import RAGGED, Bad, Format, RowBlock, RowReport, Rows, Tally, checked_block
from embedviz.formats.roles import Roles, reading_note, roles_of
from embedviz.formats.vector_columns import MOST_CELLS, list_column, no_vectors, number_columns
from embedviz.formats.writing import row_blocks

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET, ARROW, STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
MOST_THRIFT = 2**26
"""Maximum number of bytes of a text in Parquet's footer. A list there may have at most `MOST_THRIFT` / 64 entries."""
_SAMPLE = 500  # rows from which the roles of the columns are guessed
_STEP = 4096  # rows of a batch at most


class _Columns(NamedTuple):
    """The columns of a table that are read.

    Attributes:
        vectors: The names of the columns with the vectors: one column of lists, or several columns of numbers.
        lists: Whether `vectors` is one column of lists.
        dimensions: The number of dimensions.
        roles: Which of the other columns hold the names of the rows, the texts and the counts.
    """

    vectors: Sequence[str]
    lists: bool
    dimensions: int
    roles: Roles

    @property
    def needed(self) -> list[str]:
        """List the names of all columns that are read, each once."""
        others = [name for name in (self.roles.words, self.roles.counts, *self.roles.carried) if name]
        return list(dict.fromkeys([*self.vectors, *others]))


class BatchedTable(Protocol):
    """A table whose rows come in batches of Arrow."""

    @property
    def schema(self) -> pa.Schema:
        """Return the names and types of the columns."""

    @property
    def rows(self) -> int | None:
        """Return the number of rows; None if it is not known."""

    def batches(self, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches, with the given columns only.

        If `columns` is None, the batches have all columns and are small, so that the first one can serve as a sample.
        """


def detect(head: bytes) -> bool:
    """Return whether the first bytes are those of Parquet, an Arrow file or an Arrow stream."""
    if head.startswith(STREAM):
        length = int.from_bytes(head[4:8], "little")
        return 0 < length < 2**26 and length % 8 == 0
    return head.startswith((PARQUET, ARROW))


def read(source: Source, text_column: str = "", vector_column: str = "") -> Rows:
    """Return the rows of a table of vectors, with names, counts and the other columns.

    Raises:
        FormatError: The file is damaged, a column is missing, no column holds vectors, or several could.
    """
    stream = source.seekable()
    try:
        table = _opened(stream, source)
    except FormatError:
        raise
    except _faults() as error:
        raise damaged("table", error) from None
    return rows_of(table, text_column, vector_column)


def rows_of(table: BatchedTable, text_column: str, vector_column: str) -> Rows:
    """Return the rows of a table that comes in batches of Arrow.

    Args:
        text_column: The column that names the rows or holds their texts; empty to detect it.
        vector_column: A column of lists, or the common beginning of the names of several numeric columns, such as
            “dim_”; empty to detect it.

    Raises:
        FormatError: The table is damaged or empty, a column is missing, no column holds vectors, or several could.
    """
    try:
        columns = _columns(next(table.batches(None), None), table.schema, text_column, vector_column)
        check_shape("The table", (1, columns.dimensions))
    except FormatError:
        raise
    except _faults() as error:
        raise damaged("table", error) from None
    note = reading_note(columns.vectors, columns.lists, columns.roles)
    return Rows(columns.dimensions, _blocks(table, columns), table.rows, note=note, by_frequency=False)


def write(stream: BinaryIO, space: VectorSpace, rows: Ints, report: RowReport) -> None:
    """Write a Parquet file with the columns *word* and *vector*, then the counts and the other columns of the space."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns, schema = table_columns(space, {"word": pa.string(), "vector": pa.list_(pa.float32())})
    with pq.ParquetWriter(stream, schema, compression="zstd", use_dictionary=[*columns] or False) as writer:
        for block in row_blocks(space, rows, report):
            values = np.ascontiguousarray(space.matrix[block], np.float32)
            ends = np.arange(0, values.size + 1, space.dimensions, dtype=np.int32)
            vectors = pa.ListArray.from_arrays(pa.array(ends), pa.array(values.ravel()))
            given = [
                pa.array(
                    [column[int(row)] for row in block] if isinstance(column, WordBlob) else column[block],
                    schema.field(name).type,
                )
                for name, column in columns.items()
            ]
            words = pa.array([space.words[int(row)] for row in block], pa.string())
            writer.write_batch(pa.RecordBatch.from_arrays([words, vectors, *given], schema=schema))


def table_columns(space: VectorSpace, own: Mapping[str, pa.DataType]) -> tuple[dict[str, Column], pa.Schema]:
    """Return the word counts and metadata of a space as name → column, and the schema of the whole table to write.

    A name that occurs twice in the whole table is changed, so that all names differ.

    Args:
        own: The columns that the caller puts before these: name → type.
    """
    import pyarrow as pa

    columns = ({} if space.counts is None else {"count": np.asarray(space.counts)}) | dict(space.metadata)
    named = dict(zip(unique_names([*own, *columns])[len(own) :], columns.values(), strict=True))
    kinds = {
        name: pa.string() if isinstance(column, WordBlob) else pa.from_numpy_dtype(column.dtype)
        for name, column in named.items()
    }
    return named, pa.schema([*own.items(), *kinds.items()])


FORMAT = Format(
    "parquet",
    "Parquet, Arrow or Feather table",
    detect,
    read,
    "row",
    "One column of lists or many columns of numbers, and a column of words or texts; other columns come along.",
    signed=True,
    write=write,
    endings=(".parquet",),
    unwritable=re.compile("\\A\\Z|[\ud800-\udfff]"),
    keeps=("counts", "columns"),
    packs=False,
    options=("text_column", "vector_column"),
)


class _Parquet:
    """A Parquet file. It is refused if its footer announces far more values than a file of this size can hold."""

    def __init__(self, stream: BinaryIO, source: Source) -> None:
        import pyarrow.parquet as pq

        limits = {"thrift_string_size_limit": MOST_THRIFT, "thrift_container_size_limit": MOST_THRIFT // 64}
        self._file = pq.ParquetFile(stream, pre_buffer=False, **limits)
        self.schema: pa.Schema = self._file.schema_arrow
        self.rows: int | None = self._file.metadata.num_rows
        about = self._file.metadata
        unpacked = sum(max(0, about.row_group(place).total_byte_size) for place in range(about.num_row_groups))
        source.check_unpacked(max(unpacked, 4 * announced_values(stream)), source.size)

    def batches(self, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches."""
        yield from self._file.iter_batches(
            _STEP if columns else _SAMPLE, columns=columns, use_threads=columns is not None
        )


class _Arrow:
    """An Arrow file or stream."""

    def __init__(self, stream: BinaryIO, source: Source) -> None:

        self._stream, self._source = stream, source
        self._file = source.head.startswith(ARROW)
        self.rows: int | None = None
        self.schema: pa.Schema = self._reader(None).schema

    def _reader(self, columns: list[str] | None) -> Any:
        import pyarrow as pa

        self._stream.seek(0)
        chosen = None if columns is None else [place for place, name in enumerate(self.schema.names) if name in columns]
        options = pa.ipc.IpcReadOptions(included_fields=chosen)
        return (pa.ipc.open_file if self._file else pa.ipc.open_stream)(self._stream, options=options)

    def batches(self, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches, each of them validated."""
        reader, total = self._reader(columns), 0
        for batch in map(reader.get_batch, range(reader.num_record_batches)) if self._file else reader:
            batch.validate(full=True)
            total += batch.nbytes
            self._source.check_unpacked(total, self._source.size)
            step = _STEP if columns else _SAMPLE
            for start in range(0, batch.num_rows, step):
                yield batch.slice(start, step)


def _opened(stream: BinaryIO, source: Source) -> _Parquet | _Arrow:
    return _Parquet(stream, source) if source.head.startswith(PARQUET) else _Arrow(stream, source)


def _faults() -> tuple[type[Exception], ...]:
    import pyarrow as pa

    return (pa.ArrowException, OSError, ValueError, KeyError, TypeError, IndexError, OverflowError, MemoryError)


def _columns(sample: pa.RecordBatch | None, schema: pa.Schema, text_column: str, vector_column: str) -> _Columns:
    """Choose the columns to read, from the first rows of a table.

    Raises:
        FormatError: The table has no rows, no vectors, too many columns, or two columns of the same name.
    """
    import pyarrow as pa

    if len(schema.names) > MOST_CELLS:
        text = f"The table has {len(schema.names):,} columns; at most {MOST_CELLS:,} are read."
        raise FormatError(text, {"reason": "columns", "usable": 0})
    if len(set(schema.names)) < len(schema.names):
        raise FormatError(
            "Two columns of the table have one name. Rename one of them.", {"reason": "columns", "usable": 0}
        )
    kinds = {field.name: _plain_kind(field.type) for field in schema}
    if sample is None or not sample.num_rows:
        raise FormatError("The table has no rows. Choose another file.", {"reason": "no rows", "usable": 0})
    lists = [name for name, kind in kinds.items() if _holds_numbers(kind)]
    chosen = list_column(lists, vector_column)
    numeric = [name for name, kind in kinds.items() if pa.types.is_floating(kind) or pa.types.is_integer(kind)]
    if chosen:
        vectors, dimensions = [chosen], _usual_length(_values(sample, chosen))
    else:
        whole = [name for name in numeric if pa.types.is_integer(kinds[name])]
        found = number_columns(schema.names, set(numeric), set(whole), vector_column)
        vectors = found if len(found) > 1 else []
        dimensions = len(vectors)
    if not vectors:
        raise no_vectors(schema.names, vector_column)
    others = [name for name in schema.names if name not in vectors and _is_cell(kinds[name])]
    if text_column in others[MOST_COLUMNS:]:
        others = [text_column, *others]
    cells = {name: _texts(_values(sample, name)) for name in dict.fromkeys(others[:MOST_COLUMNS])}
    return _Columns(vectors, bool(chosen), dimensions, _with_numbers(roles_of(cells, text_column), numeric))


def _with_numbers(roles: Roles, numeric: Sequence[str]) -> Roles:
    """Return the roles of a table's columns, with `numbers` chosen by the types of the columns, not by cells.

    Args:
        numeric: The columns whose type is a number.
    """
    return roles._replace(numbers=frozenset(name for name in numeric if name in roles.carried))


def _plain_kind(kind: Any) -> Any:
    import pyarrow as pa

    while isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _holds_numbers(kind: Any) -> bool:
    import pyarrow as pa

    listed = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return bool(listed) and bool(pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))


def _is_cell(kind: Any) -> bool:
    import pyarrow as pa

    tests = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_floating,
        pa.types.is_integer,
        pa.types.is_boolean,
    )
    return any(test(kind) for test in (*tests, pa.types.is_temporal, pa.types.is_decimal)) or "string_view" in str(kind)


def _values(batch: pa.RecordBatch, name: str) -> Any:
    """Return the values of a column as plain Arrow data, without an extension type or a dictionary encoding."""
    import pyarrow as pa

    column = batch.column(batch.schema.get_field_index(name))
    while isinstance(column, pa.ExtensionArray):
        column = column.storage
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _texts(column: Any) -> list[str]:
    """Return cells as texts; a missing cell becomes an empty text."""
    return ["" if value is None else str(value) for value in column.to_pylist()]


def _usual_length(column: Any) -> int:
    lengths = Counter(_lengths(column).tolist())
    lengths.pop(0, None)
    return lengths.most_common(1)[0][0] if lengths else 0


def _lengths(column: Any) -> NDArray[np.int64]:
    """Return the length of the list in each row of a column, shape (m,); 0 for a missing list."""
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False), np.int64)


def _blocks(table: BatchedTable, columns: _Columns) -> Generator[RowBlock]:
    """Yield the rows of each batch as blocks of about 4 MiB (`CHUNK`)."""
    row = 0
    try:
        for whole in table.batches(columns.needed):
            step = max(1, CHUNK // (4 * columns.dimensions))
            for start in range(0, whole.num_rows, step):
                batch = whole.slice(start, step)
                yield _block(batch, columns, row)
                row += batch.num_rows
    except FormatError:
        raise
    except _faults() as error:
        raise damaged("table", error) from None


def _block(batch: pa.RecordBatch, columns: _Columns, before: int) -> RowBlock:
    """Return those rows of a batch whose vectors have the right number of dimensions.

    The tally of the returned block counts the rows that are left out.

    Args:
        before: The number of rows before this batch.
    """
    values, good, tally = _matrix(batch, columns, before)
    places = np.flatnonzero(good)
    roles = columns.roles
    cells = {
        name: _values(batch, name).take(_indices(places)) for name in columns.needed if name not in columns.vectors
    }
    if roles.words:
        words = [text.encode("utf-8", "replace") for text in _texts(cells[roles.words])]
    else:
        words = [b"%d" % (before + place + 1) for place in places.tolist()]
    found: dict[str, Any] = {}
    for name in roles.carried:
        title = "text" if name == roles.text else name[:80]
        if name in roles.numbers:
            found[title] = np.asarray(cells[name].to_numpy(zero_copy_only=False), np.float64)
        else:
            found[title] = [text.encode("utf-8", "replace") for text in _texts(cells[name])]
    counts = None
    if roles.counts:
        counts = np.array([max(0, int(value or 0)) for value in cells[roles.counts].to_pylist()], np.int64)
    return checked_block(words, values, before + places + 1, tally, counts, found)


def _indices(places: NDArray[np.int64]) -> Any:
    import pyarrow as pa

    return pa.array(places)


def _matrix(batch: pa.RecordBatch, columns: _Columns, before: int) -> tuple[Float, NDArray[np.bool_], Tally]:
    """Return the vectors with the right number of dimensions, and a mask of the rows that have such a vector.

    The third result is the tally of all other rows of the batch.
    """
    tally, d = Tally(), columns.dimensions
    if not columns.lists:
        found = [as_float32(_values(batch, name).to_numpy(zero_copy_only=False)) for name in columns.vectors]
        return np.stack(found, axis=1), np.ones(batch.num_rows, np.bool_), tally
    column = _values(batch, columns.vectors[0])
    lengths = _lengths(column)
    good = lengths == d
    for place in np.flatnonzero(~good).tolist():
        text = f"Row {before + place + 1:,} has {counted(int(lengths[place]), 'number')}; the others have {d:,}."
        tally.refuse(Bad(RAGGED, before + place + 1, text, int(lengths[place]), d))
    chosen = column if good.all() else column.take(_indices(np.flatnonzero(good)))
    return as_float32(chosen.flatten().to_numpy(zero_copy_only=False)).reshape(-1, d), good, tally
