import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from embedviz.options import OptionError
from embedviz.projection import project
from embedviz.quality import measure, permission
from embedviz.space import VectorSpace


@pytest.fixture(scope="module")
def shown(builtin):
    return project(builtin, range(600))


def test_trustworthiness_and_continuity_are_scikit_learns(builtin, shown):
    kept = measure(builtin, shown.rows, shown.points, k=10)
    unit = builtin.unit[:600]
    assert kept.trustworthiness == pytest.approx(trustworthiness(unit, shown.points, n_neighbors=10), abs=1e-6)
    assert kept.continuity == pytest.approx(trustworthiness(shown.points, unit, n_neighbors=10), abs=1e-6)


def test_euclidean_is_scikit_learns_as_well(builtin, shown):
    kept = measure(builtin, shown.rows, shown.points, k=5, metric="euclidean")
    expected = trustworthiness(builtin.matrix[:600], shown.points, n_neighbors=5)
    assert kept.trustworthiness == pytest.approx(expected, abs=1e-6)


def test_a_true_map_keeps_everything():
    points = np.random.default_rng(0).normal(size=(150, 2)).astype(np.float32)
    flat = VectorSpace([str(i) for i in range(150)], points)
    kept = measure(flat, np.arange(150), points * 3 + 1, metric="euclidean")
    assert (kept.neighbor_preservation, kept.triplet_accuracy) == (1, 1)
    assert (kept.trustworthiness, kept.continuity) == (1, 1)
    assert kept.permission.title == "Read neighbors"


def test_a_random_map_keeps_what_chance_gives(builtin):
    points = np.random.default_rng(1).normal(size=(2_000, 2)).astype(np.float32)
    kept = measure(builtin, np.arange(2_000), points)
    assert kept.chance == 15 / 1_999
    assert kept.neighbor_preservation == pytest.approx(kept.chance, abs=0.003)
    assert kept.triplet_accuracy == pytest.approx(0.5, abs=0.01)
    assert kept.trustworthiness == pytest.approx(0.5, abs=0.02)
    assert kept.permission.title == "Do not read distances"


def test_a_sample_lies_within_its_margin(builtin, shown):
    whole = measure(builtin, shown.rows, shown.points)
    part = measure(builtin, shown.rows, shown.points, sample=300, seed=2)
    assert (whole.margin, whole.sample, part.sample) == (0, 600, 300)
    assert part.margin > 0
    assert abs(part.neighbor_preservation - whole.neighbor_preservation) < 2 * part.margin
    assert part.trustworthiness == pytest.approx(whole.trustworthiness, abs=0.02)


def test_the_published_pca_badge_of_the_whole_space(builtin):
    every = project(builtin)
    kept = measure(builtin, every.rows, every.points)
    assert 100 * kept.neighbor_preservation == pytest.approx(0.5, abs=0.1)
    assert kept.triplet_accuracy == pytest.approx(0.61, abs=0.01)
    assert 100 * kept.chance == pytest.approx(0.07, abs=0.005)


def test_the_worst_placed_come_first(builtin, shown):
    kept = measure(builtin, shown.rows, shown.points)
    order = [kept.kept[np.flatnonzero(kept.rows == row)[0]] for row in kept.worst(5)]
    assert order == sorted(kept.kept)[:5]


@pytest.mark.parametrize(
    ("preservation", "triplets", "level"), [(0.5, 0, 3), (0.49, 0, 2), (0.2, 0, 2), (0.1, 0.6, 1), (0.1, 0.59, 0)]
)
def test_permissions(preservation, triplets, level):
    assert permission(preservation, triplets).level == level


def test_chance_gives_no_permission():
    assert permission(0.3, 0.5, chance=0.3).level == 0
    assert permission(0.85, 0.9, chance=0.3).level == 3


def test_tiny_maps(builtin):
    few = project(builtin, range(4))
    assert measure(builtin, few.rows, few.points).k == 1
    with pytest.raises(OptionError, match="four are needed"):
        measure(builtin, np.arange(3), np.zeros((3, 2), np.float32))
    with pytest.raises(OptionError, match="cosine or euclidean"):
        measure(builtin, few.rows, few.points, metric="dot")


def test_progress_reaches_the_end(builtin, shown):
    seen = []
    measure(builtin, shown.rows, shown.points, report=lambda fraction, message: seen.append(fraction))
    assert seen[-1] == 1


def test_equal_rows_get_no_badge():
    """Every list of neighbors would do: a map of equal rows keeps nothing that could be read."""
    equal = VectorSpace([f"w{i}" for i in range(50)], np.ones((50, 6)))
    shown = project(equal)
    assert shown.meaning == "These rows do not differ: the map is one point."
    with pytest.raises(OptionError, match="All 50 rows shown are equal"):
        measure(equal, shown.rows, shown.points)
