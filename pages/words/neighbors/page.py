"""Neighbors: the nearest words of a word in the whole space, compared with the best match by chance."""

import streamlit as st

from embedviz import neighbors
from embedviz.core.call import call
from embedviz.core.options import Method, Parameter, table
from embedviz.core.phrases import counted
from embedviz.figures.neighbors import neighborhood_figure
from embedviz.neighbors import lookup
from pages._shared.app import address, frame, states
from pages._shared.controls import popovers, widgets, wordbox
from pages._shared.output import export, figure, matrix
from pages._shared.results import calls
from pages._shared.sources import current
from pages.words.neighbors import lists, searching

K = Parameter("k", 1, 100, 10, "Length of the list.", "Nearest")
MOST_TOGETHER = 20
VIEWS = table(Method("list", "List", neighbors.neighborhood), matrix.MATRIX)


WITH = "with"
"""Name in the address of the words that are added to the query."""


def choose(word: str) -> None:
    """Search the neighbors of this single word, without the words that were added to the query."""
    address.put(word=word or None, **{WITH: None})


def typed_words(text: str) -> list[str]:
    """Return the words in the typed text.

    Commas, semicolons, line ends and spaces separate words. In a space of texts, rows have keys, and only commas
    separate keys. If the space lacks one of the keys, the whole text is one key.
    """
    if text in space.index:
        return [text]
    if not view.labelled:
        return lookup.several(space, text)
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return parts if parts and all(part in space.index for part in parts) else [text]


def comma_separated(text: str) -> str:
    """Return the words of a text, at most `MOST_TOGETHER`, separated by commas."""
    return ", ".join(lookup.several(space, text)[:MOST_TOGETHER])


view = current.view()
space = view.space
frame.header("Neighbors", "")

with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    typed = wordbox.word_search(view, "neighbors-search", placeholder="One word, or several")
    settings = st.container(horizontal=True, width="content")
    shape = widgets.method("View", "view", VIEWS, "list", segmented=True).name
    together = lookup.several(space, address.get(WITH))[:MOST_TOGETHER]
    if shape == "matrix":
        with st.popover("Words", key="matrix-words", icon=":material/edit_note:", type="tertiary"):
            listed = matrix.listed_words(view)
    else:
        with st.popover(
            f"More words ({len(together)})" if together else "More words",
            key="more-words",
            icon=":material/add:",
            type="tertiary",
        ):
            st.text_input(
                "Together with",
                help="Separated by commas or spaces. The query is then the mean of the unit vectors of all words.",
                placeholder="queen, princess",
                **address.bind(WITH, ", ".join(together), comma_separated),
            )
    if view.phone:
        settings = popovers.settings("neighbors")
    with settings:
        metric = widgets.method("Metric", "metric", neighbors.METRICS, "cosine", segmented=True)
        with st.container(width=212):
            k = int(widgets.number(K, space, visible=True))
        how = searching.options(view, metric)
if typed is not None:
    words = typed_words(typed) if typed else []
    address.put(word=words[0] if words else None, **{WITH: ", ".join(words[1:]) or None})
    st.rerun()

found = view.find()
if not found.typed and not (shape == "matrix" and listed):
    found = lists.example(view, choose)
if shape == "matrix":
    if not listed and found.word is None:
        states.word_needed(found, view, choose)
    else:
        compared = listed or (tuple(dict.fromkeys((found.word or "", *together))) if found.typed and together else ())
        word = "" if compared else found.word or ""
        matrix.show(view, compared or matrix.default_words(view, word, k, metric.name), metric, word)
    frame.stop()

near = None
figure_column, panel = st.columns([2.3, 1], gap="medium")
with figure_column:
    if found.query is None:
        states.word_needed(found, view, choose)
        lists.any_word(view, found)
    else:
        query_words = (found.query, *(word for word in together if lookup.has_vector(space, word)))
        if assembled := lookup.assembly(space, query_words):
            states.note(assembled, "Similar spellings in the vocabulary:" if found.suggestions else "")
            states.offers(found.suggestions, choose, "alike")
            st.page_link("words/subwords.py", label="Its subwords", icon=":material/spellcheck:")
        question = call("embedviz.neighbors:neighborhood", view.recipe, query_words, k, metric.name, **how)
        near = calls.result(question)
        query = " + ".join(query_words)
        states.panel(*lists.heading(view, near), level=3)
        states.note(found.substitution)
        states.meaning(near.meaning)
        figure.plotly(neighborhood_figure(near, view.theme, phone=view.phone), "neighbors-plot")
        unknown = [word for word in together if not lookup.has_vector(space, word)]
        states.note(near.baseline, near.punctuated, f"Not in this space: {', '.join(unknown[:10])}." if unknown else "")
        states.details(
            searching.recall(view, how),
            near.method,
            metric.summary,
            "The query is the mean of the unit vectors of the words." if len(query_words) > 1 else "",
            f"Left out: {counted(near.skipped, 'row')} of zeros, without a direction." if near.skipped else "",
        )
        export.export_row(
            key="neighbors",
            picture="plot:neighbors-plot",
            table=near.table,
            filename=f"neighbors-{query}",
            calls=[question],
            note={
                "title": f"Nearest to {query}",
                "space": view.size,
                "meaning": near.meaning,
                "baseline": near.baseline,
            },
        )

if near is None:
    frame.stop()
with panel:
    states.note(f"{found.word}: {view.label(space.row(found.word))}" if found.word and view.labelled else "")
    lists.go_on(view, near, choose)
    lists.among_all(view, near, found.word or "", metric, choose)
