import pickle
import threading

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from threadpoolctl import threadpool_limits

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.geometry.alignment import aligned
from embedviz.jobs import Cancelled
from embedviz.projection import (
    PROJECTIONS,
    Projection,
    estimate,
    lay_out,
    on_the_way,
    placed,
    project,
    quality,
    whereabouts,
)
from embedviz.projection.axes import examples
from embedviz.projection.nearest import graph_lists

QUICK = {"tsne": {"iterations": 250}, "umap": {"n_epochs": 50}}
FREE = [name for name, row in PROJECTIONS.items() if row.free]
SEEDED = [name for name in FREE if "seed" in {option.name for option in PROJECTIONS[name].options}]
METRIC = [name for name, row in PROJECTIONS.items() if "metric" in {option.name for option in row.options}]


def quick(space, rows=None, method="pca", **options):
    return project(space, rows, method, **QUICK.get(method, {}), **options)


@pytest.mark.parametrize("components", [2, 3])
@pytest.mark.parametrize("method", PROJECTIONS)
def test_every_projection_gives_finite_read_only_points_and_says_what_it_means(builtin, method, components):
    visible = quick(builtin, range(150), method, components=components)
    assert visible.points.shape == (150, components)
    assert visible.points.dtype == np.float32
    assert np.isfinite(visible.points).all()
    assert not visible.points.flags.writeable
    assert visible.meaning.endswith(".")
    assert list(visible.words[:2]) == ["the", "of"]
    assert len(visible.axes) in (0, components)
    assert bool(visible.axes) != PROJECTIONS[method].free
    assert list(visible.table(["v"] * 150))[7] == (visible.words[7], *visible.points[7].tolist(), "v")


@pytest.mark.parametrize("method", PROJECTIONS)
def test_a_layout_travels_without_words(builtin, method):
    layout = lay_out(builtin, range(150), method, **QUICK.get(method, {}))
    sent = pickle.dumps(layout)
    assert len(sent) < 150 * 2 * 4 + 1_000
    again = placed(builtin, range(150), method, QUICK.get(method, {}), pickle.loads(sent))
    assert np.array_equal(again.points, quick(builtin, range(150), method).points)


