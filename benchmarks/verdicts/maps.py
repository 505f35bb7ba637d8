"""Verdicts on maps and clusters: the permissions of the badge, k-means, HDBSCAN."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from embedviz import projection
from embedviz.core.builtin import builtin_space
from embedviz.core.space import VectorSpace
from embedviz.core.stats.copies import fitted_cloud
from embedviz.geometry.clusters import kmeans
from embedviz.geometry.density import hdbscan
from embedviz.projection import quality
from embedviz.projection.quality.patches import patches
from embedviz.projection.quality.staying import patches_over_runs
from embedviz.testsets import datasets
from verdicts.base import (
    CLOUDS,
    Case,
    N,
    Verdict,
    clusters,
    decaying,
    gaussian,
    heavy,
    on_clouds,
    scales,
    space_of,
)

COPIES = 9
"""Structureless copies of a drawn map; a page takes 5 to 19."""
DRAWS = {"pca": 200, "tsne": 40, "umap": 20}
"""Maps that are drawn of each cloud: fewer where a map and its copies take seconds."""
PATCHED = 40
"""Maps of each cloud whose patches are judged: without an alarm, the interval of the rate ends at 8.8 %."""


def permission(which: str, method: str, matrix: np.ndarray, **options: object) -> bool:
    """Whether a map gets a permission: *any*, *neighbors*, *groups* or *long_distances*."""
    space = space_of(matrix)
    found = quality.check(space, np.arange(len(space)), method, options, copies=COPIES).permissions
    return bool(found.any if which == "any" else getattr(found, which).given)


def of(cloud: Callable[..., np.ndarray], *sizes: int) -> Callable[[int], np.ndarray]:
    """Draw a cloud of these sizes by its seed."""
    return lambda seed: cloud(np.random.default_rng(seed), *sizes)


def asked(which: str, method: str, drawn: Callable[[int], np.ndarray], **options: object) -> Callable[[int], bool]:
    """Ask for a permission on a drawn map."""
    return lambda seed: permission(which, method, drawn(seed), **options)


def plane(random: np.random.Generator) -> np.ndarray:
    """Draw a Gaussian cloud in two dimensions, in a corner of five."""
    return np.pad(random.normal(size=(N, 2)), ((0, 0), (0, 3)))


def circle(random: np.random.Generator) -> np.ndarray:
    """Draw rows along a circle in ten dimensions, with a little noise."""
    angle = np.linspace(0, 2 * np.pi, N, endpoint=False)
    return np.c_[np.cos(angle), np.sin(angle), np.zeros((N, 8))] + 0.02 * random.normal(size=(N, 10))


def badge(method: str, title: str) -> Verdict:
    """The badge of one method."""
    draws = DRAWS[method]
    sized = [(n, d) for n, d in ((40, 10), (200, 5), (200, 300))]
    false = [Case(f"{name}, {N} × 50", False, asked("any", method, of(cloud)), draws) for name, cloud in CLOUDS.items()]
    false += [
        Case(f"Gaussian cloud, {n} × {d}", False, asked("any", method, of(gaussian, n, d)), draws) for n, d in sized
    ]
    true = [Case("five clusters: groups", True, asked("groups", method, of(clusters)), 10)]
    if method == "pca":
        two = partial(clusters, count=2, apart=1.0, n=N, d=300)
        true += [
            Case("two clusters in 300 dimensions: groups", True, asked("groups", method, of(two)), 10),
            Case("a plane in five dimensions: neighbors", True, asked("neighbors", method, of(plane)), 10),
            Case("a plane in five dimensions: long distances", True, asked("long_distances", method, of(plane)), 10),
        ]
    else:
        true += [Case("a circle in ten dimensions: neighbors", True, asked("neighbors", method, of(circle)), 10)]
    return Verdict(
        f"badge-{method}",
        f"The badge of a map by {title}",
        "● You can trust: neighbors, broad groups, long distances",
        "Map, Trajectory, Documents, `project`",
        f"The three permissions, over all scales, are one family; {COPIES} copies a map.",
        (*false, *true),
    )


def overlaps(method: str, drawn: Callable[[int], np.ndarray]) -> Callable[[int], bool]:
    """Ask whether the groups of a map that may be read are said to overlap."""

    def asked(seed: int) -> bool:
        space = space_of(drawn(seed))
        return quality.check(space, np.arange(len(space)), method, copies=COPIES).permissions.groups_overlap

    return asked


def unequal(random: np.random.Generator) -> np.ndarray:
    """Draw three clusters, of a half, a third and a sixth of the rows."""
    centers = 1.5 * random.normal(size=(3, 50))
    return centers[np.repeat(range(3), (N // 2, N // 3, N - N // 2 - N // 3))] + random.normal(size=(N, 50))


def overlap() -> Verdict:
    """The groups of a map that are said to overlap."""
    three, many = of(partial(clusters, count=3)), of(partial(clusters, count=15))
    return Verdict(
        "groups-overlap",
        "Groups of a map that overlap",
        "● You can trust: broad groups (they overlap)",
        "Map, Documents, `project`",
        f"No test of its own: groups may be read, and fewer than half of the nearest points are near in the space. "
        f"{COPIES} copies a map.",
        (
            Case("three clusters, PCA: they lie apart", False, overlaps("pca", three)),
            Case("three clusters of unequal sizes, PCA", False, overlaps("pca", of(unequal))),
            Case("five clusters, t-SNE", False, overlaps("tsne", of(clusters)), DRAWS["tsne"]),
            Case("fifteen clusters, PCA: two directions cannot hold them", True, overlaps("pca", many), 40),
        ),
    )


def by_kmeans(space: VectorSpace, seed: int) -> bool | None:
    """Whether five clusters are said to be better separated than by chance."""
    return kmeans(space, np.arange(len(space)), k=5, seed=seed).beyond_chance


def apart(distance: float) -> Callable[[int], bool]:
    """Ask whether five clusters stand apart whose centers lie so many standard deviations from each other."""

    def asked(seed: int) -> bool:
        random = np.random.default_rng(seed)
        centers = np.eye(5, 50) * distance / np.sqrt(2)
        matrix = centers[np.arange(300) % 5] + random.normal(size=(300, 50))
        return kmeans(space_of(matrix), np.arange(300), k=5, seed=seed).apart

    return asked


def many_topics(seed: int) -> bool:
    """Ask whether five of fifteen clusters of unequal strength are said to be separate: each is a union of several."""
    random = np.random.default_rng(seed)
    centers = random.normal(size=(15, 200))[random.integers(15, size=300)]
    matrix = random.uniform(0.3, 1.3, (300, 1)) * centers + random.normal(size=(300, 200))
    matrix -= matrix.mean(axis=0)
    return kmeans(space_of(matrix), np.arange(300), k=5, seed=seed).apart


def by_density(space: VectorSpace, seed: int) -> bool | None:
    """Whether HDBSCAN's clusters are said to be more than chance."""
    return hdbscan(space, np.arange(len(space)), seed=seed).beyond_chance


