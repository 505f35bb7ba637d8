import numpy as np
import pytest

from embedviz.core.space import Origin, VectorSpace
from embedviz.evaluation.glance import glance


def test_a_first_look_at_the_built_in_space(builtin):
    seen = glance(builtin)
    assert seen.mean_cosine == pytest.approx(0.012, abs=0.0005)
    assert seen.spread == pytest.approx(384**-0.5)
    assert seen.pairs.spearman == pytest.approx(0.775, abs=0.005)
    assert seen.pairs.count == 329
    assert 0.5 < seen.overlap.mean < 0.7
    assert seen.overlap.chance < 0.001


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_of_few_words_or_none_known_less_is_said(rows):
    matrix = np.random.default_rng(0).normal(size=(rows, 3)).astype(np.float32)
    seen = glance(VectorSpace([f"w{row}" for row in range(rows)], matrix, origin=Origin("test", "few", "none")))
    assert seen.pairs is None
    assert (seen.mean_cosine is None) == (rows == 1)


def test_rows_of_zeros_have_no_mean_cosine():
    seen = glance(VectorSpace(["a", "b", "c", "d"], np.zeros((4, 3), np.float32)))
    assert (seen.mean_cosine, seen.pairs, seen.overlap) == (None, None, None)
