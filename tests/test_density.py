"""Clusters by density: planted ones, none in noise, and few or odd rows."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score

from embedviz.density import SELECTIONS, hdbscan, least_of
from embedviz.options import OptionError
from embedviz.space import VectorSpace


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
    assert max(part for _, part in found.shuffled) < found.inside
    assert "More than by chance." in found.told("words")


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


def test_noise_has_no_clusters_or_as_many_as_its_shuffled_copies():
    found = hdbscan(gaussian(), np.arange(600))
    assert "More than by chance" not in found.told("texts")
    few = hdbscan(gaussian(d=2), np.arange(600), min_cluster_size=5, min_samples=1)
    assert len(few.sizes) > 1
    assert "More than by chance" not in few.told("texts")


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_few_rows_are_in_no_cluster(n):
    found = hdbscan(gaussian(n), np.arange(n))
    assert found.labels.tolist() == [-1] * n
    assert found.centers.shape == (0, 10)
    assert found.told("texts").startswith("HDBSCAN finds no cluster of 5 texts or more")


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
