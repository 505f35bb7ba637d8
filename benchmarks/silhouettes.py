"""Silhouettes of clusters whose overlap is known: what a value means, by metric and dimensions.

    python benchmarks/silhouettes.py

k centers at equal distances (in two dimensions on a circle), rows around them with a spread of 1 in every dimension,
brought to length one. The centers are moved apart until the best classifier, the nearest center by cosine, errs at the
stated rate. Printed, over 5 draws of 500 rows: the mean silhouette of the true clusters and of those that k-means
finds, and after each the error that `clusters.overlap` makes of it.
"""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from threadpoolctl import threadpool_limits

from embedviz.geometry.clusters import directions_within, overlap

DIMENSIONS = (2, 10, 50, 300)
CLUSTERS = (2, 5)
ERRORS = (0.01, 0.1, 0.25)
DRAWS, ROWS, TRIED = 5, 500, 20_000


def centers(k: int, d: int) -> np.ndarray:
    """Return k unit centers as far from each other as d dimensions allow, (k, d)."""
    if k <= d:
        simplex = np.eye(k, d) - np.eye(k, d).mean(axis=0)
        return simplex / np.linalg.norm(simplex, axis=1, keepdims=True)
    angles = 2 * np.pi * np.arange(k) / k
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def drawn(k: int, d: int, apart: float, n: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return n unit rows and the cluster of each."""
    codes = random.integers(k, size=n)
    rows = apart * centers(k, d)[codes] + random.normal(size=(n, d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), codes


def error(k: int, d: int, apart: float) -> float:
    """Return how often the nearest center is not the row's own."""
    rows, codes = drawn(k, d, apart, TRIED, np.random.default_rng(0))
    return float(((rows @ centers(k, d).T).argmax(axis=1) != codes).mean())


def distance_of(k: int, d: int, wanted: float) -> float:
    """Return how far out the centers lie at which the nearest center errs so often."""
    low, high = 0.0, 40.0
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (low, middle) if error(k, d, middle) < wanted else (middle, high)
    return high


def judged(rows: np.ndarray, labels: np.ndarray, metric: str) -> tuple[float, float]:
    """Return the mean silhouette, and the error that is made of it."""
    value = float(silhouette_score(rows, labels, metric=metric))
    return value, overlap(value, directions_within(rows, labels), metric=metric)


def main() -> None:
    """Print the table."""
    print("| clusters | error | dimensions | Euclidean, true | Euclidean, k-means | cosine, true | cosine, k-means |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for k in CLUSTERS:
        for wanted in ERRORS:
            for d in DIMENSIONS:
                apart, found = distance_of(k, d, wanted), []
                for seed in range(DRAWS):
                    rows, codes = drawn(k, d, apart, ROWS, np.random.default_rng(seed + 1))
                    means = KMeans(k, n_init=4, random_state=seed).fit(rows).labels_
                    pairs = [(metric, labels) for metric in ("euclidean", "cosine") for labels in (codes, means)]
                    found.append([judged(rows, labels, metric) for metric, labels in pairs])
                cells = " | ".join(f"{value:.2f}: {result:.1%}" for value, result in np.mean(found, axis=0))
                print(f"| {k} | {wanted:.0%} | {d} | {cells} |", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
