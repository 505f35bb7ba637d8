"""Opening a GloVe text file or a word2vec binary file: gensim's loader and ours in turn, on one file, with one answer.

    python benchmarks/open_text.py [--binary] [--rows 400000] [--dimensions 100] [--file FILE] [--repeat 3]

Prints the times, the ratio, and whether words and values are equal bit for bit. Ours is timed with the compiled scanner
as the process finds it (it may have to be compiled), warm into memory, and warm into a saved folder. Of the warm ones
and of gensim the best of each counts. gensim makes its index of words while it reads, ours at the first question:
that is timed too.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
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


def write_binary(path: Path, rows: int, dimensions: int) -> None:
    """A file as gensim writes it: no line ends."""
    rng = np.random.default_rng(0)
    with path.open("wb") as file:
        file.write(b"%d %d\n" % (rows, dimensions))
        for start in range(0, rows, 5000):
            block = rng.normal(0, 0.4, (min(5000, rows - start), dimensions)).astype("<f4")
            file.writelines(b"word%d %b" % (start + i, row.tobytes()) for i, row in enumerate(block))


def processor() -> str:
    """The name of the processor, and how many of its cores may be used."""
    about = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.+)$", about.read_text("utf-8"), re.MULTILINE) if about.exists() else []
    return f"{names[0] if names else platform.processor()}, {len(os.sched_getaffinity(0))} cores"


def best(repeat: int, work: Callable[[], Result]) -> tuple[Times, Result]:
    """The times of the quickest run, and the last result."""
    runs = []
    for _ in range(repeat):
        result = None  # what the run before has made is gone
        times, result = timed(work)
        runs.append(times)
    return min(runs), result


def compare(path: Path, folder: Path, repeat: int, *, binary: bool) -> bool:
    """Runs both and prints the ratio; whether they agree."""
    from gensim.models import KeyedVectors

    def imported() -> None:
        shutil.rmtree(folder / "space", ignore_errors=True)
        import_file(path, folder / "space", "benchmark")

    def gensims() -> KeyedVectors:
        return KeyedVectors.load_word2vec_format(str(path), binary=binary, no_header=not binary)

    size = path.stat().st_size / 1e6
    first, _ = timed(lambda: read(path))
    to_folder, _ = best(repeat, imported)
    ours, (space, reading) = best(repeat, lambda: read(path))
    index, _ = timed(lambda: space.index)
    theirs, vectors = best(repeat, gensims)
    same = list(space.words) == vectors.index_to_key and bool(space.matrix.tobytes() == vectors.vectors.tobytes())
    print(f"{reading.rows:,} × {reading.dimensions}, {size:,.0f} MB, best of {repeat}; {processor()}")
    print("                       clock     ratio  processors     ratio")
    with_index = Times(ours.clock + index.clock, ours.work + index.work)
    runs = (
        ("gensim", theirs),
        ("embedviz, first", first),
        ("embedviz, warm", ours),
        ("… with its index", with_index),
        ("embedviz, to folder", to_folder),
    )
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
    parser.add_argument("--binary", action="store_true", help="word2vec binary instead of GloVe text")
    parser.add_argument("--file", type=Path, help="a real file instead of a made one")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or Path(folder) / "vectors"
        if not options.file:
            (write_binary if options.binary else write_glove)(path, options.rows, options.dimensions)
        return 0 if compare(path, Path(folder), options.repeat, binary=options.binary) else 1


if __name__ == "__main__":
    sys.exit(main())
