import itertools

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.projection import PROJECTIONS, lay_out, metric_of, project, quality
from embedviz.projection.quality import check, estimate, measure, rank_chance
from embedviz.projection.quality.coranking import ranks
from embedviz.projection.quality.permissions import MapSummary, band, permissions


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def visible(builtin):
    return project(builtin, range(600))


def space_of(matrix):
    return VectorSpace([str(row) for row in range(len(matrix))], np.asarray(matrix, np.float32))


def checked(matrix, method="pca", copies=5, **options):
    return check(space_of(matrix), np.arange(len(matrix)), method, options, copies=copies)


def given(found):
    return tuple(each.given for each in found.permissions)


def test_trustworthiness_and_continuity_are_scikit_learns(builtin, visible):
    kept = measure(builtin, visible.rows, visible.points, k=10)
    unit = builtin.unit[:600]
    assert kept.trustworthiness == pytest.approx(trustworthiness(unit, visible.points, n_neighbors=10), abs=1e-6)
    assert kept.continuity == pytest.approx(trustworthiness(visible.points, unit, n_neighbors=10), abs=1e-6)


def test_euclidean_is_scikit_learns_as_well(builtin, visible):
    kept = measure(builtin, visible.rows, visible.points, k=5, metric="euclidean")
    expected = trustworthiness(builtin.matrix[:600], visible.points, n_neighbors=5)
    assert kept.trustworthiness == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("n", "k"), [(12, 5), (40, 15), (200, 15), (200, 60)])
def test_the_chance_of_trustworthiness_is_that_of_random_layouts(n, k):
    random = np.random.default_rng(0)
    drawn = [trustworthiness(random.normal(size=(n, 5)), random.normal(size=(n, 2)), n_neighbors=k) for _ in range(200)]
    error = np.std(drawn) / np.sqrt(len(drawn))
    assert rank_chance(n, k) == pytest.approx(np.mean(drawn), abs=4 * error)


def test_the_curve_counts_common_neighbors_at_every_scale():
    random = np.random.default_rng(0)
    high, low = random.normal(size=(60, 4)), random.normal(size=(60, 2))
    seen = ranks(high.astype(np.float32), low.astype(np.float32), np.arange(60), 7, np.array([15]))
    near = [np.argsort(np.linalg.norm(each[:, None] - each[None], axis=2), axis=1)[:, 1:] for each in (high, low)]
    for k in (1, 2, 7, 30, 58, 59):
        common = [len({*one[:k]} & {*other[:k]}) / k for one, other in zip(*near, strict=True)]
        assert seen.joint[k - 1] == pytest.approx(np.mean(common))
        if k == 7:
            assert seen.preserved == pytest.approx(common)
        if k < 59:
            assert seen.beyond_random[k - 1] == pytest.approx((59 * np.mean(common) - k) / (59 - k))


def test_far_order_is_that_of_all_triplets():
    random = np.random.default_rng(1)
    high, low = random.normal(size=(30, 3)), random.normal(size=(30, 2))
    seen = ranks(high.astype(np.float32), low.astype(np.float32), np.arange(30), 5, np.array([15]))
    far = [np.linalg.norm(each[:, None] - each[None], axis=2) for each in (high, low)]
    triplets = [(i, *pair) for i in range(30) for pair in itertools.combinations(sorted({*range(30)} - {i}), 2)]
    right = np.mean([(far[0][i, a] < far[0][i, b]) == (far[1][i, a] < far[1][i, b]) for i, a, b in triplets])
    assert seen.far == pytest.approx(right, abs=0.04)


def test_jumps_lie_at_the_size_of_groups_and_not_in_clouds_of_any_dimension():
    random = np.random.default_rng(0)
    scales = np.array([16, 50, 100, 200])
    groups = np.repeat([[0, 0], [40, 0], [0, 40], [40, 40]], 100, axis=0) + random.normal(size=(400, 2))
    found = ranks(groups.astype(np.float32), groups.astype(np.float32), np.arange(400), 15, scales).gaps
    assert int(np.argmax(found)) == 2
    assert found[2] > 1
    for d in (1, 2, 5):
        flat = random.random((400, d)).astype(np.float32)
        assert np.abs(ranks(flat, flat, np.arange(400), 15, scales).gaps[:3]).max() < 0.2


@pytest.mark.parametrize("size", [1e30, 1e-30])
def test_ranks_do_not_depend_on_the_scale(size):
    high, low = (np.random.default_rng(0).normal(size=(80, d)).astype(np.float32) for d in (6, 2))
    plain, scaled = (ranks(rows, low, np.arange(80), 5, np.array([5, 20])) for rows in (high, high * np.float32(size)))
    assert scaled.joint == pytest.approx(plain.joint)
    assert scaled.gaps == pytest.approx(plain.gaps, rel=1e-3)
    assert scaled.far == pytest.approx(plain.far)


