"""The space of a graph's nodes: Word2Vec of walks, where a node stands for a word and a walk for a sentence."""

from collections import Counter
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Origin, VectorSpace
from embedviz.retrieval.themes import GroupScores, group_scores
from embedviz.training.graphs.graph import Graph, graph_of
from embedviz.training.graphs.walks import walks

LEAST_NODES = 3
"""Of a graph: with fewer, no node is nearer than another."""
_WINDOW, _EPOCHS = 5, 5


@dataclass(frozen=True, eq=False)
class NodeSpace:
    """Vectors of the nodes of a graph.

    Attributes:
        space: A row for each node, with the columns *group* and *degree*.
        scores: How often the nearest node is of the same group, beside shuffled groups.
        steps: Steps of all walks.
    """

    graph: Graph
    space: VectorSpace
    scores: GroupScores
    p: float
    q: float
    steps: int

    @property
    def by_chance(self) -> float:
        """Return the share of nodes whose nearest node is of the same group if the groups are dealt at random."""
        n, sizes = len(self.graph.nodes), Counter(self.graph.groups).values()
        return sum(size * (size - 1) for size in sizes) / max(1, n * (n - 1))

    @property
    def meaning(self) -> str:
        """Say how often the nearest node is of the same group, and whether by chance, where the groups are given."""
        share_of = f"{share(self.scores.accuracies[1].value)} of {self.scores.sample:,} nodes"
        baselines = f"by chance: {share(self.by_chance)}; always the largest group: {share(self.scores.largest)}"
        more = f"This is {'' if self.scores.beyond_chance else 'not significantly '}more than chance."
        no_test = (
            "The groups were found in the same edges, so this is no test: graphs without groups give high shares too."
        )
        verdict = more if self.graph.known else no_test
        return f"For {share_of}, the nearest node is of the same group ({baselines}). {verdict}"

    def nearest(self, node: int, k: int = 5) -> list[int]:
        """Return the k other nodes with the highest cosine to a node, or all of them."""
        unit = np.asarray(self.space.unit_rows(slice(0, len(self.space))), np.float64)
        cosines = unit @ unit[node]
        cosines[node] = -np.inf
        return [int(place) for place in np.argsort(-cosines, kind="stable")[: min(k, len(cosines) - 1)]]

    def plane(self) -> np.ndarray:
        """Return the first two principal components of the vectors, (n, 2)."""
        centered = np.asarray(self.space.matrix, np.float64) - self.space.matrix.mean(axis=0, dtype=np.float64)
        left, values, _ = np.linalg.svd(centered, full_matrices=False)
        return np.asarray(left[:, :2] * values[:2])

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Return header and rows: each node with its group, its degree and its nearest nodes."""
        rows: list[tuple[object, ...]] = [
            (node, self.graph.groups[place], len(self.graph.near[place]), self.graph.nodes[self.nearest(place, 1)[0]])
            for place, node in enumerate(self.graph.nodes)
        ]
        return ("node", "group", "degree", "nearest"), rows


@offered("found", "print(found.meaning)", "print(found.space)")
def node2vec(
    name: str = "karate",
    text: str = "",
    *,
    file: str | Path = "",
    p: float = 1.0,
    q: float = 1.0,
    dimensions: int = 16,
    length: int = 40,
    each: int = 10,
    seed: int = 0,
    report: Report | None = None,
) -> NodeSpace:
    """Return vectors of the nodes of a graph by Node2Vec: skip-gram with negative samples on walks, by gensim.

    Args:
        name, text, file: As for `graph_of`.
        p: The larger, the more seldom a walk goes back. `q`: the smaller, the farther it goes.
        length, each: Nodes of a walk, and walks from each node.

    Raises:
        OptionError: As for `graph_of` and `walks`; or the graph has fewer than `LEAST_NODES`.
    """
    from gensim.models import Word2Vec

    graph = graph_of(name, text, file)
    if len(graph.nodes) < LEAST_NODES:
        raise OptionError(
            f"The graph has {len(graph.nodes)} nodes; {LEAST_NODES} or more can be compared. Write more edges, one in "
            "each line: a, b."
        )
    found = walks(graph, p=p, q=q, length=length, each=each, seed=seed, report=part(report, 0.0, 0.5))
    tell(report, 0.5, "Training on the walks")
    sentences = [[str(node) for node in walk] for walk in found]
    model = Word2Vec(
        sentences,
        vector_size=dimensions,
        window=_WINDOW,
        min_count=1,
        sample=0,
        sg=1,
        negative=5,
        epochs=_EPOCHS,
        workers=1,
        seed=seed,
        hashfxn=int,  # the numbers of the nodes: the same start in every process
    )
    matrix = np.stack([model.wv[str(node)] for node in range(len(graph.nodes))])
    settings = {"graph": graph.name, "p": p, "q": q, "length": length, "walks": each, "seed": seed}
    origin = Origin("graph", f"Nodes of {graph.name}", "none", settings, "", {"gensim": version("gensim")})
    columns = {"group": np.array(graph.groups), "degree": np.array([len(near) for near in graph.near])}
    space = VectorSpace(graph.nodes, matrix, None, columns, origin)
    steps = sum(map(len, found)) - len(found)
    return NodeSpace(graph, space, group_scores(space, seed=seed, report=part(report, 0.8, 1.0)), p, q, steps)
