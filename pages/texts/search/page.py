"""Search: the texts that answer a query, by several methods side by side, compared with chance."""

from typing import Any

import streamlit as st

from embedviz import retrieval
from embedviz.contextual.models import ModelCard
from embedviz.core.options import Parameter
from embedviz.core.phrases import listing
from embedviz.core.space import SpaceError
from embedviz.core.texts import Texts
from embedviz.retrieval import SEARCHES, Hits
from embedviz.retrieval.spaces import NEEDS_WORDS
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape
from pages._shared.controls import popovers, widgets
from pages._shared.results import work
from pages._shared.sources import corpora, current, models, spaces
from pages.texts.search import accuracy, encoder_search, example, filtering, indexed, results

K = Parameter("k", 1, 20, 3, "How many texts each method lists.", "Results per method")
COMPARED = 10
LONGEST = 2_000
"""Greatest number of characters of a query. The address keeps one more, which shows that the query was cut."""
FIRST = ["bm25", "lsa", "sif"]
"""Methods by default: one of each kind, without the encoder, which would read every text."""
WHY_THESE = (
    "BM25 finds texts with the words of the query. LSA also finds texts whose words often occur together with them. "
    "SIF compares trained word vectors. Next: click a text to read it, type your own query, or add a method {where}. "
    "The encoder takes longer: it must first read all texts."
)


def ask(query: str) -> None:
    """Search for this query."""
    address.put(query=query, doc=None, by=None)


def choose_methods() -> list[str]:
    """Draw the choice of methods; return the methods in use."""
    chosen = [name for name in address.get_list("method") if name in SEARCHES] or FIRST
    with settings if view.phone else pills:
        st.pills(
            "Methods",
            list(SEARCHES),
            format_func=lambda name: SEARCHES[name].title,
            selection_mode="multi",
            label_visibility="visible" if view.phone else "collapsed",
            **address.bind("method", list(chosen), list),
        )
    return chosen


def choose_settings(chosen: list[str], texts: Texts) -> tuple[int, dict[str, Any], ModelCard | None]:
    """Draw the settings; return the length of the lists, the constants of BM25 and the encoder in use.

    The encoder is None if the method *encoder* is not chosen.
    """
    with settings:
        k = int(widgets.number(K, texts, visible=True))
        constants = widgets.options(SEARCHES["bm25"], texts)
        if {*chosen} & {*NEEDS_WORDS}:
            spaces.choose("Word vectors of Mean and SIF", spaces.titles(view.address))
        card = models.choose() if "encoder" in chosen else None
        for name in chosen:
            st.caption(f"**{SEARCHES[name].title}** {escape(SEARCHES[name].summary)}")
    return k, constants, card


def nothing_found(query: str, found: Hits, examples: list[str]) -> None:
    """Explain why there are no results, and offer queries to try."""
    if not query.strip():
        start = (
            "Type a question or words, or start with one of these: typical words of some texts."
            if examples
            else "Type a question or words."
        )
        states.state("No query yet.", start)
    elif not found.words:
        states.state("This query has no words.", "A word is a run of letters.")
    else:
        unknown = f"None of the methods knows: {listing(found.nowhere)}." if found.nowhere else ""
        states.state("No text was found.", unknown)
    states.offers(examples, ask, "start")


view = current.view()
head = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    box = st.container(width=340)
    pills = st.container(width="content")
    offered = st.empty()
    settings = popovers.settings("search")
texts = corpora.chosen()
chosen = choose_methods()
with head:
    frame.header("Search", "Which texts answer this?" if texts is None else texts.about)
if texts is None:
    frame.stop()
k, constants, card = choose_settings(chosen, texts.texts)
only = filtering.choose(texts)
try:
    index = indexed.index(view, texts)
    encoder = None
    if card is not None and index.made is not None:
        encoder = encoder_search.encoder_search(view, texts, index, card)
except SpaceError as error:
    states.state("These texts cannot be indexed.", str(error))
    frame.stop()

made = index.made
examples = [one for one in [example.default_query(texts)] if one]
examples += retrieval.examples(index.indexed) if made is not None else []
query = address.get("query", examples[0] if examples and not texts.private else "")
with box:
    st.text_input(
        "Query",
        placeholder="A question or some words",
        label_visibility="collapsed",
        **address.bind("query", query[:LONGEST], lambda text: text[: LONGEST + 1]),
    )
if made is None:
    work.show(index.task, f"Indexing {len(texts.texts):,} texts.")
    frame.stop()
with offered:
    popovers.examples("search-examples", [(escape(one), (one,)) for one in examples], ask)

by_words = tuple(name for name in chosen if name in made.names)
used, compared = query[:LONGEST], max(k, COMPARED)
found = index.find(used, by_words or ("bm25",), compared, constants["k1"], constants["b"], only)
ranking = None
if encoder is not None and found.words:
    ranking = encoder_search.ranking_of(encoder, used, compared, k, len(texts.texts), only)
found = encoder_search.with_encoder(found, ranking, by_words if by_words or ranking is not None else ("bm25",))
left_out = [f"{SEARCHES[name].title} is left out. {why}" for name, why in made.missing.items() if name in chosen]
if not found.found:
    nothing_found(query, found, examples)
    states.note(*left_out)
else:
    cut = f"The query is cut to {LONGEST:,} characters." if len(query) > LONGEST else ""
    where = "in Settings" if view.phone else "above"
    why = "" if address.get_list("method") else WHY_THESE.format(where=where)
    listed = results.ListedResults(view, texts, index, encoder, found, k, [cut, *left_out], why)
    results.section(listed, constants, card)

accuracy.section(index, encoder if encoder is not None and encoder.ready else None, view)
