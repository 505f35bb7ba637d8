import numpy as np
import pytest

from embedviz.core.stats.copies import fitted_cloud


@pytest.mark.parametrize(("n", "d"), [(4_000, 6), (40, 90)])
def test_a_copy_has_the_mean_and_covariance_of_the_rows(n, d):
    random = np.random.default_rng(0)
    rows = (random.standard_t(8, (n, d)) @ random.normal(size=(d, d)) + 3).astype(np.float32)
    copy = fitted_cloud(rows).draw(60_000, random)
    spread = rows.std(axis=0).mean()
    assert np.allclose(copy.mean(axis=0), rows.mean(axis=0), atol=0.05 * spread)
    assert np.abs(np.cov(copy.T) - np.cov(rows.T)).max() < 0.05 * np.abs(np.cov(rows.T)).max()


def test_a_copy_of_clusters_has_none():
    random = np.random.default_rng(1)
    rows = random.normal(size=(1_000, 5)).astype(np.float32)
    rows[::2, 0] += 20
    first = fitted_cloud(rows).draw(1_000, random)[:, 0]
    middle = np.abs(first - first.mean()) < 5
    assert not (np.abs(rows[:, 0] - rows[:, 0].mean()) < 5).any()
    assert middle.mean() > 0.2


def test_a_unit_copy_has_length_one_and_the_same_seed_the_same_copy():
    rows = np.random.default_rng(2).normal(size=(300, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cloud = fitted_cloud(rows, unit=True)
    one, other = (cloud.draw(50, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(one, other)
    assert np.allclose(np.linalg.norm(one, axis=1), 1, atol=1e-5)
