"""The panels below the picture of the page Senses, and its settings."""

from typing import Any

import streamlit as st

from embedviz.contextual import senses as study
from embedviz.contextual.occurrences import PIECES_OPTION
from embedviz.contextual.senses.chart import COMPARED, DRAWN
from embedviz.core.call import call
from embedviz.core.options import Choice, Method, Parameter
from embedviz.core.phrases import number, share
from embedviz.figures.occurrences import differences_figure
from embedviz.figures.senses import scores_figure
from embedviz.figures.style import enlarged
from embedviz.geometry.separation import MOST
from pages._shared.app import frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets
from pages._shared.output import figure
from pages._shared.output.wordlist import neighbor_list
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.context.senses.movie import Movie

NEAREST = 8
OPTIONS = Method(
    "occurrences",
    "Occurrences",
    study.chart,
    (
        PIECES_OPTION,
        Choice("case", ("ignored", "matched"), "ignored", "Ignored: Bank and bank are one word.", "Capitals"),
        Parameter(
            "most",
            20,
            MOST,
            DRAWN,
            "Greatest number of occurrences; of more, a random sample is read.",
            "Occurrences",
        ),
        Parameter("clusters", 2, 8, 2, "Number of clusters of sentences without labels.", "Clusters"),
    ),
)


def settings(view: View) -> dict[str, Any]:
    """Draw the settings; return them as arguments of a chart."""
    options = widgets.options(OPTIONS, view.space)
    return {
        "pieces": options["pieces"],
        "ignore_case": options["case"] == "ignored",
        "most": int(options["most"]),
        "k": int(options["clusters"]),
    }


def movie(chart: study.Chart, layer: int) -> Movie:
    """Return the occurrences at every layer, colored by known sense, else by the clusters at this layer."""
    found = chart.found
    return Movie(
        chart.points,
        [one.text for one in found.occurrences],
        [(one.start, one.end) for one in found.occurrences],
        chart.groups(layer),
        () if found.senses else study.CLUSTER_NAMES,
        chart.layers,
        {"without a sentence": chart.alone.points} if chart.alone is not None else {},
    )


def curve(found: study.Senses, score: str, layer: int, view: View, *, lecture: bool) -> None:
    """Draw a score at every layer, enlarged in the lecture view."""
    drawn = scores_figure(found, score, layer, view.theme, phone=view.phone)
    figure.plotly(enlarged(drawn).update_layout(height=460) if lecture else drawn, "senses-scores")


def differences(chart: study.Chart, layer: int, view: View) -> None:
    """Draw the cosine of each pair of occurrences at a layer."""
    states.panel(
        f"Which occurrences are alike at layer {layer}?",
        "Violet: more alike than the mean pair; gold: less",
        3,
    )
    states.meaning(chart.block_means(layer))
    figure.plotly(differences_figure(chart, layer, view.theme, phone=view.phone), "senses-matrix")
    some = f"{len(chart.order)} of {len(chart.found):,} occurrences." if len(chart.found) > COMPARED else ""
    states.note(some, "Empty diagonal: each occurrence with itself. A gold stripe: one unlike the others.")


def static_neighbors(word: str, view: View) -> None:
    """Draw the neighbors of the single vector that the word has in the space in use."""
    static = view.find().word if view.find().typed else (word if word in view.space.index else None)
    question = f"What is near “{plain(word, 24)}” without a sentence?"
    states.panel(question, f"One fixed vector for all senses, from {view.name}", level=3)
    if static is None:
        states.note(f"“{plain(word, 40)}” is not among the {len(view.space):,} words of {view.name}.")
    else:
        near = calls.result(call("embedviz.neighbors:neighborhood", view.recipe, (static,), NEAREST))
        neighbor_list(near, frame.choose_word, key="senses-static")
        states.note(near.tick)
        states.details(near.method)


def picture_note(chart: study.Chart) -> tuple[str, ...]:
    """Return sentences: what a mark is, how much variance the picture holds, and where the word alone lies.

    “Alone” means encoded as its own sentence. The text holds for all layers, because it stays while the layer changes.
    """
    low, high = (share(float(held)) for held in (chart.held.min(), chart.held.max()))
    variance = f"{low} of the variance" if low == high else f"{low} to {high} of the variance, depending on the layer"
    return (
        f"Each mark is one “{plain(chart.found.word, 40)}” in a sentence. The flat picture keeps {variance}.",
        chart.input_note,
        chart.alone.meaning if chart.alone is not None else "",
    )


def picture_explained(chart: study.Chart, layer: int) -> str:
    """Return how the picture is drawn, and the occurrences' mean cosine with the word as its own sentence, if known."""
    place = chart.layers.index(layer)
    drawn = (
        f"The picture shows two main directions of unit vectors: {share(float(chart.held[place]))} of the variance of "
        f"layer {layer}. The scores use all dimensions. Each layer is rotated onto the next; all have one scale."
    )
    if chart.alone is None:
        return drawn
    return (
        f"{drawn} × is the word as a sentence of its own. At layer {layer} its mean cosine with the occurrences is "
        f"{number(float(chart.alone.cosines[place]))}; for two occurrences it is {number(float(chart.means[place]))}."
    )


def all_scores(found: study.Senses, layer: int) -> None:
    """Draw the scores of this layer and of all layers in an expander; draw nothing if there are no scores."""
    header, rows = found.table()
    if not rows:
        return
    with st.expander("All scores of all layers", key="senses-all"):
        if layer in dict(found.scored):
            states.panel(f"Layer {layer}", "Baselines: shuffled labels (95\u00a0%), and the other words alone", 3)
            states.explained(*found.score_table(layer))
        states.panel("All layers", "* better than 95\u00a0% of shuffled labels", level=3)
        with st.container(key="senses-table"):
            states.table(header, rows)
        states.details(
            found.meaning,
            "Other words: the mean input vector of the other words of the sentence. It contains no vector of the word "
            "itself.",
        )
