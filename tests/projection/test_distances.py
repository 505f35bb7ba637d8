import numpy as np
import pytest
from scipy.stats import chi2
from sklearn.random_projection import johnson_lindenstrauss_min_dim

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.projection.distances import least_dimensions, random_projections


@pytest.mark.parametrize(
    ("rows", "epsilon", "expected"), [(10**6, 0.5, 663), (10**6, 0.1, 11841), (10**4, 0.1, 7894), (10**5, 0.1, 9868)]
)
def test_the_bound_is_that_of_scikit_learn(rows, epsilon, expected):
    assert least_dimensions(rows, epsilon) == expected
    assert least_dimensions(rows, epsilon) == johnson_lindenstrauss_min_dim(rows, eps=epsilon)


def test_independent_pairs_have_the_chi_squared_law(builtin):
    """k times a squared ratio is χ² with k degrees of freedom for each pair."""
    found = random_projections(builtin, epsilon=0.2, sizes=(64, 512))
    for size in found.sizes:
        law = chi2(size.size)
        expected = law.cdf(1.2 * size.size) - law.cdf(0.8 * size.size)
        assert size.within == pytest.approx(expected, abs=0.08)
        assert size.spread == pytest.approx(size.expected, rel=0.2)
        assert size.low < 1 < size.high
    assert found.pairs == 300 * 299 // 2


def test_at_the_bound_all_pairs_are_kept():
    rows = np.random.default_rng(0).normal(size=(50, 20)).astype(np.float32)
    space = VectorSpace([f"w{row}" for row in range(50)], rows)
    bound = least_dimensions(50, 0.5)
    assert random_projections(space, epsilon=0.5, sizes=(bound,)).sizes[0].within == 1


def test_values_out_of_range_are_refused(builtin):
    with pytest.raises(OptionError, match="ε between 0 and 1"):
        least_dimensions(10, 1.0)
    with pytest.raises(OptionError, match="numbers of dimensions"):
        random_projections(builtin, sizes=(0,))
