"""A proposed number of clusters, to compare with the number in use."""

import math
from dataclasses import replace

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import Method, Parameter
from embedviz.core.texts import Texts
from embedviz.geometry.clusters import FEW
from pages._shared.app import address, states
from pages._shared.results import calls, work
from pages._shared.sources.current import View

PROPOSED = "proposed"
"""Name in the address: whether a number of clusters is proposed."""


def usual(way: Method, option: Parameter, texts: Texts) -> Parameter:
    """Return the option with a default that fits the texts.

    For k-means this is the number of known groups or, without groups, √(number of texts), at most the option's default.
    A number outside the range of the option is not used.
    """
    if way.name != "kmeans":
        return option
    known = len({*texts.labels}) if texts.labels is not None else min(option.default, math.isqrt(len(texts)))
    return replace(option, default=known) if option.low <= known <= option.upper(len(texts)) else option


def offer(sub: View, way: Method, option: Parameter, size: int) -> None:
    """Offer to propose a number of clusters for k-means; show the proposed number after a click.

    Args:
        sub: The view of the space of texts.
        option: The option for the number of clusters.
        size: The number of clusters in use.
    """
    if way.name != "kmeans":
        return
    if address.get(PROPOSED) != "yes":
        st.button("How many clusters?", on_click=address.put, kwargs={PROPOSED: "yes"})
        return
    if len(sub.space) < FEW:
        states.note(f"{len(sub.space)} texts are too few: a number of clusters is proposed from {FEW} on.")
        return
    task = calls.task("cluster-count", call("embedviz.geometry.cluster_count:cluster_count", sub.recipe))
    if task.result is None:
        work.show(task, "Comparing numbers of clusters.")
        return
    states.meaning(task.result.meaning)
    states.details(task.result.note)
    proposed = task.result.proposed
    if proposed is not None and proposed != size:
        st.button(f"Use {proposed} clusters", on_click=address.put, kwargs={option.name: str(proposed)})
