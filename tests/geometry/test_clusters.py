import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import adjusted_rand_score, silhouette_score

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.geometry import clusters
from embedviz.geometry.clusters import COPIES, directions_within, kmeans, overlap
from embedviz.projection.coloring import REST, coloring


def planted(sizes=(60, 40, 30, 20), d=16, spread=0.05, seed=0):
    """A space of clusters about the first axes, and which cluster each word is of; each word's length is its own."""
    random = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    order = random.permutation(len(labels))
    labels = labels[order]
    matrix = np.eye(d)[labels] + spread * random.normal(size=(len(labels), d))
    matrix *= random.uniform(0.2, 5, (len(labels), 1))
    return VectorSpace([f"c{label}w{place}" for place, label in enumerate(labels)], matrix), labels


def test_planted_clusters_are_found_whatever_the_length_of_the_vectors():
    space, labels = planted()
    found = kmeans(space, np.arange(len(space)), k=4)
    assert adjusted_rand_score(labels, found.labels) == 1
    assert np.array_equal(labels, found.labels)
    assert found.sizes == (60, 40, 30, 20)
    assert found.silhouette > 0.7 > 0.6 > found.chance
    assert found.beyond_chance
    assert found.apart
    assert "k-means clusters are separate" in found.meaning


def test_planted_clusters_are_found_by_batches_too(monkeypatch):
    monkeypatch.setattr(clusters, "_WHOLE_BELOW", 100)
    space, labels = planted()
    assert adjusted_rand_score(labels, kmeans(space, np.arange(len(space)), k=4).labels) == 1


def test_the_names_are_the_words_nearest_to_the_center():
    space, labels = planted()
    found = kmeans(space, np.arange(len(space)), k=4)
    for number, words in enumerate(found.central):
        inside = np.flatnonzero(labels == number)
        mean = space.unit[inside].mean(axis=0)
        nearest = inside[np.argsort(-space.unit[inside] @ mean)[:3]]
        assert words == tuple(space.words[row] for row in nearest)
        assert found.names[number] == ", ".join(words)


def test_the_silhouette_is_scikit_learns():
    space, _ = planted()
    found = kmeans(space, np.arange(len(space)), k=3)
    assert found.silhouette == pytest.approx(silhouette_score(space.unit, found.labels), abs=1e-6)


def test_noise_has_clusters_no_firmer_than_its_structureless_copies(space):
    found = kmeans(space, np.arange(199), k=5)
    assert len(found.sizes) == 5
    assert found.silhouette == pytest.approx(np.mean(found.copies), abs=0.03)


def test_clusters_of_noise_are_seldom_beyond_chance():
    """One in twenty is: more than four of twenty would be so in one run of 390."""
    beyond = 0
    for seed in range(20):
        matrix = np.random.default_rng(seed).normal(size=(80, 8))
        found = kmeans(VectorSpace([f"w{row}" for row in range(80)], matrix), np.arange(80), k=4, seed=seed)
        beyond += bool(found.beyond_chance)
        assert ("not better separated than by chance" in found.meaning) != bool(found.beyond_chance)
    assert beyond <= 4


def test_two_clusters_along_one_direction_are_beyond_chance():
    """Copies with permuted directions keep such clusters; Gaussian ones do not."""
    matrix = np.random.default_rng(3).normal(size=(300, 10))
    matrix[::2, 0] += 4
    matrix[1::2, 0] -= 4
    found = kmeans(VectorSpace([f"w{row}" for row in range(300)], matrix), np.arange(300), k=2)
    assert found.beyond_chance
    assert found.apart


def test_the_builtin_words_are_better_separated_than_chance_yet_overlap(builtin):
    found = kmeans(builtin, np.arange(2_000), k=8)
    assert 0 < found.chance < found.silhouette < 0.03
    assert ", but they overlap" in found.meaning


