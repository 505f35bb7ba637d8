"""From tokens to one vector: what each token adds to a pooled sentence, and to the cosine of two sentences."""

import numpy as np
import streamlit as st

from embedviz.contextual.token_parts import LONGEST, PooledTokens, TokenParts
from embedviz.core.call import Call, call
from embedviz.core.phrases import counted, number
from embedviz.figures.batches import heat_chart
from embedviz.figures.lessons import bars_chart
from pages._shared.app import address
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources import models
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed, figure_choice
from pages.learn.pattern.latex import digits_that_give, letters, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

ONE, OTHER = "The bank raised its interest rate.", "Money costs more at the lender now."
_TITLES = {"mean": "Mean", "max": "Maximum", "two": "Two sentences"}
_SLOT, _TITLE = "learn-pooling", "Two sentences, token by token"


def draw(view: View) -> LessonText | None:
    """Draw what tokens add to a vector, or pairs of tokens to a cosine; return the texts, or None without a result."""
    kind = figure_choice(_TITLES)
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        given = _sentence("one", "Sentence a", ONE), _sentence("other", "Sentence b", OTHER)
    found: TokenParts | None = computed(
        _SLOT, _call(*given), _TITLE, "Reading both sentences.", "the sentences before", private=True
    )
    return None if found is None else _FIGURES[kind](view, found)


def _sentence(name: str, title: str, usual: str) -> str:
    sentence = address.get(name, usual)[:LONGEST]
    st.text_input(title, max_chars=LONGEST, width=380, **address.bind(name, sentence))
    return sentence


def _call(one: str, other: str) -> Call:
    model = models.argument(models.current())
    return call("embedviz.contextual.token_parts:token_parts", one, other, model=model)


def _bars(view: View, one: PooledTokens, values: list[float], texts: list[str], title: str, usual: float) -> None:
    chart = bars_chart(
        one.tokens, values, texts, view.theme, title=title, usual=(usual, "equal shares"), phone=view.phone
    )
    figure.plotly(chart, "pooling-bars")


def _mean(view: View, found: TokenParts) -> LessonText:
    """Draw the share of each token in the mean vector; the exercise asks for the sum of all shares but the largest."""
    one = found.one
    n, shares = len(one.tokens), one.shares.tolist()
    _bars(view, one, shares, [number(value, 3) for value in shares], "share of the mean vector", 1 / n)
    top = int(np.argmax(one.shares))
    return LessonText(
        limit="A large share does not mean importance: a token adds much if its vector is long and points along the "
        "mean. The mean weighs all tokens alike.",
        exercise=Exercise(
            f"All shares add to 1. “{one.tokens[top]}” has the largest. How much do all other tokens add together?",
            1 - shares[top],
            f"1 − {number(shares[top], 3)} = {number(1 - shares[top], 3)}. With equal shares it would be "
            f"{number(1 - 1 / n, 3)}.",
            "Read the share of the token, and take it from 1.",
            tolerance=0.006,
        ),
        formula=(
            rf"m = \frac{{1}}{{{n}}} \sum_{{i=1}}^{{{n}}} x_i,\quad "
            rf"\text{{share}}_i = \frac{{x_i \cdot m}}{{{n}\, |m|^2}},\quad "
            rf"\text{{{letters(one.tokens[top])}}}: {tex(shares[top], 3)}",
        ),
        meaning=f"“{one.tokens[top]}” adds most to the vector of sentence a. Its cosine with the mean is "
        f"{number(float(one.cosines[top]))}.",
        note=f"xᵢ is the vector of token i, m the mean vector. Sentence a, last layer of {found.model}, "
        f"{counted(n, 'token')}{found.counted}.",
    )


def _max(view: View, found: TokenParts) -> LessonText:
    """Draw in how many dimensions each token has the largest value. The exercise asks which share one token has."""
    one, d = found.one, found.dimensions
    counts = one.decided.tolist()
    n, top = len(counts), int(one.decided.argmax())
    _bars(view, one, [float(value) for value in counts], [f"{value}" for value in counts], "dimensions", d / n)
    return LessonText(
        limit="Many dimensions do not make a token important. One token decides each dimension, however small its "
        "lead; the others are lost there.",
        exercise=Exercise(
            f"In which share of the {d} dimensions does “{one.tokens[top]}” have the largest value?",
            counts[top] / d,
            f"{counts[top]} of {d}: {counts[top]} / {d} = {number(counts[top] / d, 3)}. Equal: {number(1 / n, 3)}.",
            "Divide the number at its bar by the number of dimensions.",
            tolerance=0.006,
        ),
        formula=(rf"m_k = \max_i x_{{ik}},\quad k = 1, \dots, {d}",),
        meaning=f"No token decides more dimensions of the pooled vector than “{one.tokens[top]}”.",
        note=f"xᵢₖ is number k of the vector of token i, mₖ that of the pooled vector. Sentence a, last "
        f"layer of {found.model}, {counted(n, 'token')}, {d} dimensions{found.counted}.",
    )


def _two(view: View, found: TokenParts) -> LessonText:
    """Draw what each pair of tokens adds to the cosine. The exercise asks what all pairs but the largest add."""
    one, other = found.one, found.other
    chart = heat_chart(
        found.parts.tolist(), one.tokens, other.tokens, view.theme, key="adds", digits=3, phone=view.phone
    )
    figure.plotly(chart, "pooling-two")
    n, m, (row, column) = len(one.tokens), len(other.tokens), found.largest
    value = float(found.parts[row, column])
    rest = found.cosine - value
    digits = digits_that_give((found.cosine, value), lambda whole, part: whole - part, 3)
    whole = number(found.cosine, digits)
    return LessonText(
        limit="The cells show which pairs add most, not why: the vector of a token depends on other tokens of its "
        "sentence too.",
        exercise=Exercise(
            f"All cells add to the cosine {whole}. “{one.tokens[row]}” and “{other.tokens[column]}” add most. How much "
            "do all other pairs add together?",
            rest,
            f"{whole} − {number(value, digits)} = {number(rest, 3)}.",
            "Take the largest cell from the cosine.",
            tolerance=0.006,
        ),
        formula=(
            rf"\cos(a, b) = \sum_{{i=1}}^{{{n}}} \sum_{{j=1}}^{{{m}}} "
            rf"\frac{{x_i \cdot y_j}}{{{n} \cdot {m}\, |a|\, |b|}} = {tex(found.cosine, 3)}",
        ),
        meaning=found.meaning,
        note=f"xᵢ and yⱼ are the vectors of the tokens, a and b their means. Rows: tokens of a; columns: tokens of b. "
        f"Mean pooling, last layer of {found.model}.",
    )


_FIGURES = {"mean": _mean, "max": _max, "two": _two}


def begin() -> None:
    """Start the job that encodes the two sentences of the lesson; do not wait for it."""
    calls.task(_SLOT, _call(ONE, OTHER), title=_TITLE, wait=0, private=True)


LESSON = Lesson(
    "pooling", "From tokens to one vector", "How do many vectors become one?", 6, WORKBENCH, draw, "model", begin
)
