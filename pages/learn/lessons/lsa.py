"""LSA: the singular values of a table of counts with a movable cut, and a word's neighbors by each weighting."""

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number, share, shortened
from embedviz.figures.lessons import LessonCurve, curves_chart
from embedviz.training.lsa_cuts import CUTS, Cut, CutTable, LsaWord
from pages._shared.app import address
from pages._shared.sources import tokenized
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice, finished, number_choice
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, SteppedFigure, stepped

TABLES = {"lines": "Counts of lines", "tfidf": "TF-IDF", "windows": "Co-occurrence", "ppmi": "PPMI"}
LONGEST = 60


def draw(view: View) -> LessonText | None:
    """Draw the singular values of a table with a cut; the exercise asks how much of the table the cut keeps.

    Return the texts of the lesson, or None until there is a result.
    """
    controls = st.container(horizontal=True, vertical_alignment="bottom", key="controls")
    with controls:
        tokenized.control()
    if (chosen := tokenized.chosen()) is None:
        return None
    usual = next((word for word in ("king", "bank") if word in chosen.corpus.index), chosen.corpus.words[0])
    word = address.get("counted", usual)[:LONGEST]
    with controls:
        st.text_input("Word of this text", max_chars=LONGEST, width=220, **address.bind("counted", word))
        size = int(number_choice("cut", "Dimensions k", CUTS, 10))
    name = figure_choice(TABLES)
    question = call("embedviz.training.lsa_cuts:lsa_word", chosen.given, word.strip().lower())
    done = finished("learn-lsa", question, "LSA of this text", "Decomposing four tables of counts.", f"“{word}”")
    if done is None:
        return None
    found: LsaWord = done.value
    table = next(each for each in found.tables if each.name == name)
    of, here = (done.call, name), {"cut": size}
    moved = stepped(view, "lsa-spectrum", of, {"cut": CUTS}, here, lambda cut: _step(view, table, _cut(table, cut)))
    return _text(found, table, _cut(table, size), moved)


def _cut(table: CutTable, size: float) -> Cut:
    """Return the truncation of a table (its first k singular vectors) with the greatest k that is at most `size`."""
    return max((each for each in table.cuts if each.components <= size), key=lambda each: each.components)


def _step(view: View, table: CutTable, cut: Cut) -> SliderStep:
    """Return the figure of the singular values with the cut.

    The formula gives the share of the table's squared entries that the cut keeps.
    """
    places = list(range(1, len(table.values) + 1))
    curve = LessonCurve(places, list(table.values), f"singular values of {table.title}")
    marked = (float(cut.components), f"k = {cut.components}")
    drawn = curves_chart([curve], view.theme, across="dimension", up="σ", log="xy", marked=marked)
    squares, whole = _squares(table, cut)
    lines = (
        r"X \approx U_k \Sigma_k V_k^\top,\quad "
        rf"\frac{{\sum_{{i \le k}} \sigma_i^2}}{{\sum X_{{ij}}^2}} = \frac{{{tex(squares, 1)}}}{{{tex(whole, 1)}}}",
        rf"\sigma_1 = {tex(table.values[0])},\quad \sigma_{{{cut.components}}} = "
        rf"{tex(table.values[cut.components - 1])}",
    )
    return SliderStep(drawn, lines, "The dotted line is the cut: the dimensions to the left of it are kept.")


def _squares(table: CutTable, cut: Cut) -> tuple[float, float]:
    """Return the sum of the squared singular values that a cut keeps, and the sum of the table's squared entries."""
    squares = sum(value**2 for value in table.values[: cut.components])
    return squares, squares / cut.kept


def _near(found: LsaWord, components: int) -> str:
    """Return a text with the three words nearest to a word, for each table truncated to `components` dimensions."""
    near = {
        TABLES[each.name]: next(one for one in each.cuts if one.components == components).found
        for each in found.tables
        if any(one.components == components for one in each.cuts)
    }
    return ". ".join(
        f"{title}: {', '.join(f'{shortened(other)} {number(cosine, 3)}' for other, cosine in one.neighbors[:3])}"
        for title, one in near.items()
    )


def _text(found: LsaWord, table: CutTable, cut: Cut, moved: SteppedFigure) -> LessonText:
    """Return the texts under the figure; the exercise asks how much of a table the cut keeps."""
    squares, whole = _squares(table, cut)
    return LessonText(
        limit="A large first dimension is not the most important meaning: in a table of plain counts it follows mostly "
        "how frequent the words are. What share is kept says nothing about how good the neighbors are.",
        exercise=Exercise(
            "What share of the squared entries does the cut keep, in percent?",
            100 * cut.kept,
            f"{squares:,.1f} / {whole:,.1f} = {share(cut.kept, fine=True)}.",
            "Divide the sum above the line by the sum below it.",
            tolerance=0.6 + 5 * (1 + cut.kept) / whole,  # the sums are written with one decimal
            percent=True,
        ),
        steps=moved,
        note=f"Nearest to “{shortened(found.word)}” in {cut.components} dimensions. {_near(found, cut.components)}. "
        "Rows are U Σ, as in LSA. In Levy, Goldberg and Dagan 2015, U and U √Σ gave better word vectors.",
    )


LESSON = Lesson("lsa", "LSA", "What does LSA keep if we drop small directions?", 5, WORKBENCH, draw, choice="")
