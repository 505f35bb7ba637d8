import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.geometry.alignment import aligned
from embedviz.projection import project
from embedviz.projection.coloring import REST, coloring
from embedviz.projection.quality import check
from embedviz.projection.quality.patches import on_map, patches
from embedviz.projection.quality.stability import _common, stability, wandering
from embedviz.projection.quality.staying import PatchRuns, compare, overlaps, patches_over_runs, weighted
from embedviz.synthetic import synthetic_space

OPTIONS = {"iterations": 250, "perplexity": 15}


def test_groups_keep_their_neighbors_and_noise_does_not():
    found = {}
    for kind, options in (("clusters", {"strength": 12}), ("noise", {})):
        space = synthetic_space(kind, n=120, d=20, **options)
        found[kind] = stability(space, np.arange(120), "tsne", OPTIONS, k=10, runs=3)
        assert found[kind].common_chance == pytest.approx((10 / 119) ** 2)
        assert found[kind].wander.mean() < found[kind].wander_chance
    assert found["clusters"].common.mean() > found["noise"].common.mean() > found["noise"].common_chance
    space = synthetic_space("noise", n=120, d=20)
    color = coloring(space, np.arange(120), "wander", measured=found["noise"])
    assert color.kind == "value"
    assert "points exchanged at random" in color.note
    assert "random layouts" in coloring(space, np.arange(120), "stable", measured=found["noise"]).note
    wander = [row[1] for row in found["noise"].table()[1]]
    assert wander == sorted(wander, reverse=True)


def test_what_wanders_is_what_a_turn_and_a_scale_leave():
    random = np.random.default_rng(0)
    one = random.normal(size=(50, 2))
    assert wandering([one, one, one]).max() == pytest.approx(0)
    moved = one.copy()
    moved[7] += [6, 0]
    values = wandering([one, moved])
    assert values.argmax() == 7
    assert values[7] == pytest.approx(3 / np.sqrt(((one - one.mean(axis=0)) ** 2).sum(axis=1).mean()))
    again = 3 * one @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + 5
    assert wandering([one, aligned(again, one, scale=True)]).max() == pytest.approx(0, abs=1e-6)


def test_a_method_without_chance_is_refused(builtin):
    with pytest.raises(OptionError, match="PCA does not depend on chance"):
        stability(builtin, np.arange(50), "pca")
    with pytest.raises(OptionError, match="too few"):
        stability(builtin, np.arange(10), "tsne")


def test_what_differs_is_a_setting_or_a_sample_and_the_sentence_says_which():
    space = synthetic_space("clusters", n=120, d=20, strength=12)
    rows, options = np.arange(120), {"iterations": 250, "perplexity": 12}
    found = stability(space, rows, "tsne", options, over="neighborhood", k=10, runs=3)
    assert found.over == "3 values of perplexity, 4 to 12"
    sampled = stability(space, rows, "tsne", options, over="sample", k=10, runs=3)
    assert "all but the first draw 80\u00a0% of the rows" in sampled.meaning
    for each in (found, sampled):
        assert each.common.mean() > 3 * each.common_chance
        assert each.wander.mean() < each.wander_chance
        assert np.isfinite(each.wander).all()
    linear = stability(space, rows, "pca", {}, over="sample", runs=3)
    assert linear.wander.mean() < sampled.wander.mean()
    with pytest.raises(OptionError, match="t-SNE has no setting for the spacing: min_dist"):
        stability(space, rows, "tsne", options, over="spacing")
    with pytest.raises(OptionError, match="it may be: seed"):
        stability(space, rows, "tsne", options, over="weather")


def test_a_setting_at_its_limit_is_lowered_for_fewer_rows(tmp_path, monkeypatch):
    """A sample has fewer rows than the map, and so have copies if rows of zeros are left out."""
    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path))
    matrix = np.random.default_rng(0).normal(size=(61, 10)).astype(np.float32)
    matrix[5] = 0
    space, rows = VectorSpace([f"w{row}" for row in range(61)], matrix), np.arange(61)
    made = project(space, rows, "tsne", perplexity=20, iterations=250)
    given = space, rows, "tsne", made.parameters
    assert stability(*given, points=made.points, over="sample", runs=2).runs == 2
    assert check(*given, points=made.points, copies=3).quality.shown == 60
    assert check(*given[:3], {**made.parameters, "perplexity": "12"}, points=made.points, copies=3).copies.count == 3
    assert patches(*given, points=made.points, copies=9).shown == 60
    with pytest.raises(OptionError, match="perplexity is 21"):
        check(space, rows, "tsne", {**made.parameters, "perplexity": 21}, points=made.points)


