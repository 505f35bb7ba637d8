"""The games: 10,000 random choices get what is said of chance; the fewest steps are those of a plain search."""

import re

import numpy as np
import pytest
from scipy.stats import binomtest

from embedviz.core.space import VectorSpace
from embedviz.evaluation.guessing import guess_turns
from embedviz.evaluation.odd import odd_ones
from embedviz.neighbors import nearest
from embedviz.neighbors.walks import shortest_walk
from embedviz.testsets.datasets import odd_ones as own
from pages.learn.lessons import guess, odd

DRAWS = 10_000


def agrees(right, chance):
    """Whether so many right ones of 10,000 can come from this chance."""
    return binomtest(right, DRAWS, chance).pvalue > 0.01


def test_random_choices_of_the_odd_word_get_the_points_that_are_said(builtin):
    scores, random = odd_ones(builtin, own()), np.random.default_rng(0)
    exercise = odd._text(scores, scores.choices[0], [], 0).exercise
    right = 0
    for _ in range(DRAWS):
        one = scores.choices[random.integers(scores.covered)].list
        right += sorted(one.words)[random.integers(len(one.words))] == one.odd
    assert agrees(right, exercise.answer / scores.covered)
    assert agrees(right, scores.chance)
    assert not agrees(right, 0.25)


def test_random_guesses_of_a_neighbor_get_the_points_that_are_said(builtin):
    found, random = guess_turns(builtin), np.random.default_rng(0)
    exercise = guess._text(found, found.turns[0], [], 0).exercise
    right = 0
    for _ in range(DRAWS):
        one = found.turns[random.integers(len(found.turns))]
        right += one.options[random.integers(len(one.options))] == one.answer
    assert agrees(right, exercise.answer / len(found.turns))
    assert agrees(right, found.chance)
    assert not agrees(right, 0.25)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_random_steps_are_a_shortest_walk_as_often_as_is_said(steps):
    matrix = np.random.default_rng(5).normal(size=(40, 8)).astype(np.float32)
    space, random = VectorSpace([f"w{row}" for row in range(40)], matrix), np.random.default_rng(1)
    walks = (shortest_walk(space, "w0", goal, 4) for goal in space.words[1:])
    found = max((one for one in walks if one.steps == steps), key=lambda one: one.walks)
    offered = {word: [one.word for one in nearest(space, word, 4)] for word in space.words}
    reached = 0
    for _ in range(DRAWS):
        word = "w0"
        for _ in range(steps):
            word = offered[word][random.integers(4)]
        reached += word == found.goal
    trials = int(re.search("once in ([0-9,]+) trial", found.meaning)[1].replace(",", ""))
    assert agrees(reached, found.chance)
    assert trials == round(1 / found.chance)


@pytest.mark.parametrize(("start", "goal", "k"), [("river", "king", 10), ("cat", "dog", 5), ("king", "queen", 20)])
def test_the_fewest_steps_are_those_of_a_plain_breadth_first_search(builtin, start, goal, k):
    unit = np.asarray(builtin.matrix, np.float64)
    unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
    aim, steps, frontier = builtin.index[goal], 0, [builtin.index[start]]
    reached = set(frontier)
    while aim not in reached:
        fresh = set()
        for row in frontier:
            cosines = unit @ unit[row]
            cosines[row] = -2
            fresh |= set(np.argpartition(-cosines, k)[:k].tolist())
        frontier, steps = sorted(fresh - reached), steps + 1
        reached |= fresh
    found = shortest_walk(builtin, start, goal, k)
    assert found.steps == steps
    for one, other in zip(found.words, found.words[1:], strict=False):
        assert other in [each.word for each in nearest(builtin, one, k)]  # the words that the game offers
