"""Neighbors: who is nearest to a word in the whole space, and how near that is."""

import streamlit as st

from embedviz import neighbors
from embedviz.core.call import call
from embedviz.core.options import Method, Parameter, split_words, table
from embedviz.core.phrases import number, share
from embedviz.figures.neighbors import nearest_figure, neighborhood_figure
from embedviz.neighbors import lookup
from pages._shared.app import address, frame, states
from pages._shared.controls import widgets, wordbox
from pages._shared.output import export, figure, matrix
from pages._shared.output.wordlist import Row, neighbor_list, wordlist
from pages._shared.results import calls, work
from pages._shared.sources import current

K = Parameter("k", 1, 100, 10, "How many words the list has.", "Nearest")
MOST_TOGETHER = 20
VIEWS = table(Method("list", "List", neighbors.neighborhood), matrix.MATRIX)

view = current.view()
space = view.space
frame.header("Neighbors", view.shape)

with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    typed = wordbox.word_search(view, "neighbors-search", placeholder="A word, or several with commas")
    metric = widgets.method("Metric", "metric", neighbors.METRICS, "cosine", segmented=True)
    with st.container(width=150):
        k = int(widgets.number(K, space))
    shape = widgets.method("View", "view", VIEWS, "list", segmented=True).name
    together = split_words(address.get("with"))[:MOST_TOGETHER]
    if shape == "matrix":
        with st.popover("Words", icon=":material/edit_note:", type="tertiary"):
            compared = matrix.asked(view)
    else:
        with st.popover(
            f"More words ({len(together)})" if together else "More words", icon=":material/add:", type="tertiary"
        ):
            st.text_input(
                "Together with",
                help="Words separated by commas. The query is then the mean of all the words' unit vectors.",
                placeholder="queen, princess",
                **address.bind("with", ", ".join(together), lambda text: ", ".join(split_words(text)[:MOST_TOGETHER])),
            )
if typed is not None:
    words = [typed] if typed in space.index else lookup.several(space, typed)
    address.put(word=words[0] if words else None, **({"with": ", ".join(words[1:])} if len(words) > 1 else {}))
    st.rerun()

found = view.find()
if shape == "matrix":
    if not compared and found.word is None:
        states.word_needed(found, view, frame.choose_word)
    else:
        word = "" if compared else found.word or ""
        matrix.show(view, compared or matrix.default_words(view, word, k, metric.name), metric, word)
    frame.stop()

near = None
everyone = calls.task(
    "occurrences",
    call("embedviz.neighbors:occurrences", view.recipe, 10, metric.name),
    title="How often each word is a neighbor",
)

figure_column, panel = st.columns([2.3, 1], gap="medium")
with figure_column:
    if found.query is None:
        states.word_needed(found, view, frame.choose_word)
    else:
        words = (found.query, *(word for word in together if lookup.has_vector(space, word)))
        if assembled := lookup.assembly(space, words):
            states.note(assembled, "Spelled alike, and in the vocabulary:" if found.suggestions else "")
            states.offers(found.suggestions, frame.choose_word, "alike")
            st.page_link("words/subwords.py", label="What it is made of", icon=":material/spellcheck:")
        asked = call("embedviz.neighbors:neighborhood", view.recipe, words, k, metric.name)
        near = calls.result(asked)
        query = " + ".join(words)
        figure.plotly(neighborhood_figure(near, view.theme, phone=view.phone), "neighbors-plot")
        states.meaning(near.meaning)
        unknown = [word for word in together if not lookup.has_vector(space, word)]
        states.note(
            "The query is the mean of the words' unit vectors." if len(words) > 1 else "",
            near.baseline,
            metric.summary,
            "The word was found in its composed form (Unicode NFC)." if found.normalised else "",
            f"Not in this space and left out: {', '.join(unknown[:10])}." if unknown else "",
            f"{near.skipped:,} rows of zeros have no direction and are left out." if near.skipped else "",
        )
        export.export_row(
            key="neighbors",
            picture="plot:neighbors-plot",
            table=near.table,
            filename=f"neighbors-{query}",
            calls=[asked],
            note={"title": f"Nearest to {query}", "space": view.size, "baseline": near.baseline},
        )

with panel:
    if near is not None:
        states.note(f"{found.word}: {view.label(space.row(found.word))}" if found.word and view.labelled else "")
        states.panel("The list", f"{metric.unit}; click a {space.noun} to go there", level=3)
        neighbor_list(near, frame.choose_word, key="neighbors-list")
    lists: neighbors.KOccurrences | None = everyone.result
    if lists is None:
        work.show(everyone, "Who is near to everyone?")
    else:
        with figure_column if near is None else panel:
            states.panel(
                "How near is the nearest?",
                f"For {len(lists.rows):,} {space.noun}s, the {metric.unit} to their nearest",
                level=3,
            )
            figure.plotly(
                nearest_figure(lists, found.word, space.index.get(found.word or "", -1), view.theme), "nearest-plot"
            )
        states.panel("Who is near to everyone?", f"Lists of {lists.k} in which each {space.noun} stands", level=3)
        hubs = [int(row) for row in lists.hubs(8)]
        most = max(1, int(lists.counts[hubs[0]]))
        wordlist(
            f"{space.noun.capitalize()}s that stand in the most lists",
            [
                Row(space.words[row], lists.counts[row] / most, f"{lists.counts[row]:,}", label=view.label(row))
                for row in hubs
            ],
            (space.noun, "lists", ""),
            frame.choose_word,
            key="hubs-list",
            tick=lists.mean / most,
            quiet=True,
        )
        states.note(
            *(
                f"{word} stands in {int(lists.counts[space.row(word)]):,}."
                for word in (near.words if near else ())
                if word in space.index
            ),
            f"Mean: {lists.mean:.1f} (the tick). In no list: {share(lists.never)} of {space.noun}s. "
            f"Skewness {number(lists.skewness)}; near 0 without hubs. "
            f"Lists: {len(lists.rows):,} of {len(space):,} {space.noun}s.",
        )
