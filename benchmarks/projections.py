"""t-SNE and UMAP of the most frequent built-in words: scikit-learn's TSNE, seeded umap-learn, and ours, in turn.

    python benchmarks/projections.py [--words 2000 10000] [--peers scikit-learn umap-learn openTSNE]

Prints the times, the ratio, and what each map keeps: 15 nearest neighbors and trustworthiness, by cosine. Everything is
compiled beforehand. Ours may keep .02 less of either, or the script fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.builtin import builtin_space
from embedviz.core.space import VectorSpace
from embedviz.projection import project, quality, warm

ALLOWED = 0.02


class Run(NamedTuple):
    """Seconds by the clock, and of all processors together: the second number bears a busy machine better."""

    clock: float
    work: float
    points: Any


def timed(work: Callable[[], Any]) -> Run:
    """The times and the points."""
    clock, processors = time.perf_counter(), time.process_time()
    points = work()
    return Run(time.perf_counter() - clock, time.process_time() - processors, points)


def scikit_learn(space: VectorSpace, rows: Any) -> Any:
    """Its defaults but for the metric: PCA beginning, perplexity 30, 1,000 steps."""
    from sklearn.manifold import TSNE

    return TSNE(metric="cosine", init="pca", random_state=0).fit_transform(space.matrix[rows])


def umap_learn(space: VectorSpace, rows: Any) -> Any:
    """Its defaults but for the metric, seeded, hence by one thread."""
    from umap import UMAP

    return UMAP(metric="cosine", random_state=0, n_jobs=1).fit_transform(space.matrix[rows])


def open_tsne(space: VectorSpace, rows: Any) -> Any:
    """Its defaults but for the metric, on all cores: Fourier transforms from 10,000 rows, 750 steps."""
    from openTSNE import TSNE

    return TSNE(metric="cosine", random_state=0, n_jobs=-1).fit(space.matrix[rows])


PEERS: dict[str, tuple[str, Callable[[VectorSpace, Any], Any]]] = {
    "scikit-learn": ("tsne", scikit_learn),
    "umap-learn": ("umap", umap_learn),
    "openTSNE": ("tsne", open_tsne),
}


def compare(space: VectorSpace, title: str, n: int) -> bool:
    """Runs both and prints the ratio; whether ours keeps as much."""
    rows = np.arange(n)
    method, peer = PEERS[title]
    ours = timed(lambda: project(space, rows, method).points)
    theirs = timed(lambda: peer(space, rows))
    print(f"{method}, {n:,} × {space.dimensions}")
    print("                  clock   processors     15 kept   trustworthiness")
    kept = []
    for name, run in ((title, theirs), ("embedviz", ours)):
        seen = quality.measure(space, rows, np.asarray(run.points, np.float32), sample=3_000)
        kept.append((seen.neighbor_preservation, seen.trustworthiness))
        print(
            f"{name:<14} {run.clock:7.2f} s {run.work:10.2f} s {seen.neighbor_preservation:11.3f} "
            f"{seen.trustworthiness:17.3f}"
        )
    print(f"ratio          {theirs.clock / ours.clock:7.1f} × {theirs.work / ours.work:10.1f} ×")
    good = bool(np.all(np.subtract(*kept) <= ALLOWED))
    print("as much is kept" if good else "OURS KEEPS LESS", flush=True)
    return good


def main() -> int:
    """Reads the arguments and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, nargs="+", default=[2_000, 10_000])
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=["scikit-learn", "umap-learn"])
    options = parser.parse_args()
    space = builtin_space()
    warm()
    for title in options.peers:  # umap-learn compiles more where it looks for neighbors itself
        PEERS[title][1](space, np.arange(5_000 if title == "umap-learn" else 200))
    good = [compare(space, title, n) for title in options.peers for n in options.words]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
