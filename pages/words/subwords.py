"""Subwords: what the vector of a word is made of where words are made of n-grams, unseen words too."""

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import counted, number
from embedviz.figures.subwords import MOST, shares_figure
from embedviz.neighbors import lookup
from embedviz.neighbors.anatomy import OWN, Anatomy, SharedBuckets
from pages._shared.app import address, frame, states
from pages._shared.controls import wordbox
from pages._shared.output import export, figure
from pages._shared.output.wordlist import neighbor_list
from pages._shared.results import cache, calls, work
from pages._shared.sources import current

NEAREST = 10
LISTED = 12
"""N-grams whose buckets are listed; the table has all."""


def without_subwords() -> None:
    """Draw what stands where the space has no n-grams: why, and the ways to one that has."""
    states.state(
        "The words of this space are not made of n-grams.",
        "FastText makes its words of n-grams: open a model of it (.bin), or train one on a text.",
    )
    have = [entry for entry in cache.entries() if "subwords" in entry.card and entry.recipe != view.recipe]
    if have:
        titles = {str(entry.recipe): entry.title for entry in have[:6]}
        states.offers(list(titles), frame.choose_space, "spaces", titles.__getitem__)
    with st.container(horizontal=True):
        shared = {name: value for name in ("space", "word") if (value := address.get(name))}
        st.page_link(
            "make/train/page.py",
            label="Train FastText",
            icon=":material/model_training:",
            query_params={**shared, "method": "fasttext"},
        )
        st.page_link("make/open/page.py", label="Open a model", icon=":material/upload_file:")


def assembled(found: Anatomy) -> None:
    """Draw the word step by step, from its shortest n-grams to the whole."""
    states.panel("Step by step", "The mean of what is there so far, and the words nearest to it", level=3)
    steps = [
        (
            f"+ {step.added}",
            number(step.cosine),
            number(step.drawn.mean) if found.drawn else "–",
            ", ".join(neighbor.word for neighbor in step.neighbors[: 1 if view.phone else None]),
        )
        for step in found.steps
    ]
    states.table(("n-grams of", "cosine to the whole", "others", "nearest"), steps, strong=1, texts=[3])
    if found.drawn:
        states.note("Others: as many n-grams of other words, drawn fifty times; the mean of their cosines.")


view = current.view()
space = view.space
frame.header("Subwords", view.shape)

with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    typed = wordbox.word_search(view, "subwords-search", placeholder="Any word, seen or not")
if typed is not None:
    frame.choose_word(typed)
    st.rerun()

if space.subwords is None:
    without_subwords()
    frame.stop()
asked = view.find()
if asked.query is None:
    states.word_needed(asked, view, frame.choose_word)
    if not asked.asked and len(view.examples()) > 1:
        states.note("Or one that is in no text:")
        states.offers(["".join(view.examples()[:2])], frame.choose_word, "unseen")
    frame.stop()

word = asked.query
parts = call("embedviz.neighbors.anatomy:anatomy", view.recipe, word)
shared = call("embedviz.neighbors.anatomy:shared_buckets", view.recipe, word)
found = calls.result(parts)
task = calls.task("subwords-buckets", shared)
buckets: SharedBuckets | None = task.result

figure_column, panel = st.columns([2.1, 1], gap="large")
with figure_column:
    if asked.suggestions and not found.known:
        states.note(lookup.assembly(space, [word]), "Spelled alike, and in the vocabulary:")
        states.offers(asked.suggestions, frame.choose_word, "alike")
    if found.steps:
        figure.plotly(shares_figure(found, view.theme, phone=view.phone), "subwords-plot")
    states.meaning(found.meaning)
    left_out = len(found.parts) - MOST
    states.note(
        found.baseline,
        "A share is how far a part reaches along the vector; all add to 100\u00a0%, and a part that points away has "
        "less than nothing.",
        f"{counted(left_out, 'part')} with smaller shares {'is' if left_out == 1 else 'are'} in the table."
        if left_out > 0
        else "",
    )
    export.export_row(
        key="subwords",
        picture="plot:subwords-plot" if found.steps else None,
        table=lambda: found.table(buckets),
        filename=f"subwords-{word}",
        calls=[parts, shared],
        note={"title": f"What {word} is made of", "space": view.size, "baseline": found.baseline},
    )
    if found.steps:
        assembled(found)

with panel:
    near = calls.result(call("embedviz.neighbors:neighborhood", view.recipe, [word], NEAREST))
    if near.neighbors:
        states.panel(f"Nearest to {word[:40]}", "cosine; click a word to take it apart", level=3)
        neighbor_list(near, frame.choose_word, key="subwords-near")
    if found.ngrams:
        states.panel(
            "Whose buckets are these?",
            f"FNV-1a of the n-gram, modulo {counted(len(space.subwords.buckets), 'bucket')}",
            level=3,
        )
        shown = [part for part in found.ranked if part.text != OWN][:LISTED]
        states.table(
            ("n-gram", "hash", "bucket", "also there"),
            [
                (one.text, f"{one.hash:08x}", f"{one.bucket:,}", buckets.beside(one.text) if buckets else "…")
                for one in shown
            ],
            texts=[3],
        )
        if buckets is not None:
            states.note(buckets.meaning)
        elif task.running:
            work.row(task, "Reading the vocabulary's n-grams.")
        else:
            work.show(task, "Who shares them?")
