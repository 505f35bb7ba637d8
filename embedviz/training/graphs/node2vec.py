"""Node2Vec: Word2Vec on random walks through a graph. Nodes take the place of words, walks the place of sentences."""

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
"""Smallest number of nodes. With fewer, each node has only one possible neighbor."""
_WINDOW, _EPOCHS = 5, 5


@dataclass(frozen=True, eq=False)
class NodeSpace:
    """Vectors of the nodes of a graph.

    Attributes:
        space: A row for each node, with the columns *group* and *degree*.
        scores: How often a node and its nearest node are of the same group, compared with shuffled groups.
        p, q: Parameters of the walks; see `transition`.
        steps: Number of steps in all walks together.
    """

    graph: Graph
    space: VectorSpace
    scores: GroupScores
    p: float
    q: float
    steps: int

    @property
    def by_chance(self) -> float:
        """Return the baseline: the share of nodes that would be of the same group as a randomly chosen other node."""
        n, sizes = len(self.graph.nodes), Counter(self.graph.groups).values()
        return sum(size * (size - 1) for size in sizes) / max(1, n * (n - 1))

    @property
    def meaning(self) -> str:
        """Say how often a node and its nearest node are of the same group, with baselines.

        If the groups come with the data, also say whether the result is more than chance.
        """
        share_of = f"{share(self.scores.accuracies[1].value)} of {self.scores.sample:,} nodes"
        baselines = f"by chance: {share(self.by_chance)}; always the largest group: {share(self.scores.largest)}"
        more = f"This is {'' if self.scores.beyond_chance else 'not significantly '}more than chance."
        no_test = (
            "The groups were found in the same edges, so this is no test: graphs without groups give high shares too."
        )
        verdict = more if self.graph.known else no_test
        return f"For {share_of}, the nearest node is of the same group ({baselines}). {verdict}"

    def nearest(self, node: int, k: int = 5) -> list[int]:
        """Return the k nearest neighbors of a node by cosine, as node indices; fewer if the graph has fewer nodes."""
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
        """Return header and rows of a table: each node with its group, its degree and its nearest node."""
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
    """Return vectors of the nodes of a graph by Node2Vec, trained by gensim's skip-gram with negative sampling.

    Args:
        name, text, file: As for `graph_of`.
        p: Return parameter: the larger it is, the more rarely a walk goes back.
        q: In-out parameter: the smaller it is, the farther a walk goes.
        length: Number of nodes in each walk. `each`: number of walks that start at each node.

    Raises:
        OptionError: The graph cannot be made, see `graph_of`; it has fewer than `LEAST_NODES` nodes; or p, q, `length`
            or `each` is not allowed, see `walks`.
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
        hashfxn=int,  # words are node numbers; so the first vectors are the same in every process
    )
    matrix = np.stack([model.wv[str(node)] for node in range(len(graph.nodes))])
    settings = {"graph": graph.name, "p": p, "q": q, "length": length, "walks": each, "seed": seed}
    origin = Origin("graph", f"Nodes of {graph.name}", "none", settings, "", {"gensim": version("gensim")})
    columns = {"group": np.array(graph.groups), "degree": np.array([len(near) for near in graph.near])}
    space = VectorSpace(graph.nodes, matrix, None, columns, origin)
    steps = sum(map(len, found)) - len(found)
    return NodeSpace(graph, space, group_scores(space, seed=seed, report=part(report, 0.8, 1.0)), p, q, steps)
