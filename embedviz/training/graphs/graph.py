"""Graphs without directions or weights: three that ship with networkx, and graphs from edge lists."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError
from embedviz.core.phrases import printable
from embedviz.training.graphs.edges import MOST_EDGES, MOST_NODES, file_edges, pasted_edges

GRAPHS = {
    "karate": "Karate club (Zachary 1977)",
    "miserables": "Les Misérables (Knuth 1993)",
    "florence": "Families of Florence (Padgett)",
}
"""Built-in graphs from networkx: their names in web addresses, and their titles."""


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph.

    Attributes:
        nodes: Names of the n nodes.
        edges: Pairs of node indices, (m, 2). Each edge occurs once, with the smaller index first.
        groups: The group of each node.
        known: Whether the groups come with the data. If not, the groups are communities found in the graph.
    """

    name: str
    nodes: tuple[str, ...]
    edges: NDArray[np.int64]
    groups: tuple[str, ...]
    known: bool

    @cached_property
    def near(self) -> tuple[NDArray[np.int64], ...]:
        """Return the neighbors of each node, as ascending node indices."""
        both = np.concatenate([self.edges, self.edges[:, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        starts = np.searchsorted(both[:, 0], np.arange(len(self.nodes) + 1))
        return tuple(both[start:end, 1] for start, end in pairwise(starts.tolist()))

    @property
    def size(self) -> str:
        """Return the numbers of nodes and edges as text."""
        return f"{len(self.nodes):,} nodes, {len(self.edges):,} edges"

    def places(self) -> NDArray[np.float64]:
        """Return the points at which to draw the nodes, (n, 2), by a spring layout (Fruchterman and Reingold 1991)."""
        import networkx

        found = networkx.spring_layout(self._as_networkx(), seed=0)
        return np.array([found[node] for node in range(len(self.nodes))])

    def _as_networkx(self) -> Any:
        return _networkx(len(self.nodes), self.edges.tolist())


def graph_of(name: str = "karate", text: str = "", file: str | Path = "") -> Graph:
    """Return the graph of an edge list, from a file or from `text`; without an edge list, a graph of `GRAPHS`.

    Args:
        name: Name in `GRAPHS`; with `file`, the name of the file.
        text: An edge list: two names in each line, separated by comma, tab, semicolon or spaces. Lines that begin with
            # are skipped. The first line may hold column titles.
        file: The path of an edge list, which may be compressed with gzip, xz or bzip2.

    Raises:
        OptionError: There is no such graph, the list cannot be read, or it has no edge or too many nodes or edges.
    """
    if file:
        return _listed(printable(name, 60), file_edges(file, name), None)
    if text.strip():
        return _listed("Your graph", pasted_edges(text), None)
    import networkx

    if name == "karate":
        found = networkx.karate_club_graph()
        clubs = {str(node + 1): str(data["club"]) for node, data in found.nodes(data=True)}
        return _listed(GRAPHS[name], [(str(one + 1), str(other + 1)) for one, other in found.edges()], clubs)
    if name == "miserables":
        return _listed(GRAPHS[name], networkx.les_miserables_graph().edges(), None)
    if name == "florence":
        return _listed(GRAPHS[name], networkx.florentine_families_graph().edges(), None)
    raise OptionError(f"There is no graph “{name[:40]}”. There are: {', '.join(GRAPHS)}.")


def _listed(name: str, pairs: Iterable[tuple[str, str]], groups: dict[str, str] | None) -> Graph:
    """Return the graph with these edges. Edges from a node to itself are left out.

    Args:
        pairs: Names of the two nodes of each edge.
        groups: Group of each node by its name; None: find communities by greedy modularity.

    Raises:
        OptionError: There is no edge, or there are too many nodes or edges.
    """
    joined = [(str(one), str(other)) for one, other in pairs if one != other]
    nodes = tuple(dict.fromkeys(node for pair in joined for node in pair))
    places = {node: place for place, node in enumerate(nodes)}
    edges = np.unique(np.sort([[places[one], places[other]] for one, other in joined]).reshape(-1, 2), axis=0)
    if not len(edges):
        raise OptionError("The graph has no edge between two nodes. Write one edge in each line: a, b.")
    if len(nodes) > MOST_NODES or len(edges) > MOST_EDGES:
        raise OptionError(
            f"The graph has {len(nodes):,} nodes and {len(edges):,} edges; at most {MOST_NODES:,} and {MOST_EDGES:,} "
            "are walked. Take a part of it."
        )
    if groups is not None:
        return Graph(name, nodes, edges.astype(np.int64), tuple(groups[node] for node in nodes), True)
    import networkx

    found = networkx.community.greedy_modularity_communities(_networkx(len(nodes), edges.tolist()))
    of = {node: f"community {number}" for number, each in enumerate(found, 1) for node in each}
    return Graph(name, nodes, edges.astype(np.int64), tuple(of[place] for place in range(len(nodes))), False)


def _networkx(count: int, edges: list[list[int]]) -> Any:
    import networkx

    made = networkx.Graph()
    made.add_nodes_from(range(count))
    made.add_edges_from(edges)
    return made
