"""Write a map to a file: CSV, or Parquet with the neighbors of each word, which Embedding Atlas can open."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from embedviz.core.pasted import inert
from embedviz.core.plain_files import whole_file
from embedviz.core.space import Float, Ints, VectorSpace, WordBlob

if TYPE_CHECKING:
    from embedviz.projection import Projection

NEAREST = 15
"""Number of neighbors of each row in a Parquet file, without the row itself."""


def write(out: Path, space: VectorSpace, projected: Projection) -> None:
    """Write a map as Parquet if the name of the file ends in .parquet, else as CSV.

    If this fails, no incomplete file is left.
    """
    with whole_file(out) as file:
        (_write_parquet if out.suffix.lower() == ".parquet" else _write_csv)(file, space, projected)


def _write_csv(file: BinaryIO, space: VectorSpace, projected: Projection) -> None:
    """Write the columns word, x, y (and z), and the text of each row if rows are texts."""
    stream = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(stream)
    more = {} if space.texts is None else {"text": space.texts.at(projected.rows)}
    writer.writerow((*projected.columns, *more))
    for row in projected.table(*more.values()):  # so that a spreadsheet does not read a word as a formula
        writer.writerow([inert(cell) if isinstance(cell, str) else cell for cell in row])
    stream.detach()  # writes buffered text; the file stays open


def _write_parquet(file: BinaryIO, space: VectorSpace, projected: Projection) -> None:
    """Write the columns word, x, y (and z), the nearest neighbors, the counts and the other columns of the space.

    The column *neighbors* has `{"ids": […], "distances": […]}` for each row: row numbers in the file, the row itself
    first, and cosine distances in the space.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, Any] = {"word": list(projected.words)}
    for place, name in enumerate(projected.columns[1:]):
        columns[name] = np.asarray(projected.points[:, place], np.float32)
    ids, distances = _nearest(space, projected.rows)
    pairs = zip(ids.tolist(), distances.tolist(), strict=True)
    columns["neighbors"] = [{"ids": near, "distances": far} for near, far in pairs]
    for name, column in space.metadata.items():
        if name not in columns:
            columns[name] = column.at(projected.rows) if isinstance(column, WordBlob) else column[projected.rows]
    if space.counts is not None and "count" not in columns:
        columns["count"] = space.counts[projected.rows]
    pq.write_table(pa.table(columns), file)


def _nearest(space: VectorSpace, rows: Ints) -> tuple[Ints, Float]:
    """Return for each row on the map its nearest rows among `rows`, (n, k), and their cosine distances, (n, k).

    Distances are those of the vectors in the space, not on the map. Nearest rows are given as positions in `rows`; the
    row itself comes first.
    """
    k = min(NEAREST + 1, len(rows))
    unit = space.unit_rows(rows)
    ids, distances = np.empty((len(rows), k), np.int64), np.empty((len(rows), k), np.float32)
    step = max(1, 2**24 // max(1, len(rows)))
    for start in range(0, len(rows), step):
        cosines = unit[start : start + step] @ unit.T
        cosines[np.arange(len(cosines)), np.arange(start, start + len(cosines))] = 2.0  # puts each row first
        near = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        far = np.take_along_axis(cosines, near, axis=1)
        order = np.argsort(-far, axis=1, kind="stable")
        ids[start : start + step] = np.take_along_axis(near, order, axis=1)
        distances[start : start + step] = 1 - np.minimum(np.take_along_axis(far, order, axis=1), 1.0)
    return ids, distances