def on_clusters(verdict: Callable[[VectorSpace, int], bool | None]) -> Case:
    """Ask for a verdict on five clusters, where it must be given."""
    return Case("five clusters", True, lambda seed: verdict(space_of(clusters(np.random.default_rng(seed))), seed), 40)


def patched(method: str, drawn: Callable[[int], np.ndarray], draws: int, *, true: bool, name: str) -> Case:
    """Ask whether any patch of a map is said to exist in the space; of planted clusters, for which share of patches."""

    def asked(seed: int) -> float:
        space = space_of(drawn(seed))
        exist = patches(space, np.arange(len(space)), method, copies=COPIES).exist
        return float(np.mean(exist)) if true and exist else float(any(exist))

    return Case(name, true, asked, draws)


def patches_of(method: str, title: str) -> Verdict:
    """The patches of maps by one method."""
    false = [
        patched(method, of(cloud), PATCHED, true=False, name=f"{name}, {N} × 50: any patch")
        for name, cloud in CLOUDS.items()
    ]
    plane_or_ring = [
        patched(method, of(drawn), PATCHED, true=False, name=f"{name}: any patch")
        for name, drawn in (("a plane in five dimensions", plane), ("a circle in ten dimensions", circle))
    ]
    weaker = partial(clusters, apart=0.75)
    planted = [
        patched(method, of(drawn), PATCHED, true=True, name=f"{name}: part of patches")
        for name, drawn in (("five clusters", clusters), ("five clusters, half as far apart", weaker))
    ]
    return Verdict(
        f"patches-{method}",
        f"Patches of a map by {title}",
        "5 of 7 patches exist in the space",
        "Map",
        f"All patches of a map are one family; {COPIES} copies a map.",
        (*false, *plane_or_ring, *planted),
    )


def correlated(random: np.random.Generator, n: int = 100, d: int = 20) -> np.ndarray:
    """Draw a Gaussian cloud with a random covariance, some of whose directions are long."""
    return random.normal(size=(n, d)) @ random.normal(size=(d, d))


def copied_words(random: np.random.Generator, n: int = 100) -> np.ndarray:
    """Draw a structureless copy of some of the 3,000 most frequent words of the built-in space."""
    rows = random.choice(3_000, n, replace=False)
    return fitted_cloud(np.asarray(builtin_space().matrix[rows])).draw(n, random)


