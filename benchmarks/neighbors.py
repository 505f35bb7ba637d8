"""The nearest ten of one word, exactly: gensim's `most_similar` and ours in turn, on one space, with one list.

    python benchmarks/neighbors.py [--rows 400000] [--dimensions 300] [--queries 40] [--at-once 200]

Prints the processor, the median time of a query by the clock and of all processors, the ratio, the first two queries by
themselves (the second makes the compact rows), and how many lists are the same.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.core import device
from embedviz.core.space import VectorSpace
from embedviz.neighbors import compact, nearest, nearest_lists


def processor() -> str:
    """The name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())


def made(rows: int, dimensions: int) -> VectorSpace:
    """Rows in clusters of all widths, as words have them."""
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((rows, dimensions), dtype=np.float32)
    centers = rng.standard_normal((rows // 100 + 1, dimensions), dtype=np.float32)
    matrix += centers[rng.integers(0, len(centers), rows)] * rng.uniform(0, 1.5, (rows, 1)).astype(np.float32)
    return VectorSpace([f"word{row}" for row in range(rows)], matrix, checked=True)


def main() -> int:
    """Reads the arguments and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--at-once", type=int, default=200)
    options = parser.parse_args()
    from gensim.models import KeyedVectors

    space = made(options.rows, options.dimensions)
    peer = KeyedVectors(options.dimensions)
    peer.add_vectors(list(space.words), space.matrix)
    peer.most_similar("word0")
    begun = []
    for word in ("word0", "word1"):
        start = time.perf_counter()
        nearest(space, word)
        begun.append(time.perf_counter() - start)
    times: dict[str, list[tuple[float, float]]] = {}
    lists: dict[str, list[list[str]]] = {}
    rows = np.random.default_rng(1).integers(0, options.rows, options.queries).tolist()
    for name, ask in (("gensim", peer.most_similar), ("embedviz", lambda word: nearest(space, word))):
        time.sleep(1)  # until the threads of the peer no longer wait for work
        for row in rows:
            clock, work = time.perf_counter(), time.process_time()
            lists.setdefault(name, []).append([each[0] for each in ask(f"word{row}")])
            times.setdefault(name, []).append((time.perf_counter() - clock, time.process_time() - work))
    same = sum(ours == theirs for ours, theirs in zip(lists["embedviz"], lists["gensim"], strict=True))
    kept = compact._CACHE[space].rows
    print(f"{options.rows:,} × {options.dimensions}, {device.threads()} threads, {processor()}")
    print(f"first query {begun[0] * 1e3:.0f} ms, second {begun[1] * 1e3:.0f} ms", end="; ")
    print(f"compact rows {kept.bytes / 1e6 if kept else 0:.0f} of {space.matrix.nbytes / 1e6:.0f} MB")
    theirs = np.median(times["gensim"], axis=0)
    for name, each in times.items():
        clock, work = np.median(each, axis=0)
        print(f"{name:<9} {clock * 1e3:7.2f} ms {theirs[0] / clock:5.1f} ×   processors {work * 1e3:7.2f} ms", end=" ")
        print(f"{theirs[1] / work:5.1f} ×")
    print(f"{same} of {options.queries} lists are the same")
    together = at_once(space, peer, options.at_once) if options.at_once else 0
    return 0 if same == options.queries and together == options.at_once else 1


def at_once(space: VectorSpace, peer: Any, count: int) -> int:
    """Time so many queries at once beside the peer's loop, and return how many lists are the same."""
    rows = np.random.default_rng(2).choice(len(space), count, replace=False)
    time.sleep(1)
    clock, work = time.perf_counter(), time.process_time()
    theirs = [[word for word, _ in peer.most_similar(f"word{row}")] for row in rows]
    loop = time.perf_counter() - clock, time.process_time() - work
    time.sleep(1)
    space = VectorSpace(space.words, space.matrix, checked=True)  # norms are computed anew
    taken = []
    for _ in range(3):
        clock, work = time.perf_counter(), time.process_time()
        lists = nearest_lists(space, rows, 10)[0]
        taken.append((time.perf_counter() - clock, time.process_time() - work))
    same = sum(space.words_at(ours) == words for ours, words in zip(lists, theirs, strict=True))
    print(f"{count} at once: gensim's loop {loop[0]:.2f} s, processors {loop[1]:.2f} s")
    for clock, work in taken:
        print(f"  embedviz {clock:.2f} s {loop[0] / clock:5.1f} ×   processors {work:.2f} s {loop[1] / work:5.1f} ×")
    print(f"  {same} of {count} lists are the same")
    return same


if __name__ == "__main__":
    sys.exit(main())
