"""UMAP by umap-learn, with exact neighbors and one thread, so that the same seed draws the same map."""

import contextlib
import functools
import io
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from embedviz.core.options import Parameter
from embedviz.core.progress import Report, part
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.projection import nearest
from embedviz.projection.layout import COMPONENTS, SEED, UNTIL, Layout, Projector, steps_taken
from embedviz.projection.nearest import METRIC, graph_lists, on_directions
from embedviz.projection.pca import principal_coordinates

_PASSES = ((10_000, 200), (5_000, 400), (0, 500))  # words, and epochs for more words; umap-learn has no second row
_MEANING = "Do not read the density of groups or the gaps between them."


def umap(
    space: VectorSpace,
    rows: Ints,
    *,
    components: int,
    n_neighbors: int,
    min_dist: float,
    n_epochs: int,
    until: int,
    metric: str,
    seed: int,
    report: Report | None = None,
) -> Layout:
    """Return a map of the graph of nearest neighbors (McInnes et al. 2018).

    The run starts with the rows along their first principal directions. If `until` is not 0, the run stops at this
    epoch, with the points that `report` receives at this epoch.
    """

    def place(matrix: Float, report: Report | None) -> Float:
        library = _library()
        random = np.random.RandomState(seed)  # the kind that umap-learn uses
        n = len(matrix)
        k = min(n_neighbors, n)
        near = graph_lists(matrix, k - 1, part(report, 0.0, 0.1)).by(metric)
        itself = np.arange(n)[:, None]  # umap-learn counts a word among its own neighbors
        graph, _, _ = library.fuzzy_simplicial_set(
            matrix,
            k,
            random,
            "euclidean",
            knn_indices=np.hstack([itself, near.places]),
            knn_dists=np.hstack([np.zeros((n, 1), np.float32), near.distances]),
        )
        a, b = library.find_ab_params(1.0, min_dist)
        epochs = n_epochs or _passes(n)
        begin = _beginning(matrix, components, random)
        return _optimized(graph, begin, a, b, epochs, random, part(report, 0.1, 1.0), until)

    return on_directions(space, rows, metric, components, _MEANING, place, report)


def _optimized(
    graph: Any, begin: Float, a: float, b: float, epochs: int, random: Any, report: Report | None, until: int = 0
) -> Float:
    """Return the points of a graph, computed as in umap-learn's `simplicial_set_embedding()`.

    During the run the points are reported.
    """
    from umap import layouts

    graph = graph.tocoo()
    graph.sum_duplicates()
    graph.data[graph.data < graph.data.max() / (epochs if epochs > 10 else _passes(len(begin)))] = 0.0
    graph.eliminate_zeros()
    points = np.asarray(10 * (begin - begin.min(0)) / np.ptp(begin, 0), np.float32, order="C")
    with contextlib.suppress(_LastEpoch):  # the points are changed in place
        layouts.optimize_layout_euclidean(
            points,
            points,
            graph.row,
            graph.col,
            epochs,
            len(points),
            _library().make_epochs_per_sample(graph.data, epochs),
            a,
            b,
            random.randint(-(2**31) + 1, 2**31 - 2, 3).astype(np.int64),
            tqdm_kwds=_watched(report, points, until if until < epochs else 0),
            move_other=True,
        )
    return points


def _passes(n: int) -> int:
    return next(epochs for words, epochs in _PASSES if n > words)


def _beginning(matrix: Float, components: int, random: Any) -> Float:
    """Return the points at the start of a run, (n, components): the first principal components, scaled to ±10.

    Noise is added, so that equal rows do not have the same point.
    """
    points = principal_coordinates(matrix, components).astype(np.float64)
    noise = random.normal(scale=1e-4, size=points.shape)
    return np.asarray(10 * points / np.abs(points).max() + noise, np.float32)


class _LastEpoch(Exception):
    """Raised to end umap-learn's loop after the epoch at which the run stops."""


