"""Two more figures of a batch of sentence pairs: a bound of mutual information; alignment and uniformity by layer."""

from embedviz.contextual.contrast import SentenceBatch
from embedviz.core.phrases import number
from embedviz.figures.batches import path_chart
from pages._shared.output import figure
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import digits_that_give, tex
from pages.learn.pattern.lesson import LessonText


def bound_text(batch: SentenceBatch, temperature: float) -> LessonText:
    """Return the texts on a lower bound of the mutual information, ln N − loss. The exercise asks for this bound."""
    loss = batch.loss(temperature)
    n = len(loss.probabilities)
    digits = digits_that_give((loss.most, loss.value), lambda most, value: most - value, 3)
    value, most = number(loss.value, digits), number(loss.most, digits)
    return LessonText(
        limit=f"The bound never says more than ln N, here {most} nats, however good the encoder is.",
        exercise=Exercise(
            f"The loss of this batch is {value} nats. What is its ln N − L, the bound, in nats?",
            loss.bound,
            f"ln N − L = ln {n} − {value} = {most} − {value} = {number(loss.bound, 3)}. "
            + ("Equal probabilities give 0." if round(loss.bound, 3) >= 0 else "A bound below 0 says nothing."),
            "Take the natural logarithm of the number of pairs, and subtract the loss.",
            tolerance=0.01,
        ),
        formula=(
            rf"L = -\frac{{1}}{{N}} \sum_{{i=1}}^{{N}} \ln \frac{{e^{{s_{{ii}}/\tau}}}}{{\sum_j e^{{s_{{ij}}/\tau}}}} "
            rf"= {tex(loss.value, digits)},\quad I \ge \ln N - L = \ln {n} - L",
        ),
        meaning="I is the mutual information of a sentence and the next one: how much one says about the other. The "
        "smaller the loss, the higher is this lower bound of I.",
        note="s is the cosine of row and column. The bound holds for the mean of many batches, not for each one.",
        details=batch.note,
    )


def layers_text(view: View, batch: SentenceBatch) -> LessonText:
    """Draw uniformity and alignment of each layer. The exercise asks for the alignment at a given mean cosine."""
    layers = batch.layers
    points = [(one.uniformity, one.alignment) for one in layers]
    chart = path_chart(
        points,
        [f"layer {one.layer}" if one in (layers[0], layers[-1]) else str(one.layer) for one in layers],
        view.theme,
        across="uniformity (left: spread evenly)",
        up="alignment (down: pairs are near)",
    )
    figure.plotly(chart, "contrast-layers")
    last = layers[-1]
    cosine = number(last.cosine, digits_that_give([last.cosine], lambda cosine: 2 - 2 * cosine, 3))
    return LessonText(
        limit="Low alignment alone is no success: where all sentences are one point, it is 0. The two have to be read "
        "together.",
        exercise=Exercise(
            f"At layer {last.layer} the mean cosine of the pairs is {cosine}. What is the alignment?",
            last.alignment,
            f"|x − y|² = 2 − 2 cos for unit vectors: 2 − 2 × {cosine} = {number(last.alignment, 3)}.",
            "Vectors have length 1, so |x − y|² = 2 − 2 cos.",
            tolerance=0.01,
        ),
        formula=(
            r"\ell_{\text{align}} = \overline{|x - y|^2},\quad "
            r"\ell_{\text{uniform}} = \ln \overline{e^{-2 |x - x'|^2}}",
            rf"\text{{layer }} {last.layer}:\quad \ell_{{\text{{align}}}} = {tex(last.alignment)},\quad "
            rf"\ell_{{\text{{uniform}}}} = {tex(last.uniformity)}",
        ),
        meaning=batch.meaning,
        note="x and y are the vectors of a pair, x and x′ those of any two sentences, all of length 1.",
        details=f"{batch.note} Uniformity: all {2 * len(batch.anchors)} sentences. One point has 0; evenly spread "
        "points of many dimensions have about −4.",
    )
