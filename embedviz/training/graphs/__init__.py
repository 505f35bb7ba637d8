"""Vectors of the nodes of a graph: Node2Vec (Grover and Leskovec 2016).

`edges`: read edge lists · `graph`: three built-in graphs, and graphs from edge lists · `walks`: biased random walks ·
`node2vec`: the space of the nodes, and how often a node and its nearest node are of the same group.
"""

from embedviz.training.graphs.graph import GRAPHS, Graph, graph_of
from embedviz.training.graphs.node2vec import NodeSpace, node2vec
from embedviz.training.graphs.walks import Transition, transition, walks

__all__ = ["GRAPHS", "Graph", "NodeSpace", "Transition", "graph_of", "node2vec", "transition", "walks"]
