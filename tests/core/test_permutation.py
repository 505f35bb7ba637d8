"""Families of permutation tests: their level on noise, their bands, and which labels may be shuffled."""

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.stats.intervals import LEVEL
from embedviz.core.stats.permutation import exchange, family, paired


def statistics(random, count):
    """Ten statistics of very different kinds, correlated, of so many permutations."""
    drawn = random.standard_normal((10, count)) + 0.7 * random.standard_normal(count)
    drawn[3], drawn[4], drawn[5] = np.exp(2 * drawn[3]), 0.25, np.round(drawn[5])
    return drawn


@pytest.mark.parametrize("count", [100, 499])
def test_a_family_leaves_its_bands_in_five_percent_of_cases_and_p_says_the_same(count):
    random, outside, runs = np.random.default_rng(0), 0, 600
    for _ in range(runs):
        drawn = statistics(random, count + 1)
        found = family(drawn[:, 0], drawn[:, 1:])
        out = (drawn[:, 0] < found.low) | (drawn[:, 0] > found.high)
        assert (out == (found.p <= LEVEL)).all()
        assert not out[4]
        outside += out.any()
    error = np.sqrt(LEVEL * (1 - LEVEL) / runs)
    assert 0.5 * LEVEL < outside / runs < LEVEL + 3 * error


def test_without_a_family_some_statistic_would_be_outside_far_more_often():
    random, outside = np.random.default_rng(1), 0
    for _ in range(100):
        drawn = random.standard_normal((10, 200))
        outside += any(family(each[:1], each[None, 1:]).p[0] <= LEVEL for each in drawn)
    assert outside / 100 > 0.25


def test_one_statistic_has_the_plain_permutation_p():
    permuted = np.random.default_rng(2).standard_normal((1, 999))
    for value in (0.0, 1.0, 2.5, 9.0):
        found = family(np.array([value]), permuted)
        plain = (1 + (np.abs(permuted) >= value).sum()) / 1_000
        assert found.p[0] == pytest.approx(plain, abs=0.05 * plain + 0.01)
    assert family(np.array([9.0]), permuted).p[0] == 1 / 1_000


def test_too_few_permutations_are_refused():
    assert family(np.zeros(1), np.random.default_rng(0).normal(size=(1, 19))).p[0] > LEVEL
    with pytest.raises(OptionError, match="18 permutations are too few"):
        family(np.zeros(1), np.zeros((1, 18)))


def test_points_of_a_unit_stay_together_and_blocks_keep_their_labels():
    units = np.array([4, 4, 1, 1, 1, 7, 9, 9])
    blocks = np.array([0, 0, 0, 0, 0, 5, 5, 5])
    labels = np.array(["a", "a", "b", "b", "b", "a", "b", "b"])
    allowed = exchange(8, units, blocks)
    drawn = labels[allowed.draw(400, np.random.default_rng(0))]
    for unit in np.unique(units):
        assert (drawn[units == unit] == drawn[units == unit][0]).all()
    for block in (0, 5):
        first = [np.flatnonzero(units == unit)[0] for unit in np.unique(units[blocks == block])]
        assert (np.sort(drawn[first], axis=0) == [["a"], ["b"]]).all()
    kinds = np.unique(drawn, axis=1).shape[1]
    assert kinds == 4  # two units in each of two blocks
    assert np.mean(drawn[0] == "a") == pytest.approx(0.5, abs=0.1)


def test_without_units_and_blocks_all_orders_are_alike():
    places = exchange(4).draw(12_000, np.random.default_rng(0))
    _, counts = np.unique(places, axis=1, return_counts=True)
    assert len(counts) == 24
    assert np.abs(counts - 500).max() < 120


def test_paired_differences_are_told_from_noise_and_only_so():
    random, outside = np.random.default_rng(3), 0
    for _ in range(300):
        outside += (paired(random.normal(size=(7, 30)), 400, random).p <= LEVEL).any()
    assert outside / 300 < LEVEL + 3 * np.sqrt(LEVEL / 300)
    shifted = random.normal(size=(7, 30))
    shifted[2] += 1.5
    plain, wider = paired(shifted, 999, random), paired(shifted, 999, random, held_out=0.2)
    assert np.flatnonzero(plain.p <= LEVEL).tolist() == [2]
    assert wider.high[2] == pytest.approx(1.5 * plain.high[2], rel=0.15)  # 1 + 1 ÷ (1 − 1 ÷ 5) is 1.5²