def grouped_words(random: np.random.Generator, n: int = 100) -> np.ndarray:
    """Draw words of the everyday groups by hand, in the built-in space."""
    space = builtin_space()
    listed = [space.index[word] for words in datasets.word_groups().values() for word in words if word in space.index]
    return np.asarray(space.matrix[random.choice(listed, min(n, len(listed)), replace=False)])


def stays(method: str, over: str, drawn: Callable[[int], np.ndarray], draws: int, *, true: bool, name: str) -> Case:
    """Ask whether the patches of a map are said to stay together more than those of structureless copies."""

    def asked(seed: int) -> bool:
        space, options = space_of(drawn(seed)), {} if method == "pca" else {"seed": seed}
        options |= {"iterations": STEPS} if method == "tsne" else {}
        return patches_over_runs(space, np.arange(len(space)), method, options, over=over).beyond_copies

    return Case(f"{name}, {method_title(method)}, {over}s", true, asked, draws)


def method_title(method: str) -> str:
    """Return the title of a projection."""
    return projection.PROJECTIONS[method].title


STEPS = 300
"""Steps of t-SNE for maps that are drawn 23 times each."""
STAYING_CLOUDS = {
    "Gaussian cloud, 100 × 20": of(gaussian, 100, 20),
    "Gaussian cloud, 100 × 2": of(gaussian, 100, 2),
    "correlated Gaussian cloud, 100 × 20": of(correlated),
    "falling variances, 100 × 50": of(decaying, 100, 50),
    "structureless copy of 100 words of the built-in space": of(copied_words),
    "heavy tails (t, 3), 100 × 20": of(heavy, 100, 20),
    "mixture of scales, 100 × 20": of(scales, 100, 20),
}
PLANTED = {
    "five clusters, 100 × 50": of(partial(clusters, n=100)),
    "100 words of everyday groups": of(grouped_words),
}


def patches_that_stay() -> Verdict:
    """The patches of a map over other seeds, other values of a setting, and samples of the rows."""
    ways = {
        ("tsne", "seed"): (5, 16),
        ("tsne", "sample"): (5, 16),
        ("tsne", "neighborhood"): (2, 8),
        ("umap", "seed"): (2, 5),
        ("umap", "sample"): (2, 5),
        ("pca", "sample"): (7, 30),
    }
    false = [
        stays(*way, drawn, draws, true=False, name=name)
        for way, (clouds, draws) in ways.items()
        for name, drawn in [*STAYING_CLOUDS.items()][:clouds]
    ]
    true = [
        stays(*way, drawn, min(draws, 8), true=True, name=name)
        for way, (_, draws) in ways.items()
        if way[1] != "neighborhood"
        for name, drawn in PLANTED.items()
    ]
    return Verdict(
        "patches-stay",
        "Patches of a map over its runs",
        "Over 5 seeds, these patches stay together more than patches of structureless copies",
        "Map",
        f"One test of the map; {COPIES} copies, each drawn twice. Five runs a map: with other seeds, other values of "
        f"the neighborhood, or 80 % of the rows each; t-SNE with {STEPS} steps. An overlap of three quarters alone "
        "would be no verdict: a patch of such clouds reached it on maps by t-SNE in 20 of 37 draws over seeds, and in "
        "16 of 89 over samples, among them all in two dimensions.",
        (*false, *true),
    )


VERDICTS = (
    badge("pca", "PCA"),
    badge("tsne", "t-SNE"),
    badge("umap", "UMAP"),
    overlap(),
    patches_of("pca", "PCA"),
    patches_of("tsne", "t-SNE"),
    patches_of("umap", "UMAP"),
    patches_that_stay(),
    Verdict(
        "kmeans",
        "Clusters by k-means",
        "The 5 k-means clusters are weakly separated: better than by chance",
        "Map, Documents",
        "One test.",
        (*on_clouds(by_kmeans, 200), on_clusters(by_kmeans)),
    ),
    Verdict(
        "kmeans-apart",
        "Clusters by k-means: they are separate",
        "The 5 k-means clusters are separate",
        "Map, Documents",
        "Two conditions: less than 1 % of the rows lie nearer to the center of a neighboring cluster, and the clusters "
        "of two random halves agree.",
        (
            Case("fifteen clusters in five parts", False, many_topics),
            Case("five clusters, 2 sd from each other: 16 % overlap", False, apart(2.0)),
            Case("2.6 sd: 10 % overlap", False, apart(2.563)),
            Case("4 sd: 2.3 % overlap", False, apart(4.0)),
            Case("6 sd: 0.1 % overlap", True, apart(6.0), 100),
        ),
    ),
    Verdict(
        "hdbscan",
        "Clusters by HDBSCAN",
        "These clusters are more and better separated than by chance",
        "Documents",
        "One test.",
        (*on_clouds(by_density, 200), on_clusters(by_density)),
    ),
)