def test_parts_that_each_half_cuts_in_another_way_are_not_separate():
    """Five parts of fifteen clusters: the silhouette is that of separate clusters, and the halves do not agree."""
    random = np.random.default_rng(0)
    centers = random.normal(size=(15, 200))[random.integers(15, size=300)]
    matrix = random.uniform(0.3, 1.3, (300, 1)) * centers + random.normal(size=(300, 200))
    space = VectorSpace([f"w{row}" for row in range(300)], matrix - matrix.mean(axis=0))
    found = kmeans(space, np.arange(300), k=5)
    assert found.dense
    assert found.agreement < 0.6
    assert not found.apart
    assert ", but they overlap" in found.meaning
    assert "two random halves of the words agree by" in found.method("", "words")


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("d", [5, 20, 100])
@pytest.mark.parametrize("distance", [2.0, 3.3, 4.65])
def test_the_overlap_of_a_silhouette_is_the_error_of_the_best_classifier(metric, d, distance):
    random = np.random.default_rng(d)
    codes = np.arange(1_200) % 2
    rows = random.normal(size=(1_200, d))
    rows[:, 0] += distance * codes
    if metric == "cosine":  # far from the origin all rows have a length, and a cosine distance goes with the squares
        rows = np.hstack([rows, np.full((1_200, 1), 100.0)])
    silhouette = silhouette_score(rows, codes, metric=metric)
    error = norm.cdf(-distance / 2)
    result = overlap(silhouette, directions_within(rows, codes), metric=metric)
    assert result == pytest.approx(error, rel=0.5, abs=0.01)


def test_directions_within_are_those_of_the_covariance_however_few_rows():
    random = np.random.default_rng(0)
    scale = np.geomspace(1, 0.2, 60)
    true = (scale**2).sum() ** 2 / (scale**4).sum()
    for n in (40, 400):
        result = [directions_within(random.normal(size=(n, 60)) * scale, np.arange(n) % 2) for _ in range(20)]
        assert np.mean(result) == pytest.approx(true, rel=0.15)


def test_the_same_seed_gives_the_same_clusters(builtin):
    rows = np.arange(1_000)
    one, same, other = (kmeans(builtin, rows, k=6, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(one.labels, same.labels)
    assert (one.silhouette, one.copies) == (same.silhouette, same.copies)
    assert not np.array_equal(one.labels, other.labels)


def test_fewer_words_than_clusters(space):
    found = kmeans(space, np.array([3, 9, 11]), k=8)
    assert sorted(found.labels.tolist()) == [0, 1, 2]
    assert found.silhouette is None
    assert found.meaning == "Every cluster has one of the words, so the clusters show nothing."
    one = kmeans(space, np.array([3]), k=2)
    assert (one.labels.tolist(), one.central) == ([0], (("w3",),))


def test_equal_rows_are_one_cluster_and_that_is_said():
    space = VectorSpace(["a", "b", "c", "d"], np.ones((4, 3)))
    found = kmeans(space, np.arange(4), k=3)
    assert found.labels.tolist() == [0, 0, 0, 0]
    assert found.meaning == "All rows are equal: there are no clusters."


def test_two_distinct_rows_are_two_clusters():
    space = VectorSpace(list("abcdef"), np.eye(2)[[0, 0, 0, 1, 1, 1]])
    found = kmeans(space, np.arange(6), k=4)
    assert found.sizes == (3, 3)
    assert found.silhouette == 1


def test_rows_of_zeros_are_in_no_cluster(space):
    color = coloring(space, np.array([199, 1, 2, 3, 4]), "clusters", k=2)
    assert color.codes[0] == REST
    assert set(color.codes[1:]) == {0, 1}
    with pytest.raises(OptionError, match="rows of zeros"):
        kmeans(space, np.array([199]))


def test_long_names_are_cut():
    space = VectorSpace(["a" * 100, "b", "c"], np.array([[1, 0], [0, 1], [0.1, 1]]))
    assert sorted(map(len, kmeans(space, np.arange(3), k=2).names)) == [4, 26]


def test_k_is_what_colors_allow(space):
    with pytest.raises(OptionError, match="from 2 to 8"):
        kmeans(space, np.arange(50), k=9)
    with pytest.raises(OptionError, match="from 2 to 8"):
        coloring(space, np.arange(50), "clusters", k=1)


def test_each_step_is_reported(space):
    result = []
    kmeans(space, np.arange(50), k=2, report=lambda fraction, message: result.append(fraction))
    assert result == pytest.approx(np.arange(1, COPIES + 2) / (COPIES + 1))


def test_of_a_few_words_nothing_is_said_but_the_numbers(builtin):
    rows = np.array([builtin.row(word) for word in ("king", "queen", "paris", "france", "guitar", "violin")])
    found = kmeans(builtin, rows, k=3)
    assert sorted(map(sorted, found.central)) == [["france", "paris"], ["guitar", "violin"], ["king", "queen"]]
    assert "6 words are too few" in found.meaning
