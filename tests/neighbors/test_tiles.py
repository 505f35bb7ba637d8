"""Lists of the nearest as on a graphics card, beside those of numpy."""

import numpy as np
import pytest
import torch

from embedviz.core import device, graphics_card
from embedviz.core.space import Origin, VectorSpace
from embedviz.geometry.isotropy import moments as isotropy_moments
from embedviz.geometry.isotropy.moments import _sums_by_torch
from embedviz.neighbors import METRICS, nearest_lists, occurrences, tiles


def same(found, expected):
    """Values are equal within the stated tolerance, and so are rows but where values are nearer than that."""
    (lists, ours), (others, theirs) = found, expected
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5 * np.abs(theirs).max())
    assert (lists == others).mean() > 0.99
    return True


@pytest.fixture
def small_tiles(monkeypatch):
    monkeypatch.setattr(tiles, "_ROWS", 64)
    monkeypatch.setattr(tiles, "_QUERIES", 50)


@pytest.mark.parametrize("metric", list(METRICS))
def test_a_card_finds_the_lists_of_numpy(space, forced_card, small_tiles, metric):
    """The last row is zeros; the blocks are merged, and the last one is smaller than k."""
    rows = np.array([0, 5, 63, 64, 150, *range(70, 130)])
    expected, done = nearest_lists(space, rows, 12, metric, device="cpu"), []
    assert graphics_card.LastUse.name == "cpu"
    found = nearest_lists(space, rows, 12, metric, done=done.append)
    assert graphics_card.LastUse.name == "cpu:0"
    assert same(found, expected)
    assert not (found[0] == rows[:, None]).any()
    assert 199 not in found[0]
    assert done == [50, 65]


def test_every_metric_is_known_to_a_card():
    assert set(tiles.SCORES) == set(METRICS)


def test_a_full_card_takes_fewer_queries_and_at_last_numpy_finds_them(space, forced_card, monkeypatch, caplog):
    rows, best = np.arange(100), tiles._best_of
    expected = nearest_lists(space, rows, 5, device="cpu")
    sizes = []

    def limited(most):
        def search(space, rows, *more):
            if len(rows) > most:
                raise torch.OutOfMemoryError
            sizes.append(len(rows))
            return best(space, rows, *more)

        return search

    monkeypatch.setattr(tiles, "_best_of", limited(30))
    assert same(nearest_lists(space, rows, 5), expected)
    assert (max(sizes), sum(sizes), caplog.messages) == (25, 100, [])
    monkeypatch.setattr(tiles, "_best_of", limited(0))
    np.testing.assert_array_equal(nearest_lists(space, rows, 5)[0], expected[0])
    assert "too little free memory" in caplog.text


def test_hubs_are_the_same_and_say_how_far_they_are(space, forced_card):
    result = []
    ours = occurrences(space, 5, report=lambda fraction, message: result.append((fraction, message)))
    expected = nearest_lists(space, ours.rows, 5, device="cpu")
    np.testing.assert_array_equal(ours.counts, np.bincount(expected[0].ravel(), minlength=200))
    assert result[-1] == (1.0, "199 of 199 lists of neighbors")


def test_the_sums_of_isotropy_are_those_of_numpy():
    matrix = np.random.default_rng(0).normal(3, 1, size=(5_000, 20)).astype(np.float32)
    space = VectorSpace([f"w{n}" for n in range(5_000)], matrix, origin=Origin("test", "cone", "none"))
    rows = np.arange(0, 5_000, 2)
    expected = isotropy_moments(space, rows, device="cpu")
    total, products = _sums_by_torch(space, rows, expected.origin, "cpu")
    for found, theirs in ((total, expected.total), (products, expected.products)):
        np.testing.assert_allclose(found, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())


@pytest.mark.gpu
@pytest.mark.parametrize("metric", list(METRICS))
def test_a_real_card_finds_the_lists_of_numpy(builtin, metric):
    if device.chosen_device() == "cpu":
        pytest.skip("there is no graphics card")
    rows = np.arange(0, 20_000, 10)
    expected = nearest_lists(builtin, rows, 10, metric, device="cpu")
    found = nearest_lists(builtin, rows, 10, metric, device=device.chosen_device().partition(":")[0])
    assert graphics_card.LastUse.name == device.chosen_device()
    assert same(found, expected)


@pytest.mark.gpu
def test_a_real_card_sums_as_numpy(builtin):
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA card")
    rows = np.arange(len(builtin))
    ours, theirs = (isotropy_moments(builtin, rows, device=name) for name in ("cuda", "cpu"))
    np.testing.assert_allclose(ours.products, theirs.products, rtol=0, atol=1e-12 * np.abs(theirs.products).max())
