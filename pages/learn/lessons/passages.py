"""Finding passages: a question by words and by meaning, the prompt of the best texts, and what an index saves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.call import Call, Elsewhere, call
from embedviz.core.phrases import number
from embedviz.corpus import LEE
from embedviz.figures.lessons import LessonCurve, bars_chart, curves_chart
from embedviz.retrieval.passages import Passages, ProbedCells, rag_prompt
from embedviz.retrieval.worked import RARE, WORKED
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources import corpora, models
from pages.learn.lessons.passage_questions import database_text, found_text, prompt_text
from pages.learn.pattern.choices import computed, figure_choice, number_choice
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

if TYPE_CHECKING:
    from pages._shared.sources.corpora import ChosenTexts
    from pages._shared.sources.current import View

LONGEST = 300
"""Characters of a question that are read."""
_NO_WORD = "No text holds a word of the question."
_TITLES = {"found": "Two methods", "prompt": "The prompt", "database": "A vector database"}
_SLOT, _TITLE, _READS = "learn-passages", "Passages for a question", "The encoder reads the texts."


def draw(view: View) -> LessonText | None:
    """Draw one of the three figures for the texts in use."""
    name = figure_choice(_TITLES)
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        corpora.control()
        query = _question() if name != "database" else ""
    if (texts := corpora.chosen()) is None:
        return None
    return _FIGURES[name](view, texts, query)


def _question() -> str:
    """Return the question of the address, with its box and two examples."""
    query = address.get("query", WORKED[LEE].query)[:LONGEST]
    st.text_input("Question", max_chars=LONGEST, width=340, **address.bind("query", query))
    with st.popover("Examples", key="passages-examples", type="tertiary"):
        for one, about in ((WORKED[LEE], "in other words than the text"), (RARE[LEE], "a rare name")):
            chosen = {"query": one.query}
            st.button(f"{one.query} · {about}", on_click=address.put, kwargs=chosen, key=f"passages-{one.key}")
    return query


def _passages_question(query: str, given: str | Elsewhere) -> Call:
    model = models.argument(models.current())
    return call("embedviz.retrieval.passages:find_passages", query, given, model=model)


def _passages(texts: ChosenTexts, query: str) -> Passages | None:
    """Return the texts found; None, with a sentence, while they are read or where the question has no word."""
    if not any(letter.isalpha() for letter in query):
        states.state("Type a question.", "It needs a word, such as: Which illness do cows have?")
        return None
    found: Passages | None = computed(
        _SLOT, _passages_question(query, texts.given), _TITLE, _READS, f"“{query}”", private=True
    )
    return found


def _found(view: View, texts: ChosenTexts, query: str) -> LessonText | None:
    """Draw what both methods find, side by side."""
    if (found := _passages(texts, query)) is None:
        return None
    for column, one in zip(st.columns(2, gap="large"), found.hits.rankings.values(), strict=True):
        with column:
            encoder = "by meaning: an encoder, a neural network, makes a vector of each text"
            subtitle = "by the words of the question" if one.name == "bm25" else encoder
            states.panel(one.title, subtitle, level=3)
            if not one.hits:
                states.state("Nothing found.", _NO_WORD)
                continue
            chart = bars_chart(
                [found.keys[hit.row] for hit in one.hits],
                [hit.score for hit in one.hits],
                [number(hit.score) for hit in one.hits],
                view.theme,
                title=f"BM25 {one.unit}" if one.name == "bm25" else one.unit,
                usual=(one.chance.tick, "best random query") if one.chance.tick is not None else None,
                phone=True,
            )
            figure.plotly(chart, f"passages-{one.name}")
            states.entry(f"First: {found.keys[one.rows[0]]}", found.texts[one.rows[0]])
    return found_text(found, query)


def _prompt(view: View, texts: ChosenTexts, query: str) -> LessonText | None:
    """Draw the prompt of the best texts by one method."""
    if (found := _passages(texts, query)) is None:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", key="prompt-controls"):
        by = address.get("by") if address.get("by") in found.hits.rankings else "encoder"
        st.segmented_control(
            "Texts found by",
            list(found.hits.rankings),
            format_func=lambda name: found.hits.rankings[name].title,
            required=True,
            **address.bind("by", by),
        )
        k = int(number_choice("k", "Texts in the prompt k", (1, 2, 3, 4, 5), 3))
    first = found.hits.first(k).rankings
    if not first[by].hits:
        states.state("Nothing to put into a prompt.", _NO_WORD)
        return None
    prompt = rag_prompt(query, [(found.keys[row], found.texts[row]) for row in first[by].rows])
    st.code(prompt, language=None, wrap_lines=True, height=320)
    return prompt_text(found, by, k, prompt)


def _database(view: View, texts: ChosenTexts, query: str) -> LessonText | None:
    """Draw what an index of cells finds of the exact nearest texts, for each number of cells searched."""
    question = call("embedviz.retrieval.passages:probed_texts", texts.given, model=models.argument(models.current()))
    found: ProbedCells | None = computed("learn-probes", question, "An index of cells", _READS)
    if found is None:
        return None
    shares, recalls = [one.compared for one in found.probes], [one.recall for one in found.probes]
    curves = [
        LessonCurve(shares, recalls, f"index of {found.cells} cells"),
        LessonCurve([0.0, 1.0], [0.0, 1.0], "as many random texts", None, "dot"),
    ]
    across, up = "vectors compared, as a share of an exact scan", f"recall of the {found.k} nearest"
    chart = curves_chart(curves, view.theme, across=across, up=up)
    chart.update_layout(xaxis={"tickformat": ".0%"}, yaxis={"tickformat": ".0%"})
    figure.plotly(chart, "passages-probes")
    return database_text(found)


_FIGURES = {"found": _found, "prompt": _prompt, "database": _database}


def begin() -> None:
    """Begin to read the built-in texts, without waiting for it."""
    calls.task(_SLOT, _passages_question(WORKED[LEE].query, LEE), title=_TITLE, wait=0, private=True)


LESSON = Lesson("passages", "Finding passages", "Which texts answer a question?", 6, WORKBENCH, draw, "model", begin)