def test_neighbors_in_common_are_those_of_scikit_learn_among_the_rows_of_a_run():
    random = np.random.default_rng(5)
    maps, k = [random.normal(size=(60, 2)).astype(np.float32) for _ in range(2)], 6
    has = random.random(60) < 0.8
    found, chance = _common([maps[0], maps[1][has]], [np.ones(60, bool), has], k)
    rows = np.flatnonzero(has)
    whole = NearestNeighbors(n_neighbors=k).fit(maps[0]).kneighbors(return_distance=False)
    part = rows[NearestNeighbors(n_neighbors=k).fit(maps[1][has]).kneighbors(return_distance=False)]
    for row in range(60):
        there = set(part[rows.tolist().index(row)].tolist()) if has[row] else set()
        kept = [near in there or not has[near] or not has[row] for near in whole[row].tolist()]
        assert found[row] == pytest.approx(np.mean(kept))
    exchanged = [
        _common([maps[0], random.permutation(maps[1][has])], [np.ones(60, bool), has], k)[0].mean() for _ in range(200)
    ]
    assert chance == pytest.approx(np.mean(exchanged), abs=0.01)


def test_the_overlap_of_two_sets_is_the_part_of_their_points_that_both_have():
    first, other = np.array([0, 0, 0, 1, 1, -1]), np.array([1, 1, 0, 0, -1, 2])
    assert overlaps(first, other, 3) == pytest.approx([2 / 3, 1 / 3, 0])
    assert overlaps(first, np.full(6, -1), 2) == pytest.approx([0, 0])


def test_a_patch_stays_if_the_other_runs_have_it_and_changes_if_one_tears_it():
    """Four patches by hand; the second run deals the points of two of them out anew, the third lacks some rows."""
    random = np.random.default_rng(0)
    n, patch = 160, np.arange(160) % 4
    torn = np.where(patch < 2, random.integers(0, 2, n), patch)
    has = random.random(n) < 0.8
    noise = random.normal(scale=0.5, size=(3, n, 2))
    maps = [np.stack([20.0 * each, 0 * each], axis=1) + noise[at] for at, each in enumerate((patch, torn, patch))]
    present = [np.ones(n, bool), np.ones(n, bool), has]
    found = compare([maps[0], maps[1], maps[2][has]], present, np.ones(n, bool))
    assert np.array_equal(found.labels, on_map(maps[0].astype(np.float32)))
    whole = np.array([len({*patch[found.labels == each].tolist()} & {0, 1}) == 0 for each in range(4)])
    assert whole.sum() == 2
    assert found.overlap[whole].mean(axis=1) == pytest.approx([1, 1])
    assert found.overlap[~whole, 0].max() < 0.7
    assert found.chance.max() < 0.3


def test_planted_clusters_stay_together_more_than_structureless_copies_and_noise_does_not():
    found = {}
    for kind, d, more in (("clusters", 20, {"strength": 12}), ("noise", 2, {})):
        space = synthetic_space(kind, n=100, d=d, **more)
        found[kind] = patches_over_runs(space, np.arange(100), "pca", {}, over="sample", runs=3)
    assert found["clusters"].beyond_copies
    assert not found["noise"].beyond_copies
    for each in found.values():
        assert len(each.copies) == 9
        assert each.copies.max() <= each.limit
        assert each.mean == pytest.approx(np.average(each.means, weights=each.sizes))
        assert ("more than patches" in each.meaning) == each.beyond_copies
        assert [row[1] for row in each.table()[1]] == list(each.sizes)
    color = coloring(space, np.arange(100), "stays", measured=found["noise"])
    assert np.array_equal(color.codes == REST, found["noise"].labels < 0)
    assert "random split" in color.note
    with pytest.raises(OptionError, match="9 or more"):
        patches_over_runs(space, np.arange(100), copies=3)


def test_a_map_without_patches_has_no_verdict_and_copies_at_one_leave_no_room_for_one():
    empty = {"names": (), "central": np.empty(0, int), "sizes": (), "chance": np.empty(0), "overlap": np.empty((0, 4))}
    none = PatchRuns(np.full(80, -1), shown=80, copies=np.empty(0), over="5 seeds", **empty)
    assert (none.mean, none.limit, none.beyond_copies) == (0.0, 1.0, False)
    assert "no patches" in none.meaning
    assert weighted(np.array([1.0, 0.0]), (30, 10)) == 0.75
    one = {"names": ("a",), "central": np.zeros(1, int), "sizes": (80,), "chance": np.ones(1)}
    near = PatchRuns(
        np.zeros(80, int), overlap=np.full((1, 4), 0.842), shown=80, copies=np.full(9, 0.838), over="", **one
    )
    assert "84.2\xa0%" in near.meaning
    assert "83.8\xa0%" in near.meaning
    for copies, beyond in ((np.full(9, 0.4), True), (np.r_[np.full(8, 0.4), 1.0], False)):
        found = PatchRuns(np.zeros(80, int), overlap=np.ones((1, 4)), shown=80, copies=copies, over="5 seeds", **one)
        assert found.beyond_copies is beyond
        assert ("compare samples" in found.meaning) is not beyond
