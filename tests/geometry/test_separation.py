from math import comb

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.geometry.separation import separation, separations


def planted(sizes=(22, 18), d=40, apart=0.6, seed=0):
    """Points about one direction a sense, of any length, in random order, and their senses."""
    random = np.random.default_rng(seed)
    codes = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    matrix = apart * np.eye(d)[codes] + random.normal(size=(len(codes), d)) / np.sqrt(d)
    return matrix * random.uniform(0.2, 5, (len(codes), 1)), np.array(["river", "money", "sport"])[codes]


def unit(matrix):
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@pytest.mark.parametrize("sizes", [(22, 18), (20, 12, 9)])
def test_the_scores_are_scikit_learns_and_those_of_plain_loops(sizes):
    matrix, labels = planted(sizes)
    found = separation(matrix, labels)
    rows = unit(matrix)
    cosines = rows @ rows.T
    same = labels[:, None] == labels
    off = ~np.eye(len(labels), dtype=bool)
    assert found.within == pytest.approx(cosines[same & off].mean())
    assert found.between == pytest.approx(cosines[~same].mean())
    assert found.difference.value == pytest.approx(found.within - found.between)
    assert found.silhouette.value == pytest.approx(silhouette_score(rows, labels, metric="cosine"))
    clusters = KMeans(len(sizes), n_init=10, random_state=0).fit(rows).labels_
    assert found.ari.value == pytest.approx(adjusted_rand_score(labels, clusters))
    nearest = np.where(off, cosines, -2).argmax(axis=1)
    assert found.nearest_neighbor.value == pytest.approx((labels[nearest] == labels).mean())


def test_the_nearest_centroid_is_taken_without_the_fold():
    """A plain loop over scikit-learn's folds has the same share, within the noise of where folds fall."""
    from sklearn.model_selection import StratifiedKFold

    matrix, labels = planted((60, 60))
    rows = unit(matrix)
    right = 0
    for train, test in StratifiedKFold(5, shuffle=True, random_state=1).split(rows, labels):
        names = np.unique(labels)
        means = unit(np.stack([rows[train][labels[train] == name].mean(axis=0) for name in names]))
        right += (names[(rows[test] @ means.T).argmax(axis=1)] == labels[test]).sum()
    assert separation(matrix, labels).nearest_centroid.value == pytest.approx(right / 120, abs=0.05)


def test_a_point_does_not_vote_for_its_own_centroid():
    """Orthogonal points: a centroid that held the point itself would be right every time."""
    found = separation(np.eye(40), ["a", "b"] * 20)
    assert found.nearest_centroid.value == pytest.approx(0.5, abs=0.01)
    assert found.nearest_neighbor.value == pytest.approx(19 / 39)


def test_isotropic_points_are_within_chance():
    labels = ["a"] * 22 + ["b"] * 22
    runs = [
        separation(np.random.default_rng(seed).normal(size=(44, 60)), labels, permutations=200) for seed in range(60)
    ]
    for name in ("difference", "silhouette", "ari", "nearest_neighbor", "nearest_centroid"):
        scores = [getattr(run, name) for run in runs]
        assert np.mean([not score.low <= score.value <= score.high for score in scores]) <= 0.1, name
        spread = np.std([score.value for score in scores]) / np.sqrt(len(scores))
        assert np.mean([score.value - score.chance for score in scores]) == pytest.approx(0, abs=4 * spread), name
    assert sum(any(score.beyond for score in run.scores) for run in runs) <= 8  # 3 of 60 at a level of 5 %
    assert all("held-out centroids" not in run.meaning or run.nearest_centroid.beyond for run in runs)
    assert sum("That is chance" in run.meaning for run in runs) >= 50