@pytest.mark.parametrize("method", PROJECTIONS)
def test_the_same_map_every_time(builtin, method, monkeypatch):
    """By one thread or two: what others compute meanwhile changes nothing."""
    maps = []
    for threads in ("1", "2", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        maps.append(quick(builtin, range(2_001 if method == "tsne" else 300), method).points)
    assert np.array_equal(maps[0], maps[1])
    assert np.array_equal(maps[1], maps[2])


@pytest.mark.parametrize("method", SEEDED)
def test_another_seed_draws_another_map(builtin, method):
    one, other = (quick(builtin, range(100), method, seed=seed).points for seed in (0, 1))
    assert not np.allclose(one, other, atol=1e-3)


@pytest.mark.parametrize("components", [2, 3])
@pytest.mark.parametrize("method", FREE)
def test_free_layouts_face_as_the_principal_directions_do(builtin, method, components):
    points = quick(builtin, range(120), method, components=components).points
    onto = project(builtin, range(120), components=components).points
    assert np.allclose(points, aligned(points, onto), atol=1e-3 * np.abs(points).max())


@pytest.mark.parametrize("method", METRIC)
def test_a_map_keeps_the_words_that_lie_together(method):
    """Five tight bundles of directions: each word's nearest on the map are of its own."""
    random = np.random.default_rng(0)
    bundle = np.repeat(np.arange(5), 30)
    lengths = random.uniform(0.2, 5, (150, 1))
    matrix = lengths * (random.normal(size=(5, 20))[bundle] + 0.2 * random.normal(size=(150, 20)))
    points = quick(VectorSpace([str(i) for i in range(150)], matrix), None, method).points
    near = NearestNeighbors(n_neighbors=6).fit(points).kneighbors(return_distance=False)
    assert (bundle[near] == bundle[:, None]).mean() > 0.99


@pytest.mark.parametrize("n", [3, 4, 5, 7, 10])
@pytest.mark.parametrize("method", PROJECTIONS)
def test_maps_of_few_words(builtin, method, n):
    points = quick(builtin, range(n), method).points
    assert np.isfinite(points).all()
    assert len(np.unique(points, axis=0)) == n


@pytest.mark.parametrize("method", PROJECTIONS)
def test_equal_rows_are_one_point(method):
    flat = VectorSpace([f"w{i}" for i in range(40)], np.ones((40, 3)))
    visible = quick(flat, None, method)
    assert np.isfinite(visible.points).all()
    assert np.ptp(visible.points, axis=0) == pytest.approx([0, 0], abs=1e-5)
    assert visible.meaning == "All rows are equal, so the map is one point."


@pytest.mark.parametrize("method", PROJECTIONS)
def test_equal_rows_among_others_lie_together(method):
    random = np.random.default_rng(4)
    matrix = random.normal(size=(120, 8))
    matrix[:40] = matrix[0]
    space = VectorSpace([str(i) for i in range(120)], matrix)
    assert np.isfinite(quick(space, None, method).points).all()
    if PROJECTIONS[method].name in METRIC:
        shares = []
        for seed in range(3):
            points = quick(space, None, method, seed=seed).points
            near = NearestNeighbors(n_neighbors=10).fit(points).kneighbors(return_distance=False)
            shares.append((near[:40] < 40).mean())
        assert np.mean(shares) > 0.85  # by chance 1/3; by UMAP .955 to .985 over eight seeds and three processors


@pytest.mark.parametrize("method", METRIC)
def test_rows_of_zeros_lie_alone_under_cosine(space, method):
    visible = quick(space, None, method)
    others = visible.points[:-1]
    gap = np.linalg.norm(others - visible.points[-1], axis=1).min()
    assert gap > 0.05 * np.ptp(others, axis=0).max()
    assert "1 row of zeros has no direction and lies next to the map." in visible.meaning
    assert "zeros" not in quick(space, None, method, metric="euclidean").meaning


@pytest.mark.parametrize("method", METRIC)
def test_nothing_but_zeros_and_one_dimension(method):
    names = list("abcdef")
    assert not quick(VectorSpace(names, np.zeros((6, 4))), None, method).points.any()
    line = quick(VectorSpace(names, np.arange(6.0)[:, None]), None, method, metric="euclidean").points
    assert np.isfinite(line).all()


def test_lists_of_the_nearest_are_scikit_learns(builtin):
    matrix = builtin.matrix[:400]
    found = graph_lists(matrix, 12)
    distances, places = NearestNeighbors(n_neighbors=12, algorithm="brute").fit(matrix).kneighbors()
    assert np.allclose(found.distances, distances, rtol=1e-4)
    assert (found.places == places).mean() > 0.999


def far_clusters(apart):
    matrix = np.random.default_rng(0).normal(size=(600, 40))
    matrix[300:, 0] += apart
    return matrix.astype(np.float32)


@pytest.mark.parametrize(
    "matrix",
    [*map(far_clusters, (1e4, 4.5e5, 1e12)), np.eye(300, dtype=np.float32), np.repeat(far_clusters(9)[280:320], 15, 0)],
    ids=["far", "farther", "farthest", "all equally far", "repeated"],
)
def test_lists_of_the_nearest_are_exact_where_products_cannot_be(matrix):
    each = [np.linalg.norm((matrix - row).astype(np.float64), axis=1) for row in matrix]
    expected = np.array(
        [
            np.argsort(np.where(np.arange(len(matrix)) == i, np.inf, row), kind="stable")[:10]
            for i, row in enumerate(each)
        ]
    )
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(graph_lists(matrix, 10))
    assert (found[0].places == expected).mean() > 0.999
    assert np.allclose(found[0].distances, np.take_along_axis(np.array(each), expected, axis=1), rtol=1e-5)
    assert all(np.array_equal(one, two) for one, two in zip(*found, strict=True))


@pytest.mark.parametrize("components", [2, 3])
def test_the_exact_gradient_is_openTSNEs(builtin, components):
    from openTSNE.tsne import kl_divergence_bh

    from embedviz.projection.forces import Gradient
    from embedviz.projection.tsne import _affinities

    joint = _affinities(np.asarray(builtin.unit_rows(np.arange(300))), 20, "cosine", None).P
    for spread in (1e-2, 1, 30):
        points = spread * np.random.default_rng(0).normal(size=(300, components))
        theirs = kl_divergence_bh(points, joint, 1, {"theta": 0}, should_eval_error=True)
        ours = Gradient(300)(points, joint, should_eval_error=True)
        assert ours[0] == pytest.approx(theirs[0], rel=1e-5)
        assert np.allclose(ours[1], theirs[1], atol=2e-5 * np.abs(theirs[1]).max())


def test_the_repulsion_on_a_grid_is_that_of_all_pairs():
    from embedviz.projection.forces import Gradient, exact
    from embedviz.projection.grid_forces import Grid

    cloud = np.random.default_rng(0).normal(size=(2_000, 2)) * (3, 1)
    joint = csr_matrix((len(cloud), len(cloud)))
    grid = Grid()
    for spread in (1e-4, 0.1, 3, 20):
        points = spread * cloud
        repulsion = [Gradient(len(points), way, threads=2)(points, joint)[1] for way in (exact, grid)]
        difference = np.linalg.norm(repulsion[0] - repulsion[1]) / np.linalg.norm(repulsion[0])
        assert difference < (0.03 if spread > 1 else 2e-3)  # the interpolation of openTSNE: .04 on a wide map


def test_threads_share_the_transforms_of_a_grid_and_change_no_bit():
    from embedviz.projection.forces import PointThreads
    from embedviz.projection.grid_forces import Grid

    points = 20 * np.random.default_rng(1).normal(size=(3_000, 2))
    done: list[tuple[int, int]] = []
    found = [Grid(threads)(points, PointThreads(3_000, threads), lambda *part: done.append(part)) for threads in (1, 2)]
    assert np.array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]
    assert sum(stop - start for start, stop in done) == 2 * 3_000  # the attraction of each point, once
    assert len(set(done)) == len(done)


