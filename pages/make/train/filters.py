"""The n-grams to which each filter of a line classifier reacts: a section of the page Train."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.phrases import number, signed
from embedviz.figures.evaluation import shares_figure
from embedviz.training.textcnn.filters import HEADER, LineClassifier
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.output import export, figure
from pages._shared.sources import current

if TYPE_CHECKING:
    from embedviz.training import Record
    from embedviz.training.textcnn.filters import Filter

MOST_FILTERS = 10
LABEL, FILTER = "filter_label", "filter"
_ALL = "all labels"
_CODE = """tested = recorded.results
print(tested.meaning, tested.found)
for one in tested.clearest()[:10]:
    print(tested.labels[one.speaks_for], one.tested, [firing.ngram for firing in one.fired])"""


def section(record: Record, making: str = "") -> None:
    """Draw the filters that best predict a label, with their n-grams; say how many held-out lines are labeled right.

    Draw nothing if the run did not train a TextCNN, or ended before it learned anything.

    Args:
        making: Python code that stores the record in the variable `recorded`.
    """
    network = record.results
    if not isinstance(network, LineClassifier):
        return
    states.panel(
        "What does each filter react to?", f"{network.trained:,} training lines, {network.right.of:,} held out"
    )
    states.meaning(network.meaning)
    with st.container(horizontal=True, vertical_alignment="center", key="filter-controls"):
        label = address.get(LABEL) if address.get(LABEL) in network.labels else ""
        with st.container(width=240):
            st.selectbox(
                "Label",
                [_ALL, *network.labels],
                format_func=lambda name: plain(name, 40),
                label_visibility="collapsed",
                **address.bind(LABEL, label or _ALL, lambda name: "" if name == _ALL else name),
            )
    filters = network.clearest(label)[:MOST_FILTERS]
    if not filters:
        states.note("No filter adds to this label." if label else network.found)
        return
    wide, side = st.columns([1.5, 1], gap="large")
    with wide:
        _bars(network, filters)
    with side:
        _one(network, filters)
    states.note(
        network.found if not label else "",
        "The same lines chose and tested these filters, so the first ones look better than they are.",
    )
    states.details("A filter is named by the n-gram of its strongest reaction, with the label to which it adds.")
    export.export_row(
        key="filters",
        picture="plot:filters-plot",
        table=partial(export.csv_text, network.rows(), HEADER),
        filename=f"filters-{record.corpus.name}",
        code=f"{making}\n{_CODE}" if making else _CODE,
        note={
            "title": "What each filter reacts to",
            "space": record.title,
            "meaning": network.meaning,
            "baseline": network.found,
        },
    )


def _bars(network: LineClassifier, filters: list[Filter]) -> None:
    """Draw for each filter the share of its label among the lines that activate it most, and among all lines.

    The lines are held out. A filter's label is the one whose score rises most with the activation.
    """
    view = current.view()
    rows = [
        (one.fired[0].ngram, plain(network.labels[one.speaks_for], 24), one.tested, network.shares[one.speaks_for])
        for one in filters
    ]
    figure.plotly(
        shares_figure(rows, "", "all lines", "lines with the strongest reaction", view.theme, phone=view.phone),
        "filters-plot",
    )


def _one(network: LineClassifier, filters: list[Filter]) -> None:
    """Draw a chosen filter: the n-grams to which it reacts, with the strength, and what it adds to each label."""
    place = address.whole(FILTER, 1, len(filters), 1) - 1
    st.selectbox(
        "Filter",
        range(len(filters)),
        format_func=lambda number: plain(filters[number].fired[0].ngram, 40),
        label_visibility="collapsed",
        **address.bind(FILTER, place, lambda number: str(number + 1)),
    )
    one = filters[place]
    states.table(
        ("reacts to", "strength", "label of its line"),
        [(plain(firing.ngram, 40), number(firing.activation), plain(firing.label, 24)) for firing in one.fired],
        texts=(2,),
    )
    order = sorted(range(len(network.labels)), key=lambda number: -one.weights[number])
    strengths = [f"{plain(network.labels[number], 24)} {signed(one.weights[number])}" for number in order]
    strengths = strengths if len(strengths) < 5 else [*strengths[:2], "…", strengths[-1]]
    words = "one word" if one.width == 1 else f"{one.width} words together"
    states.note(
        f"It reads {words}. One unit of strength adds to the labels, relative to the mean: {', '.join(strengths)}."
    )
