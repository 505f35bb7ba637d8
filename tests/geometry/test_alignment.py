import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz.geometry.alignment import aligned


def turn(d, seed):
    """A random rotation or reflection."""
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]


@given(st.integers(1, 12), st.integers(0, 10_000))
def test_points_that_were_turned_and_moved_are_turned_back(d, seed):
    points = np.random.default_rng(seed).normal(size=(40, d)).astype(np.float32)
    elsewhere = points @ turn(d, seed + 1) + 5
    assert np.allclose(aligned(elsewhere.astype(np.float32), points), points, atol=1e-4)


def test_distances_stay_as_they_are():
    random = np.random.default_rng(0)
    points, onto = random.normal(size=(2, 50, 3)).astype(np.float32)
    turned = aligned(points, onto)
    gaps = [np.linalg.norm(some[:, None] - some[None], axis=2) for some in (points, turned)]
    assert np.allclose(*gaps, atol=1e-4)
    assert np.allclose(turned.mean(axis=0), onto.mean(axis=0), atol=1e-5)


def test_no_other_rotation_comes_nearer():
    random = np.random.default_rng(1)
    points, onto = random.normal(size=(2, 60, 2))
    points, onto = points - points.mean(axis=0), onto - onto.mean(axis=0)
    found = ((aligned(points, onto) - onto) ** 2).sum()
    angles = np.linspace(0, 2 * np.pi, 720)
    turns = [np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) for a in angles]
    turns += [np.diag([1, -1]) @ rotation for rotation in turns]
    assert found <= min(((points @ rotation - onto) ** 2).sum() for rotation in turns) + 1e-4


def test_scaled_only_when_asked():
    points = np.random.default_rng(2).normal(size=(30, 2)).astype(np.float32)
    assert np.allclose(aligned(3 * points, points, scale=True), points, atol=1e-4)
    assert aligned(3 * points, points).std(axis=0) == pytest.approx(3 * points.std(axis=0), rel=1e-4)


def test_equal_points_stay_one_point():
    onto = np.random.default_rng(3).normal(size=(5, 2)).astype(np.float32)
    assert np.allclose(aligned(np.ones((5, 2), np.float32), onto, scale=True), onto.mean(axis=0), atol=1e-6)


def test_another_shape_is_a_sentence():
    with pytest.raises(ValueError, match=r"Points of shape \(5, 2\) cannot be turned onto points of shape \(5, 3\)"):
        aligned(np.ones((5, 2), np.float32), np.ones((5, 3), np.float32))