def test_shuffled_senses_of_seven_layers_seldom_earn_a_star():
    """Layers that are alike, as those of a model are. Each score by its own band would have one in most runs."""
    random = np.random.default_rng(5)
    base = random.normal(size=(44, 60))
    layers = [base + 0.7 * random.normal(size=(44, 60)) for _ in range(7)]
    starred = 0
    for seed in range(24):
        labels = np.random.default_rng([seed, 1]).permutation(["a", "b"] * 22).tolist()
        found = separations(layers, labels, permutations=100, seed=seed)
        starred += any(score.beyond for each in found for score in each.scores)
    assert starred <= 4


def test_layers_share_their_shuffles_and_their_band():
    matrix, labels = planted(apart=0.9)
    alone, (one, same) = separation(matrix, labels), separations([matrix, matrix], labels.tolist())
    for score, first, second in zip(alone.scores, one.scores, same.scores, strict=True):
        assert first == second  # another layer of the same points changes nothing
        assert (first.value, first.p) == (score.value, score.p)
    noise = np.random.default_rng(0).normal(size=(12, *matrix.shape))
    wide = separations([matrix, *noise], labels.tolist())[0]
    assert all(score.high >= other.high for score, other in zip(wide.scores, alone.scores, strict=True))
    assert sum(score.high > other.high + 1e-9 for score, other in zip(wide.scores, alone.scores, strict=True)) >= 4


def test_occurrences_of_one_sentence_are_one_unit():
    """Ten sentences a sense, each with five nearly equal occurrences: free shuffles would call that a sense."""
    random = np.random.default_rng(1)
    units = np.repeat(np.arange(20), 5)
    rows = random.normal(size=(20, 50))[units] + 0.05 * random.normal(size=(100, 50))
    starred = {True: 0, False: 0}
    for seed in range(20):
        labels = np.random.default_rng(seed).permutation(["a", "b"] * 10)[units].tolist()
        for grouped in starred:
            found = separation(rows, labels, units=units if grouped else None, permutations=200, seed=seed)
            starred[grouped] += any(score.beyond for score in found.scores)
    assert starred[False] == 20
    assert starred[True] <= 4
    with pytest.raises(OptionError, match="Give each unit one label"):
        separation(rows, ["a", "b"] * 50, units=units)
    few = separation(rows[:75], (["a"] * 50 + ["b"] * 25), units=units[:75])
    assert "5 of b: a score needs 8 sentences of each sense" in few.meaning


def test_sentences_of_one_frame_are_no_evidence_for_or_against_a_sense():
    """A layer that knows the frame alone: the twin of a point has the other sense, and is neither neighbor nor mean."""
    frames = np.tile(np.arange(12), 2)
    rows = np.random.default_rng(2).normal(size=(12, 30))[frames]
    labels = ["a"] * 12 + ["b"] * 12
    found = separation(rows, labels, frames=frames)
    assert (found.nearest_neighbor.value, found.nearest_centroid.value) == (0.5, 0.5)
    assert not any(score.beyond for score in found.scores)
    assert separation(rows, labels).nearest_neighbor.value == 0
    apart = rows + np.repeat([[1.5], [-1.5]], 12, axis=0) * np.eye(30)[:1]
    assert separation(apart, labels, frames=frames).nearest_centroid.beyond


def test_the_chance_of_the_rand_index_is_the_hypergeometric_one():
    """Two clusters of eight against two senses of eight: the overlap is hypergeometric, worked out by hand."""
    random = np.random.default_rng(3)
    rows = np.repeat(np.eye(2), 8, axis=0) * 9 + 0.1 * random.normal(size=(16, 2))
    found = separation(rows, ["a", "b"] * 8, permutations=20_000)
    truth = np.repeat([0, 1], 8)
    chances = {}
    for overlap in range(9):
        other = np.array([0] * overlap + [1] * (8 - overlap) + [0] * (8 - overlap) + [1] * overlap)
        value = adjusted_rand_score(truth, other)
        chances[round(value, 9)] = chances.get(round(value, 9), 0) + comb(8, overlap) ** 2 / comb(16, 8)
    values, shares = np.array([*chances]), np.array([*chances.values()])
    assert values @ shares == pytest.approx(0, abs=1e-9)
    assert found.ari.chance == pytest.approx(0, abs=4 * np.sqrt(values**2 @ shares / 20_000))


