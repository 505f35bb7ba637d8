"""What the page Search waits for: the ranking of the encoder, a text that is opened, the test of every method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz.figures.search import retrieval_figure
from embedviz.retrieval import SEARCHES
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.results import work
from pages.texts.search.hits import opened_text

if TYPE_CHECKING:
    from embedviz.core.texts import Texts
    from embedviz.retrieval import Ranking
    from pages._shared.sources.current import View
    from pages.texts.search.searching import Index, Meaning

NEAREST = 6
MEANT = (
    "Encoder: a passage is the sentence nearest to the query. The words under it are the query's, each with what its "
    "vector, which has read the whole query, adds to the cosine."
)


def by_encoder(meaning: Meaning, query: str, k: int, read: int, count: int) -> Ranking | None:
    """Return the ranking of a query by the encoder; while it is not there, draw how far it is.

    Args:
        count: Texts that the encoder reads first.
    """
    task = meaning.find("search-meaning", query, k, read) if meaning.ready else meaning.space.task
    ranking: Ranking | None = task.result if meaning.ready and task is not None else None
    if task is not None and ranking is None:
        doing = "Encoder: the query is read." if meaning.ready else f"Encoder: {count:,} texts are read."
        (work.row if task.running else work.show)(task, doing)
    return ranking


def opened(index: Index, meaning: Meaning | None, query: str, by: str, row: int, texts: Texts) -> None:
    """Draw one text, what made its score by a method, and the texts nearest to it."""
    if by == "encoder" and meaning is not None:
        task = meaning.open("search-open", query, row, NEAREST)
        if task.result is None:
            work.show(task, "The text is read.")
            return
        hit, near = task.result
    else:
        hit, near = index.explain(query, by, row), index.like(row, by, NEAREST)
    opened_text(hit, near, texts, SEARCHES[by], lambda key: address.put(doc=key or None))


def tested(index: Index, meaning: Meaning | None, view: View) -> None:
    """Draw how well each method finds what it should, or the way to ask for it."""
    states.panel("Which method finds what it should?", "Each asked with queries whose answers are known", level=3)
    if address.get("tested") != "yes":
        states.note(
            "A few words of a text should find that text; a text should find others of its group, where groups are "
            "known."
        )
        st.button("Test the methods", on_click=address.put, kwargs={"tested": "yes"})
        return
    task = index.measure("search-test", meaning if meaning is not None and meaning.ready else None)
    if task.result is None:
        work.show(task, "Asking each method queries whose answers are known.")
        return
    for column, test in zip(st.columns(2, gap="large"), task.result, strict=False):
        with column:
            states.panel(test.title, test.about, level=3)
            figure.plotly(retrieval_figure(test, view.theme), f"search-{test.test}-plot")
            states.meaning(test.meaning)