def test_equal_rows_are_ordered_at_random_in_the_space_and_on_the_map_apart():
    """Five hundred rows at two places: the row order says nothing, so chance alone is kept inside each half."""
    rows = np.repeat([[0.0, 1], [1, 0]], 250, axis=0).astype(np.float32)
    seen = ranks(rows, rows, np.arange(500), 15, np.array([15]))
    assert seen.joint[14] == pytest.approx(15 / 249, abs=0.02)
    assert seen.joint[248] == pytest.approx(1)


def test_a_true_map_keeps_everything():
    points = np.random.default_rng(0).normal(size=(150, 2)).astype(np.float32)
    kept = measure(space_of(points), np.arange(150), points * 3 + 1, metric="euclidean")
    assert (kept.neighbor_preservation, kept.triplet_accuracy) == (1, 1)
    assert (kept.trustworthiness, kept.continuity) == (1, 1)
    assert kept.curve == pytest.approx(1)


def test_a_random_map_keeps_what_chance_gives(builtin):
    points = np.random.default_rng(1).normal(size=(2_000, 2)).astype(np.float32)
    kept = measure(builtin, np.arange(2_000), points)
    assert kept.chance == 15 / 1_999
    assert kept.neighbor_preservation == pytest.approx(kept.chance, abs=0.003)
    assert kept.triplet_accuracy == pytest.approx(0.5, abs=0.01)
    assert kept.trustworthiness == pytest.approx(kept.rank_chance, abs=0.02)
    assert np.abs(kept.curve[14:1_000]).max() < 0.02


def test_a_sample_lies_within_its_margin(builtin, visible):
    whole = measure(builtin, visible.rows, visible.points)
    part = measure(builtin, visible.rows, visible.points, sample=300, seed=2)
    assert (whole.margin, whole.sample, part.sample) == (0, 600, 300)
    assert part.margin > 0
    assert abs(part.neighbor_preservation - whole.neighbor_preservation) < 2 * part.margin
    assert part.trustworthiness == pytest.approx(whole.trustworthiness, abs=0.02)


def test_the_published_pca_badge_of_the_whole_space(builtin):
    every = project(builtin)
    kept = measure(builtin, every.rows, every.points, sample=600)
    assert 100 * kept.neighbor_preservation == pytest.approx(0.5, abs=0.1)
    assert kept.triplet_accuracy == pytest.approx(0.61, abs=0.015)
    assert 100 * kept.chance == pytest.approx(0.07, abs=0.005)


def test_the_worst_placed_come_first(builtin, visible):
    kept = measure(builtin, visible.rows, visible.points)
    order = [kept.preserved[np.flatnonzero(kept.rows == row)[0]] for row in kept.worst(5)]
    assert order == sorted(kept.preserved)[:5]


def test_rows_of_zeros_are_left_out_under_cosine(space):
    points = np.random.default_rng(0).normal(size=(200, 2)).astype(np.float32)
    assert measure(space, np.arange(200), points).shown == 199
    assert measure(space, np.arange(200), points, metric="euclidean").shown == 200
    assert check(space, np.arange(200), "tsne", {"iterations": 250}, copies=3).quality.shown == 199


@pytest.mark.parametrize(("n", "d"), [(40, 5), (200, 10), (400, 50)])
def test_noise_gets_no_permission_by_pca(n, d):
    found = [given(checked(np.random.default_rng(seed).normal(size=(n, d)))) for seed in range(6)]
    assert sum(map(any, found)) <= 1


@pytest.mark.parametrize("d", [10, 50])
def test_noise_gets_no_permission_by_tsne_though_a_third_of_neighbors_is_kept(d):
    found = checked(np.random.default_rng(3).normal(size=(200, d)), "tsne", metric="euclidean")
    assert found.quality.neighbor_preservation > 0.2
    assert given(found) == (False, False, False)
    assert "keep as much" in found.permissions.groups.reason


def two_clusters(n, d, apart, seed=0):
    rows = np.random.default_rng(seed).normal(size=(n, d))
    rows[:, 0] += np.where(np.arange(n) % 2, apart / 2, -apart / 2)
    return rows


@pytest.mark.parametrize("apart", [12, 30, 50, 100])
def test_two_clusters_get_groups_and_no_neighbors(apart):
    """Also where they lie so far apart that a copy with their covariance is drawn as faithfully."""
    found = checked(two_clusters(800, 300, apart))
    assert given(found)[:2] == (False, True)
    assert found.permissions.groups.scale > 200


