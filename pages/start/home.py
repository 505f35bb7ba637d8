"""Start: the claim, a live map, and a small true figure and a door for each page that exists."""

import streamlit as st

from embedviz import corpus
from embedviz.core.call import call
from embedviz.core.options import OptionError
from embedviz.core.phrases import number, share
from embedviz.evaluation.glance import Glance
from embedviz.figures.analogy import analogy_figure
from embedviz.figures.neighbors import bars_figure
from embedviz.figures.scatter import scatter
from embedviz.neighbors.analogy import examples
from embedviz.neighbors.formula import parse
from embedviz.projection import sampling
from embedviz.testsets import datasets
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.map import badge, questions
from pages._shared.map import scatter as mounted
from pages._shared.output import figure
from pages._shared.results import cache, calls, work
from pages._shared.sources import current

view = current.view()
space = view.space

try:
    words, by = questions.sample(view.recipe, "groups"), "groups"
    what = questions.drawn(words, "pca")
except OptionError:  # a space without English words
    words, by = questions.sample(view.recipe, sampling.usual(space)), "frequency"
    what = questions.drawn(words, "pca")
shown, color = calls.result(what), calls.result(questions.colored(words, by, {}))

claim, live = st.columns([0.7, 1], gap="medium", vertical_alignment="center")
with claim:
    frame.headed()
    st.html('<h1 class="ev-claim">See what an embedding knows.</h1>')
    st.html(
        '<p class="ev-lead">Maps, neighbors, tests and search, each with the number that says how far to trust it.</p>'
    )
    st.html('<p class="ev-plain">What did you come for?</p>')
    with st.container(horizontal=True):
        if st.button("Look around", type="primary", icon=":material/scatter_plot:", help="A map of words."):
            shared = {name: address.get(name) for name in address.SHARED if address.get(name)}
            address.go("words/map/page.py", {**shared, "sample": words.value("rule"), "method": "tsne"})
        if st.button("Teach or learn", icon=":material/school:", help="How the senses of “bank” separate in BERT."):
            st.switch_page("context/senses/page.py")
        if st.button("Check a file", icon=":material/upload_file:", help="Open vectors and see whether they are good."):
            st.switch_page("make/open/page.py")
    noun = "English words" if view.recipe.kind == "builtin" else f"{space.noun}s"
    alike = {"word": "Words used alike", "text": "Texts with like vectors"}[space.noun]
    states.note(
        f"Each dot is a {space.noun}. {alike} lie near each other in the space; a flat map keeps a part of that."
    )
    states.note(f"Ready offline: {len(space):,} {noun} × {space.dimensions}, {view.name}.")

