"""What stands below the picture of the page Senses, and its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from embedviz.contextual import senses as study
from embedviz.contextual.occurrences import PIECES_OPTION
from embedviz.contextual.senses.chart import COMPARED, DRAWN
from embedviz.core.call import call
from embedviz.core.options import Choice, Method, Parameter
from embedviz.core.phrases import number
from embedviz.figures.occurrences import differences_figure
from embedviz.geometry.separation import MOST
from pages._shared.app import frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets
from pages._shared.output import figure
from pages._shared.output.wordlist import neighbor_list
from pages._shared.results import calls
from pages.context.senses import scrubber

if TYPE_CHECKING:
    from pages._shared.sources.current import View

NEAREST = 8
OPTIONS = Method(
    "occurrences",
    "Occurrences",
    study.chart,
    (
        PIECES_OPTION,
        Choice("case", ("ignored", "matched"), "ignored", "Whether Bank is bank.", "Capitals"),
        Parameter(
            "most",
            20,
            MOST,
            DRAWN,
            "Occurrences that are read; where there are more, some are drawn.",
            "Most occurrences",
        ),
        Parameter("clusters", 2, 8, 2, "Clusters, where no senses are known.", "Clusters"),
    ),
)


def settings(view: View) -> dict[str, Any]:
    """Return what is asked of a chart besides its word and sentences, with a control for each."""
    options = widgets.options(OPTIONS, view.space)
    return {
        "pieces": options["pieces"],
        "ignore_case": options["case"] == "ignored",
        "most": int(options["most"]),
        "k": int(options["clusters"]),
    }


def movie(chart: study.Chart, layer: int) -> scrubber.Movie:
    """Return the occurrences at every layer, in the colors of their senses or of that layer's clusters."""
    found = chart.found
    return scrubber.Movie(
        chart.points,
        [one.text for one in found.occurrences],
        [(one.start, one.end) for one in found.occurrences],
        chart.groups(layer),
        () if found.senses else study.CLUSTER_NAMES,
        chart.layers,
        {"the word alone": chart.alone.points} if chart.alone is not None else {},
    )


def differences(chart: study.Chart, layer: int, view: View) -> None:
    """Draw how alike each two occurrences are at a layer."""
    states.panel(f"Who is like whom at layer {layer}?", "Cosine of each two occurrences minus the mean of all pairs", 3)
    figure.plotly(differences_figure(chart, layer, view.theme, phone=view.phone), "senses-matrix")
    many = f"{len(chart.order)} of {len(chart.found):,} occurrences, drawn group by group. "
    some = many if len(chart.found) > COMPARED else ""
    mean = number(float(chart.means[chart.layers.index(layer)]))
    states.note(f"{some}Raw cosines at this layer: {mean} on average; pale is that mean.")


def control(found: study.Senses, layer: int) -> None:
    """Draw the scores of a layer beside shuffled senses and the other words."""
    states.panel(f"Is it the word, or its sentence? Layer {layer}", "beside shuffled senses and the other words", 3)
    states.explained(*found.score_table(layer))
    states.note(
        "Shuffled: the chance band of this layer. Other words: the mean input vector of the rest of the sentence, "
        "without the word."
    )


def without_sentence(chart: study.Chart, word: str, layer: int, view: View) -> None:
    """Draw the neighbors of the word's one vector in the space in use, and what the word alone is near to."""
    static = view.find().word if view.find().asked else (word if word in view.space.index else None)
    states.panel("Without a sentence", f"One vector for all: {view.name}", level=3)
    if static is None:
        states.note(f"“{plain(word, 40)}” is not among the {len(view.space):,} words of {view.name}.")
    else:
        near = calls.result(call("embedviz.neighbors:neighborhood", view.recipe, (static,), NEAREST))
        neighbor_list(near, frame.choose_word, key="senses-static")
        states.note(near.baseline)
    if chart.alone is not None:
        place = chart.layers.index(layer)
        states.note(
            f"The mark “the word alone” is the same model reading one word; its mean cosine with the occurrences at "
            f"layer {layer} is {number(float(chart.alone.cosines[place]))} (two occurrences: "
            f"{number(float(chart.means[place]))}).",
            chart.alone.meaning,
        )
