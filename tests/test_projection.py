import numpy as np
import pytest

from embedviz.options import OptionError
from embedviz.projection import PROJECTIONS, Projection, project, whereabouts
from embedviz.space import VectorSpace


@pytest.mark.parametrize("method", PROJECTIONS)
def test_every_projection_gives_finite_read_only_points_and_says_what_it_means(builtin, method):
    shown = project(builtin, range(300), method)
    assert shown.points.shape == (300, 2)
    assert shown.points.dtype == np.float32
    assert np.isfinite(shown.points).all()
    assert not shown.points.flags.writeable
    assert shown.meaning.endswith(".")
    assert list(shown.words[:2]) == ["the", "of"]


def test_pca_is_the_singular_value_decomposition(builtin):
    rows = np.arange(500)
    centered = builtin.matrix[rows] - builtin.matrix[rows].mean(axis=0)
    left, values, _ = np.linalg.svd(centered.astype(np.float64), full_matrices=False)
    expected = left[:, :2] * values[:2]
    points = project(builtin, rows).points
    for axis in (0, 1):
        assert abs(np.corrcoef(points[:, axis], expected[:, axis])[0, 1]) == pytest.approx(1, abs=1e-4)
        assert np.linalg.norm(points[:, axis]) == pytest.approx(values[axis], rel=1e-3)
    share = values[:2] ** 2 / (values**2).sum()
    assert project(builtin, rows).axes[0] == f"direction 1 ({100 * share[0]:.1f} % of variance)"


def test_other_directions_and_unit_rows(builtin):
    third = project(builtin, range(500), x=3, y=1)
    assert np.allclose(third.points[:, 1], project(builtin, range(500)).points[:, 0], atol=1e-4)
    unit = project(builtin, range(500), rows_as="unit")
    assert not np.allclose(unit.points, project(builtin, range(500)).points, atol=1e-2)


def test_the_same_map_every_time(builtin):
    assert np.array_equal(project(builtin, range(400)).points, project(builtin, range(400)).points)


def test_far_apart_on_the_map_is_far_apart_in_the_space(builtin):
    """What the page says of PCA: a distance on the map is never longer than in the space."""
    shown = project(builtin, range(200))
    there = np.linalg.norm(builtin.matrix[:200, None] - builtin.matrix[None, :200], axis=2)
    here = np.linalg.norm(shown.points[:, None] - shown.points[None], axis=2)
    assert (here <= there + 1e-4).all()


def test_a_constant_space_makes_a_map_without_shares():
    flat = VectorSpace(["a", "b", "c", "d"], np.ones((4, 3)))
    with np.errstate(all="ignore"):
        shown = project(flat)
    assert np.isfinite(shown.points).all()


@pytest.mark.parametrize(
    ("rows", "options", "says"),
    [
        (range(2), {}, "needs three words"),
        (range(3), {"x": 3}, "2 principal directions"),
        (range(9), {"x": 99}, "from 1 to 10"),
        (range(9), {"perplexity": 3}, "Its options: x, y, rows_as"),
    ],
)
def test_what_makes_no_map_is_a_sentence(builtin, rows, options, says):
    with pytest.raises(OptionError, match=says):
        project(builtin, rows, **options)


def test_one_dimension_is_a_sentence():
    with pytest.raises(OptionError, match="1 principal directions"):
        project(VectorSpace(list("abcd"), np.arange(4)[:, None]))


def test_whereabouts_are_seen_from_the_word():
    points = np.array([[0, 0], [1, 0], [2, 0], [9, 9]], np.float32)
    shown = Projection(list("abcd"), np.array([10, 11, 12, 13]), points, "pca", {}, (), "")
    assert whereabouts(shown, 10, np.array([11, 13, 99]), k=2) == ("near", "elsewhere", "absent")
    assert whereabouts(shown, 99, np.array([11, 98])) == ("elsewhere", "absent")
