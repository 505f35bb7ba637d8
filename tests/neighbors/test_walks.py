"""Walks by nearest neighbors against scipy's shortest paths and powers of the matrix of the same graph."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

from embedviz.core.options import OptionError
from embedviz.core.space import UnknownWordError, VectorSpace
from embedviz.core.subwords import Subwords
from embedviz.neighbors.walks import MOST_STEPS, shortest_walk


def test_the_fewest_steps_and_the_number_of_walks_are_those_of_scipy():
    matrix = np.random.default_rng(3).normal(size=(120, 4)).astype(np.float32)
    space = VectorSpace([f"w{row}" for row in range(120)], matrix)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -2)
    near = np.argsort(-cosines, axis=1)[:, :4]
    graph = np.zeros((120, 120), np.int64)
    np.put_along_axis(graph, near, 1, axis=1)
    fewest = shortest_path(graph, unweighted=True)[0]
    missed = 0
    for goal in range(1, 40):
        found = shortest_walk(space, "w0", f"w{goal}", 4)
        if fewest[goal] > MOST_STEPS:
            missed += 1
            assert found.steps is None
            continue
        rows = [int(word[1:]) for word in found.words]
        assert found.steps == fewest[goal]
        assert all(graph[one, other] for one, other in pairwise(rows))
        assert (rows[0], rows[-1]) == (0, goal)
        assert found.walks == np.linalg.matrix_power(graph, found.steps)[0, goal]
        assert found.chance == pytest.approx(found.walks / 4**found.steps)
    assert missed < 39


def test_a_walk_needs_two_words_of_the_space():
    space = VectorSpace(["a", "b", "c", "d"], np.array([[1, 0], [1, 0.1], [-1, 0], [-1, 0.1]], np.float32))
    assert shortest_walk(space, "a", "c", 1).steps is None
    assert "No walk" in shortest_walk(space, "a", "c", 1).meaning
    assert shortest_walk(space, "a", "b", 1).words == ("a", "b")
    with pytest.raises(OptionError, match="two different words"):
        shortest_walk(space, "a", "a")
    with pytest.raises(UnknownWordError):
        shortest_walk(space, "a", "x")


def test_a_row_of_zeros_has_no_walk_and_is_no_neighbor():
    matrix = np.random.default_rng(0).normal(size=(2_000, 8)).astype(np.float32)
    matrix[4:] = 0
    space = VectorSpace([f"w{row}" for row in range(2_000)], matrix)
    for pair in (("w5", "w1"), ("w1", "w5")):
        with pytest.raises(OptionError, match="“w5” is a row of zeros"):
            shortest_walk(space, *pair)
    found = shortest_walk(space, "w0", "w1", 10)
    assert (found.k, found.steps, found.chance) == (3, 1, pytest.approx(1 / 3))


def test_a_walk_leads_over_rows_alone(builtin):
    buckets = np.random.default_rng(0).normal(size=(500, builtin.dimensions)).astype(np.float32)
    space = VectorSpace(builtin.words, builtin.matrix, subwords=Subwords(3, 6, buckets))
    with pytest.raises(OptionError, match="“kingg” is composed of its n-grams"):
        shortest_walk(space, "king", "kingg")
