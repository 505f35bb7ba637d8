"""Odd one out: the choice is gensim's, and chance is what drawing gets."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from embedviz.core.space import VectorSpace
from embedviz.evaluation import paired
from embedviz.evaluation.odd import odd_ones, standings
from embedviz.testsets import OddOne, OddOnes
from embedviz.testsets.datasets import odd_ones as own


def lists_of(*lists):
    return OddOnes("x", "x", tuple(OddOne(tuple(words), words[-1]) for words in lists), "")


def unit_rows(space, words):
    return space.unit_rows(np.array([space.index[word] for word in words]))


def test_the_choice_is_that_of_gensim(space):
    keyed = KeyedVectors(space.dimensions)
    keyed.add_vectors(list(space.words), np.array(space.matrix))
    random = np.random.default_rng(1)
    for _ in range(200):
        words = [space.words[row] for row in random.permutation(199)[: random.integers(3, 9)]]
        ranked = standings(unit_rows(space, words), words)
        assert ranked[0].word == keyed.doesnt_match(words)
        assert [each.word for each in ranked] == [word for _, word in keyed.rank_by_centrality(words)[::-1]]


def test_the_cosines_are_the_means_with_the_others(space):
    words = ["w1", "w2", "w3", "w4"]
    unit = space.unit_rows(np.arange(1, 5))
    cosines = unit @ unit.T
    means = {word: (cosines[place].sum() - 1) / 3 for place, word in enumerate(words)}
    for each in standings(unit, words):
        assert each.cosine == pytest.approx(means[each.word], abs=1e-6)


def test_the_word_that_points_elsewhere_is_the_odd_one():
    space = VectorSpace(["cat", "dog", "cow", "stone"], [[1, 0.1], [1, 0], [1, -0.1], [0, 1]])
    words = ["stone", "cat", "cow", "dog"]
    assert standings(unit_rows(space, words), words)[0].word == "stone"


def test_only_whole_lists_are_asked_and_chance_goes_by_their_lengths(space):
    lists = lists_of(
        ["w1", "w2", "w3", "w4"], ["w1", "w2", "w5", "w6", "w7"], ["w1", "w2", "gone"], ["w1", "w2", "w199"]
    )
    scores = odd_ones(space, lists)
    assert (scores.lists, scores.covered) == (4, 2)
    assert scores.chance == pytest.approx((1 / 4 + 1 / 5) / 2)
    nothing = odd_ones(space, lists_of(["a", "b", "c"]))
    assert (nothing.accuracy, nothing.chance) == (None, None)
    assert "No list can be tested" in nothing.meaning


def test_noise_finds_as_many_as_drawing_does():
    random = np.random.default_rng(0)
    space = VectorSpace([f"w{row}" for row in range(400)], random.normal(size=(400, 40)))
    lists = lists_of(*[[f"w{row}" for row in random.permutation(400)[:5]] for _ in range(2_000)])
    scores = odd_ones(space, lists)
    assert scores.chance == pytest.approx(0.2)
    low, high = scores.found.interval
    assert low < 0.2 < high


def test_the_built_in_space_knows_the_odd_ones_of_our_groups(builtin):
    result = []
    scores = odd_ones(builtin, own(), report=lambda fraction, message: result.append(message))
    assert (scores.lists, scores.covered) == (200, 190)
    assert scores.accuracy > 0.9
    assert scores.found.interval[0] > 4 * scores.chance
    assert len(scores.wrong) == round(190 * (1 - scores.accuracy))
    assert all(choice.chosen != choice.list.odd for choice in scores.wrong)
    assert "a random word (20\xa0%)" in scores.meaning


def test_two_spaces_that_agree_on_a_few_lists_are_not_told_to_be_equal(space):
    lists = lists_of(*[[f"w{row + k}" for k in range(4)] for row in range(9)])
    scores = odd_ones(space, lists)
    few = paired(scores, scores)
    assert (few.value, few.both_cover) == (0, 9)
    assert -few.low == few.high > 0.15
    assert not few.beyond_chance
    turned = VectorSpace(space.words, np.concatenate([space.matrix[:199][::-1], space.matrix[199:]]))
    found = paired(odd_ones(turned, lists), scores)
    assert found.low < found.value < found.high
    assert found.value == pytest.approx(odd_ones(turned, lists).accuracy - scores.accuracy)
