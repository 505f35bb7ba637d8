"""Measures of tokens in context: closed forms beside brute force, and what they are of isotropic rows."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from embedviz.geometry.isotropy.tokens import (
    agreement_without,
    baseline,
    explainable,
    group_sums,
    intra_similarity,
    self_similarity,
)


def rows(count, d, seed=0, mean=0.0):
    return (np.random.default_rng(seed).normal(size=(count, d)) + mean).astype(np.float32)


def unit(given):
    return given / np.linalg.norm(given, axis=1, keepdims=True)


def pairs(given):
    """The mean cosine of all pairs, one by one."""
    each = unit(given)
    return np.mean([each[i] @ each[j] for i in range(len(each)) for j in range(len(each)) if i != j])


def test_the_baseline_is_the_mean_over_all_pairs():
    given = rows(40, 7, mean=0.4)
    assert baseline(unit(given)).value == pytest.approx(pairs(given), abs=1e-6)


def test_the_interval_of_the_baseline_holds_what_other_samples_give():
    whole = unit(rows(4_000, 16, mean=0.3))
    true = baseline(whole).value
    random = np.random.default_rng(1)
    drawn = [baseline(whole[random.choice(4_000, 150, replace=False)]) for _ in range(200)]
    assert 0.88 <= np.mean([one.low <= true <= one.high for one in drawn]) <= 0.99


def test_self_similarity_is_the_mean_over_all_pairs_of_each_word():
    given = rows(60, 5, mean=0.2)
    groups = np.random.default_rng(2).integers(0, 7, 60)
    groups[groups == 6] = 5
    groups[0] = 6  # occurs once
    found = self_similarity(unit(given), groups, 8)
    for word in range(6):
        assert found[word] == pytest.approx(pairs(given[groups == word]), abs=1e-6)
    assert np.isnan(found[[6, 7]]).all()


def test_a_row_of_zeros_has_no_cosine_with_any_other():
    given = unit(rows(3, 5))
    with_zero = np.concatenate([given, np.zeros((1, 5), np.float32)])
    groups = np.zeros(4, np.int64)
    expected = self_similarity(given, groups[:3], 1)[0] * 6 / 12
    assert self_similarity(with_zero, groups, 1)[0] == pytest.approx(expected, abs=1e-6)


def test_intra_sentence_similarity_is_the_papers():
    given = rows(30, 6, mean=0.1)
    groups = np.repeat([0, 1, 3], 10)
    found = intra_similarity(given, unit(given), groups, 4)
    for sentence in (0, 1, 3):
        own = given[groups == sentence]
        middle = own.mean(axis=0)
        expected = np.mean([row @ middle / np.linalg.norm(row) / np.linalg.norm(middle) for row in own])
        assert found[sentence] == pytest.approx(expected, abs=1e-5)
    assert np.isnan(found[2])


def test_unrelated_tokens_are_not_unlike_the_mean_that_they_are_part_of():
    given = rows(9_000, 400)
    found = intra_similarity(given, unit(given), np.repeat(np.arange(1_000), 9), 1_000)
    assert found.mean() == pytest.approx(1 / 3, abs=0.005)


def test_explainable_variance_is_the_formula_uncentered_and_pcas_ratio_centered():
    given = rows(6, 20, mean=1.0)
    values = np.linalg.svd(given.astype(np.float64), compute_uv=False) ** 2
    assert explainable(given[None])[0] == pytest.approx(values[0] / values.sum(), abs=1e-6)
    ratio = PCA().fit(given).explained_variance_ratio_[0]
    assert explainable(given[None], centered=True)[0] == pytest.approx(ratio, abs=1e-5)


def test_explainable_variance_is_never_below_its_least_and_close_to_self_similarity():
    given = rows(500, 300).reshape(50, 10, 300)
    assert explainable(given).min() >= 1 / 10
    assert explainable(given, centered=True).min() >= 1 / 9
    alike = rows(10, 300, mean=2.0)
    found = explainable(alike[None])[0]
    assert found == pytest.approx(pairs(alike), abs=0.05)
    assert np.isnan(explainable(np.ones((1, 10, 4), np.float32), centered=True)[0])


def test_one_dimension_that_rules_the_cosines_is_told_by_its_absence():
    random = np.random.default_rng(0)
    given = random.normal(size=(4_000, 50)).astype(np.float32)
    one, other = unit(given[:2_000]), unit(given[2_000:])
    assert agreement_without(one, other, np.array([3])) == pytest.approx(1 - 1 / 50, abs=0.01)
    given[:, 7] += 30 * random.normal(size=4_000)
    one, other = unit(given[:2_000]), unit(given[2_000:])
    rest = [np.delete(each, 7, axis=1) for each in (given[:2_000], given[2_000:])]
    expected = np.corrcoef((one * other).sum(1), (unit(rest[0]) * unit(rest[1])).sum(1))[0, 1] ** 2
    assert agreement_without(one, other, np.array([7])) == pytest.approx(expected, abs=1e-4)
    assert expected < 0.2
    assert agreement_without(one[:, [7]], other[:, [7]], np.array([0])) is None


def test_sums_by_group():
    given = rows(20, 3)
    groups = np.random.default_rng(0).integers(0, 4, 20)
    found = group_sums(given, groups, 6)
    for group in range(6):
        assert found[group] == pytest.approx(given[groups == group].sum(axis=0), abs=1e-5)
