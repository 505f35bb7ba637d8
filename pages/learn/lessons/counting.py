"""Counting: one word in several tables of counts (lines, TF-IDF, co-occurrence, PMI, PPMI and shifted PPMI)."""

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.figures.lessons import bars_chart
from embedviz.training.count_tables import CountedWord
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources import tokenized
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice, number_choice
from pages.learn.pattern.latex import power, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

TABLES = {
    "lines": "Lines",
    "tfidf": "TF-IDF",
    "windows": "Co-occurrence",
    "pmi": "PMI",
    "ppmi": "PPMI",
    "shifted": "Shifted",
}
LONGEST = 60
WINDOW = 5


def draw(view: View) -> LessonText | None:
    """Draw a word's nearest words in one table of counts; the exercise asks for the PMI or shifted PPMI of a pair."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        tokenized.control()
    if (chosen := tokenized.chosen()) is None:
        return None
    usual = next((word for word in ("king", "bank") if word in chosen.corpus.index), chosen.corpus.words[0])
    word = address.get("counted", usual)[:LONGEST]
    st.text_input("Word of this text", max_chars=LONGEST, width=220, **address.bind("counted", word))
    name = figure_choice(TABLES)
    shift = number_choice("shift", "Shift k", (2, 5, 10, 20), 5) if name == "shifted" else 5
    question = call(
        "embedviz.training.count_tables:counted_word", chosen.given, word.strip().lower(), window=WINDOW, shift=shift
    )
    try:
        found: CountedWord = calls.result(question)
    except OptionError as error:
        states.state("This word cannot be counted.", str(error))
        return None
    table = next(each for each in found.tables if each.name == name)
    if not table.neighbors or not found.cells:
        states.state("Nothing is left to compare.", "No other word shares a context. Choose a frequent word.")
        return None
    chart = bars_chart(
        [each for each, _ in table.neighbors],
        [cosine for _, cosine in table.neighbors],
        [number(cosine) for _, cosine in table.neighbors],
        view.theme,
        title="cosine",
        usual=(table.typical, "median of all words"),
        phone=view.phone,
    )
    figure.plotly(chart, "counting-neighbors")
    return _text(
        found, name, f"By {table.title}, 95\u00a0% of the other words have a cosine below {number(table.high)}.", shift
    )


def _text(found: CountedWord, name: str, about: str, shift: float) -> LessonText:
    """Return the texts under the figure, with the PMI of the word and one of its contexts."""
    cell, shifted = max(found.cells, key=lambda one: one.met * one.pmi), name == "shifted"
    rarest = found.cells[0]
    value = cell.shifted if shifted else cell.pmi
    pmi = r"\text{PMI} = \ln\frac{X_{wc}}{X_w X_c / \sum X} = "
    pmi += rf"\ln\frac{{{tex(cell.met, 0)}}}{{{power(cell.expected)}}}"
    asks = f"PMI − ln {shift:g}, or 0 if that is negative" if shifted else "the PMI, with the natural logarithm"
    ratio = f"ln({cell.met:,.0f} / {cell.expected:.4g}) = {number(cell.pmi)}"
    return LessonText(
        limit=f"A high PMI alone is no evidence. Of the words that stand near “{found.word}” twice or more, "
        f"“{rarest.context}” has the highest PMI: {number(rarest.pmi)}, from a count of {rarest.met:,.0f}. With small "
        "counts a high PMI can be chance.",
        exercise=Exercise(
            f"The fraction is the count of “{cell.context}” near “{found.word}” over the count by chance. "
            f"What is {asks}?",
            value,
            f"{ratio}." + (f" Then {number(cell.pmi)} − ln {shift:g} gives {number(value)}." if shifted else ""),
            "Divide the count by the expected count first.",
            tolerance=0.02,
        ),
        formula=(pmi, r"\text{PPMI} = \max(\text{PMI},\,0)"),
        meaning=found.meaning,
        note=f"{about} Windows of {found.window} words to each side. {found.words:,} words have a row.",
    )


LESSON = Lesson("counting", "Counting", "What does a count know of a word?", 5, WORKBENCH, draw, choice="")
