"""Alignment and uniformity beside numbers worked by hand and the authors' code."""

import math

import numpy as np
import pytest
import torch

from embedviz.core.options import OptionError
from embedviz.geometry.uniformity import alignment, uniformity


def test_alignment_is_worked_by_hand():
    assert alignment([[1, 0], [0, 3]], [[1, 0], [0, -2]]) == 2.0  # 0 and 2² of two points on opposite sides
    assert alignment([[1, 0]], [[0, 1]]) == pytest.approx(2.0)  # √2²
    assert alignment([[1, 0]], [[0, 1]], alpha=1) == pytest.approx(math.sqrt(2))


def test_uniformity_is_worked_by_hand():
    assert uniformity([[1, 0], [5, 0]]) == pytest.approx(0.0, abs=1e-12)  # one point
    assert uniformity([[1, 0], [-1, 0]]) == pytest.approx(-8.0)  # −2 · 2²
    three = math.log((math.exp(-8) + 2 * math.exp(-4)) / 3)  # two opposite points, and one between
    assert uniformity([[1, 0], [-1, 0], [0, 1]]) == pytest.approx(three)


def test_both_are_those_of_the_authors_code():
    one, other = np.random.default_rng(0).normal(size=(2, 40, 7))
    x, y = (torch.nn.functional.normalize(torch.from_numpy(each), dim=1) for each in (one, other))
    assert alignment(one, other) == pytest.approx(float((x - y).norm(dim=1).pow(2).mean()))
    assert uniformity(one) == pytest.approx(float(torch.pdist(x).pow(2).mul(-2).exp().mean().log()))


def test_even_points_of_many_dimensions_have_about_minus_four():
    assert uniformity(np.random.default_rng(1).normal(size=(600, 384))) == pytest.approx(-3.98, abs=0.01)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (lambda: alignment(np.zeros((0, 2)), np.zeros((0, 2))), "Pairs need two tables of one shape"),
        (lambda: alignment([[1, 0]], [[1, 0], [0, 1]]), "Pairs need two tables of one shape"),
        (lambda: uniformity([[1, 0]]), "1 row was given; uniformity needs two or more"),
        (lambda: uniformity([[1, 0], [0, 0]]), "A vector of zeros has no direction"),
    ],
)
def test_what_has_no_value_is_a_sentence(asked, says):
    with pytest.raises(OptionError, match=says):
        asked()
