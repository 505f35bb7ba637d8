"""Vectors of the nodes of a graph: Node2Vec (Grover and Leskovec 2016).

`edges`: lists, read within limits · `graph`: three graphs, and those of lists ·
`walks`: biased walks · `node2vec`: the space, its communities against chance.
"""

from embedviz.training.graphs.graph import GRAPHS, Graph, graph_of
from embedviz.training.graphs.node2vec import NodeSpace, node2vec
from embedviz.training.graphs.walks import Transition, transition, walks

__all__ = ["GRAPHS", "Graph", "NodeSpace", "Transition", "graph_of", "node2vec", "transition", "walks"]
