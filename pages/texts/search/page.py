"""Search: which texts answer a query, by each method side by side, and whether that is better than chance."""

import streamlit as st

from embedviz import retrieval
from embedviz.core.options import Parameter
from embedviz.core.phrases import listing
from embedviz.core.space import SpaceError
from embedviz.figures.search import lifts_figure
from embedviz.retrieval import SEARCHES
from embedviz.retrieval.spaces import NEEDS_WORDS
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape, plain
from pages._shared.controls import widgets
from pages._shared.output import export, figure
from pages._shared.results import work
from pages._shared.sources import corpora, current, models
from pages.texts.search import answers, searching
from pages.texts.search.hits import hits

K = Parameter("k", 1, 20, 3, "How many texts each method lists.", "Texts each")
COMPARED = 10
LONGEST = 2_000
"""Characters of a query that are read; the address keeps one more, which tells that there were more."""
FIRST = ["bm25", "lsa", "sif"]
"""Without being asked; the encoder reads every text first."""


def ask(query: str) -> None:
    address.put(query=query, doc=None, by=None)


def open_text(method: str, row: int) -> None:
    address.put(doc=texts.texts.keys[row], by=method)


view = current.view()
head = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    box = st.container(width=420)
    corpora.control()
    pills = st.container(width="content")
    offered = st.empty()
    settings = st.popover("Settings", icon=":material/tune:", type="tertiary")
texts = corpora.chosen()
chosen = [name for name in address.get_list("method") if name in SEARCHES] or FIRST
with settings if view.phone else pills:
    st.pills(
        "Methods",
        list(SEARCHES),
        format_func=lambda name: SEARCHES[name].title,
        selection_mode="multi",
        label_visibility="visible" if view.phone else "collapsed",
        **address.bind_list("method", chosen),
    )
with head:
    frame.header("Search", "Which texts answer this?" if texts is None else texts.size)
if texts is None:
    frame.stop()
with settings:
    k = int(widgets.number(K, texts.texts))
    st.markdown("**BM25**")
    constants = widgets.options(SEARCHES["bm25"], texts.texts)
    card = models.choose() if "encoder" in chosen else None
    for name in chosen:
        st.caption(f"**{SEARCHES[name].title}** {escape(SEARCHES[name].summary)}")
try:
    index = searching.index(view, texts)
    meaning = searching.meaning(view, texts, index, card) if card is not None and index.made is not None else None
except SpaceError as error:
    states.state("These texts cannot be indexed.", str(error))
    frame.stop()

made = index.made
examples = retrieval.examples(index.indexed) if made is not None else []
query = address.get("query", examples[0] if examples else "")
with box:
    st.text_input(
        "A line of text",
        placeholder="A line of text",
        label_visibility="collapsed",
        **address.bind("query", query[:LONGEST], lambda text: text[: LONGEST + 1]),
    )
if made is None:
    work.show(index.task, f"Making {len(texts.texts):,} texts ready to be searched.")
    frame.stop()
if examples:
    with offered.popover("Examples", icon=":material/menu_book:", type="tertiary"), st.container(gap=None):
        for place, one in enumerate(examples):
            st.button(escape(one), key=f"example-{place}", type="tertiary", on_click=ask, args=(one,))

by_words = tuple(name for name in chosen if name in made.names)
asked, more = query[:LONGEST], max(k, COMPARED)
found = index.find(asked, by_words or ("bm25",), more, constants["k1"], constants["b"])
ranking = None
if meaning is not None and found.words:
    ranking = answers.by_encoder(meaning, asked, more, k, len(texts.texts))
found = searching.joined(found, ranking, by_words if by_words or ranking is not None else ("bm25",))
methods = tuple(found.rankings)
left_out = [f"{SEARCHES[name].title} is left out. {why}" for name, why in made.missing.items() if name in chosen]
if not found.found:
    if not query.strip():
        states.state("Nothing asked yet.", "Type a line of text, or start with one of these.")
    elif not found.words:
        states.state("There is no word in this.", "A word is a run of letters of any script.")
    else:
        states.state("No text answers.", f"Not known here: {listing(found.nowhere)}." if found.nowhere else "")
    states.offers(examples, ask, "start")
    states.note(*left_out)
else:
    row = index.indexed.rows.get(address.get("doc"))
    by = address.get("by") if address.get("by") in (*made.names, *methods) else methods[0]
    hits(found, texts.texts, open_text, key="search-hits", rows=k, shown=f"{by}:{row}")
    states.meaning(found.meaning)
    states.note(
        f"Listed: the first {k} of each method; compared: the first {found.k}." if k < found.k else "",
        found.baseline,
        f"Marked: the words of a text with the greatest parts of its score, {retrieval.MARKED} at most."
        if by_words
        else "",
        answers.MEANT if ranking is not None else "",
        meaning.space.summary.meaning if meaning is not None and ranking is not None else "",
        f"Known to none of these methods: {listing(found.nowhere)}." if found.nowhere else "",
        f"Of the query {retrieval.MOST_WORDS} words are read." if found.cut else "",
        f"Of the query {LONGEST:,} characters are read." if len(query) > LONGEST else "",
        f"Mean and SIF take word vectors from {view.name}." if {*methods} & {*NEEDS_WORDS} else "",
        *left_out,
    )
    if row is not None:
        answers.opened(index, meaning, found.query, by, row, texts.texts)
    states.panel("Better than chance?", "Each text by how far it stands above a random text", level=3)
    figure.plotly(lifts_figure(found, view.theme, phone=view.phone), "search-plot")
    export.export_row(
        key="search",
        picture="plot:search-plot",
        table=lambda: export.csv_text(*found.table()[::-1]),
        filename=f"search-{found.query[:40]}",
        calls=[searching.asked(view, texts, found, constants, card if ranking is not None else None)],
        note={"title": f"What “{plain(found.query, 60)}” finds", "space": texts.size, "baseline": found.baseline},
    )

answers.tested(index, meaning, view)
