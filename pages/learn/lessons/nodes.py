"""Vectors of the nodes of a graph, by Node2Vec: the graph, and next to it the map of its vectors."""

from typing import Any

import numpy as np
import streamlit as st

from embedviz import catalog
from embedviz.core.call import Call, call
from embedviz.core.phrases import number
from embedviz.figures.graphs import nodes_chart
from embedviz.training.graphs import GRAPHS, NodeSpace, transition
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources import saving
from pages._shared.sources.current import View
from pages.learn.lessons import nodes_edges as edges
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed, number_choice
from pages.learn.pattern.latex import letters, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

VALUES = (0.25, 0.5, 1.0, 2.0, 4.0)
_SLOT, _TITLE = "learn-nodes", "Vectors of nodes"
_ABOUT = (
    "Node2Vec gives random walks to Word2Vec as sentences: the nodes are the words. The larger p, the less often a "
    "walk returns to the node it came from. q below 1: it goes outward more often; q above 1: it stays near more often."
)


def draw(view: View) -> LessonText | None:
    """Draw a graph and the map of its nodes' vectors; the exercise asks for the probability of one step of a walk."""
    controls = st.container(horizontal=True, vertical_alignment="bottom", key="controls")
    with controls:
        chosen = edges.graph()
        p = number_choice("p", "Return parameter p", VALUES, 1.0, live=False, width=220)
        q = number_choice("q", "In-out parameter q", VALUES, 1.0, live=False, width=220)
    if chosen is None:
        states.state("Paste an edge list, or choose a file.", "One edge in each line, such as: ann, bob")
        return None
    states.note(_ABOUT)
    question = _call(chosen.given, p, q)
    found: NodeSpace | None = computed(
        _SLOT, question, _TITLE, "Walking and training.", f"p = {p:g}, q = {q:g}", private=chosen.private
    )
    if found is None:
        return None
    graph = found.graph
    with controls:
        node = _node(graph.nodes, max(range(len(graph.nodes)), key=lambda place: len(graph.near[place])))
    near = found.nearest(node)
    height = 300 if view.phone else 320
    for column, title, places, links in zip(
        st.columns(2), ("The graph", "Its vectors"), (graph.places(), found.plane()), (graph.edges, None), strict=True
    ):
        with column:
            states.panel(title, "first two principal components" if links is None else graph.size, level=3)
            chart = nodes_chart(
                places, graph.nodes, graph.groups, view.theme, edges=links, chosen=node, near=near, height=height
            )
            figure.plotly(chart, f"nodes-{'map' if links is None else 'graph'}")
    with st.popover("Use these vectors on all pages", key="nodes-use", icon=":material/open_in_new:", type="tertiary"):
        usual = catalog.clean_name(plain(f"nodes of {graph.name}", 60))
        saving.named("Name", usual, "Save", lambda wanted: catalog.save(found.space, wanted))
    return _text(found, node, near)


def _node(nodes: tuple[str, ...], usual: int) -> int:
    """Draw the choice of a node; return the number of the node that the address names, else `usual`."""
    wanted = address.get("node")
    place = nodes.index(wanted) if wanted in nodes else usual
    titles = {node: plain(node, 40) for node in nodes}
    bound = address.bind("node", nodes[place])
    st.selectbox("Node", nodes, format_func=titles.__getitem__, width=160, **bound)
    return place


def _call(given: dict[str, Any], p: float, q: float) -> Call:
    return call("embedviz.training.graphs.node2vec:node2vec", **given, p=p, q=q)


def _text(found: NodeSpace, node: int, near: list[int]) -> LessonText:
    """Return the texts under the figures, about a walk that has come to the node from the node's first neighbor."""
    graph, p, q = found.graph, found.p, found.q
    before = int(graph.near[node][0])
    step = transition(graph, before, node, p, q)
    back = float(step.probabilities[step.kinds == 0][0])
    common, away = int((step.kinds == 1).sum()), int((step.kinds == 2).sum())
    t, v = letters(plain(graph.nodes[before], 20)), letters(plain(graph.nodes[node], 20))
    u, made_by = letters(plain(graph.nodes[near[0]], 20)), found.space.origin.parameters
    made = "named by people" if graph.known else "found in the same edges, by modularity"
    return LessonText(
        limit="Two nodes are near if the same nodes stand around them in the walks. Two nodes with the same role, such "
        "as two that connect groups, need not be near.",
        exercise=Exercise(
            f"A walk came from node {graph.nodes[before]} to node {graph.nodes[node]}, with p = {p:g} and q = {q:g}. "
            "What is the probability that it goes back?",
            back,
            f"1/p over the sum of all weights: {number(1 / p)} / ({number(1 / p)} + {common} × 1 + {away} × "
            f"{number(1 / q)}) = {number(back, 4)}.",
            "Divide 1/p by the sum of the weights in the formula.",
            tolerance=max(0.0006, 0.05 * back),
        ),
        formula=(
            rf"P(\text{{{v}}} \to \text{{{t}}} \mid \text{{from }} \text{{{t}}}) = "
            rf"\frac{{1/p}}{{1/p + {common} + {away}/q}},\quad p = {p:g},\ q = {q:g}",
            rf"\cos(\text{{{v}}}, \text{{{u}}}) = {tex(_cosine(found, node, near[0]))}",
        ),
        meaning=found.meaning,
        note=f"The walk came from node {graph.nodes[before]} to node {graph.nodes[node]}. Of the other neighbors of "
        f"node {graph.nodes[node]}, {common} are also neighbors of node {graph.nodes[before]} (weight 1), {away} are "
        f"not (weight 1/q). Thick ring: the chosen node; thin rings: the {len(near)} nodes with the nearest vectors, "
        f"which the map need not show nearest; colors: groups, {made}.",
        details=f"The nearest is node {graph.nodes[near[0]]}: the cosine above. Directions and weights of edges are "
        "not used. "
        f"{made_by['walks']} random walks of {made_by['length']} nodes begin at each node, {found.steps:,} steps in "
        "all.",
    )


def _cosine(found: NodeSpace, one: int, other: int) -> float:
    unit = found.space.unit_rows(np.array([one, other]))
    return float(unit[0] @ unit[1])


def begin() -> None:
    """Start the training of the first graph's node vectors in the background."""
    calls.task(_SLOT, _call({"name": next(iter(GRAPHS))}, 1.0, 1.0), title=_TITLE, wait=0)


LESSON = Lesson("nodes", "Nodes of a graph", "Can a node have a vector?", 5, WORKBENCH, draw, "", begin)
