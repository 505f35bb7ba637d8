"""Intervals of observations that share units: they hold the truth in 95 of 100 designs drawn, and Holm is Holm's."""

import numpy as np
import pytest

from embedviz.core.stats.intervals import wilson
from embedviz.core.stats.resampling import (
    correlation_interval,
    drawn_means,
    effective,
    holm,
    holm_divisors,
    mean_gap,
    quantile,
    share_gap,
    share_interval,
    shared_variance,
    tail,
    units_of,
)


def crossed(n):
    """Every ordered pair of n units, as questions are made of word pairs."""
    return units_of([(i, j) for i in range(n) for j in range(n) if i != j], "word pairs", crossed=True)


def alone(n, **how):
    return units_of([(row,) for row in range(n)], "words", **how)


def test_holm_is_that_of_the_definition():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_each_value_is_below_its_share_of_the_level_exactly_where_holm_finds_it():
    assert holm_divisors([0.01, 0.04, 0.03, 0.005], 0.05) == [3, 2, 2, 4]
    random = np.random.default_rng(0)
    for count in (1, 2, 5, 10) * 20:
        values = (random.random(count) ** 3).tolist()
        divisors = holm_divisors(values, 0.05)
        assert [p < 0.05 for p in holm(values)] == [
            p < 0.05 / divisor for p, divisor in zip(values, divisors, strict=True)
        ]


def test_students_t_is_scipys():
    from scipy import stats

    assert quantile(9) == pytest.approx(stats.t.ppf(0.975, 9))
    assert tail(-2.1, 9) == pytest.approx(2 * stats.t.sf(2.1, 9))


def test_drawn_means_are_those_of_units_drawn_one_by_one():
    units, random = crossed(5), np.random.default_rng(1)
    values = random.random((20, 2))
    weights = np.random.default_rng(3).multinomial(5, np.full(5, 1 / 5), 50)
    expected = []
    for drawn in weights:
        times = drawn[units.members[:, 0]] * drawn[units.members[:, 1]]
        if times.sum():
            expected.append((times[:, None] * values).sum(axis=0) / times.sum())
    assert drawn_means(values, units, seed=3, draws=50) == pytest.approx(np.array(expected))


def test_units_are_drawn_within_their_strata():
    """Two strata of which one is always right and one always wrong: their mix stays what it is."""
    keys = [(s, i, j) for s in (0, 1) for i in range(30) for j in range(30) if i != j]
    units = units_of([((s, i), (s, j)) for s, i, j in keys], "x", strata=[s for s, _, _ in keys], crossed=True)
    values = np.array([[float(s)] for s, _, _ in keys])
    whole = units_of([((s, i), (s, j)) for s, i, j in keys], "x", crossed=True)
    assert drawn_means(values, units).std() < 0.02
    assert drawn_means(values, whole).std() > 0.05


def test_the_variance_is_that_of_independent_observations_where_none_is_shared():
    values = np.random.default_rng(0).random(50)
    assert shared_variance(values, alone(50)) == pytest.approx(values.var() / 50)
    assert effective(values, alone(50)) == pytest.approx(50)
    twice = units_of([(row // 2,) for row in range(100)], "sentences")
    assert effective(np.repeat(values, 2), twice) == pytest.approx(50)
    assert share_interval(values > 0.5, alone(50)) == pytest.approx(
        wilson(float((values > 0.5).mean()), 50, quantile(49))
    )


@pytest.mark.parametrize(("spread", "level"), [(0.0, 0.0), (1.5, 1.0), (1.5, 3.0)])
def test_the_interval_of_a_share_holds_it(spread, level):
    """Questions whose difficulty comes from their pairs; Wilson's interval over questions holds it in half of cases."""
    random, units, n = np.random.default_rng(5), crossed(20), 20
    effects = random.normal(size=(400_000, 2)) * spread
    truth = float((1 / (1 + np.exp(-level - effects.sum(axis=1)))).mean())
    held, naive = [], []
    for _ in range(150):
        one, other = random.normal(size=(2, n)) * spread
        chance = 1 / (1 + np.exp(-level - one[units.members[:, 0]] - other[units.members[:, 1]]))
        right = random.random(len(chance)) < chance
        low, high = share_interval(right, units)
        held.append(low <= truth <= high)
        low, high = wilson(float(right.mean()), len(right))
        naive.append(low <= truth <= high)
    assert np.mean(held) > 0.9
    assert not spread or np.mean(naive) < 0.75


def test_a_share_of_all_or_none_has_an_interval():
    for right in (True, False):
        low, high = share_interval(np.full(380, right), crossed(20))
        assert high - low > 0.1
        assert (low, high) == pytest.approx(wilson(float(right), 20, quantile(19)))
    assert share_interval(np.zeros(0, bool), crossed(3).of(np.zeros(6, bool))) == (0, 1)


def test_a_difference_of_nothing_is_told_in_few_cases():
    random, units = np.random.default_rng(6), crossed(15)
    result = 0
    for _ in range(150):
        hard = random.normal(size=15)
        chance = 1 / (1 + np.exp(-hard[units.members].sum(axis=1)))
        result += share_gap(*(random.random((2, len(chance))) < chance), units).p < 0.05
    assert result / 150 < 0.06
    sure = share_gap(np.ones(210, bool), np.arange(210) % 2 == 0, units)
    assert sure.ahead
    assert sure.p < 0.001


@pytest.mark.parametrize("rho", [0.0, 0.7])
def test_the_interval_of_a_correlation_holds_it(rho):
    random, n = np.random.default_rng(7), 300
    words = random.integers(0, 120, (n, 2))
    units = units_of([tuple(each) for each in words.tolist()], "words")
    held = []
    for _ in range(200):
        z = random.normal(size=(2, 120)), random.normal(size=(2, n))
        one, two = ((a[0], rho * a[0] + np.sqrt(1 - rho**2) * a[1]) for a in z)
        x, y = (np.sqrt(0.25) * w[words].sum(axis=1) + np.sqrt(0.5) * e for w, e in zip(one, two, strict=True))
        x, y = ((v - v.mean()) / v.std() for v in (x, y))
        found = float((x * y).mean())
        low, high = correlation_interval(found, x * y - found / 2 * (x**2 + y**2), units)
        held.append(low <= rho <= high)
    assert np.mean(held) > 0.9
    assert correlation_interval(0.5, np.zeros(4), alone(4)) == (-1, 1)


def test_the_gap_of_two_means_is_students():
    from scipy import stats

    values = np.random.default_rng(8).normal(0.3, 1, 40)
    gap = mean_gap(float(values.mean()), values, alone(40))
    assert gap.p == pytest.approx(stats.ttest_1samp(values, 0).pvalue, rel=0.2)
    assert gap.low < gap.value < gap.high
    assert mean_gap(0.0, np.zeros(40), alone(40)) == (0, 0, 0, 1)
