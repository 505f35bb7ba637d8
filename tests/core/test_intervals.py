"""Intervals beside those of SciPy, and beside samples drawn again and again."""

import numpy as np
import pytest

from embedviz.core.stats.intervals import Share, Z, margin, wilson


def test_shares_have_wilsons_interval():
    from scipy import stats

    for right, of in ((0, 7), (3, 11), (500, 1_000), (7, 7)):
        low, high = stats.binomtest(right, of).proportion_ci(method="wilson")
        assert Share(right, of).interval == pytest.approx((low, high), abs=1e-5)
        assert wilson(right / of, of) == Share(right, of).interval
    assert wilson(2e-12, 1.0)[0] == 0  # without a limit, −6e-17
    assert (Share(0, 0).value, Share(0, 0).interval) == (0, (0, 1))


def test_the_margin_holds_the_mean_of_all_in_95_of_100_samples():
    random = np.random.default_rng(0)
    whole = random.random(1_000)
    samples = [random.choice(whole, 400, replace=False) for _ in range(1_000)]
    held = np.mean([abs(each.mean() - whole.mean()) <= margin(each, len(whole)) for each in samples])
    assert held == pytest.approx(0.95, abs=0.02)
    assert margin(whole, len(whole)) == margin(whole[:1], len(whole)) == 0


def test_z_holds_95_of_100():
    from scipy import stats

    assert stats.norm.cdf(Z) - stats.norm.cdf(-Z) == pytest.approx(0.95, abs=1e-7)
