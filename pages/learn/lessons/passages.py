"""Finding passages: a question by words and by meaning, the prompt of the best texts, and what an index saves."""

import streamlit as st

from embedviz.core.call import Call, Elsewhere, call
from embedviz.core.phrases import cut, number
from embedviz.corpus import LEE
from embedviz.figures.lessons import bars_chart
from embedviz.retrieval.passages import Passages
from embedviz.retrieval.worked import RARE, WORKED
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources import corpora, models
from pages._shared.sources.corpora import ChosenTexts
from pages._shared.sources.current import View
from pages.learn.lessons.passage_database import database_figure
from pages.learn.lessons.passage_prompt import prompt_figure
from pages.learn.lessons.passage_questions import bm25_text, found_text
from pages.learn.pattern import more
from pages.learn.pattern.choices import computed
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

LONGEST = 300
"""Greatest number of characters of a question."""
_SHORT = 75
"""Greatest number of characters of the best text by each method, when the rankings of two methods are shown."""
_ABOUT = {"bm25": "by the words of the question", "encoder": "by meaning: a vector of each text"}
_TITLES = {
    "found": "Two methods",
    "bm25": "The BM25 score",
    "prompt": "The prompt of a RAG system",
    "database": "A vector database",
}
_SLOT, _TITLE, _READS = "learn-passages", "Passages for a question", "The encoder reads the texts."


def draw(view: View) -> LessonText | None:
    """Draw the chosen figure of the lesson for the texts in use, and return the texts of the lesson.

    None if no texts are ready, or if there are no passages for the question.
    """
    name = more.current(_TITLES)
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        query = _question() if name != "database" else ""
        corpora.control()
    if (texts := corpora.chosen()) is None:
        return None
    if name == "database":
        return database_figure(view, texts)
    if (found := _passages(texts, query)) is None:
        return None
    if name == "prompt":
        return prompt_figure(found, query)
    if name == "bm25":
        _ranking(view, found, "bm25", LONGEST)
        return bm25_text(found)
    for column, method in zip(st.columns(2, gap="large"), found.hits.rankings, strict=True):
        with column:
            _ranking(view, found, method, _SHORT)
    return found_text(found)


def _question() -> str:
    """Draw the box of the question and two example questions; return the question that the address holds."""
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
    """Return the passages found for a question.

    While the texts are read, or if the question has no letter, write so and return None.
    """
    if not any(letter.isalpha() for letter in query):
        states.state("Type a question.", f"It needs a word with letters. An example: {WORKED[LEE].query}")
        return None
    found: Passages | None = computed(
        _SLOT, _passages_question(query, texts.given), _TITLE, _READS, f"“{query}”", private=True
    )
    return found


def _ranking(view: View, found: Passages, method: str, longest: int) -> None:
    """Draw the ranking of a method: bars of the scores, and the best text, cut at `longest` characters."""
    one = found.hits.rankings[method]
    states.panel(one.title, _ABOUT[method], level=3)
    if not one.hits:
        states.state("Nothing found.", "No text holds a word of the question.")
        return
    chart = bars_chart(
        [found.keys[hit.row] for hit in one.hits],
        [hit.score for hit in one.hits],
        [number(hit.score) for hit in one.hits],
        view.theme,
        title=f"BM25 {one.unit}" if method == "bm25" else one.unit,
        usual=(one.chance.tick, "best random query") if one.chance.tick is not None else None,
        phone=True,
    )
    figure.plotly(chart, f"passages-{method}")
    states.entry(f"First: {found.keys[one.rows[0]]}", cut(found.texts[one.rows[0]], longest))


def begin() -> None:
    """Start to read the built-in texts in the background."""
    calls.task(_SLOT, _passages_question(WORKED[LEE].query, LEE), title=_TITLE, wait=0, private=True)


LESSON = Lesson(
    "passages", "Finding passages", "Which texts answer a question?", 5, WORKBENCH, draw, "model", begin, _TITLES
)
