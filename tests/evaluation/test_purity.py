"""Purity: by hand, on planted groups, and on a space without any."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.evaluation.purity import Purity, column_names, of_column, purity
from embedviz.testsets import Categories, datasets


def planted(sizes=(30, 20, 10), spread=0.1):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    matrix = np.eye(8)[labels] + spread * np.random.default_rng(0).normal(size=(len(labels), 8))
    words = [f"g{label}w{row}" for row, label in enumerate(labels)]
    groups = {f"group {label}": tuple(word for word in words if word[1] == str(label)) for label in range(len(sizes))}
    return VectorSpace(words, matrix), Categories("planted", "planted", groups, "")


def test_the_hand_worked_example():
    """The book's figure 16.1: 17 letters in three clusters of which 5, 4 and 3 are of the largest class: 12 / 17."""
    letters = ["xxxxxo", "xooood", "xxddd"]
    classes = {"x": 0, "o": 1, "d": 2}
    labels = np.array([classes[letter] for cluster in letters for letter in cluster])
    clusters = np.repeat([0, 1, 2], [6, 6, 5])
    found = Purity(
        "s", "n", "t", 17, ("w",) * 17, tuple("xod"), labels, clusters, 12 / 17, 0, 1, 0.5, 0.6, 0.2, 0.3, (), clusters
    )
    assert found.at_home.mean() == pytest.approx(12 / 17)
    assert found.counts.tolist() == [[5, 1, 2], [1, 4, 0], [0, 1, 3]]
    assert [(home.name, home.share, home.chance) for home in found.shares] == [
        ("x", (5, 8), 6 / 17),
        ("o", (4, 5), 6 / 17),
        ("d", (3, 4), 5 / 17),
    ]


def test_on_shared_words_the_most_common_category_is_that_of_these_words():
    """Without four of the five x of the first cluster, its most common category is o, as for shuffled categories."""
    labels = np.array([0, 0, 0, 0, 0, 1, 1, 1, 0, 0])
    clusters = np.repeat([0, 1], [7, 3])
    words = tuple(f"w{row}" for row in range(10))
    whole = Purity("s", "n", "t", 10, words, ("x", "o"), labels, clusters, 0.7, 0, 1, 0.5, 0.6, 0, 0, (), clusters)
    few = replace(whole, words=words[4:], labels=labels[4:], clusters=clusters[4:], letters=clusters[4:])
    shared = whole.shared_with([few])
    assert (shared.covered, shared.purity) == (6, 4 / 6)
    assert shared.purity == shared.at_home.mean() == whole.against(few, 0).one
    assert shared.rules[0].value == shared.purity
    only_o = whole.shared_with([replace(whole, words=words[5:8])])
    assert [line.title for line in only_o.lines] == ["all categories", "o"]


def test_planted_groups_are_pure():
    space, categories = planted()
    found = purity(space, categories)
    assert (found.purity, found.adjusted_rand, found.covered) == (1, 1, 60)
    assert found.mutual_information == pytest.approx(1)
    assert 0.5 <= found.chance < 0.62
    assert [home.name for home in found.shares] == ["group 0", "group 1", "group 2"]


def test_a_space_without_groups_is_as_pure_as_chance():
    random = np.random.default_rng(0)
    words = [f"w{row}" for row in range(600)]
    groups = {f"g{number}": tuple(words[number::6]) for number in range(6)}
    inside = 0
    for seed in range(10):
        space = VectorSpace(words, random.normal(size=(600, 30)))
        found = purity(space, Categories("x", "x", groups, ""), seed=seed)
        assert found.purity == pytest.approx(found.chance, abs=0.04)
        assert abs(found.adjusted_rand) < 0.03
        inside += found.purity <= found.chance_high
    assert inside >= 8


def test_the_indices_are_scikit_learns():
    space, categories = planted(spread=0.7)
    found = purity(space, categories)
    assert 0.4 < found.purity < 1
    assert found.adjusted_rand == adjusted_rand_score(found.labels, found.clusters)
    assert found.mutual_information == normalized_mutual_info_score(found.labels, found.clusters)
    assert found.low < found.purity < found.high
    assert found.purity == found.at_home.mean()


def test_the_built_in_words_fall_into_their_everyday_groups(builtin):
    found = purity(builtin, datasets.categories())
    assert found.requested == len(datasets.categories()) == 550
    assert found.covered > 540
    assert found.purity > 0.8 > 3 * found.chance
    assert "shuffled categories" in found.meaning


def test_words_that_are_missing_are_left_out_and_small_categories_too():
    space, categories = planted()
    groups = {**categories.groups, "one": ("g0w0", "gone"), "none": ("x", "y")}
    found = purity(space, Categories("x", "x", groups, ""))
    assert found.categories == ("group 0", "group 1", "group 2")
    assert (found.requested, found.covered) == (64, 60)
    with pytest.raises(OptionError, match="two words or more of 1 of the 2 categories"):
        purity(space, Categories("x", "x", {"a": ("g0w0", "g0w1"), "b": ("x",)}, ""))


@pytest.mark.parametrize("rows", [np.ones((4, 3)), np.eye(4), [[1.0], [1], [-1], [-1]]])
def test_few_and_equal_words_give_numbers_all_the_same(rows):
    found = purity(
        VectorSpace(list("abcd"), np.array(rows)), Categories("x", "x", {"p": ("a", "b"), "q": ("c", "d")}, "")
    )
    assert 0.5 <= found.purity <= 1
    assert np.isfinite([found.chance, found.chance_high, found.adjusted_rand, found.mutual_information]).all()
    assert 0 <= found.low <= found.purity <= found.high + 1e-9 <= 1 + 1e-9


def test_a_text_column_is_a_set_of_categories():
    space, _ = planted()
    columns = {"topic": [word[:2] for word in space.words], "own": list(space.words), "length": np.arange(60)}
    topical = VectorSpace(space.words, space.matrix, metadata=columns)
    assert column_names(topical) == ("topic",)
    assert purity(topical, of_column(topical, "topic")).purity == 1
    for name in ("own", "length", "gone"):
        with pytest.raises(OptionError, match="There is: topic"):
            of_column(topical, name)