@pytest.mark.parametrize("place", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_a_card_computes_lists_and_gradients_as_the_processor(builtin, place):
    """On a card, and the same code on tensors of the processor."""
    torch = pytest.importorskip("torch")
    if place == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no graphics card")
    from embedviz.projection import graphics
    from embedviz.projection.forces import Gradient
    from embedviz.projection.grid_forces import Grid
    from embedviz.projection.nearest import _exact_lists, _lists_by_card
    from embedviz.projection.tsne import _affinities

    matrix = np.asarray(builtin.unit_rows(np.arange(2_500)))
    expected, found = _exact_lists(matrix, 30, None), _lists_by_card(matrix, 30, place, None)
    assert (expected.places == found.places).mean() > 0.999
    assert np.allclose(expected.distances, found.distances, atol=1e-5)
    joint = _affinities(matrix, 20, "cosine", None).P
    theirs, ours = Gradient(len(matrix), Grid()), graphics.GraphicsGradient(joint, place)
    for spread in (1e-4, 1, 60):
        points = spread * np.random.default_rng(0).normal(size=(len(matrix), 2))
        expected_step, step = (each(points, joint, should_eval_error=True) for each in (theirs, ours))
        assert step[0] == pytest.approx(expected_step[0], rel=1e-5)
        assert np.allclose(step[1], expected_step[1], atol=1e-4 * np.abs(expected_step[1]).max())


@pytest.mark.parametrize("components", [2, 3])
def test_large_maps_take_another_way_to_the_same_kind_of_map(builtin, monkeypatch, components):
    monkeypatch.setattr("embedviz.projection.tsne._GRID_FROM", 100)
    monkeypatch.setattr("embedviz.projection.tsne._TREE_FROM", 100)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    points = quick(builtin, range(300), "tsne", components=components).points
    monkeypatch.undo()
    exact = quick(builtin, range(300), "tsne", components=components).points
    unit = builtin.unit_rows(np.arange(300))
    assert trustworthiness(unit, points, n_neighbors=15) > trustworthiness(unit, exact, n_neighbors=15) - 0.02


def accuracy(points, labels):
    """As the UMAP paper's repository counts it: ten nearest, ten folds."""
    return cross_val_score(KNeighborsClassifier(10), points, labels, cv=10).mean()


PUBLISHED = {
    "tsne": ("embedding_pendigits_tsne1.csv", 0.9744, 0.9904),
    "umap": ("embedding_pendigits_umap1.csv", 0.9727, 0.9877),
}


@pytest.mark.parametrize("method", PUBLISHED)
def test_the_published_layouts_give_the_published_figures(data, method):
    file, right, trusted = PUBLISHED[method]
    table = np.loadtxt(data / "projection" / file, delimiter=",", skiprows=1)
    vectors, digits = load_digits(return_X_y=True)
    assert np.array_equal(table[:, 3], digits)
    assert accuracy(table[:, 1:3], digits) == pytest.approx(right, abs=1e-4)
    assert trustworthiness(vectors, table[:, 1:3], n_neighbors=15) == pytest.approx(trusted, abs=1e-4)


@pytest.mark.parametrize("method", PUBLISHED)
def test_digits_are_told_apart_as_in_the_umap_paper(method):
    _, right, trusted = PUBLISHED[method]
    vectors, digits = load_digits(return_X_y=True)
    visible = project(VectorSpace([str(i) for i in range(len(vectors))], vectors), None, method, metric="euclidean")
    assert accuracy(visible.points, digits) > right - 0.01
    assert trustworthiness(vectors, visible.points, n_neighbors=15) > trusted - 0.01


@pytest.mark.parametrize("method", METRIC)
def test_progress_never_goes_back_and_reaches_the_end(builtin, method):
    heard, frames = [], []

    def report(fraction, message="", point=None, **arrays):
        heard.append(fraction)
        frames.extend(array for name, array in arrays.items() if name == "points")
        assert message

    quick(builtin, range(200), method, report=report)
    assert heard == sorted(heard)
    assert heard[-1] == 1
    assert len(heard) >= 3
    assert all(frame.shape == (200, 2) and frame.dtype == np.float32 for frame in frames)


@pytest.mark.parametrize("method", METRIC)
def test_frames_face_as_the_map_does_and_hold_every_row(space, method):
    """Of a space with a row of zeros, which has no place of its own; the last frame is the map."""
    frames = []

    def report(fraction, message="", point=None, points=None, step=None):
        if points is not None:
            frames.append(points)

    visible = quick(space, range(200), method, report=report)
    assert len(frames) >= 2
    assert all(frame.shape == (200, 2) and np.isfinite(frame).all() for frame in frames)
    assert np.allclose(frames[-1], visible.points, atol=0.05 * np.ptp(visible.points))
    assert np.abs(np.corrcoef(frames[-1][:-1, 0], visible.points[:-1, 0])[0, 1]) > 0.99


@pytest.mark.parametrize("epochs", [30, 7])
def test_umap_lays_out_a_graph_as_the_library_does(epochs):
    from scipy.sparse import random
    from umap import umap_

    from embedviz.projection import umap

    graph = random(150, 150, 0.1, rng=np.random.default_rng(0), dtype=np.float32)
    graph = graph + graph.T
    begin = umap._beginning(np.random.default_rng(1).normal(size=(150, 5)), 2, np.random.RandomState(0))
    ours = umap._optimized(graph.copy(), begin.copy(), 1.6, 0.9, epochs, np.random.RandomState(1), None)
    how = {"densmap": False, "densmap_kwds": {}, "output_dens": False}
    theirs, _ = umap_.simplicial_set_embedding(
        begin, graph, 2, 1.0, 1.6, 0.9, 1.0, 5, epochs, begin, np.random.RandomState(1), "euclidean", {}, **how
    )
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("size", [1e30, 1e-30])
def test_numbers_whose_squares_leave_single_precision_have_their_principal_directions(size):
    matrix = np.random.default_rng(0).normal(size=(60, 6)).astype(np.float32)
    words = [f"w{row}" for row in range(60)]
    found, plain = (project(VectorSpace(words, each)) for each in (matrix * np.float32(size), matrix))
    assert np.allclose(np.abs(found.points / size), np.abs(plain.points), atol=1e-3)
    assert found.meaning == plain.meaning


@pytest.mark.parametrize("method", METRIC)
def test_a_map_stops_when_it_is_told_to(builtin, method):
    stop = threading.Event()
    heard = []

    def report(fraction, message="", **_):
        heard.append(fraction)
        if fraction > 0.2:
            stop.set()
        if stop.is_set():
            raise Cancelled

    options = {"tsne": {"iterations": 5_000}, "umap": {"n_epochs": 5_000}}[method]
    with pytest.raises(Cancelled):
        project(builtin, range(300), method, report=report, **options)
    assert heard[-1] < 0.5


@pytest.mark.parametrize(("method", "until"), [("tsne", 60), ("tsne", 130), ("tsne", 47), ("umap", 23)])
def test_a_stopped_run_is_the_run_at_that_step(builtin, method, until):
    """Before and after the exaggeration ends, and between two reports of t-SNE, which come every ten steps."""
    seen = {}

    def report(fraction=None, message="", points=None, step=None, **_):
        if step is not None:
            seen[int(step[0])] = (points, int(step[1]))

    options = QUICK[method]
    whole = project(builtin, range(150), method, report=report, **options)
    stopped = project(builtin, range(150), method, until=until, **options)
    total = next(iter(options.values()))
    assert stopped.stopped == (until, total)
    assert stopped.meaning.startswith(f"Stopped at step {until} of {total}")
    assert whole.stopped is None
    assert not np.allclose(stopped.points, whole.points, atol=0.01 * np.ptp(whole.points))
    if until in seen:  # UMAP's epochs are reported as often as time allows
        points, of = seen[until]
        assert of == total
        assert np.array_equal(points, stopped.points)
        kept = on_the_way(builtin, np.arange(150), method, {**options, "until": until}, points)
        assert kept.meaning == stopped.meaning
        assert np.array_equal(kept.points, stopped.points)
    assert until in seen or method == "umap" or until % 10
    assert np.array_equal(project(builtin, range(150), method, until=total, **options).points, whole.points)
    beyond = []
    project(
        builtin,
        range(150),
        method,
        until=total + 100,
        report=lambda _, message="", **__: beyond.append(message),
        **options,
    )
    assert beyond[-1].endswith(f"{total:,} of {total:,}")


def test_umap_at_an_epoch_is_what_the_library_has_then(builtin):
    """The library itself saves its layout at some epochs of a run."""
    from scipy.sparse import random
    from umap import layouts, umap_

    from embedviz.projection import umap

    graph = random(150, 150, 0.1, rng=np.random.default_rng(0), dtype=np.float32)
    graph = (graph + graph.T).tocoo()
    begin = umap._beginning(np.random.default_rng(1).normal(size=(150, 5)), 2, np.random.RandomState(0))
    ours = umap._optimized(graph.copy(), begin.copy(), 1.6, 0.9, 40, np.random.RandomState(1), None, 12)
    graph.data[graph.data < graph.data.max() / 40] = 0
    graph.eliminate_zeros()
    points = np.asarray(10 * (begin - begin.min(0)) / np.ptp(begin, 0), np.float32, order="C")
    state = np.random.RandomState(1).randint(-(2**31) + 1, 2**31 - 2, 3).astype(np.int64)
    often = umap_.make_epochs_per_sample(graph.data, 40)
    graph_parts = (graph.row, graph.col, [11, 40], 150, often)
    saved = layouts.optimize_layout_euclidean(points, points, *graph_parts, 1.6, 0.9, state, move_other=True)
    assert np.array_equal(ours, saved[0])


def test_many_steps_draw_no_ball(builtin):
    """Exaggeration would draw these words into one point, and with more steps nothing would come out of it again."""
    unit = builtin.unit_rows(np.arange(500))
    few, many = (project(builtin, range(500), "tsne", iterations=steps).points for steps in (750, 3_000))
    assert trustworthiness(unit, many, n_neighbors=15) > trustworthiness(unit, few, n_neighbors=15) - 0.02


@pytest.mark.parametrize("method", METRIC)
def test_words_keep_as_much_as_by_the_libraries_themselves(builtin, method):
    """Within .02 of scikit-learn's TSNE (.379, .890) and of umap-learn (.343, .860), by cosine, at 2,000 words."""
    kept, trusted = {"tsne": (0.379, 0.890), "umap": (0.343, 0.860)}[method]
    visible = project(builtin, range(2_000), method)
    found = quality.measure(builtin, visible.rows, visible.points)
    assert found.neighbor_preservation > kept - 0.02
    assert found.trustworthiness > trusted - 0.02


def test_cutting_to_directions_is_an_option(builtin):
    whole = quick(builtin, range(200), "tsne").points
    cut = quick(builtin, range(200), "tsne", reduced="50").points
    assert not np.allclose(whole, cut, atol=1e-2)


@pytest.mark.parametrize("method", PROJECTIONS)
def test_an_estimate_is_a_sentence_and_grows(method):
    small, large = (estimate(n, 300, method, {}) for n in (200, 40_000))
    assert 0 < small.seconds < large.seconds
    assert 0 < small.memory < large.memory
    assert small.sentence == "Under 1 s on this machine."
    assert estimate(100_000, 300, "tsne", {}).sentence.startswith("About ")
    assert estimate(10, 5, "tsne", {}).seconds > 0


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
    assert project(builtin, rows).axes[0] == f"direction 1 ({100 * share[0]:.1f}\u00a0% of variance)"


def test_other_directions_and_unit_rows(builtin):
    third = project(builtin, range(500), x=3, y=1)
    assert np.allclose(third.points[:, 1], project(builtin, range(500)).points[:, 0], atol=1e-4)
    unit = project(builtin, range(500), rows_as="unit")
    assert not np.allclose(unit.points, project(builtin, range(500)).points, atol=1e-2)


def test_three_directions(builtin):
    visible = project(builtin, range(300), components=3)
    assert np.allclose(visible.points[:, :2], project(builtin, range(300)).points, atol=1e-3)
    assert visible.axes[2].startswith("direction 3 (")
    assert visible.meaning.startswith("This map in three dimensions shows")


def test_far_apart_on_the_map_is_far_apart_in_the_space(builtin):
    """What the page says of PCA: a distance on the map is never longer than in the space."""
    visible = project(builtin, range(200))
    there = np.linalg.norm(builtin.matrix[:200, None] - builtin.matrix[None, :200], axis=2)
    here = np.linalg.norm(visible.points[:, None] - visible.points[None], axis=2)
    assert (here <= there + 1e-4).all()


@pytest.mark.parametrize(
    ("rows", "options", "says"),
    [
        (range(2), {}, "needs three words"),
        (range(3), {"x": 3}, "2 principal directions"),
        (range(9), {"x": 99}, "from 1 to 10"),
        (range(9), {"method": "tsne", "perplexity": 3}, "perplexity is 3; it may be from 2 to 2"),
        (range(9), {"method": "umap", "n_neighbors": 10}, "n_neighbors is 10; it may be from 2 to 9"),
        (range(9), {"components": 4}, "from 2 to 3"),
        (range(3), {"components": 3}, "2 principal directions"),
        (range(9), {"perplexity": 3}, "Its options: components, x, y, z, rows_as"),
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
    visible = Projection(list("abcd"), np.array([10, 11, 12, 13]), points, "pca", {}, (), "")
    assert whereabouts(visible, 10, np.array([11, 13, 99]), k=2) == ("near", "elsewhere", "absent")
    assert whereabouts(visible, 99, np.array([11, 98])) == ("elsewhere", "absent")
    third = np.array([[0, 0, 0], [5, 0, 1], [0, 0, 2], [9, 9, 9]], np.float32)
    visible = Projection(list("abcd"), np.array([10, 11, 12, 13]), third, "pca", {}, (), "")
    assert whereabouts(visible, 10, np.array([11, 12]), k=1) == ("elsewhere", "near")


def test_axes_by_default_are_the_principal_directions(builtin):
    visible = project(builtin, range(300), "axes", components=3)
    onto = project(builtin, range(300), components=3)
    assert np.allclose(visible.points, onto.points, atol=1e-3)
    assert visible.axes[1] == "PC 2" + onto.axes[1].removeprefix("direction 2")


def unit(space, word):
    return space.vector(word) / np.linalg.norm(space.vector(word))


@pytest.mark.parametrize("rows_as", ["stored", "unit"])
def test_axes_are_the_mean_difference_of_pairs_or_a_formula(builtin, rows_as):
    pairs, formula = "man:woman, king : queen", "good - bad"
    visible = project(builtin, range(400), "axes", x=pairs, y=formula, rows_as=rows_as)
    rows = builtin.matrix[:400] if rows_as == "stored" else builtin.unit[:400]
    across = (unit(builtin, "woman") - unit(builtin, "man") + unit(builtin, "queen") - unit(builtin, "king")) / 2
    upward = unit(builtin, "good") - unit(builtin, "bad")
    expected = (rows - rows.mean(axis=0)) @ np.stack([v / np.linalg.norm(v) for v in (across, upward)]).T
    assert np.allclose(visible.points, expected, atol=1e-4)
    assert visible.points[visible.words.index("her"), 0] > visible.points[visible.words.index("his"), 0]


def test_axes_say_their_share_the_best_one_and_how_they_meet():
    """Variances 9, 4 and 1 along three directions; the second axis lies halfway between the first two."""
    corners = np.array([[a, b, c] for a in (-3, 3) for b in (-2, 2) for c in (-1, 1)], float)
    named = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    small = VectorSpace([*map(str, range(8)), "x", "y", "z"], np.vstack([corners, named]))
    visible = project(small, range(8), "axes", x="z", y="x + y")
    assert [title.split("(")[1] for title in visible.axes] == ["7.1\u00a0% of variance)", "46\u00a0% of variance)"]
    assert "Together they hold 54\u00a0% of the variance; the best 2 directions (PCA) hold 93\u00a0%" in visible.meaning
    assert "2 by chance about 67\u00a0%" in visible.meaning
    assert "right angles" not in visible.meaning
    slanting = project(small, range(8), "axes", x="x", y="x + y")
    assert "not at right angles (across and upward 45°)" in slanting.meaning
    assert "Together they hold 93\u00a0% of the variance" in slanting.meaning


def test_three_axes_in_one_plane_hold_no_more_than_two():
    rows = np.vstack([np.random.default_rng(0).normal(size=(40, 5)), np.eye(5)[:2]])
    small = VectorSpace([*map(str, range(40)), "x", "y"], rows)
    two = project(small, range(40), "axes", x="x", y="y").meaning
    flat = project(small, range(40), "axes", components=3, x="x", y="y", z="x + y").meaning
    together = two[two.index("Together") :]
    assert together in flat
    assert "The 3 directions lie in one plane of the space" in flat
    assert "across and toward you 45°, upward and toward you 45°" in flat
    assert "plane" not in two


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"x": "man:womann"}, "Across: “womann” is not among the 21,719 words"),
        ({"y": "king -"}, "Upward: After “king -” a word is missing"),
        ({"x": "man:man"}, "Across: the vectors of “man:man” cancel out"),
        ({"x": "man:woman, king"}, "“king” is no pair; write two words with a colon between"),
        ({"x": "PC 9"}, "Across: there is PC 1 to PC 8 here; PC 9 was asked for"),
        ({"x": "PC 0"}, "PC 0 was asked for"),
        ({"x": "woman - man", "y": "man:woman"}, "The directions across and upward are the same"),
        ({"x": "a" * 501}, "x has 501 characters; at most 500 are read"),
    ],
)
def test_what_is_no_axis_is_a_sentence(builtin, options, says):
    with pytest.raises(OptionError, match=says):
        project(builtin, range(9), "axes", **options)


