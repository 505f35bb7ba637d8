"""Opening a GloVe text file: gensim's loader and ours in turn, on one file, with one answer.

    python benchmarks/open_text.py [--rows 400000] [--dimensions 100] [--file FILE]

Prints the times, the ratio, and whether words and values are equal bit for bit. Ours is timed three times: with the
compiled scanner as the process finds it (it may have to be compiled), warm into memory, and warm into a saved folder.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from embedviz.formats import import_file, read

Result = TypeVar("Result")


class Times(NamedTuple):
    """Seconds by the clock, and of all processors together: the second number bears a busy machine better."""

    clock: float
    work: float


def timed(work: Callable[[], Result]) -> tuple[Times, Result]:
    """The times and the result."""
    clock, processors = time.perf_counter(), time.process_time()
    result = work()
    return Times(time.perf_counter() - clock, time.process_time() - processors), result


def write_glove(path: Path, rows: int, dimensions: int) -> None:
    """A file with GloVe's look: no header, numbers of five digits."""
    rng = np.random.default_rng(0)
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, rows, 5000):
            block = rng.normal(0, 0.4, (min(5000, rows - start), dimensions)).tolist()
            file.writelines(
                f"word{start + i} {' '.join(f'{value:.5g}' for value in row)}\n" for i, row in enumerate(block)
            )


def compare(path: Path, folder: Path) -> bool:
    """Runs both and prints the ratio; whether they agree."""
    from gensim.models import KeyedVectors

    size = path.stat().st_size / 1e6
    first, _ = timed(lambda: read(path))
    ours, (space, reading) = timed(lambda: read(path))
    imported, _ = timed(lambda: import_file(path, folder / "space", "benchmark"))
    theirs, vectors = timed(lambda: KeyedVectors.load_word2vec_format(str(path), no_header=True))
    same = list(space.words) == vectors.index_to_key and bool(space.matrix.tobytes() == vectors.vectors.tobytes())
    print(f"{reading.rows:,} × {reading.dimensions}, {size:,.0f} MB")
    print("                       clock     ratio  processors     ratio")
    runs = (("gensim", theirs), ("embedviz, first", first), ("embedviz, warm", ours), ("embedviz, to folder", imported))
    for title, each in runs:
        clock, work = theirs.clock / each.clock, theirs.work / each.work
        print(f"{title:<19} {each.clock:6.2f} s  {clock:6.1f} × {each.work:9.2f} s  {work:6.1f} ×")
    print("words and values are equal, bit for bit" if same else "THE ANSWERS DIFFER")
    return same


def main() -> int:
    """Reads the arguments and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--file", type=Path, help="a real GloVe file instead of a made one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or Path(folder) / "glove.txt"
        if not options.file:
            write_glove(path, options.rows, options.dimensions)
        return 0 if compare(path, Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main())