class _Epochs(io.StringIO):
    """The file to which tqdm writes the number of the epoch. It reports this epoch and the current points.

    The report function may raise an exception, to cancel the run. tqdm would then keep its lock, so the lock is
    released here.
    """

    def __init__(self, report: Report | None, points: Float, until: int) -> None:
        super().__init__()
        self._report, self._points, self._until = report, points, until
        self._ended = False

    def write(self, text: str) -> int:
        done, slash, total = text.strip().partition("/")
        if slash and done.isdecimal() and total.isdecimal() and not self._ended:
            try:
                self._heard(int(done), int(total))
            except BaseException:
                from tqdm.auto import tqdm

                self._ended = True  # tqdm writes once more when it closes, with its lock held correctly
                tqdm.get_lock().release()
                raise
        return len(text)

    def _heard(self, done: int, total: int) -> None:
        if self._report is not None:
            share = done / (self._until or total)
            message = f"Epoch {done:,} of {total:,}"
            self._report(share, message, points=self._points.copy(), **steps_taken(done, total))
        if self._until and done >= self._until:
            raise _LastEpoch


def _watched(report: Report | None, points: Float, until: int) -> dict[str, Any]:
    """Return the settings of tqdm, which shows the progress of an epoch loop.

    If `until` is not 0, tqdm writes at every epoch, else at most 25 times per second. Without `report` and `until`, it
    is off.
    """
    if report is None and not until:
        return {"disable": True}
    return {
        "disable": False,
        "file": _Epochs(report, points, until),
        "bar_format": "{n_fmt}/{total_fmt}",
        "mininterval": 0 if until else 0.04,
        "miniters": 1,
    }


@functools.cache
def _library() -> Any:
    """Return umap-learn's module, with its compiled functions cached on disk.

    Without this cache, each process would compile these functions for about seven seconds.
    """
    from embedviz.core.compiled import keep_on_disk

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Tensorflow not installed", ImportWarning)  # it is not used
        from umap import layouts, umap_
    moved = layouts._get_optimize_layout_euclidean_single_epoch_fn()
    keep_on_disk(umap_.smooth_knn_dist, umap_.compute_membership_strengths, moved)
    return umap_


def _epochs(n: int, options: Mapping[str, Any]) -> int:
    return int(options["n_epochs"]) or _passes(n)


def _seconds(n: int, d: int, options: Mapping[str, Any]) -> float:
    """Return the estimated seconds of a run. The formula was fitted to runs of 1,000 to 10,000 words."""
    epochs = min(options["until"] or _epochs(n, options), _epochs(n, options))
    k = options["n_neighbors"]
    return float(0.6 + epochs * n * (1.2e-6 + 2e-8 * k) + nearest.seconds(n, d, k))


def _memory(n: int, d: int, options: Mapping[str, Any]) -> float:
    return nearest.memory(n, d, options["n_neighbors"])


ROW = Projector(
    "umap",
    "UMAP",
    umap,
    (
        COMPONENTS,
        Parameter(
            "n_neighbors",
            2,
            lambda n: min(n, 200),
            15,
            "Neighbors that each word is linked to, itself included. Few: small groups. Many: broad shapes, slower.",
            "Neighbors",
        ),
        Parameter(
            "min_dist",
            0.0,
            1.0,
            0.1,
            "Smallest distance between words. 0: dense groups. 1: an even spread that keeps fewer neighbors: of "
            "the first 1,000 built-in words, 39, 39, 32 and 26\u00a0% of the 15 nearest at 0, 0.1, 0.5 and 1.",
            "Least distance",
        ),
        Parameter(
            "n_epochs",
            0,
            5_000,
            0,
            "Passes over all links. 0 is automatic: 500; 400 above 5,000 words, 200 above 10,000. More: a stabler map, "
            "slower.",
            "Epochs",
            "automatic",
        ),
        UNTIL,
        METRIC,
        SEED,
    ),
    "Keeps linked neighbors together, in denser groups than t-SNE. Another seed gives another map.",
    "McInnes, Healy and Melville 2018",
    seconds=_seconds,
    memory=_memory,
    free=True,
    steps=_epochs,
    meaning=_MEANING,
    neighborhood="n_neighbors",
    spacing="min_dist",
    long=True,
)
