"""The figures of the lesson about tuning: layers, neighbors and the loss."""

from collections.abc import Callable

from embedviz.contextual.tuning import TunedEncoder
from embedviz.contextual.tuning.changes import NEAREST, LayerChange, WordsChange, changes_in_words
from embedviz.core.phrases import listing, number, signed, signed_interval
from embedviz.figures.batches import change_chart
from pages._shared.app import states
from pages._shared.output import figure
from pages._shared.sources.current import View
from pages.learn.lessons.tuning_loss import loss_text
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import digits_that_give, factor, tex
from pages.learn.pattern.lesson import LessonText

_GOAL = (
    "Tuning reads each sentence twice with dropout: it moves the two vectors together, and the different sentences "
    "of a batch apart."
)
ANSWERS = {-1: "less anisotropic", 0: "may be chance", 1: "more anisotropic"}


def layers_text(view: View, tuned: TunedEncoder) -> LessonText | None:
    """Draw the mean cosine of random words at each layer before and after the tuning.

    The exercise asks whether the interval of one layer's change holds 0, and what follows.
    """
    if not tuned.layers:
        states.state("Too few sentences for the layers.", "Draw more sentences, or take other texts.")
        return None
    ends = [
        [(each.value or 0.0, each.low or 0.0, each.high or 0.0) for each in values]
        for values in zip(*((one.before, one.after) for one in tuned.layers), strict=True)
    ]
    names = [str(one.layer) for one in tuned.layers]
    up, usual = "mean cosine of two random words", (0, "isotropic")
    chart = change_chart(names, ends[0], ends[1], view.theme, across="layer", up=up, usual=usual)
    figure.plotly(chart, "tuning-layers")
    one = max(tuned.layers, key=lambda each: (bool(each.verdict), each.layer))  # the last change, else the last layer
    between = _between(one)
    means = (one.after.value or 0.0, one.before.value or 0.0)
    digits = digits_that_give(means, lambda after, before: after - before, 3)
    first = max(1, len(tuned.layers) - tuned.settings.layers)
    named = listing([str(each.layer) for each in tuned.layers[first:]])
    return LessonText(
        limit="A lower mean cosine does not make a better encoder: random vectors have about 0. Which encoder "
        "is better is decided by many pairs, scored by many people.",
        exercise=Exercise(
            f"At layer {one.layer} the mean cosine changes by {signed(one.change, 3)}; the interval of the change "
            f"(95\u00a0% for all tuned layers together) is {between}. What can be said of the layer after the tuning?",
            ANSWERS[one.verdict],
            f"The interval {between} {'holds' if not one.verdict else 'does not hold'} 0: {ANSWERS[one.verdict]}.",
            "Look whether the interval holds 0, and on which side of 0 it lies.",
            options=tuple(ANSWERS.values()),
        ),
        formula=(
            rf"\text{{layer }} {one.layer}:\quad \overline{{\cos}}_{{\text{{after}}}} - "
            rf"\overline{{\cos}}_{{\text{{before}}}} = "
            rf"{tex(means[0], digits)} - {factor(means[1], digits)} = {tex(one.change, 3)}",
        ),
        meaning=f"{changes_in_words(tuned.layers)} {tuned.pairs.meaning}",
        note=f"{_GOAL} Tuned: layers {named}; those below stay as they are. A bar is about the 95\u00a0% interval of "
        "one mean; a change is measured on the same sentences, so it can be clear although the bars overlap.",
        details=f"{tuned.note} The interval of a change holds for all tuned layers together. Pairs: "
        f"{tuned.pairs.source}",
    )


def _between(layer: LayerChange) -> str:
    """Return the interval of a layer's change as a text. If 0 lies outside, no end of the interval is written as 0."""
    return signed_interval(layer.low, layer.high, 3)


def words_text(view: View, tuned: TunedEncoder) -> LessonText | None:
    """List the neighbors of the most frequent words, at most ten, before and after the tuning.

    Return the texts under the list; None, with a message on the page, if the texts have fewer than two content words.
    """
    if not tuned.words.words:
        states.state("The texts have too few words.", "Choose longer texts.")
        return None
    for one in tuned.words.words:
        states.entry(one.word, one.spoken)
    return _words_text(tuned.words, tuned.note)


def _words_text(words: WordsChange, note: str) -> LessonText:
    """Return the texts under the neighbors; the exercise asks how many neighbors the tuning changes."""
    k = min(NEAREST, words.among - 1)  # with few words, each has fewer neighbors
    changed = k * (1 - words.kept)
    return LessonText(
        limit="A changed neighbor is not better or worse: the list does not say which of two words is nearer in "
        "meaning.",
        exercise=Exercise(
            f"{number(100 * words.kept, 0)}\u00a0% of the {k} nearest neighbors stay. How many of {k} change, on "
            "average?",
            changed,
            f"{k} × (1 − {number(words.kept)}) = {number(changed, 1)}. Random words would give "
            f"{number(k * (1 - words.chance), 1)}.",
            "Take the share that stays from 1.",
            tolerance=0.1,
        ),
        formula=(
            rf"\text{{kept}} = \frac{{|N^{{\text{{before}}}} \cap N^{{\text{{after}}}}|}}"
            rf"{{{k}}},\quad \overline{{\text{{kept}}}} = {tex(words.kept)}",
        ),
        meaning=words.meaning,
        note=f"N is the set of the {k} nearest neighbors of a word. Each word is read alone.",
        details=f"Neighbors are looked for among the {words.among:,} most frequent words of the texts. English "
        "function words and very common verbs are left out; in other languages, words of more than half of the texts. "
        f"{note}",
    )


TITLES = {"layers": "Layers", "words": "Neighbors", "loss": "Loss"}
FIGURES: dict[str, Callable[[View, TunedEncoder], LessonText | None]] = {
    "layers": layers_text,
    "words": words_text,
    "loss": loss_text,
}
