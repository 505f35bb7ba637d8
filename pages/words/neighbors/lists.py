"""The side panel of the page Neighbors: words to go on with, how near words are to their nearest, and hubs."""

from collections.abc import Callable

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number, share
from embedviz.figures.neighbors import nearest_figure
from embedviz.neighbors import KOccurrences, Neighborhood, lookup
from embedviz.neighbors.lookup import Found
from embedviz.neighbors.metrics import Metric
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.output.wordlist import WordRow, wordlist
from pages._shared.results import calls, work
from pages._shared.sources.current import View

HUBS = 8
LONGEST_TITLE = 60
"""Greatest number of characters of a title that names several words."""
HUBS_SHOWN = "hubs"
"""Name in the address: whether the hubs are counted."""


def example(view: View, choose: Callable[[str], None]) -> Found:
    """Write that the page shows an example word, offer other examples, and return the result of looking up the word.

    If no example has a vector, write nothing and return an empty result.
    """
    usable = [word for word in view.examples() if view.space.norms[view.space.row(word)]]
    if not usable:
        return lookup.find(view.space, "")
    with st.container(horizontal=True, vertical_alignment="center", key="example"):
        noun, label = view.space.noun, view.label_or_word(usable[0])
        with st.container(width="content"):
            states.note(f"This is a worked example: the {noun} “{label}”. Type another {noun} above, or take:")
        states.offers(usable[1:], choose, "start", view.label_or_word)
    return lookup.find(view.space, usable[0])


def heading(view: View, near: Neighborhood) -> tuple[str, str]:
    """Return title and subtitle of the figure.

    If several words make the title too long, it gives their number instead.
    """
    query, noun, among = " + ".join(near.words), view.space.noun, f"all {near.compared:,} others in {view.name}"
    title = f"Which {noun}s are nearest to “{query}”?"
    if len(near.words) > 1 and len(title) > LONGEST_TITLE:
        return f"Which {noun}s are nearest to these {len(near.words)} {noun}s?", f"{query}; of {among}"
    return title, f"Of {among}"


def go_on(view: View, near: Neighborhood, choose: Callable[[str], None]) -> None:
    """List the neighbors as links, with their frequencies if the space has them."""
    often = near.frequency
    states.panel("Go on from here", f"Click a {near.noun} to see its neighbors", level=3)
    values = [f"{value:,}" for value in often.values] if often is not None else [""] * len(near.rows)
    rows = [
        WordRow(one.word, label=view.label(row), count=value)
        for one, value, row in zip(near.neighbors, values, near.rows.tolist(), strict=True)
    ]
    title = often.title if often is not None else ""
    label = f"Nearest to {' + '.join(near.words)}"
    wordlist(label, rows, (near.noun, ""), choose, key="neighbors-list", counted=title)
    states.note(often.source if often is not None else "")


def among_all(view: View, near: Neighborhood, word: str, metric: Metric, choose: Callable[[str], None]) -> None:
    """Show how near the word is to its nearest word, compared with all words, and which words are hubs.

    This needs the neighbors of every word. Unless they are in memory, only a button is drawn until the visitor asks.
    """
    counting = call("embedviz.neighbors:occurrences", view.recipe, 10, metric.name)
    if address.get(HUBS_SHOWN) != "yes" and calls.known(counting) is None:
        title = f"Is “{word}” a hub?" if word in view.space.index else "Which words are hubs?"
        states.panel(title, "A hub is a neighbor of unusually many words", level=3)
        st.button(
            f"Count how often each {view.space.noun} is a neighbor",
            on_click=address.put,
            kwargs={HUBS_SHOWN: "yes"},
        )
        return
    task = calls.task("occurrences", counting, title="How often each word is a neighbor")
    counted: KOccurrences | None = task.result
    if counted is None:
        work.show(task, f"Finding the neighbors of every {view.space.noun}")
        return
    nearness(view, counted, word, metric)
    hubs(view, counted, near, choose)


def nearness(view: View, lists: KOccurrences, word: str, metric: Metric) -> None:
    """Draw how near words are to their nearest words, as a distribution in which `word` is marked."""
    noun = view.space.noun
    row = view.space.index.get(word, -1)
    under = f"{metric.unit.capitalize()} to the nearest {noun}, for {len(lists.rows):,} {noun}s"
    states.panel("How near is the nearest?", under, level=3)
    figure.plotly(nearest_figure(lists, word or None, row, view.theme), "nearest-plot")
    states.note(lists.meaning(word, row, noun))


def any_word(view: View, found: Found) -> None:
    """Offer the page Subwords, which shows how a vector is made for a word that the space does not have."""
    if found.typed and not found.labelled and view.space.noun == "word":
        label = "See how FastText makes a vector for any word"
        st.page_link("words/subwords.py", label=label, icon=":material/spellcheck:")


def hubs(view: View, lists: KOccurrences, near: Neighborhood, choose: Callable[[str], None]) -> None:
    """List the words that are in the most neighbor lists."""
    space, noun = view.space, view.space.noun
    known = [word for word in near.words if word in space.index]
    title = f"Is “{known[0]}” a hub?" if len(known) == 1 else "Which words are hubs?"
    states.panel(title, f"Number of lists of {lists.k} that contain the {noun}", level=3)
    first = [int(row) for row in lists.hubs(HUBS)]
    most = max(1, int(lists.counts[first[0]]))
    wordlist(
        f"{noun.capitalize()}s that are in the most lists",
        [
            WordRow(space.words[row], lists.counts[row] / most, f"{lists.counts[row]:,}", label=view.label(row))
            for row in first
        ],
        (noun, "lists"),
        choose,
        key="hubs-list",
        tick=lists.mean / most,
        quiet=True,
    )
    states.note(
        "A hub is a neighbor of unusually many words.",
        *(f"{word} is {lists.placed(space.row(word), noun)}." for word in known),
        f"Mean: {lists.mean:.1f} (the tick).",
    )
    states.details(
        f"In no list: {share(lists.never)} of {noun}s.",
        f"Skewness of the numbers: {number(lists.skewness)}; without hubs it is near 0.",
        f"Lists of {len(lists.rows):,} of {len(space):,} {noun}s.",
    )
