"""Write a space as a LanceDB table with an approximate index (IVF-PQ), for spaces that are larger than memory.

    folder/vectors.lance   the table: a column `word`, a column `vector`, the counts and the other columns
    folder/words, …        the files of every saved space, except `matrix.npy`
    folder/norms.npy       the length of each row
    folder/ids.npy         the row ids of the table, if they are not 0 to n − 1
    folder/probe*.npy      random rows, and the cosines of their exact nearest neighbors, to measure the recall

The table is an ordinary LanceDB table: `lancedb.connect(folder).open_table("vectors")` opens it. IVF-PQ divides the
rows into partitions by k-means, and stores each row as a few bytes (product quantization, Jégou et al. 2011).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.progress import Report, step, tell
from embedviz.core.space import (
    TABLE,
    Float,
    Ints,
    VectorSpace,
    WordBlob,
    folder_writer,
    open_folder,
    refuse_existing,
    write_rest,
)
from embedviz.core.stats.resampling import drawn_rows
from embedviz.core.table_matrix import TableMatrix, lance
from embedviz.formats.arrow import table_columns
from embedviz.neighbors.lists import nearest_lists

if TYPE_CHECKING:
    import pyarrow as pa

NAME, COLUMN, INDEX = "vectors.lance", "vector", "vector_index"
FEWEST = 1_000
"""Minimum number of rows for an index; with fewer rows an index cannot be trained."""
PROBES, PROBE_K = 200, 10
"""Number of rows with which the recall is measured, and number of exact neighbors of each row."""
_ROWS_OF_A_PART = 2_500  # usual number of rows in a partition
_PER_PARTITION, _ROUNDS = 64, 12  # sample of k-means: rows per partition; maximum number of its iterations
_BATCH = 8_192


class IndexShape(NamedTuple):
    """The sizes of an index.

    Attributes:
        partitions: Number of partitions that the rows are divided into.
        pieces: Number of pieces that each vector is cut into; each piece becomes one byte.
    """

    partitions: int
    pieces: int


def usual_shape(rows: int, dimensions: int) -> IndexShape:
    """Return the usual sizes: partitions of about 2,500 rows, and pieces of four numbers if d is divisible by four."""
    partitions = max(1, min(rows // 256, round(rows / _ROWS_OF_A_PART)))
    pieces = next((dimensions // size for size in (4, 5, 3, 6, 7, 8, 2) if dimensions % size == 0), dimensions)
    return IndexShape(partitions, pieces)


def build(
    space: VectorSpace,
    folder: str | Path,
    *,
    partitions: int = 0,
    seed: int = 0,
    report: Report | None = None,
) -> VectorSpace:
    """Write a space to a folder as a LanceDB table with an index, and return the space opened from there.

    If writing fails, no incomplete folder is left. The rows are read and written in blocks.

    Args:
        partitions: Number of partitions of the index; 0: one for about 2,500 rows.
        seed: Seed of the random rows that the recall is measured with.

    Raises:
        FileExistsError: The folder exists already.
        OptionError: The space has fewer than 1,000 rows.
        SpaceError: The package pylance is not installed.
    """
    folder = Path(folder)
    refuse_existing(folder)
    if len(space) < FEWEST:
        raise OptionError(f"{space.origin.name} has {len(space):,} rows; an index needs {FEWEST:,}. Search it exactly.")
    begun, shape = time.perf_counter(), usual_shape(len(space), space.dimensions)
    shape = shape._replace(partitions=min(partitions, len(space) // 256) or shape.partitions)
    with folder_writer(folder) as draft:
        table = _write_table(space, draft / NAME, step(report, 0, 4, "table"))
        index = _index(table, shape, step(report, 1, 4, "index"))
        about = {
            "path": NAME,
            "column": COLUMN,
            "rows": len(space),
            "dimensions": space.dimensions,
            "version": int(table.latest_version),
            "index": index,
        }
        np.save(draft / "norms.npy", space.norms)
        found = TableMatrix(draft, about)
        if not np.array_equal(ids := found.ids(), np.arange(len(space))):
            np.save(draft / "ids.npy", ids)
        _write_probes(space, draft, seed, step(report, 2, 4, "exact neighbors for the recall"))
        extra = {TABLE: about | {"seconds": round(time.perf_counter() - begun, 1)}}
        write_rest(draft, space.words, space.counts, space.metadata, space.origin, extra)
    tell(report, 1.0, "the index is built")
    return open_folder(folder)


def _write_table(space: VectorSpace, path: Path, report: Report | None) -> Any:
    """Write all rows to a new table, and return the table."""
    import pyarrow as pa

    own = {"word": pa.string(), COLUMN: pa.list_(pa.float32(), space.dimensions)}
    columns, schema = table_columns(space, own)
    return lance().write_dataset(_batches(space, columns, schema, report), str(path), schema=schema)


def _batches(
    space: VectorSpace, columns: Mapping[str, Any], schema: pa.Schema, report: Report | None
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for rows in space.blocks(_BATCH):
        places = np.arange(rows.start, rows.stop)
        numbers = pa.array(np.ascontiguousarray(space.matrix[rows], np.float32).ravel())
        vectors = pa.FixedSizeListArray.from_arrays(numbers, space.dimensions)
        others = [
            pa.array(column.at(places) if isinstance(column, WordBlob) else column[rows], schema.field(name).type)
            for name, column in columns.items()
        ]
        words = pa.array(space.words_at(places), pa.string())
        yield pa.RecordBatch.from_arrays([words, vectors, *others], schema=schema)
        tell(report, rows.stop / len(space), f"{rows.stop:,} of {len(space):,} rows written")


def _index(table: Any, shape: IndexShape, report: Report | None) -> dict[str, Any]:
    """Build the index, and return its kind and sizes, to be stored in the JSON card of the saved space.

    The progress callback of the package is not used: it runs in other threads and can wait forever for Python's GIL.
    """
    tell(report, 0.0, f"{shape.partitions:,} partitions, {shape.pieces} bytes a row")
    table.create_index(
        COLUMN,
        "IVF_PQ",
        name=INDEX,
        metric="cosine",
        num_partitions=shape.partitions,
        num_sub_vectors=shape.pieces,
        sample_rate=_PER_PARTITION,
        max_iters=_ROUNDS,
        replace=True,
    )
    return {"kind": "IVF-PQ", "metric": "cosine", "partitions": shape.partitions, "pieces": shape.pieces}


def _write_probes(space: VectorSpace, folder: Path, seed: int, report: Report | None) -> None:
    """Write the numbers of random rows, (m,), and the cosines of their exact nearest neighbors, (m, k)."""
    whole = np.flatnonzero(space.norms > 0)
    rows = drawn_rows(whole, PROBES, seed)

    def done(count: int) -> None:
        tell(report, count / len(rows), f"{count:,} of {len(rows):,} exact lists")

    np.save(folder / "probe-rows.npy", rows)
    np.save(folder / "probe-cosines.npy", nearest_lists(space, rows, PROBE_K, device="cpu", done=done)[1])


def probes(space: VectorSpace) -> tuple[Ints, Float] | None:
    """Return what the recall is measured with: random rows, (m,), and their neighbors' cosines, (m, k).

    The cosines are those of the k exact nearest neighbors. The result is None if the space's folder lacks these files.
    """
    if space.folder is None or not (space.folder / "probe-rows.npy").exists():
        return None
    return np.load(space.folder / "probe-rows.npy"), np.load(space.folder / "probe-cosines.npy")
