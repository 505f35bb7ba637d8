"""t-SNE by openTSNE's optimizer, with exact neighbors and the gradients of `forces`, `grid_forces` and `graphics`."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from embedviz.core import device, graphics_card
from embedviz.core.options import Choice, Parameter
from embedviz.core.progress import Report, part
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.projection import graphics, nearest
from embedviz.projection.layout import COMPONENTS, SEED, SHARED_FROM, UNTIL, Layout, Projector, steps_taken
from embedviz.projection.nearest import METRIC, graph_lists, on_directions
from embedviz.projection.pca import principal, principal_coordinates

_GRID_FROM = 6_500  # words from which the grid is faster than the exact repulsion, in two dimensions
_TREE_FROM = 25_000  # words from which openTSNE's tree is faster, in three dimensions
_REDUCED = 50
_EARLY = 250  # steps with exaggeration, at most
_EVERY = 10  # steps between two reports, unless steps are slow
_MEANING = "Do not read sizes of groups or gaps between them."


def tsne(
    space: VectorSpace,
    rows: Ints,
    *,
    components: int,
    perplexity: int,
    early_exaggeration: float,
    learning_rate: float,
    iterations: int,
    until: int,
    metric: str,
    reduced: str,
    seed: int,
    report: Report | None = None,
) -> Layout:
    """Return a map that keeps near neighbors together (van der Maaten and Hinton 2008).

    The run starts with the rows along their first principal directions. In the first third of the steps, at most 250,
    the attraction is exaggerated; this phase ends early if all points contract to one point. Each word has affinities
    with its 3 × perplexity nearest neighbors. If `until` is not 0, the run stops at this step, with the points that
    `report` receives at this step.
    """

    def place(matrix: Float, report: Report | None) -> Float:
        if reduced != "all" and min(matrix.shape) > _REDUCED:
            matrix, _ = principal(matrix, _REDUCED)
        begin = _beginning(matrix, components, seed)
        affinities = _affinities(matrix, perplexity, metric, part(report, 0.0, 0.1))
        rate = learning_rate or "auto"
        steps = _Steps(iterations, min(until or iterations, iterations), part(report, 0.1, 1.0))
        return _optimized(begin, affinities, steps, early_exaggeration, rate)

    return on_directions(space, rows, metric, components, _MEANING, place, report)


def _beginning(matrix: Float, components: int, seed: int) -> Float:
    """Return the points at the start of a run, (n, components): the first principal components, scaled down.

    Noise is added, so that equal rows do not have the same point.
    """
    points = principal_coordinates(matrix, components).astype(np.float64)
    noise = np.random.default_rng(seed).normal(size=points.shape)
    return np.asarray(1e-4 * (points / points[:, 0].std() + 0.01 * noise))


def _affinities(matrix: Float, perplexity: int, metric: str, report: Report | None) -> Any:
    from openTSNE.affinity import PrecomputedAffinities, joint_probabilities_nn

    n = len(matrix)
    k = min(n - 1, 3 * perplexity)
    near = graph_lists(matrix, k, report).by(metric)
    joint = joint_probabilities_nn(near.places, near.distances, [min(perplexity, k)], n_jobs=device.threads())
    return PrecomputedAffinities(joint, normalize=False)


class _Steps(NamedTuple):
    """The number of steps of a whole run, the step after which this run stops, and the function that gets reports."""

    whole: int
    last: int
    report: Report | None


def _optimized(begin: Float, affinities: Any, steps: _Steps, exaggeration: float, rate: float | str) -> Float:
    """Return the points after the last step of gradient descent.

    A graphics card, if free, computes the steps of a two-dimensional map with at least `graphics.PAYS_STEPS` points.
    """
    n, components = begin.shape

    def on(place: str) -> Float:
        if place.startswith("cuda"):
            gradient = graphics.GraphicsGradient(affinities.P, place)
            return _descended(begin, affinities, gradient, steps, exaggeration, rate)
        if components == 3 and n >= _TREE_FROM:
            return _descended(begin, affinities, "bh", steps, exaggeration, rate)
        from embedviz.projection import forces, grid_forces

        threads = device.threads()
        repulsion = grid_forces.Grid(threads) if components == 2 and n >= _GRID_FROM else forces.exact
        with forces.Gradient(n, repulsion, threads) as exactly:
            return _descended(begin, affinities, exactly, steps, exaggeration, rate)

    return graphics_card.on_card(on, pays=components == 2 and n >= graphics.PAYS_STEPS, report=steps.report)


def _descended(
    begin: Float, affinities: Any, gradient: Any, steps: _Steps, exaggeration: float, rate: float | str
) -> Float:
    """Return the points at the end of a run of openTSNE's optimizer that uses this gradient."""
    from openTSNE import TSNEEmbedding

    done = 0
    iterations, last, report = steps

    def callback(before: int, least: float = 0.0) -> Any:
        """Return a callback that reports the steps of a phase and ends it.

        Args:
            before: Number of steps before the phase.
            least: The phase ends early if the standard deviation of the points falls below this value.
        """

        def tell(step: int, divergence: float, points: Any) -> bool:
            nonlocal done
            done = before + step
            if report is not None:
                report(
                    done / last,
                    f"Step {done:,} of {iterations:,}",
                    point=(done, float(divergence)),
                    points=np.asarray(points, np.float32),
                    **steps_taken(done, iterations),
                )
            return done >= last or float(np.std(points)) < least

        return tell

    embedding = TSNEEmbedding(
        begin,
        affinities,
        negative_gradient_method=gradient,
        n_jobs=device.threads(),
        learning_rate=rate,
        callbacks_every_iters=_EVERY if len(begin) < _TREE_FROM and (last == iterations or last % _EVERY == 0) else 1,
    )
    early = min(_EARLY, iterations // 3) // _EVERY * _EVERY
    least = begin.std() / 2
    here = {"inplace": True}
    embedding.optimize(early, exaggeration=exaggeration, momentum=0.5, callbacks=callback(0, least), **here)
    if done < last:
        embedding.optimize(iterations - done, momentum=0.8, callbacks=callback(done), **here)
    points = np.asarray(embedding, np.float32)
    if report is not None:
        report(1.0, f"Step {last:,} of {iterations:,}", points=points, **steps_taken(last, iterations))
    return points


def _seconds(n: int, d: int, options: Mapping[str, Any]) -> float:
    """Return the estimated seconds of a run. The formula was fitted to runs of 1,000 to 21,719 words."""
    threads, k = device.cores(), 3 * options["perplexity"]
    steps = min(options["until"] or options["iterations"], options["iterations"])
    shared = threads if n >= SHARED_FROM else 1
    attraction = 1.5e-9 * n * k / shared
    if options["components"] == 2:
        repulsion = 1.4e-10 * n * n / shared if n < _GRID_FROM else 1.5e-3 + 2.7e-7 * n
    else:
        repulsion = 1e-10 * n * n / shared if n < _TREE_FROM else 1.5e-6 * n * np.log2(n) / threads
    return float(0.25 + steps * (1.5e-4 + 1.5e-7 * n + repulsion + attraction) + nearest.seconds(n, d, k))


def _memory(n: int, d: int, options: Mapping[str, Any]) -> float:
    return nearest.memory(n, d, 3 * options["perplexity"])


ROW = Projector(
    "tsne",
    "t-SNE",
    tsne,
    (
        COMPONENTS,
        Parameter(
            "perplexity",
            2,
            lambda n: (n - 1) // 3,
            30,
            "About how many neighbors each word keeps near. Low values show small groups, even without structure. "
            "High: broad shapes, slower.",
            "Perplexity",
        ),
        Parameter(
            "early_exaggeration",
            1.0,
            100.0,
            12.0,
            "How much stronger words attract each other in the first third of the steps (at most 250). This brings "
            "similar words together early.",
            "Early exaggeration",
        ),
        Parameter(
            "learning_rate",
            0.0,
            100_000.0,
            0.0,
            "Size of a step. 0 is automatic (words ÷ exaggeration) and nearly always fits. "
            "Too low: the words stay mixed. Too high: they form a ball.",
            "Learning rate",
            "automatic",
        ),
        Parameter(
            "iterations", 250, 5_000, 750, "Number of steps. There are enough when the map no longer moves.", "Steps"
        ),
        UNTIL,
        METRIC,
        Choice(
            "reduced",
            ("all", "50"),
            "all",
            "Whether to reduce the rows to 50 principal directions first: faster for long vectors, a little less true.",
            "Directions kept",
        ),
        SEED,
    ),
    "Keeps near neighbors together and ignores long distances. Another seed or perplexity gives another map.",
    "van der Maaten and Hinton 2008",
    seconds=_seconds,
    memory=_memory,
    free=True,
    steps=lambda n, options: int(options["iterations"]),
    meaning=_MEANING,
    neighborhood="perplexity",
    long=True,
)
