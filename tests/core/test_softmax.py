import numpy as np
import pytest
from scipy import special, stats

from embedviz.core.options import OptionError
from embedviz.core.stats.softmax import effective_choices, entropy, softmax


@pytest.mark.parametrize("temperature", [0.05, 1.0, 7.0])
def test_softmax_is_that_of_scipy(temperature):
    scores = np.random.default_rng(0).normal(size=(4, 30)) * 20
    assert np.allclose(softmax(scores, temperature), special.softmax(scores / temperature, axis=1), atol=1e-14)


def test_a_worked_example():
    """Scores ln 1, ln 2, ln 5 have the shares 1/8, 2/8, 5/8; half the temperature squares them: 1, 4 and 25 of 30."""
    scores = np.log([1, 2, 5])
    assert softmax(scores) == pytest.approx([1 / 8, 2 / 8, 5 / 8])
    assert softmax(scores, 0.5) == pytest.approx([1 / 30, 4 / 30, 25 / 30])


def test_large_scores_do_not_overflow():
    assert softmax([1e6, 1e6 - 1, -1e6], 0.5) == pytest.approx([special.expit(2), special.expit(-2), 0])


def test_entropy_is_that_of_scipy_and_counts_choices():
    shares = np.random.default_rng(1).dirichlet(np.ones(12))
    assert entropy(shares) == pytest.approx(stats.entropy(shares, base=2))
    assert effective_choices(np.full(37, 1 / 37)) == pytest.approx(37)
    assert (entropy([0, 1, 0]), effective_choices([0, 1, 0])) == (0, 1)


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_a_temperature_is_above_zero(temperature):
    with pytest.raises(OptionError, match="above zero"):
        softmax([1, 2], temperature)
