import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.projection import project
from embedviz.projection.coloring import REST, coloring
from embedviz.projection.quality import distortion as module
from embedviz.projection.quality.distortion import distortion, strangers
from embedviz.synthetic import synthetic_space

UNIT = {"rows_as": "unit"}


@pytest.fixture(scope="module")
def visible(builtin):
    return project(builtin, range(400), **UNIT)


@pytest.fixture(scope="module")
def found(builtin, visible):
    return distortion(builtin, visible.rows, "pca", UNIT, points=visible.points, k=10)


def test_the_means_over_points_are_scikit_learns(builtin, visible, found):
    unit = builtin.unit[:400]
    assert found.trustworthiness == pytest.approx(trustworthiness(unit, visible.points, n_neighbors=10), abs=1e-6)
    assert found.continuity == pytest.approx(trustworthiness(visible.points, unit, n_neighbors=10), abs=1e-6)
    assert found.table()[1] == distortion(builtin, visible.rows, "pca", UNIT, k=10).table()[1]


def test_neighbors_and_ranks_of_a_point_are_those_of_sorted_distances(builtin, visible, found):
    far = np.linalg.norm(builtin.unit[:400] - builtin.unit[7], axis=1).argsort()[1:]
    drawn = np.linalg.norm(visible.points - visible.points[7], axis=1).argsort()[1:]
    assert found.true[7].tolist() == far[:10].tolist()
    assert found.near[7].tolist() == drawn[:10].tolist()
    assert found.near_ranks[7].tolist() == [1 + far.tolist().index(place) for place in drawn[:10]]
    assert found.true_ranks[7].tolist() == [1 + drawn.tolist().index(place) for place in far[:10]]
    assert found.kept[7] == len({*far[:10]} & {*drawn[:10]}) / 10


def test_random_layouts_have_the_chance_values():
    random = np.random.default_rng(0)
    space = VectorSpace([str(row) for row in range(300)], random.normal(size=(300, 8)).astype(np.float32))
    drawn = [distortion(space, np.arange(300), points=random.normal(size=(300, 2)), k=15) for _ in range(20)]
    for values in ([each.intruders.mean() for each in drawn], [each.lost.mean() for each in drawn]):
        assert drawn[0].rank_chance == pytest.approx(np.mean(values), abs=0.01)
    assert drawn[0].chance == pytest.approx(np.mean([each.kept.mean() for each in drawn]), abs=0.01)


def test_a_torn_roll_loses_neighbors_at_the_tear_and_a_flattened_one_has_intruders_between_its_turns():
    roll = synthetic_space("roll", n=600, strength=60.0)
    position, height = (np.asarray(roll.metadata[name], np.float64) for name in ("position", "height"))
    unrolled = np.stack([(position**2 - 1) / 4, 8 * height], axis=1)
    rows, euclidean = np.arange(600), {"rows_as": "stored"}
    middle = np.median(unrolled[:, 0])
    torn = unrolled + np.where(unrolled[:, :1] > middle, [[6.0, 0.0]], [[0.0, 0.0]])
    near_tear = np.abs(unrolled[:, 0] - middle) < 0.15
    found = distortion(roll, rows, "pca", euclidean, points=torn)
    assert found.lost[near_tear].mean() > 5 * found.lost[np.abs(unrolled[:, 0] - middle) > 0.7].mean()
    assert np.abs(unrolled[found.places("lost", 20), 0] - middle).max() < 0.5

    turned = position % 2  # from the front, all turns of the sheet lie on each other
    pressed = distortion(roll, rows, "pca", euclidean, points=np.stack([np.cos(np.pi * turned), 8 * height], axis=1))
    whole = distortion(roll, rows, "pca", euclidean, points=unrolled)
    assert pressed.trustworthiness < whole.trustworthiness - 0.1
    one = pressed.near[pressed.places("intruders", 20)]
    apart = np.abs(position[one] - position[pressed.places("intruders", 20)][:, None])
    assert np.median(apart) > 0.5


def test_a_coloring_takes_the_measure_and_says_its_baseline(found, builtin, visible):
    color = coloring(builtin, visible.rows, "kept", measured=found)
    assert color.kind == "value"
    assert (color.low, color.high) == (0, 1)
    assert [float(text) for text in color.described()] == pytest.approx(found.kept, abs=1e-6)
    assert "(random layout: 3\u00a0%)" in color.note
    assert "(random layout: 0.49)" in coloring(builtin, visible.rows, "lost", measured=found).note
    with pytest.raises(OptionError, match="Give measured=distortion"):
        coloring(builtin, visible.rows, "kept")


def test_strangers_of_a_word_are_its_intruders(builtin, visible, found):
    near, ranks = found.near[7], found.near_ranks[7]
    assert strangers(builtin, visible.rows, visible.points, 7, k=10).tolist() == near[ranks > 10].tolist()


def test_a_large_map_is_sampled_and_a_very_large_one_refused(builtin, monkeypatch):
    visible = project(builtin, range(300))
    monkeypatch.setattr(module, "PAIRS", 15_000)
    found = distortion(builtin, visible.rows, points=visible.points)
    assert len(found.rows) == 50
    color = coloring(builtin, visible.rows, "intruders", measured=found)
    assert np.count_nonzero(color.codes != REST) == 50
    assert "Measured for 50 of 300 points" in color.note
    monkeypatch.setattr(module, "PAIRS", 300)
    with pytest.raises(OptionError, match="Choose 173 words or fewer"):
        distortion(builtin, visible.rows, points=visible.points)


def test_rows_of_zeros_have_no_distortion():
    matrix = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    matrix[3] = 0
    space = VectorSpace([f"w{row}" for row in range(30)], matrix)
    found = distortion(space, np.arange(30), "pca", UNIT)
    assert found.shown == 29
    assert coloring(space, np.arange(30), "kept", measured=found).codes[3] == REST
    assert all("w3" not in row for row in found.table(count=30)[1])
