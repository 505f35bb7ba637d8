"""Biased random walks of Node2Vec. The next node also depends on the previous node, by the parameters p and q."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError
from embedviz.core.progress import Report
from embedviz.training.graphs.graph import Graph

_REPORTED = 50  # walks between two reports


class Transition(NamedTuple):
    """The possible next nodes of a walk that came from node t to node v, and their probabilities.

    Attributes:
        nodes: The neighbors of v, as node indices.
        kinds: Kind of each neighbor: 0 for t itself, 1 for a neighbor of t, 2 for a node farther from t.
        weights: α of each neighbor: 1/p, 1 or 1/q for the kinds 0, 1 and 2.
        probabilities: The weights divided by their sum.
    """

    nodes: NDArray[np.int64]
    kinds: NDArray[np.int64]
    weights: NDArray[np.float64]
    probabilities: NDArray[np.float64]


def transition(graph: Graph, before: int, here: int, p: float = 1.0, q: float = 1.0) -> Transition:
    """Return the probabilities of the next node of a walk (Grover and Leskovec 2016, section 3.2.2).

    Args:
        before, here: The previous node t and the present node v, as indices. There is an edge between them.
        p: The larger p is, the more rarely the walk goes back to t.
        q: The smaller q is, the more often the walk goes to a node that is no neighbor of t.

    Raises:
        OptionError: p or q is not above 0, or there is no edge between the nodes.
    """
    if not (p > 0 and q > 0):
        raise OptionError(f"p is {p:g} and q is {q:g}; both must be above 0.")
    nodes = graph.near[here]
    if before not in nodes:
        raise OptionError(f"There is no edge from {graph.nodes[before]} to {graph.nodes[here]}.")
    kinds = np.where(nodes == before, 0, np.where(np.isin(nodes, graph.near[before]), 1, 2))
    weights = np.array([1 / p, 1.0, 1 / q])[kinds]
    return Transition(nodes, kinds, weights, weights / weights.sum())


def walks(
    graph: Graph,
    *,
    p: float = 1.0,
    q: float = 1.0,
    length: int = 40,
    each: int = 10,
    seed: int = 0,
    report: Report | None = None,
) -> list[list[int]]:
    """Return random walks as lists of node indices.

    The walks come in `each` rounds. In each round one walk starts at every node, in random order of the nodes.

    Args:
        p, q: As in `transition`.
        length: Number of nodes in each walk, 2 or more.
        each: Number of walks that start at each node, 1 or more.

    Raises:
        OptionError: p or q is not above 0, or `length` or `each` is too low.
    """
    if length < 2 or each < 1:
        raise OptionError(f"{each:,} walks of {length:,} nodes were given. Give 1 walk and 2 nodes or more.")
    random, found = np.random.default_rng(seed), []
    sums: dict[tuple[int, int], NDArray[np.float64]] = {}
    total = each * len(graph.nodes)
    for _ in range(each):
        for start in random.permutation(len(graph.nodes)).tolist():
            draws = random.random(length)
            walk = [start, int(graph.near[start][int(draws[0] * len(graph.near[start]))])]
            for draw in draws[1 : length - 1].tolist():
                step = (walk[-2], walk[-1])
                if step not in sums:
                    sums[step] = transition(graph, *step, p, q).probabilities.cumsum()
                place = int(np.searchsorted(sums[step], draw, "right"))
                walk.append(int(graph.near[step[1]][min(place, len(sums[step]) - 1)]))
            found.append(walk)
            if report is not None and len(found) % _REPORTED == 0:
                report(len(found) / total, f"{len(found):,} of {total:,} walks")
    return found
