import numpy as np
import pytest
from sklearn.datasets import make_swiss_roll
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import NearestNeighbors

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.geometry.intrinsic import intrinsic_dimension, levina_bickel, neighbor_distances, two_nn


def shapes():
    """Surfaces of known dimension, in more columns."""
    random = np.random.default_rng(0)
    a, b = random.uniform(0, 2 * np.pi, (2, 1_000))
    yield 1, np.stack([np.cos(a), np.sin(a)], axis=1)
    yield 2, np.stack([(3 + np.cos(b)) * np.cos(a), (3 + np.cos(b)) * np.sin(a), np.sin(b)], axis=1)
    yield 2, make_swiss_roll(1_000, random_state=0)[0]
    yield 4, random.uniform(size=(1_000, 4)) @ np.linalg.qr(random.normal(size=(30, 4)))[0].T


def test_distances_are_those_of_scikit_learn():
    rows = np.random.default_rng(1).normal(size=(300, 12))
    expected = NearestNeighbors(n_neighbors=7, algorithm="kd_tree").fit(rows).kneighbors()[0]
    assert np.allclose(np.sort(neighbor_distances(rows, 7), axis=0), np.sort(expected, axis=0), atol=1e-9)


def test_the_fit_of_two_nn_is_the_regression_through_the_origin():
    """Facco et al. 2017: ln μ against −ln(1 − F), without the largest tenth."""
    distances = neighbor_distances(np.random.default_rng(2).normal(size=(500, 6)), 2)
    logs = np.sort(np.log(distances[:, 1] / distances[:, 0]))[:450]
    levels = -np.log(1 - np.arange(450) / 500)
    line = LinearRegression(fit_intercept=False).fit(logs[:, None], levels)
    assert two_nn(distances) == pytest.approx(line.coef_[0], rel=1e-9)


def test_a_worked_example_of_levina_and_bickel():
    """Distances 1, 2, 4: ln 4 and ln 2 have the mean 1.5 ln 2."""
    assert levina_bickel(np.array([[1.0, 2.0, 4.0]])) == pytest.approx(1 / (1.5 * np.log(2)))


@pytest.mark.parametrize(("dimension", "rows"), [*shapes()])
def test_shapes_have_their_dimension(dimension, rows):
    distances = neighbor_distances(rows, 20)
    assert levina_bickel(distances) == pytest.approx(dimension, rel=0.15)
    assert two_nn(distances) == pytest.approx(dimension, rel=0.15)


def test_a_ring_has_fewer_dimensions_than_its_copies_and_noise_has_not():
    random = np.random.default_rng(3)
    angle = random.uniform(0, 2 * np.pi, 200)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1) + 0.001 * random.normal(size=(200, 2))
    words = [f"w{row}" for row in range(200)]
    found = intrinsic_dimension(VectorSpace(words, ring.astype(np.float32)), unit=False, k=10)
    assert found.fewer
    assert found.levina_bickel == pytest.approx(1, abs=0.2)
    assert np.mean(found.copies_levina_bickel["gaussian"]) == pytest.approx(2, abs=0.4)
    assert found.linear == pytest.approx(2, abs=0.1)
    noise = [
        intrinsic_dimension(VectorSpace(words, random.normal(size=(200, 8)).astype(np.float32)), k=10).fewer
        for _ in range(10)
    ]
    assert sum(noise) <= 3, "a rate of 5 % gives more than 3 of 10 once in a thousand times"


def test_too_few_rows_are_a_sentence():
    with pytest.raises(OptionError, match="10 different rows were found"):
        intrinsic_dimension(VectorSpace([*"abcdefghij"], np.eye(10, dtype=np.float32)))


@pytest.mark.parametrize("d", [2, 8])
def test_rows_of_one_direction_are_a_sentence(d):
    random = np.random.default_rng(0)
    rows = np.outer(random.uniform(1, 2, 200), random.normal(size=d)).astype(np.float32)
    space = VectorSpace([f"w{row}" for row in range(200)], rows)
    with pytest.raises(OptionError, match="0 different directions were found"):
        intrinsic_dimension(space)
