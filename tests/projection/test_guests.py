"""Guests of a map: placed by their neighbors, as scikit-learn finds them, and measured against a random place."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.projection.guests import guests


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_a_guest_stands_at_the_weighted_mean_of_its_nearest(builtin, metric):
    rows, asked = np.arange(100, 400), np.arange(10)
    points = np.random.default_rng(0).normal(size=(300, 2)).astype(np.float32)
    found = guests(builtin, rows, points, asked, metric=metric, k=8)
    reference = NearestNeighbors(n_neighbors=8, metric=metric, algorithm="brute").fit(builtin.matrix[rows])
    distances, near = reference.kneighbors(builtin.matrix[asked])
    for at in range(10):
        weights = np.exp(-(distances[at] - distances[at, 0]) / (distances[at, -1] - distances[at, 0]))
        assert found.points[at] == pytest.approx(np.average(points[near[at]], axis=0, weights=weights), abs=1e-3)
    assert found.chance == 8 / 300


def test_a_drawn_row_stands_at_its_own_point_and_noise_keeps_what_a_random_place_would():
    noise = np.random.default_rng(1)
    space = VectorSpace([f"w{row}" for row in range(1_200)], noise.normal(size=(1_200, 40)).astype(np.float32))
    points = noise.normal(size=(1_000, 2)).astype(np.float32)  # a map that knows nothing of the space
    rows = np.arange(1_000)
    assert guests(space, rows, points, rows[:5]).points == pytest.approx(points[:5])
    found = guests(space, rows, points, np.arange(1_000, 1_200))
    assert found.kept.mean() == pytest.approx(found.chance, abs=0.02)
    assert "not part of the map's computation" in found.meaning
    with pytest.raises(OptionError):
        guests(space, rows, points, rows[:1], metric="other")
