"""Subwords: the n-grams that make up the vector of a word, also of a word without a row."""

from dataclasses import replace

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.core.recipe import Recipe
from embedviz.figures.subwords import caption, shares_figure
from embedviz.neighbors.anatomy import OWN, Anatomy, SharedBuckets
from embedviz.shelf import shelf
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import wordbox
from pages._shared.output import export, figure
from pages._shared.output.wordlist import neighbor_list
from pages._shared.results import cache, calls, work
from pages._shared.sources import current

NEAREST = 10
LISTED = 12
"""Greatest number of n-grams in the list of buckets; the exported table has all."""
SHARE = "Hash collisions: which n-grams share a vector?"
PARTS = "How much of the vector comes from each piece. < and > are the ends of the word"
EXAMPLE, EXAMPLE_WORD = "shelf:fasttext", "predictably"
"""The space that is shown if the space in use has no n-grams, and a word that has no row in it."""


def example_of(view: current.View) -> current.View:
    """Write that the space has no n-grams, offer spaces that have some, and return `view` with an example space."""
    recipe = Recipe.parse(EXAMPLE)
    key = cache.key_of(EXAMPLE)
    example = replace(view, recipe=recipe, key=key, space=cache.space(key))
    states.note(
        f"The space “{view.name}” has no n-grams, so this page shows another model: {example.name}.",
        "For n-grams of your own, train a FastText model or open its .bin file.",
    )
    have = {str(entry.recipe): entry.title for entry in cache.entries() if "subwords" in entry.card}
    titles = {EXAMPLE: example.name, **have}
    with st.container(horizontal=True):
        states.offers(
            list(titles)[:6],
            frame.choose_space,
            "spaces",
            lambda one: "Use this model" if one == EXAMPLE else f"Use {titles[one]}",
        )
        shared = {name: value for name in ("space", "word") if (value := address.get(name))}
        query = {**shared, "method": "fasttext"}
        icon = ":material/model_training:"
        st.page_link("make/train/page.py", label="Train FastText", icon=icon, query_params=query)
        st.page_link("make/open/page.py", label="Open a model", icon=":material/upload_file:")
    return example


def assembled(found: Anatomy) -> None:
    """Draw the word step by step, from its shortest n-grams to the whole."""
    states.panel("Piece by piece", "Short pieces first, then longer ones too: how near is their mean?", level=3)
    steps, first = [], found.steps[0].added
    for step in found.steps:
        here, drawn = number(step.cosine), number(step.drawn.mean) if found.drawn else "–"
        values = (f"{here} ({drawn})",) if view.phone else (here, drawn)
        near = " · ".join(neighbor.word for neighbor in step.neighbors[: 1 if view.phone else None])
        more = f"all and {OWN}" if step.added == OWN else f"{first.split()[0]} to {step.added}"
        steps.append((first if step.added == first else more, *values, near))
    wide = ("cosine with the word", "baseline: as many pieces of other words")
    named = ("cosine (baseline)",) if view.phone else wide
    states.table(("pieces of", *named, "nearest"), steps, strong=1, texts=[len(named) + 1])
    states.details("Baseline: the mean of as many n-grams of other words, over 50 draws." if found.drawn else "")


def buckets_panel(found: Anatomy, task: work.Task, count: int) -> None:
    """Draw the `LISTED` n-grams of largest share, each with its bucket (of `count`) and others in it (from `task`)."""
    shared: SharedBuckets | None = task.result
    states.note(f"The model has {count:,} vectors (buckets). A hash of its letters gives each n-gram one of them.")
    listed = [part for part in found.ranked if part.text != OWN][:LISTED]
    others = [shared.others_text(one.text) if shared else "…" for one in listed]
    rows = [(one.text, f"{one.hash:08x}", f"{one.bucket:,}", also) for one, also in zip(listed, others, strict=True)]
    states.table(("n-gram", "hash", "bucket", "also there"), rows, texts=[3])
    if shared is not None:
        states.note(shared.meaning)
        states.details(f"The bucket of an n-gram: its FNV-1a hash modulo {count:,}.")
    elif task.running:
        work.row(task, "Reading the n-grams of the vocabulary.")
    else:
        work.show(task, SHARE)


view = current.view()
frame.header("Subwords", view.shape if view.space.subwords is not None else f"Example: {shelf()['fasttext'].title}")

with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    typed = wordbox.word_search(view, "subwords-search", value=view.word or EXAMPLE_WORD, placeholder="Any word at all")
if typed is not None:
    frame.choose_word(typed)
    st.rerun()

if view.space.subwords is None:
    view = example_of(view)
view = view if view.word else replace(view, word=EXAMPLE_WORD)
space = view.space
chosen = view.find()
if chosen.query is None or space.subwords is None:
    states.word_needed(chosen, view, frame.choose_word)
    frame.stop()

word = chosen.query
parts = call("embedviz.neighbors.anatomy:anatomy", view.recipe, word)
sharing = call("embedviz.neighbors.anatomy:shared_buckets", view.recipe, word)
found: Anatomy = calls.result(parts)
task = calls.task("subwords-buckets", sharing)
near = calls.result(call("embedviz.neighbors:neighborhood", view.recipe, [word], NEAREST))

figure_column, panel = st.columns([2.1, 1], gap="large")
with figure_column:
    known = f"What is the vector of “{plain(word, 30)}” made of?"
    unseen = "How does the model make a vector for an unseen word?"
    pieces = "FastText cuts words into pieces (n-grams). Each has a vector, learned from all words that contain it"
    states.panel(known if found.known else unseen, pieces)
    states.meaning(f"{found.made} {near.meaning}" if near.neighbors else found.made)
    if not found.known and not near.beyond_shuffled:
        states.note("Any string gets a vector this way, also one without a meaning.")
    if found.steps:
        assembled(found)
        states.panel("Which pieces have the largest share?", PARTS + "; the piece is bold" * (not view.phone), level=3)
        states.meaning(found.largest)
        states.note(caption(found), found.baseline)
        figure.plotly(shares_figure(found, view.theme, phone=view.phone), "subwords-plot")
    states.note(*(() if found.steps else (found.largest, found.baseline)))
    states.details(found.method, near.method)
    export.export_row(
        key="subwords",
        picture="plot:subwords-plot" if found.steps else None,
        table=lambda: found.table(task.result),
        filename=f"subwords-{word}",
        calls=[parts, sharing],
        note={"title": f"N-grams of {word}", "space": view.size, "meaning": found.largest, "baseline": found.baseline},
    )

with panel:
    if near.neighbors:
        states.panel(f"Nearest to “{word[:40]}”", "Cosine; click a word to see its n-grams", level=3)
        neighbor_list(near, frame.choose_word, key="subwords-near")
        states.note(near.tick, near.punctuated)
    if not found.known and chosen.suggestions:
        states.note("Similar spellings in the vocabulary:")
        states.offers(chosen.suggestions, frame.choose_word, "alike")
    if found.ngrams:
        with st.expander(SHARE):
            buckets_panel(found, task, len(space.subwords.buckets))