with live:
    task = badge.measured(view, badge.check(what), shown)
    kept = task.result
    count = f"{len(shown.rows):,} of {len(space):,} {space.noun}s, {questions.sampled(words).rule}"
    mounted.mount(
        scatter(shown, color),
        key="home-map",
        height=400,
        chosen=shown.position.get(space.index.get(view.word, -1)),
        hits=kept.worst().tolist() if kept is not None and badge.worst_marked() else (),
        note={"title": "PCA map", "space": view.size, "count": count, **badge.lines(kept, "pca")},
        summary=f"PCA map of {len(shown.rows):,} {space.noun}s. {shown.meaning}",
        on_click=lambda click: frame.choose_word(click.word),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        badge.badge(task, what, view.theme, short=view.phone)
        with st.container(width="content"):
            states.note(count)
    badge.noise(kept, shown.points, view.theme, phone=view.phone)

st.divider()
doors = st.columns(4, gap="large")
with doors[0]:
    states.card("Map", "How much does a flat map keep?")
    if kept is None:
        states.note("Checking …")
    else:
        neighbors, _, outline = kept.permissions
        rows = [
            (f"{kept.quality.k} nearest kept", share(neighbors.value), share(neighbors.copies)),
            ("long distances in the right order", share(outline.value), share(outline.copies)),
        ]
        states.table(("", "this map", "copies"), rows, strong=1)
    st.page_link("words/map/page.py", label="Open the map", icon=":material/scatter_plot:")
with doors[1]:
    word = view.word if view.word in space.index else view.examples()[0]
    states.card("Neighbors", f"How near is near? Nearest to {plain(word, 30)}")
    near = calls.result(call("embedviz.neighbors:neighborhood", view.recipe, (word,), 5))
    figure.plotly(bars_figure(near, view.theme), "home-neighbors")
    st.page_link("words/neighbors.py", label="Ask for any word", icon=":material/near_me:")
with doors[2]:
    shelf = examples(space)
    states.card("Analogy", f"What is {parse(shelf[0].formula).title}?" if shelf else "What is the sum of words?")
    if shelf:
        found = calls.result(call("embedviz.neighbors.analogy:analogy", view.recipe, shelf[0].formula, 6))
        figure.plotly(analogy_figure(found, view.theme, small=True), "home-analogy")
    st.page_link("words/analogy/page.py", label="Write a formula", icon=":material/change_history:")
look = calls.task("glance", call("embedviz.evaluation.glance:glance", view.recipe), title="A first look at a space")
seen: Glance | None = look.result


def waiting() -> None:
    """What stands where the first look is not there yet, or cannot be."""
    if look.running:
        work.watch(look, lambda _: states.note("Computing …"))
    else:
        states.note(look.sentence)


with doors[3]:
    states.card("Isotropy", "Are all directions used equally?")
    if seen is None:
        waiting()
    elif seen.mean_cosine is not None:
        states.table(("", "here", "isotropic"), [("mean cosine of two", number(seen.mean_cosine), "0.00")], strong=1)
        states.note(f"A single pair of random directions strays by {number(seen.spread)}.")
    st.page_link("quality/isotropy/page.py", label="See its shape, correct or whiten it", icon=":material/explore:")

more = st.columns(4, gap="large")
with more[0]:
    states.card("Evaluation", "Is it any good?")
    if seen is not None and seen.pairs is not None:
        rows = [
            ("people's order kept (ρ)", number(seen.pairs.spearman or 0), f"< {number(seen.pairs.chance)}"),
            ("pairs known", f"{seen.pairs.count:,}", ""),
        ]
        states.table(("WordSim-353", "here", "95\u00a0% of random orders"), rows, strong=1)
    elif seen is not None:
        states.note("Too few of WordSim-353's pairs are among its words. A test set of your own can be asked.")
    st.page_link("quality/evaluation/page.py", label="Ask test sets", icon=":material/fact_check:")
with more[1]:
    states.card("Compare", "Who keeps whom as a neighbor?")
    if seen is not None and seen.kept is not None:
        rows = [(f"{seen.kept.k} nearest kept, whitened", share(seen.kept.mean), share(seen.kept.chance))]
        states.table(("", "here", "chance"), rows, strong=1)
    st.page_link("quality/compare.py", label="Compare two spaces", icon=":material/compare_arrows:")
    st.page_link("quality/timeline/page.py", label="Follow a word", icon=":material/timeline:")
with more[2]:
    states.card("Search", "Which texts answer a question?")
    texts = corpus.lee()
    states.table(("to begin with", "texts"), [(texts.name, f"{len(texts):,}")])
    st.page_link("texts/search/page.py", label="Ask a question", icon=":material/search:")
    st.page_link("texts/documents/page.py", label="See what texts are about", icon=":material/description:")
with more[3]:
    states.card("Open", "What can be opened here?")
    listed = [(entry.title, f"{entry.rows:,} × {entry.dimensions}") for entry in cache.entries()[:4]]
    states.table(("space", "words × dimensions"), listed)
    st.page_link("make/open/page.py", label="Open your own", icon=":material/upload_file:")
    st.page_link("make/train/page.py", label="Train on a text and watch", icon=":material/model_training:")

context = st.columns(4, gap="large")
with context[0]:
    states.card("Senses", "When do the senses of a word part?")
    held = datasets.sense_sentences()
    first = [(word, f"{len(rows):,}") for word, rows in list(held.items())[:3]]
    states.table(("comes along", "sentences"), first)
    st.page_link("context/senses/page.py", label="Watch bank part", icon=":material/layers:")
with context[1]:
    states.card("Layers", "Does a model point one way?")
    published = datasets.published_layers()[:2]
    ends = [(one.title, number(one.curves["baseline"][0]), number(one.curves["baseline"][-1])) for one in published]
    states.table(("cosine of random words", "input", "last layer"), ends)
    st.page_link("context/layers.py", label="Measure each layer", icon=":material/stacked_line_chart:")
with context[2]:
    states.card("Attention", "What does a head look at?")
    states.note("Every head of every layer in one sentence, and the arithmetic of each.")
    st.page_link("context/attention/page.py", label="Open a head", icon=":material/grid_view:")
    st.page_link("context/path/page.py", label="Follow one word through the layers", icon=":material/route:")
with context[3]:
    states.card("Sentences", "How do words become a sentence?")
    states.note("Mean, CLS, max and others, each beside what random sentences give.")
    st.page_link("context/pooling/page.py", label="Compare two sentences", icon=":material/filter_alt:")