def test_senses_apart_are_beyond_every_band():
    found = separation(*planted(apart=4.0))
    assert [score.beyond for score in found.scores] == [True] * 5
    assert (found.ari.value, found.nearest_neighbor.value, found.nearest_centroid.value) == (1, 1, 1)
    assert "The senses stand apart." in found.meaning
    assert found.sample.startswith("40 points: ")


def test_equally_near_points_share_the_vote():
    """Layer 0 of BERT: one vector a position, the same in both senses. No order of rows may decide."""
    rows = np.tile(np.eye(4), (6, 1))
    found = separation(rows, ["a"] * 12 + ["b"] * 12)
    assert found.nearest_neighbor.value == pytest.approx(2 / 5)
    assert not any(score.beyond for score in found.scores)


def test_three_senses_of_a_space_by_its_column():
    matrix, labels = planted((10, 9, 8), apart=4.0)
    space = VectorSpace([f"bank#{place}" for place in range(27)], matrix, metadata={"sense": labels})
    found = separation(space)
    assert dict(zip(found.senses, found.sizes, strict=True)) == {"river": 10, "money": 9, "sport": 8}
    assert found.card()["ari"] == 1
    with pytest.raises(OptionError, match="no column 'topic' to separate by; there are: sense"):
        separation(space, "topic")


def test_the_same_seed_gives_the_same_bands_and_length_does_not_matter():
    matrix, labels = planted()
    one, longer, other = separation(matrix, labels), separation(7 * matrix, labels), separation(matrix, labels, seed=1)
    for score, same in zip(one.scores, longer.scores, strict=True):
        assert (same.value, same.low, same.high) == pytest.approx((score.value, score.low, score.high))
    assert other.silhouette.high != one.silhouette.high


@pytest.mark.parametrize(
    ("rows", "labels", "sentence"),
    [
        (np.eye(11), ["river"] * 8 + ["money"] * 3, "3 of money: a score needs 8 points of each sense."),
        (np.eye(9), ["river"] * 9, "have the same sense: there is nothing to separate."),
        (np.ones((16, 3)), ["a", "b"] * 8, "All 16 points are equal"),
        (np.zeros((0, 3)), [], "There are no points."),
        (np.ones((1, 1)), ["a"], "have the same sense"),
    ],
)
def test_a_score_that_would_say_nothing_is_left_out(rows, labels, sentence):
    found = separation(rows, labels)
    assert sentence in found.meaning
    assert (found.scores, found.card()["silhouette"]) == ((), None)


def test_one_dimension_has_two_directions():
    found = separation(np.array([[1.0], [-2.0]] * 8), ["a", "b"] * 8)
    assert (found.silhouette.value, found.ari.value, found.difference.value) == (1, 1, 2)


@pytest.mark.parametrize(
    ("rows", "labels", "options", "sentence"),
    [
        (np.zeros((16, 3)), ["a", "b"] * 8, {}, "16 of the 16 points have no direction"),
        (np.full((16, 3), np.nan), ["a", "b"] * 8, {}, "no direction"),
        (np.eye(16), ["a", "b"], {}, "2 labels and 16 points"),
        (np.ones(4), ["a"] * 4, {}, "1 axes"),
        (np.ones((2_001, 2)), ["a"] * 2_001, {}, "the maximum is 2,000"),
        (np.eye(16), ["a", "b"] * 8, {"folds": 9}, "from 2 to 8"),
        (np.eye(16), ["a", "b"] * 8, {"permutations": 5}, "from 100 to 100,000"),
    ],
)
def test_what_cannot_be_compared_is_refused(rows, labels, options, sentence):
    with pytest.raises(OptionError, match=sentence):
        separation(rows, labels, **options)
