"""The figures of the lesson about ELMo: perplexity by epoch, one word in three sentences, and the mix of the layers."""

import math
from collections.abc import Callable

from embedviz.contextual.elmo.training import TrainedElmo
from embedviz.core.phrases import number
from embedviz.figures.lessons import LessonCurve, curves_chart
from pages._shared.output import figure
from pages._shared.sources.current import View
from pages.learn.lessons.elmo_mix import mix_text
from pages.learn.lessons.elmo_word import word_text
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import digits_that_give, tex
from pages.learn.pattern.lesson import LessonText

_TICKS = [digit * 10**power for power in range(5) for digit in (1, 2, 5)]
_NOTE = "Peters et al. 2018 compute the token layer from characters; here each word of the vocabulary has a row."


def perplexity_text(view: View, trained: TrainedElmo) -> LessonText:
    """Draw the perplexities by epoch; the exercise asks for the geometric mean probability of the right tokens."""
    steps = [one.epoch for one in trained.epochs]
    curves = [
        LessonCurve(steps, [one.held_out for one in trained.epochs], "held out"),
        LessonCurve(steps, [one.training for one in trained.epochs], "trained on", 1),
        LessonCurve(steps, [trained.unigram] * len(steps), "unigram baseline", None, "dot"),
    ]
    chart = curves_chart(curves, view.theme, across="epoch", up="perplexity", log="y")
    chart.update_layout(yaxis={"tickvals": _TICKS, "tickformat": ",d", "exponentformat": "none"})
    figure.plotly(chart, "elmo-perplexity")
    last = trained.epochs[-1]
    ahead, back = math.log(last.forward), math.log(last.backward)
    digits = digits_that_give((ahead, back), lambda one, other: math.exp((one + other) / 2))
    return LessonText(
        limit="A low perplexity may mean that the texts are easy to guess. Only models with the same texts and "
        "the same vocabulary can be compared.",
        exercise=Exercise(
            "Perplexity is 1 divided by the geometric mean of the probabilities of the right tokens. What is this "
            "mean on held-out sentences after the last epoch, in percent?",
            100 / last.held_out,
            f"1 / {number(last.held_out)} = {number(100 / last.held_out)}\u00a0%. The unigram baseline gives "
            f"{number(100 / trained.unigram)}\u00a0%.",
            "Divide 1 by the perplexity of the held-out sentences.",
            tolerance=max(0.05, 2 / last.held_out),
            percent=True,
        ),
        formula=(
            rf"\text{{perplexity}} = e^{{\frac{{1}}{{2}}\left(L_{{\rightarrow}} + L_{{\leftarrow}}\right)}} = "
            rf"e^{{\frac{{1}}{{2}}({tex(ahead, digits)} + {tex(back, digits)})}} = {tex(last.held_out)}",
        ),
        meaning=f"{trained.meaning} One model reads from the left and predicts the next token. The other reads from "
        "the right and predicts the token before.",
        note="L→ and L← are the mean losses of both on held-out sentences, in nats per token.",
        details=f"{trained.note} {trained.about} {trained.method} {_NOTE} It took {trained.seconds:.0f} s.",
    )


TITLES = {"word": "One word, three sentences", "mix": "A mix of the layers", "perplexity": "Perplexity"}
FIGURES: dict[str, Callable[[View, TrainedElmo], LessonText | None]] = {
    "perplexity": perplexity_text,
    "word": word_text,
    "mix": mix_text,
}
