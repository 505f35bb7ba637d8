import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.space import Origin, VectorSpace
from embedviz.projection.sampling import SAMPLES, same_words, sample, usual


@pytest.mark.parametrize("rule", SAMPLES)
def test_every_rule_gives_rows_once_with_its_words(builtin, rule):
    chosen = sample(builtin, rule)
    assert len(np.unique(chosen.rows)) == len(chosen.rows)
    assert chosen.rule


def test_frequent_is_by_counts_where_there_are_counts():
    counted = VectorSpace(["a", "b", "c"], np.eye(3), counts=[1, 3, 2], origin=Origin("t", "t", "frequency"))
    assert sample(counted, n=2).rows.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ("frequency", "the most frequent"),
        ("assumed", "the most frequent (assumed from their order)"),
        ("none", "the first in order"),
    ],
)
def test_an_assumed_order_is_said(order, says):
    assert says in sample(VectorSpace(["a", "b"], np.eye(2), origin=Origin("t", "t", order)), "frequent", n=2).rule


@pytest.mark.parametrize(
    ("order", "more", "rule"),
    [
        ("frequency", {}, "frequent"),
        ("assumed", {}, "frequent"),
        ("none", {}, "random"),
        ("none", {"counts": range(9)}, "frequent"),
        ("assumed", {"metadata": {"text": ["said"] * 9}}, "random"),
    ],
)
def test_rows_in_no_order_of_frequency_are_drawn_at_random(order, more, rule):
    space = VectorSpace([f"w{i}" for i in range(9)], np.eye(9), origin=Origin("t", "t", order), **more)
    assert usual(space) == rule
    assert np.array_equal(sample(space, n=4).rows, sample(space, rule, n=4).rows)


def test_a_random_map_of_texts_sorted_by_class_shows_every_class():
    """5,000 texts of 20 classes, sorted: of 2,000 drawn each class has 100 ± 8, so a missing one is no chance."""
    classes = np.repeat(np.arange(20), 250)
    space = VectorSpace([f"t{i}" for i in range(5_000)], np.ones((5_000, 2)), metadata={"text": ["said"] * 5_000})
    assert set(classes[sample(space).rows]) == set(range(20))


def test_random_is_repeatable_and_named_by_its_seed(builtin):
    one = sample(builtin, "random", n=100, seed=4)
    assert np.array_equal(one.rows, sample(builtin, "random", n=100, seed=4).rows)
    assert not np.array_equal(one.rows, sample(builtin, "random", n=100, seed=5).rows)
    assert "seed 4" in one.rule


def test_named_words_bring_their_neighbors_and_tell_who_is_missing(builtin):
    chosen = sample(builtin, "named", words="king, Nobody, river", k=3)
    words = [builtin.words[row] for row in chosen.rows]
    assert words[:2] == ["king", "river"]
    assert {"kings", "queen", "rivers"} < set(words)
    assert chosen.missing == ("Nobody",)
    assert sample(builtin, "named", words="king", k=0).rows.tolist() == [builtin.row("king")]


def test_a_named_row_of_zeros_brings_no_neighbors():
    matrix = np.random.default_rng(0).normal(size=(40, 4)).astype(np.float32)
    matrix[5] = 0
    chosen = sample(VectorSpace([f"w{row}" for row in range(40)], matrix), "named", words="w5", k=3)
    assert chosen.rows.tolist() == [5]


def test_no_named_word_is_refused(builtin):
    with pytest.raises(OptionError, match="None of the named"):
        sample(builtin, "named", words="Xyz, Abc")


def test_added_words_come_last_and_once(space):
    chosen = sample(space, "frequent", n=3).including([1, 7, 7])
    assert chosen.rows.tolist() == [0, 1, 2, 7]
    assert chosen.rule.endswith("and 1 added")
    assert chosen.added == 1


def test_groups_need_english_words(space):
    with pytest.raises(OptionError, match="English"):
        sample(space, "groups")


def test_a_pasted_list_is_those_words_in_that_order(builtin):
    chosen = sample(builtin, "list", words='river\nking; Nobody\t"queen"\nking')
    assert [builtin.words[row] for row in chosen.rows] == ["river", "king", "queen"]
    assert chosen.missing == ("Nobody",)


def test_a_pasted_list_finds_the_composed_form_of_a_word():
    space = VectorSpace(["caf\u00e9", "a, b", "x"], np.eye(3))
    assert sample(space, "list", words='cafe\u0301, "a, b"').rows.tolist() == [0, 1]


@pytest.mark.parametrize(("words", "says"), [("Xyz", "None of the 1 words"), ("", "No list is pasted yet")])
def test_a_list_without_words_is_refused(builtin, words, says):
    with pytest.raises(OptionError, match=says):
        sample(builtin, "list", words=words)


def test_a_sample_narrowed_keeps_its_order_and_says_so(builtin):
    chosen = sample(builtin, "frequent", n=10).only([7, 3, 11, 3])
    assert chosen.rows.tolist() == [3, 7]
    assert chosen.rule.endswith(", only 2 selected")


def test_a_sample_shared_with_another_space_has_its_words_there_in_the_same_order():
    ours = VectorSpace(["a", "b", "c", "d", "e"], np.eye(5), origin=Origin("t", "ours", "frequency"))
    theirs = VectorSpace(["e", "x", "c", "a"], np.eye(4), origin=Origin("t", "theirs", "none"))
    chosen = sample(ours, "frequent", n=5, added=["e"], shared=theirs)
    assert chosen.rows.tolist() == [0, 2, 4]
    assert chosen.rule == "the most frequent, only those that theirs has too"
    assert same_words(theirs, ours, chosen.rows).rows.tolist() == [3, 2, 0]
    with pytest.raises(OptionError, match="for example b"):
        same_words(theirs, ours, np.arange(3))
    with pytest.raises(OptionError, match="theirs has 2 of the 3 words of this map; 3 are needed"):
        sample(ours, "frequent", n=3, shared=theirs)
