import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import distance

from embedviz.core.options import OptionError
from embedviz.core.space import UnknownWordError, VectorSpace
from embedviz.geometry.plane import vector_pair, word_plane


@given(st.integers(1, 40), st.integers(0, 10_000))
def test_a_pair_of_vectors_against_numpy_and_scipy(d, seed):
    one, other = np.random.default_rng(seed).normal(size=(2, d))
    pair = vector_pair(one, other)
    assert pair.norms == pytest.approx((np.linalg.norm(one), np.linalg.norm(other)))
    assert pair.dot == pytest.approx(np.dot(one, other))
    assert pair.cosine == pytest.approx(1 - distance.cosine(one, other), abs=1e-9)
    assert pair.distance == pytest.approx(distance.euclidean(one, other), abs=1e-6)
    assert pair.sum_norm == pytest.approx(np.linalg.norm(one + other), abs=1e-6)


def test_a_worked_example():
    """(3, 4) and (4, −3) stand at a right angle; (1, 0) and (1, √3) at 60 degrees."""
    square = vector_pair([3, 4], [4, -3])
    assert (square.norms, square.dot, square.angle) == ((5, 5), 0, 90)
    assert square.distance == pytest.approx(5 * np.sqrt(2))
    assert vector_pair([1, 0], [1, 3**0.5]).angle == pytest.approx(60)
    assert np.isnan(vector_pair([1, 0], [0, 0]).cosine)
    with pytest.raises(OptionError, match="2 and 3 numbers"):
        vector_pair([1, 0], [0, 0, 1])


def test_the_plane_keeps_lengths_and_the_angle_of_its_two_words():
    matrix = np.random.default_rng(3).normal(size=(60, 25)).astype(np.float32)
    space = VectorSpace([f"w{row}" for row in range(60)], matrix)
    plane = word_plane(space, "w0", "w1", ["w2", "w0", "w3"])
    a, b, *others = (np.array([each.x, each.y]) for each in plane.shadows)
    assert [each.word for each in plane.shadows] == ["w0", "w1", "w2", "w3"]
    assert a == pytest.approx([np.linalg.norm(matrix[0]), 0], rel=1e-6, abs=1e-6)
    assert a @ b == pytest.approx(plane.pair.dot) == pytest.approx(float(matrix[0] @ matrix[1]), rel=1e-4)
    assert np.linalg.norm(b) == pytest.approx(np.linalg.norm(matrix[1]), rel=1e-6)
    assert [each.kept for each in plane.shadows[:2]] == pytest.approx([1, 1])
    basis = np.linalg.qr(matrix[:2].T.astype(np.float64))[0]
    for shadow, point, row in zip(plane.shadows[2:], others, (2, 3), strict=True):
        inside = basis.T @ matrix[row]
        assert np.linalg.norm(point) == pytest.approx(np.linalg.norm(inside), rel=1e-6)
        assert shadow.kept == pytest.approx((inside @ inside) / float(matrix[row] @ matrix[row]), rel=1e-5)
    assert plane.shadows[2].by_chance == 2 / 25


def test_random_directions_keep_what_chance_says_and_random_pairs_stand_beside():
    matrix = np.random.default_rng(4).normal(size=(400, 50)).astype(np.float32)
    words = [f"w{row}" for row in range(400)]
    plane = word_plane(VectorSpace(words, matrix), "w0", "w1", words[2:52])
    assert np.mean([each.kept for each in plane.shadows[2:]]) == pytest.approx(2 / 50, abs=0.015)
    assert plane.chance == pytest.approx(0, abs=0.01)
    assert plane.usual[1] == pytest.approx(1.645 / np.sqrt(50), abs=0.02)
    assert "Nine in ten random pairs" in plane.meaning


def test_opposite_words_lie_on_one_line():
    space = VectorSpace(["a", "b", "c"], np.array([[1, 2, 2], [-2, -4, -4], [0, 1, -1]], np.float32))
    plane = word_plane(space, "a", "b", ["c"])
    assert (plane.shadows[1].x, plane.shadows[1].y) == (pytest.approx(-6), 0)
    assert (plane.pair.angle, plane.shadows[2].kept) == (pytest.approx(180), pytest.approx(0, abs=1e-12))


def test_words_that_cannot_be_drawn_are_named():
    space = VectorSpace(["a", "b", "zero"], np.array([[1, 2], [2, 0], [0, 0]], np.float32))
    with pytest.raises(OptionError, match="two different words"):
        word_plane(space, "a", "a")
    with pytest.raises(OptionError, match="“zero” is a row of zeros"):
        word_plane(space, "a", "zero")
    with pytest.raises(UnknownWordError):
        word_plane(space, "a", "missing")