def test_a_plane_may_be_read_but_for_groups():
    found = checked(np.random.default_rng(0).random((300, 2)))
    assert given(found) == (True, False, True)
    assert "keep as much" in found.permissions.groups.reason


def test_groups_in_a_plane_may_be_read():
    centers = np.array([[0, 0], [9, 0], [0, 9]])
    rows = centers[np.arange(300) % 3] + np.random.default_rng(0).normal(size=(300, 2))
    found = checked(rows)
    assert given(found) == (True, True, True)
    assert found.permissions.groups.measure == "jump of distances"
    assert 50 <= found.permissions.groups.scale <= 110


def test_words_by_tsne_get_neighbors_and_groups(builtin):
    found = check(builtin, np.arange(400), "tsne", {"iterations": 250}, copies=6)
    assert given(found)[:2] == (True, True)
    neighbors = found.permissions.neighbors
    assert neighbors.scale == 15
    assert neighbors.value > neighbors.high > neighbors.copies > neighbors.low
    assert found.at(15) == pytest.approx((neighbors.value, neighbors.copies))


@pytest.mark.parametrize(("groups", "overlap"), [(5, False), (25, True)])
def test_groups_that_are_too_many_for_a_plane_overlap_on_its_map(groups, overlap):
    random = np.random.default_rng(0)
    centers = 1.2 * random.normal(size=(groups, 50))
    found = checked(centers.repeat(500 // groups, axis=0) + random.normal(size=(500, 50)))
    assert found.permissions.groups.given
    assert found.permissions.groups_overlap is overlap


def test_a_layout_drawn_at_random_gets_nothing(builtin):
    assert given(check(builtin, np.arange(300), "random", copies=4)) == (False, False, False)


def test_a_significant_excess_must_also_be_large_enough_to_read():
    ks, scales, random = np.arange(1, 60), np.array([15, 30]), np.random.default_rng(0)
    noise = 1e-3 * random.normal(size=(10, 59))
    beside = band(MapSummary(0.3 + noise, 1e-3 * random.normal(size=(10, 2)), 0.2 + noise[:, 0]), 5)
    for excess, right in ((0.05, False), (0.15, True)):
        found = MapSummary(np.full(59, 0.3 + excess), np.zeros(2), np.asarray(0.2 + excess))
        result = permissions(found, beside, ks, scales, 100)
        assert [each.given for each in result] == [right] * 3
        assert ("The excess is too small" in result.neighbors.reason) != right


@pytest.mark.parametrize(("value", "right"), [(0.2, False), (0.4, True)])
def test_neighbors_are_not_read_where_fewer_than_a_third_are_right(value, right):
    """As the map of a short training: .20 against .09."""
    ks, scales, random = np.arange(1, 60), np.array([15, 30]), np.random.default_rng(0)
    noise = 1e-3 * random.normal(size=(10, 59))
    beside = band(MapSummary(0.05 + noise, 1e-3 * random.normal(size=(10, 2)), 0.2 + noise[:, 0]), 5)
    result = permissions(MapSummary(np.full(59, value), np.zeros(2), np.asarray(0.2)), beside, ks, scales, 1_000)
    assert (result.neighbors.given, result.neighbors.beyond) == (right, True)
    assert ("fewer than a third" in result.neighbors.reason) != right


@pytest.mark.parametrize(("value", "right"), [(0.84, False), (0.9, False), (0.97, True)])
def test_where_copies_keep_most_a_larger_share_is_no_group(value, right):
    """As on a uniform plane by UMAP: .84 against .72; two clusters keep all at their scale."""
    ks, scales, random = np.arange(1, 60), np.array([15, 30]), np.random.default_rng(0)
    noise = 1e-3 * random.normal(size=(10, 59))
    beside = band(MapSummary(0.72 + noise, 1e-3 * random.normal(size=(10, 2)), 0.2 + noise[:, 0]), 5)
    result = permissions(MapSummary(np.full(59, value), np.zeros(2), np.asarray(0.2)), beside, ks, scales, 100)
    assert result.groups.given is right


@pytest.mark.parametrize("copies", [3, 5, 19])
def test_the_band_holds_one_more_copy_at_all_scales_together(copies):
    """Of independent normal values, which is the hardest case; the upper end is passed in at most 5 % of draws."""
    random = np.random.default_rng(copies)
    passed = 0
    for _ in range(2_000):
        curve, gaps, far = (random.normal(size=(copies + 1, *shape)) for shape in ((8,), (8,), ()))
        high = band(MapSummary(curve[1:], gaps[1:], far[1:]), 17).high
        passed += bool((curve[0] > high.curve).any() or (gaps[0] > high.gaps).any() or far[0] > high.far)
    assert passed / 2_000 < 0.065  # three standard errors above


def test_copies_are_kept_on_disk_and_used_again(builtin, monkeypatch):
    first = check(builtin, np.arange(60), copies=3)
    drawn = []
    monkeypatch.setattr("embedviz.projection.quality.copied.lay_out", lambda *args, **options: drawn.append(args))
    second = check(builtin, np.arange(60), copies=3)
    assert not drawn
    assert np.array_equal(first.copies.points, second.copies.points)
    assert first.card() == second.card()


def test_where_nothing_can_be_written_copies_are_drawn_anew(builtin, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path / "file"))
    assert check(builtin, np.arange(60), copies=3).copies.count == 3


def test_a_damaged_file_of_copies_is_drawn_anew(builtin, tmp_path):
    first = check(builtin, np.arange(60), copies=3)
    file = next((tmp_path / "cache" / "copies").glob("*.npz"))
    for damaged in (b"", file.read_bytes()[:200]):
        file.write_bytes(damaged)
        assert check(builtin, np.arange(60), copies=3).card() == first.card()


@pytest.mark.parametrize(
    ("method", "options", "metric"),
    [
        ("pca", {}, "euclidean"),
        ("pca", {"rows_as": "unit"}, "cosine"),
        ("tsne", {}, "cosine"),
        ("umap", {"metric": "euclidean"}, "euclidean"),
    ],
)
def test_the_metric_of_the_check_is_that_of_the_map(method, options, metric):
    assert metric_of(method, options) == metric


def test_axes_said_in_words_are_the_same_directions_in_copies(builtin):
    found = check(builtin, np.arange(300), "axes", {"x": "man:woman", "y": "young - old"}, copies=3)
    points = lay_out(builtin, np.arange(300), "axes", x="man:woman", y="young - old").points
    assert found.copies.points.std(axis=0) == pytest.approx(points.std(axis=0), rel=0.25)
    assert given(found)[0] is False


@pytest.mark.parametrize("n", [4, 5, 6, 9, 16, 31])
@pytest.mark.parametrize("method", ["pca", "tsne"])
def test_tiny_maps(builtin, n, method):
    found = check(builtin, np.arange(n), method, {"iterations": 250} if method == "tsne" else {}, copies=3)
    assert found.quality.k == max(1, min(15, (n - 1) // 2))
    assert np.isfinite([each.value for each in found.permissions]).all()
    assert found.points[-1].k <= n - 2


def test_what_cannot_be_measured_is_refused(builtin):
    with pytest.raises(OptionError, match="four are needed"):
        measure(builtin, np.arange(3), np.zeros((3, 2), np.float32))
    with pytest.raises(OptionError, match="cosine or euclidean"):
        measure(builtin, np.arange(4), np.zeros((4, 2), np.float32), metric="dot")
    with pytest.raises(OptionError, match="copies is 2"):
        check(builtin, np.arange(40), copies=2)
    equal = space_of(np.ones((50, 6)))
    assert project(equal).meaning == "All rows are equal, so the map is one point."
    with pytest.raises(OptionError, match="All 50 rows shown are equal"):
        check(equal, np.arange(50))


@pytest.mark.parametrize("method", PROJECTIONS)
def test_a_check_costs_more_copies_where_they_are_cheap(method):
    few, many = estimate(500, 100, method, {}), estimate(200_000, 100, method, {})
    assert few.copies == 19
    assert 5 <= many.copies <= 19
    assert few.sample == 500
    assert many.sample < 1_000
    assert many.seconds > few.seconds


def test_progress_reaches_the_end_names_the_copies_and_shows_no_points(builtin):
    heard = []

    def report(fraction, message="", **more):
        heard.append((fraction, message))
        assert not more

    check(
        builtin,
        np.arange(60),
        "tsne",
        {"iterations": 250},
        points=np.zeros((60, 2), np.float32),
        copies=3,
        report=report,
    )
    fractions = [fraction for fraction, _ in heard]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert heard[-1][1] == "Comparing with maps of random data: map 3 of 3"


def test_a_check_stops_when_it_is_told_to(builtin):
    class Stop(Exception):
        pass

    def report(fraction, message="", **_):
        if "map 2 of" in message:
            raise Stop

    with pytest.raises(Stop):
        check(builtin, np.arange(60), copies=4, report=report)


def test_the_card_says_all_of_it(builtin):
    card = check(builtin, np.arange(80), copies=3).card()
    assert card["copies"] == {"count": 3, "seed": 0, "kind": "gaussian"}
    assert {"k", "value", "copies", "low", "high"} == set(card["curve"][0])
    assert set(card["permissions"]) == {"neighbors", "groups", "long_distances"}
    assert {"given", "scale", "value", "band", "copies", "reason"} <= set(card["permissions"]["groups"])
    assert quality.rank_chance(80, 15) == card["rank_chance"]
