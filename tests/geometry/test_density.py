"""Clusters by density: planted ones, none in noise, and few or odd rows."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score, silhouette_samples

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.geometry.density import COPIES, SELECTIONS, hdbscan, least_of


def planted(sizes=(60, 40, 30, 20), noise=60, d=16, spread=0.05, seed=0):
    """Clusters about the first axes, rows of no cluster after them; −1 is the label of those."""
    random = np.random.default_rng(seed)
    labels = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), np.full(noise, -1)])
    matrix = np.eye(d)[labels] + spread * random.normal(size=(len(labels), d))
    matrix[labels < 0] = random.normal(size=(noise, d))
    matrix *= random.uniform(0.2, 5, (len(labels), 1))
    order = random.permutation(len(labels))
    return VectorSpace([f"w{row}" for row in range(len(order))], matrix[order]), labels[order]


def gaussian(n=600, d=10):
    return VectorSpace([f"w{row}" for row in range(n)], np.random.default_rng(1).normal(size=(n, d)))


@pytest.mark.parametrize("selection", SELECTIONS)
def test_planted_clusters_are_found_the_largest_first_and_what_is_between_them_is_in_none(selection):
    space, labels = planted()
    found = hdbscan(space, np.arange(len(space)), min_cluster_size=15, selection=selection)
    if selection == "eom":
        inside = labels >= 0
        assert adjusted_rand_score(labels[inside], found.labels[inside]) > 0.95
        assert (found.labels[~inside] < 0).mean() > 0.8
        assert len(found.sizes) == 4
    assert list(found.sizes) == sorted(found.sizes, reverse=True)
    assert found.inside == pytest.approx(sum(found.sizes) / len(space))
    assert found.beyond_chance
    assert len(found.copies) == COPIES
    assert "more and better separated than by chance" in found.meaning_of("words")


def test_the_clusters_are_scikit_learns():
    space, _ = planted()
    found = hdbscan(space, np.arange(len(space)), min_cluster_size=10, min_samples=4)
    theirs = HDBSCAN(min_cluster_size=10, min_samples=4, copy=True).fit(space.unit).labels_
    assert np.array_equal(theirs < 0, found.labels < 0)
    assert adjusted_rand_score(theirs, found.labels) == 1


def test_the_names_are_the_words_nearest_to_the_center():
    space, _ = planted()
    found = hdbscan(space, np.arange(len(space)), min_cluster_size=15)
    for number, words in enumerate(found.central):
        inside = np.flatnonzero(found.labels == number)
        nearest = inside[np.argsort(-space.unit[inside] @ space.unit[inside].mean(axis=0))[:3]]
        assert words == tuple(space.words[row] for row in nearest)


@pytest.mark.parametrize(
    "noise",
    [
        lambda random: random.normal(size=(120, 10)),
        lambda random: random.normal(size=(120, 6)) * np.geomspace(1, 0.1, 6),  # a long cloud: on a sphere, two caps
        lambda random: random.uniform(-1, 1, size=(120, 10)),
        lambda random: random.standard_t(3, size=(120, 10)),
    ],
    ids=["normal", "long", "uniform", "heavy tails"],
)
def test_clusters_of_noise_are_seldom_beyond_chance(noise):
    """One in twenty at most is: more than three of twelve would be so in one run of 450."""
    beyond = 0
    for seed in range(12):
        matrix = noise(np.random.default_rng(seed))
        found = hdbscan(VectorSpace([f"w{row}" for row in range(120)], matrix), np.arange(120), seed=seed)
        beyond += bool(found.beyond_chance)
        assert ("better separated than by chance" in found.meaning_of("texts")) == bool(found.beyond_chance)
    assert beyond <= 3


def test_two_clusters_along_one_direction_are_beyond_chance():
    matrix = np.random.default_rng(3).normal(size=(200, 10))
    matrix[::2, 0] += 12
    matrix[1::2, 0] -= 12
    found = hdbscan(VectorSpace([f"w{row}" for row in range(200)], matrix), np.arange(200), min_cluster_size=30)
    assert len(found.sizes) == 2
    assert found.beyond_chance


def test_the_silhouette_and_the_spread_are_those_of_the_rows_in_clusters():
    space, _ = planted(noise=40)
    found = hdbscan(space, np.arange(len(space)), min_cluster_size=15)
    inside = found.labels >= 0
    firm = silhouette_samples(space.unit[inside], found.labels[inside]).sum() / len(space)
    assert found.here.silhouette == pytest.approx(firm, abs=1e-5)
    assert found.here.inside == pytest.approx(inside.mean())
    assert found.here.inside < found.here.spread <= found.here.clusters * found.here.inside


def test_of_many_rows_some_are_compared(monkeypatch):
    monkeypatch.setattr("embedviz.geometry.density.COMPARED", 150)
    space, _ = planted()
    found = hdbscan(space, np.arange(len(space)), min_cluster_size=15)
    assert found.compared == 150 < found.sample
    assert found.beyond_chance
    assert "150 words drawn at random" in found.method("", "words")


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_few_rows_are_in_no_cluster(n):
    found = hdbscan(gaussian(n), np.arange(n))
    assert found.labels.tolist() == [-1] * n
    assert found.centers.shape == (0, 10)
    assert found.meaning_of("texts").startswith("HDBSCAN finds no cluster of 5 texts or more")


def test_rows_of_zeros_and_equal_rows():
    same = VectorSpace([f"w{row}" for row in range(40)], np.vstack([np.zeros((4, 3)), np.ones((36, 3))]))
    found = hdbscan(same, np.arange(40))
    assert (found.labels[:4] == -1).all()
    assert found.sample == 36
    assert np.isfinite(found.centers).all()
    with pytest.raises(OptionError, match="rows of zeros"):
        hdbscan(same, np.arange(4))


def test_what_is_out_of_range_is_refused():
    for options in ({"min_cluster_size": 1}, {"min_samples": 0}, {"selection": "all"}):
        with pytest.raises(OptionError):
            hdbscan(gaussian(20), np.arange(20), **options)
    assert (least_of(1), least_of(300), least_of(18_770)) == (5, 9, 69)