def test_an_axis_that_is_not_drawn_is_not_read(builtin):
    assert project(builtin, range(9), "axes", z="nobody -").points.shape == (9, 2)


def test_axes_to_begin_with_are_those_that_the_space_can_say(builtin):
    offered = examples(builtin)
    assert len(offered) == 3
    for texts in offered.values():
        assert " → " in project(builtin, range(300), "axes", **texts).axes[0]
    assert examples(VectorSpace(list("abcd"), np.eye(4))) == {}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("man:woman", "man → woman"),
        ("man:woman, king:queen", "man, king → woman, queen"),
        ("woman - man", "man → woman"),
        ("pc 2", "pc 2"),
        ("guitar", "guitar"),
        (", ".join(["uncle:aunt"] * 9), "uncle, uncle, uncle, … → aunt, aunt, aunt, …"),
    ],
)
def test_an_axis_names_its_two_ends(builtin, text, title):
    assert project(builtin, range(300), "axes", x=text, y="PC 3").axes[0].split(" (")[0] == title


def test_chance_in_axes_is_one_direction_of_all(builtin):
    """The mean over random directions of the variance they hold is one part in d, however few the words."""
    rows = np.arange(20)
    centered = builtin.matrix[rows] - builtin.matrix[rows].mean(axis=0)
    directions = np.random.default_rng(0).normal(size=(4_000, builtin.dimensions))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    held = ((centered @ directions.T) ** 2).sum(axis=0).mean() / (centered**2).sum()
    assert held == pytest.approx(1 / builtin.dimensions, rel=0.05)
    meaning = project(builtin, rows, "axes").meaning.replace("\xa0", " ")
    assert f"2 by chance about {200 / builtin.dimensions:.1f} %" in meaning


@pytest.mark.parametrize("components", [2, 3])
def test_a_table_of_some_places_is_a_part_of_the_whole(builtin, components):
    visible = project(builtin, range(50), components=components)
    values = [str(place) for place in range(50)]
    whole = list(visible.table(values))
    assert list(visible.table(values, places=np.array([7, 3]))) == [whole[7], whole[3]]
    assert [len(row) for row in visible.table(places=np.array([3]))] == [len(visible.columns)]
    assert [row[-2:] for row in visible.table(values, values[::-1], places=np.array([3]))] == [("3", "46")]
    assert len(whole[0]) == len(visible.columns) + 1
