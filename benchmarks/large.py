"""A space larger than memory: exact neighbors over the memory map, and approximate ones in a table of LanceDB.

    python benchmarks/large.py [--rows 5000000] [--dimensions 100] [--folder large] [--memory 1000] [--queries 20]

Makes vectors in clusters of all widths, block by block, as a saved space in the folder; then, each in a process of its
own: searches it exactly under a limit of memory (`RLIMIT_DATA`), builds the index, and measures time and recall of the
index for some `nprobes` and `refine`. Memory is that which is the process's own (anonymous), sampled 20 times a second;
pages of mapped files are not counted, since the system takes them back. A part that is there already is kept.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.core.blobs import WordBlob
from embedviz.core.space import Origin, folder_size, folder_writer, open_folder, write_rest
from embedviz.formats.sinks import FileSink

BLOCK = 100_000
GRID = ((10, 0), (20, 10), (50, 10), (100, 10), (100, 30), (200, 30))
"""`nprobes` and `refine` that are measured."""


def make(folder: Path, rows: int, dimensions: int) -> None:
    """Write rows in clusters of all widths, as words have them, as a saved space."""
    random = np.random.default_rng(0)
    centers = random.standard_normal((rows // 100 + 1, dimensions), dtype=np.float32)
    with folder_writer(folder) as draft:
        with FileSink(draft / "matrix.npy", dimensions) as sink:
            for start in range(0, rows, BLOCK):
                n = min(BLOCK, rows - start)
                spread = random.uniform(0, 1.5, (n, 1)).astype(np.float32)
                noise = random.standard_normal((n, dimensions), dtype=np.float32)
                sink.append(noise + centers[random.integers(0, len(centers), n)] * spread)
        words = WordBlob.of([f"word{row}" for row in range(rows)])
        write_rest(draft, words, None, {}, Origin("file", "large", "assumed"))


def own_memory() -> float:
    """The anonymous memory of this process, in MB."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def apart(work: Callable[..., None], *given: Any, memory: int = 0) -> None:
    """Run in a process of its own, under a limit in MB where one is given, and print its peak."""
    child = multiprocessing.get_context("spawn").Process(target=_watched, args=(work, memory, *given))
    child.start()
    child.join()
    if child.exitcode:
        sys.exit(f"{work.__name__} failed")


def _watched(work: Callable[..., None], memory: int, *given: Any) -> None:
    peak, over = [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            peak[0] = max(peak[0], own_memory())

    if memory:
        resource.setrlimit(resource.RLIMIT_DATA, (memory * 10**6, memory * 10**6))
    before = own_memory()
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        work(*given)
    finally:
        over.set()
        watcher.join()
        print(f"  own memory: {before:,.0f} MB at the start, {peak[0]:,.0f} MB at most", flush=True)


def timed(what: str, work: Callable[[], Any], times: int = 1) -> Any:
    """Print how long some work took by the clock and of all processors, the medians of several times; return it."""
    taken = []
    for _ in range(times):
        start, before = time.perf_counter(), time.process_time()
        found = work()
        taken.append((time.perf_counter() - start, time.process_time() - before))
    clock, work_time = 1e3 * np.median(taken, axis=0)
    print(f"  {what}: {clock:,.0f} ms, processors {work_time:,.0f} ms", flush=True)
    return found


def exact(folder: Path, queries: int) -> None:
    """Search without an index."""
    from embedviz.neighbors import lookup, nearest, nearest_lists, neighborhood

    space = timed("open", lambda: open_folder(folder))
    timed("lengths of all rows", lambda: space.norms)
    timed("index of the words", lambda: space.index)
    rows = iter(np.random.default_rng(1).integers(0, len(space), 1_000).tolist())
    timed("first page of neighbors", lambda: neighborhood(space, f"word{next(rows)}"))
    timed("page of neighbors", lambda: neighborhood(space, f"word{next(rows)}"), max(1, queries // 4))
    timed("page of neighbors, Euclid", lambda: neighborhood(space, f"word{next(rows)}", metric="euclidean"))
    timed("ten nearest alone", lambda: nearest(space, f"word{next(rows)}"), queries)
    some = np.array([next(rows) for _ in range(200)])
    timed("200 lists of ten at once", lambda: nearest_lists(space, some, 10, device="cpu"))
    timed("a word that is not there", lambda: lookup.find(space, "wrod17"))


def index(folder: Path, into: Path) -> None:
    """Build the index."""
    from embedviz.neighbors import indexing

    last = [time.perf_counter(), ""]

    def report(fraction: float | None, message: str, **more: Any) -> None:
        what = message.partition(":")[0]
        if what != last[1]:
            print(f"  {time.perf_counter() - last[0]:7.0f} s  {message}", flush=True)
            last[1] = what

    timed("table and index", lambda: indexing.build(open_folder(folder), into, report=report))


def approximate(folder: Path, queries: int) -> None:
    """Search by the index."""
    from embedviz.neighbors import neighborhood
    from embedviz.neighbors.approximate import recall

    space = timed("open", lambda: open_folder(folder))
    timed("index of the words", lambda: space.index)
    rows = iter(np.random.default_rng(1).integers(0, len(space), 1_000).tolist())
    timed("first page of neighbors", lambda: neighborhood(space, f"word{next(rows)}"))
    timed("page of neighbors", lambda: neighborhood(space, f"word{next(rows)}"), queries)
    print("  nprobes  refine  recall@10  95 % interval   ms a query")
    for nprobes, refine in GRID:
        found = recall(space, nprobes, refine)
        interval = f"{found.low:.3f} to {found.high:.3f}"
        print(f"  {nprobes:7}  {refine:6}  {found.value:9.3f}  {interval}  {found.milliseconds:10.1f}", flush=True)
    timed("page of neighbors, exact", lambda: neighborhood(space, f"word{next(rows)}", nprobes=0))


def main() -> None:
    """Read the arguments, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--folder", type=Path, default=Path("large"))
    parser.add_argument("--memory", type=int, default=1_000, help="MB of memory for the exact search")
    parser.add_argument("--queries", type=int, default=20)
    options = parser.parse_args()
    plain, table = options.folder / "plain", options.folder / "table"
    if not plain.exists():
        make(plain, options.rows, options.dimensions)
    print(f"{options.rows:,} × {options.dimensions}: {folder_size(plain) / 1e6:,.0f} MB as a saved space")
    print(f"exact, at most {options.memory:,} MB of own memory")
    apart(exact, plain, options.queries, memory=options.memory)
    if not table.exists():
        print("building the index")
        apart(index, plain, table)
    parts = {part.name: folder_size(part) for part in sorted((table / "vectors.lance").iterdir()) if part.is_dir()}
    print(f"on disk: {folder_size(table) / 1e6:,.0f} MB; " + ", ".join(f"{n} {b / 1e6:,.0f}" for n, b in parts.items()))
    print("by the index")
    apart(approximate, table, options.queries)


if __name__ == "__main__":
    main()
