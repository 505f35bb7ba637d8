"""One vector for two senses is their weighted mean: shown by counts of context words, and at an encoder's layers."""

from collections.abc import Callable, Sequence

import numpy as np

from embedviz.contextual.senses.mixture import MixedContext, SenseMixture
from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.figures.lessons import LessonCurve, bars_chart, curves_chart
from embedviz.testsets.datasets import sense_sentences
from pages._shared.results import calls
from pages._shared.sources import models
from pages._shared.sources.current import View
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed, figure_choice, sense_and_layer
from pages.learn.pattern.latex import digits_that_give, letters, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, SteppedFigure, stepped

_TITLES = {"counts": "Counts", "layers": "Layers"}


def draw(view: View) -> LessonText | None:
    """Draw the weighted mean of two senses and a slider for the weight; return the texts, or None without a result."""
    return _counts(view) if figure_choice(_TITLES) == "counts" else _layers(view)


def _weight(found: SenseMixture) -> float:
    """Draw the slider for the weight of the second sense, at first its share in the data; return the weight, 0 to 1."""
    usual = round(100 * found.weight)
    return slider.whole(f"Share of the sense “{found.senses[1]}” in percent", "weight", 0, 100, usual, width=360) / 100


def _counts(view: View) -> LessonText:
    """Draw the probabilities of context words at a mix of both senses; the exercise asks for one of them."""
    found: SenseMixture = calls.result(call("embedviz.contextual.senses.mixture:count_mixture", "bank"))
    weight = _weight(found)
    chosen = max((each for each in found.contexts if each.word not in found.senses), key=lambda each: each.shares[1])
    moved = _follow(view, "mixture-counts", found, weight, lambda each: _counts_step(view, found, chosen, each))
    wanted = 0.2 if weight >= 0.5 else 0.8
    digits = _digits(chosen, wanted)
    one, other = (number(share, digits) for share in chosen.shares)
    return LessonText(
        limit="The row of “bank” is in the middle only where both senses are equally frequent. A sense that "
        "occurs is not lost: some contexts belong to it alone.",
        exercise=Exercise(
            f"What would P({chosen.word} | bank) be if the share of the sense “{found.senses[1]}” were "
            f"{number(wanted)}? Give three decimals.",
            chosen.at(wanted),
            f"{number(1 - wanted)} × {one} + {number(wanted)} × {other} = {number(chosen.at(wanted), 3)}.",
            "Multiply each probability by the share of its sense, and add.",
            tolerance=0.0015,
        ),
        steps=moved,
        note="The probabilities for “bank” are the mean of those of its senses s, weighted by their shares P(s). c is "
        "a word within 5 words of “bank” in the teaching corpus, which is made up and names the sense of each "
        "“bank”. Drawn are the content words whose probabilities differ most.",
    )


def _counts_step(view: View, found: SenseMixture, chosen: MixedContext, weight: float) -> SliderStep:
    """Return the figure of the context words' probabilities at a weight; its formula computes P(`chosen`)."""
    chart = bars_chart(
        [each.word for each in found.contexts],
        [each.at(weight) for each in found.contexts],
        [number(each.at(weight), 3) + ("" if view.phone else f"   {_both(found, each)}") for each in found.contexts],
        view.theme,
        title="P(c | bank)",
        ceiling=max(max(each.shares) for each in found.contexts),
        phone=view.phone,
    )
    one, other = (tex(share, _digits(chosen, weight)) for share in chosen.shares)
    lines = (
        r"P(c \mid \text{bank}) = \sum_s P(s)\, P(c \mid \text{bank}, s)",
        rf"P(\text{{{letters(chosen.word)}}} \mid \text{{bank}}) = "
        rf"{tex(1 - weight)} \cdot {one} + {tex(weight)} \cdot {other} = {tex(chosen.at(weight), 3)}",
    )
    return SliderStep(chart, lines, found.meaning)


def _digits(context: MixedContext, weight: float) -> int:
    """Return the number of decimals for both senses' probabilities, so that the mean computed from them is right."""
    return digits_that_give(context.shares, lambda one, other: (1 - weight) * one + weight * other, 3)


def _follow(
    view: View, key: str, found: SenseMixture, weight: float, at: Callable[[float], SliderStep]
) -> SteppedFigure:
    """Draw the figure that follows the slider of the weight; `at()` returns what is drawn at a weight, 0 to 1."""
    of, here = (found.model, found.senses, found.pair), {"weight": round(100 * weight)}
    return stepped(view, key, of, {"weight": range(101)}, here, lambda weight: at(weight / 100))


def _both(found: SenseMixture, context: MixedContext) -> str:
    """Return a text with the probability of a context word, given each sense."""
    return ", ".join(f"{sense} {number(part, 3)}" for sense, part in zip(found.senses, context.shares, strict=True))


def _layers(view: View) -> LessonText | None:
    """Draw the cosine of the weighted mean with each sense, by the weight; the exercise asks for a dot product."""
    (word, layer), model = sense_and_layer(list(sense_sentences())), models.argument(models.current())
    question = call("embedviz.contextual.senses.mixture:layer_mixture", word, layer, model=model)
    named = f"“{word}” at layer {layer}"
    found: SenseMixture | None = computed("learn-mixture", question, "Two senses at a layer", f"{named}.", named)
    if found is None:
        return None
    weight = _weight(found)
    across = np.linspace(0, 1, 101)
    both = [found.at(float(each)).cosines for each in across]
    curves = [
        LessonCurve((100 * across).tolist(), [each[at] for each in both], f"cosine with {name}", at)
        for at, name in enumerate(found.senses)
    ]
    moved = _follow(view, "mixture-layers", found, weight, lambda each: _layers_step(view, found, curves, each))
    mean, parts = found.at(weight), (found.pair.norms[0] ** 2, found.pair.dot)
    digits = digits_that_give(parts, lambda square, dot: (1 - weight) * square + weight * dot)
    square, dot = (number(each, digits) for each in parts)
    return LessonText(
        limit="A static vector is not this mean. It lies near a similar mean, because it is trained on the contexts of "
        "all senses at once.",
        exercise=Exercise(
            f"a · a is {square} and a · b is {dot}. v is {number(1 - weight)} a + {number(weight)} b. What is v · a?",
            mean.product,
            f"{number(1 - weight)} × {square} + {number(weight)} × {dot} = {number(mean.product)}.",
            "The dot product is linear: multiply each product by its weight, and add.",
            tolerance=0.02 + 0.001 * parts[0],
        ),
        steps=moved,
        note=f"a is the mean vector of “{found.senses[0]}”, b that of “{found.senses[1]}”. {found.model}, built-in "
        "sentences, as many of each sense. In real text one sense is often far more frequent.",
    )


def _layers_step(view: View, found: SenseMixture, curves: Sequence[LessonCurve], weight: float) -> SliderStep:
    """Return curves of the mean's cosines with both senses, with a mark and formula at the second sense's weight."""
    marked, title = (100 * weight, f"{100 * weight:.0f}"), f"share of the sense “{found.senses[1]}” in percent"
    chart = curves_chart(curves, view.theme, across=title, up="cosine of the mean", marked=marked)
    one, other = (tex(each, 3) for each in found.at(weight).cosines)
    lines = (
        rf"v = {tex(1 - weight)}\,a + {tex(weight)}\,b",
        rf"\cos(v, a) = {one},\quad \cos(v, b) = {other}",
    )
    return SliderStep(chart, lines, found.meaning)


LESSON = Lesson(
    "mixture", "Two senses, one vector", "What is one vector for “bank”?", 5, WORKBENCH, draw, choice="model"
)
