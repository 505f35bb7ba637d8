import numpy as np
import pytest
from scipy import integrate, stats

from embedviz.core.options import OptionError
from embedviz.geometry.concentration import random_cosine, room


@pytest.mark.parametrize("d", [3, 4, 25, 384])
def test_the_cosine_is_the_beta_distribution_of_scipy(d):
    own, beta = random_cosine(d), stats.beta((d - 1) / 2, (d - 1) / 2, loc=-1, scale=2)
    places = np.linspace(-0.9, 0.9, 19)
    assert own.density(places) == pytest.approx(beta.pdf(places), rel=1e-9, abs=1e-300)
    assert own.spread == pytest.approx(beta.std())
    assert own.beyond(0.1) == pytest.approx(2 * beta.sf(0.1), rel=1e-9)
    assert own.within() == pytest.approx(beta.ppf(0.975), rel=1e-6)
    assert integrate.quad(own.density, -1, 1)[0] == pytest.approx(1, abs=1e-6)


def test_in_three_dimensions_every_cosine_is_equally_likely():
    assert random_cosine(3).density([-1, 0.2, 1]) == pytest.approx([0.5, 0.5, 0.5])
    assert random_cosine(3).beyond(0.25) == pytest.approx(0.75)


def test_drawn_vectors_have_the_spread():
    rows = np.random.default_rng(0).normal(size=(600, 384))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = (rows @ rows.T)[np.triu_indices(600, 1)]
    assert cosines.std() == pytest.approx(random_cosine(384).spread, rel=0.01)
    assert np.mean(np.abs(cosines) >= 0.1) == pytest.approx(random_cosine(384).beyond(0.1), rel=0.05)


@pytest.mark.parametrize(("cosine", "rule"), [(0.1, 2), (0.3, 854), (0.5, 1.4e8)])
def test_the_simple_rule_gives_the_reference_values(cosine, rule):
    found = room(300, cosine)
    assert found.rule == pytest.approx(rule, rel=0.06)
    assert found.fit >= found.rule, "the exact probability leaves more room than the rule"


def test_the_number_that_fits_is_the_largest_below_one_bad_pair():
    found = room(300, 0.3)
    assert found.fit * (found.fit - 1) / 2 * found.pair < 1 <= (found.fit + 1) * found.fit / 2 * found.pair
    assert found.pair == pytest.approx(2 * stats.beta(149.5, 149.5, loc=-1, scale=2).sf(0.3), rel=1e-9)
    assert room(300, 0.01).fit == 300, "the axes themselves always fit"


def test_values_out_of_range_are_refused():
    with pytest.raises(OptionError, match="2 to 10,000"):
        random_cosine(1)
    with pytest.raises(OptionError, match="Give a number above 0"):
        room(10, 0.9)
    with pytest.raises(OptionError, match="Lower the cosine"):
        room(10_000, 0.7)
    with pytest.raises(OptionError, match="Lower the cosine"):
        room(2_095, 0.7)  # the probability is a denormal number, whose inverse overflows
