"""Graphs: three that networkx ships, and edge lists within limits. Edges have no direction and no weight."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError
from embedviz.core.phrases import cut

GRAPHS = {
    "karate": "Karate club (Zachary 1977)",
    "miserables": "Les Misérables (Knuth 1993)",
    "florence": "Families of Florence (Padgett)",
}
"""Graphs of networkx, by their names in addresses."""
MOST_NODES, MOST_EDGES, MOST_LETTERS = 1_000, 10_000, 400_000
_LONGEST_NAME = 60


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph without direction.

    Attributes:
        nodes: Their names.
        edges: Pairs of places of nodes, the smaller first, each once, (m, 2).
        groups: The group of each node.
        known: Whether people named the groups; else they are communities that were found in the graph.
    """

    name: str
    nodes: tuple[str, ...]
    edges: NDArray[np.int64]
    groups: tuple[str, ...]
    known: bool

    @cached_property
    def near(self) -> tuple[NDArray[np.int64], ...]:
        """Return the neighbors of each node, ascending."""
        both = np.concatenate([self.edges, self.edges[:, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        starts = np.searchsorted(both[:, 0], np.arange(len(self.nodes) + 1))
        return tuple(both[start:end, 1] for start, end in pairwise(starts.tolist()))

    @property
    def size(self) -> str:
        """Return the numbers of nodes and edges in words."""
        return f"{len(self.nodes):,} nodes, {len(self.edges):,} edges"

    def places(self) -> NDArray[np.float64]:
        """Return where the nodes are drawn, by springs (Fruchterman and Reingold 1991), (n, 2)."""
        import networkx

        found = networkx.spring_layout(self._as_networkx(), seed=0)
        return np.array([found[node] for node in range(len(self.nodes))])

    def _as_networkx(self) -> Any:
        return _networkx(len(self.nodes), self.edges.tolist())


def graph_of(name: str = "karate", text: str = "") -> Graph:
    """Return a graph of `GRAPHS`, or that of a pasted edge list.

    Args:
        text: Two names in each line, with a comma, a tab or blanks between them; lines that begin with # are left out.

    Raises:
        OptionError: There is no such graph, no edge, or too many.
    """
    if text.strip():
        return _listed("Your graph", _pairs(text), None)
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


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return the pairs of names of an edge list.

    Raises:
        OptionError: It is too long, or a line has no two names.
    """
    if len(text) > MOST_LETTERS:
        raise OptionError(
            f"The list has {len(text):,} characters; at most {MOST_LETTERS:,} are read. Take a smaller graph."
        )
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not (bare := line.strip()) or bare.startswith("#"):
            continue
        separator = next((sign for sign in (",", "\t", ";") if sign in bare), None)
        names = [part.strip() for part in bare.split(separator)]
        if len(names) < 2 or not (names[0] and names[1]):
            raise OptionError(
                f"Line {number:,}, “{cut(bare, 40)}”, has no two names. Write one edge in each line: a, b."
            )
        found.append((names[0][:_LONGEST_NAME], names[1][:_LONGEST_NAME]))
    return found


def _listed(name: str, pairs: Iterable[tuple[str, str]], groups: dict[str, str] | None) -> Graph:
    """Return a graph; edges from a node to itself are left out.

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
