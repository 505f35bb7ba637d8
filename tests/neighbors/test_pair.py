"""Two words in their plane: lengths, cosine, dot product and distance are those of the whole space."""

import math
import re

import numpy as np
import pytest
from scipy.spatial import distance

from embedviz.core.options import OptionError
from embedviz.core.space import Origin, VectorSpace
from embedviz.core.subwords import Subwords
from embedviz.neighbors.pair import chord, chord_by_hand, cosine_of, word_pair


def test_a_pair_worked_by_hand():
    matrix = np.array([[3, 4, 0], [4, 3, 0], [0, 0, 2]], np.float32)
    pair = word_pair(VectorSpace(["a", "b", "c"], matrix, origin=Origin("test", "t")), "a", "b")
    assert (pair.lengths, pair.rank, pair.compared) == ((5, 5), 1, 2)
    assert (pair.cosine, pair.dot, pair.distance) == pytest.approx((24 / 25, 24, math.sqrt(2)))
    assert (pair.mean, pair.sd) == pytest.approx((0.48, 0.48))
    assert cosine_of(*pair.points) == pytest.approx(24 / 25)


def test_the_angle_stands_beside_that_of_a_random_word():
    pair = word_pair(VectorSpace(["a", "b", "c"], np.array([[2, 0], [1, 1], [0, 3]], np.float32)), "a", "b")
    assert pair.angles == "The angle here is 45°; a random word stands at about 69° to “a”."  # cos 69° = (0.71 + 0) / 2
    assert pair.meaning.endswith("among 2 words. Cosine 0.71; of a random word 0.35 ± 0.35.")


def test_the_calculation_of_a_distance_gives_its_result_by_hand():
    assert chord_by_hand(0.5) == "2 − 2 × 0.50 = 1.00, so d = 1.00"
    for cosine in np.linspace(-0.99, 0.995, 200).tolist():
        factor, square, result = re.findall(r"−?\d+\.\d+", chord_by_hand(cosine))
        given = [float(text.replace("−", "-")) for text in (factor, square, result)]
        assert 2 - 2 * given[0] == pytest.approx(given[1], abs=1e-9)
        assert f"{math.sqrt(given[1]):.2f}" == f"{given[2]:.2f}" == f"{chord(cosine):.2f}"


def test_a_word_composed_of_its_n_grams_is_compared_with_all_rows(builtin):
    buckets = np.random.default_rng(0).normal(size=(500, builtin.dimensions)).astype(np.float32)
    space = VectorSpace(builtin.words, builtin.matrix, subwords=Subwords(3, 6, buckets))
    first, second = word_pair(space, "kingg", "man"), word_pair(space, "man", "kingg")
    assert first.cosine == pytest.approx(second.cosine)
    assert (first.compared, second.compared) == (len(space), len(space) - 1)


def test_the_plane_keeps_what_scipy_measures_in_the_space(builtin):
    pair = word_pair(builtin, "hot", "cold")
    a, b = (builtin.vector(word).astype(float) for word in ("hot", "cold"))
    assert pair.cosine == pytest.approx(1 - distance.cosine(a, b))
    assert math.dist(*pair.points) == pytest.approx(distance.euclidean(a, b))
    assert pair.dot == pytest.approx(float(a @ b))
    assert chord(pair.cosine) == pytest.approx(distance.euclidean(a / np.linalg.norm(a), b / np.linalg.norm(b)))
    unit = builtin.matrix / np.maximum(builtin.norms, 1e-9)[:, None]
    cosines = unit @ unit[builtin.index["hot"]]
    assert pair.rank == int((cosines > pair.cosine + 1e-6).sum())  # "hot" itself stands for the second word


def test_a_word_with_itself_or_without_direction_spans_no_plane(space):
    for second, why in (("w0", "Take two different words"), ("w199", "vector of “w199” is all zeros")):
        with pytest.raises(OptionError, match=why):
            word_pair(space, "w0", second)
    assert cosine_of((0, 0), (1, 1)) is None
