"""The permissions of the trust badge on spaces whose truth is known, and on real ones: before, and now.

    python benchmarks/permissions.py [--spaces noise200 clusters …] [--methods pca tsne umap] [--copies 5]
    python benchmarks/permissions.py --rate 100 [--methods pca tsne] [--iterations 250]

The first prints a row a space and method: the level that the earlier rule gave (a cut on the share of neighbors kept
beyond a random layout, and on far order, by cosine), and whether neighbors, groups and long distances may be read now,
with the share of neighbors that the map and its structureless copies keep. Noise must get nothing; two clusters by PCA
must get groups and no neighbors; a faithful map of a plane must get neighbors and long distances.

The second draws clouds without structure anew and prints how often any permission is given: Gaussian clouds, uniform
cubes, heavy tails (Student's t with three degrees of freedom) and scale mixtures.

Real files join when EMBEDVIZ_DATA names the folder of test data.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from embedviz import formats
from embedviz.core.builtin import builtin_space
from embedviz.core.space import Float, VectorSpace
from embedviz.projection import PROJECTIONS, lay_out, quality

OLD = ("nothing", "long distances", "groups", "neighbors")
LARGE = 1_500  # words from which copies are fewer
METRIC = {"euclidean": {"metric": "euclidean"}, "cosine": {"metric": "cosine"}}


def space_of(matrix: Float) -> VectorSpace:
    """A space with rows that are called by their numbers."""
    return VectorSpace([str(row) for row in range(len(matrix))], np.asarray(matrix, np.float32))


def two_clusters(n: int, d: int, apart: float, random: np.random.Generator) -> Float:
    """Two Gaussian clusters, so many standard deviations apart along one direction."""
    rows = random.normal(size=(n, d))
    rows[:, 0] += np.where(np.arange(n) % 2, apart / 2, -apart / 2)
    return np.asarray(rows, np.float32)


def spaces() -> Iterator[tuple[str, str, Callable[[], VectorSpace], str]]:
    """Kind, name, what makes the space, and the metric by which t-SNE and UMAP are drawn."""
    random = np.random.default_rng(0)
    for n in (40, 200, 1_000, 2_000):
        for d in (5, 10, 50, 300):
            rows = random.normal(size=(n, d))
            yield f"noise{n}", f"noise {n} × {d}", lambda rows=rows: space_of(rows), "cosine"
    for apart in (12, 30, 100):
        rows = two_clusters(1_000, 300, apart, random)
        yield "clusters", f"two clusters 1,000 × 300, {apart} sd apart", lambda rows=rows: space_of(rows), "euclidean"
    from sklearn.datasets import load_digits, make_swiss_roll

    yield "plane", "plane 500 × 2", lambda: space_of(random.random((500, 2))), "euclidean"
    three = np.asarray([[0, 0], [9, 0], [0, 9]])[np.arange(500) % 3] + random.normal(size=(500, 2))
    yield "plane", "three clusters 500 × 2", lambda: space_of(three), "euclidean"
    yield "roll", "swiss roll 1,000 × 3", lambda: space_of(make_swiss_roll(1_000, random_state=0)[0]), "euclidean"
    angle = np.linspace(0, 2 * np.pi, 500, endpoint=False)
    ring = np.c_[np.cos(angle), np.sin(angle), np.zeros((500, 8))] + 0.02 * random.normal(size=(500, 10))
    yield "ring", "ring 500 × 10", lambda: space_of(ring), "euclidean"
    yield "digits", "digits 1,000 × 64", lambda: space_of(load_digits().data[:1_000]), "euclidean"
    yield "builtin", "built-in, first 1,000", lambda: builtin_space().take(np.arange(1_000)), "cosine"
    data = Path(os.environ.get("EMBEDVIZ_DATA", ""))
    for name, file in (
        ("Google News, first 2,000", "googlenews_8k_300d.bin.gz"),
        ("GloVe, first 2,000", "glove.6B.100d.head2604.txt.gz"),
    ):
        path = data / "vectors" / file
        if path.exists():
            yield "real", name, lambda path=path: formats.read(path)[0].take(np.arange(2_000)), "cosine"


def before(space: VectorSpace, points: Float) -> str:
    """What the earlier rule allowed."""
    seen = quality.measure(space, np.arange(len(space)), points)
    beyond = (seen.neighbor_preservation - seen.chance) / (1 - seen.chance)
    level = 3 if beyond >= 0.5 else 2 if beyond >= 0.2 else 1 if seen.triplet_accuracy >= 0.6 else 0
    return OLD[level]


def row(name: str, space: VectorSpace, method: str, metric: str, copies: int) -> str:
    """One line of the table."""
    start = time.perf_counter()
    free = {option.name for option in PROJECTIONS[method].options}
    options = METRIC[metric] if "metric" in free else {}
    points = lay_out(space, None, method, **options).points
    count = copies or (5 if len(space) >= LARGE else 0)
    seen = quality.check(space, np.arange(len(space)), method, options, points=points, copies=count)
    marks = "  ".join(
        f"{title} {'●' if each.given else '○'}{f' at {each.scale}' if title == 'groups' and each.given else ''}"
        for title, each in seen.permissions._asdict().items()
    )
    neighbors = seen.permissions.neighbors
    return (
        f"{name:<42} {PROJECTIONS[method].title:<6} before: {before(space, points):<10} now: {marks:<48} "
        f"{neighbors.value:4.0%} of {seen.quality.k} kept, copies {neighbors.copies:4.0%}  "
        f"far {seen.permissions.long_distances.value:4.0%}, {seen.permissions.long_distances.copies:4.0%}  "
        f"{seen.copies.count} copies, {time.perf_counter() - start:.0f} s"
    )


def clouds(n: int, d: int, random: np.random.Generator) -> dict[str, Float]:
    """One draw of each kind of cloud without structure."""
    return {
        "Gaussian": random.normal(size=(n, d)),
        "uniform": random.random((n, d)) - 0.5,
        "t, 3 degrees": random.standard_t(3, size=(n, d)),
        "scale mixture": random.normal(size=(n, d)) * np.exp(0.5 * random.normal(size=(n, 1))),
    }


def rate(draws: int, methods: list[str], copies: int, iterations: int, sizes: list[int], depths: list[int]) -> None:
    """How often a cloud without structure gets a permission: any, neighbors, groups, long distances."""
    for method in methods:
        options = {"iterations": iterations} if method == "tsne" else {"n_epochs": 100} if method == "umap" else {}
        for n in sizes:
            for d in depths:
                given: dict[str, list[list[bool]]] = {}
                for seed in range(draws):
                    for kind, rows in clouds(n, d, np.random.default_rng([seed, n, d])).items():
                        space = space_of(rows)
                        seen = quality.check(space, np.arange(n), method, options, copies=copies, seed=seed)
                        given.setdefault(kind, []).append([each.given for each in seen.permissions])
                for kind, found in given.items():
                    table = np.asarray(found)
                    print(
                        f"{method:<5} {n:>5} × {d:<3} {kind:<14} {draws} draws, {copies} copies: any "
                        f"{table.any(axis=1).mean():.2f}  neighbors, groups, long distances ",
                        table.mean(axis=0).round(2),
                        flush=True,
                    )


def main() -> None:
    """Read the arguments and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--spaces", nargs="+", default=None, help="kinds: noise40, noise200, clusters, plane, roll, ring, …"
    )
    parser.add_argument("--methods", nargs="+", default=["pca", "tsne", "umap"])
    parser.add_argument("--copies", type=int, default=0, help="0: as many as the page draws, 5 for large maps")
    parser.add_argument("--rate", type=int, default=0, help="draws of clouds without structure")
    parser.add_argument("--sizes", type=int, nargs="+", default=[40, 200])
    parser.add_argument("--depths", type=int, nargs="+", default=[5, 10, 50])
    parser.add_argument("--iterations", type=int, default=750)
    asked = parser.parse_args()
    if asked.rate:
        rate(asked.rate, asked.methods, asked.copies or 5, asked.iterations, asked.sizes, asked.depths)
        return
    for kind, name, make, metric in spaces():
        if asked.spaces is None or kind in asked.spaces:
            for method in asked.methods:
                print(row(name, make(), method, metric, asked.copies), flush=True)


if __name__ == "__main__":
    main()
