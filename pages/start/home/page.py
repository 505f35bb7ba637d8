"""Start: a headline, a live map, and for each page a card with its question and a small figure."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from embedviz.figures.scatter import scatter
from embedviz.projection import PROJECTIONS
from pages._shared.app import address, frame, states
from pages._shared.map import badge, questions
from pages._shared.map import scatter as mounted
from pages._shared.map.ready import at_hand
from pages._shared.results import calls
from pages._shared.sources import current
from pages.start.home import cards, texts


@contextmanager
def door(about: str) -> Iterator[None]:
    """Draw the button that the caller's `with` block makes and, next to it, the text `about`: what the button opens."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        yield
        with st.container(width="content"):
            states.note(about)


view = current.view()
space = view.space

first = questions.first(view.recipe)
words = questions.sample(view.recipe, first.rule)
what = questions.drawn(words, first.method)
if (ready := at_hand(what)) is None:
    what = questions.drawn(words, "pca")
projected = ready or calls.result(what)
method = PROJECTIONS[what.value("method")]
color = calls.result(questions.colored(words, "groups" if first.rule == "groups" else "frequency", {}))

claim, live = st.columns([0.7, 1], gap="medium", vertical_alignment="center")
with claim:
    frame.headed()
    if missing := address.get(address.NO_PAGE):
        states.note(f"There is no page “{missing[:60]}”. This is Start; the menu has all pages.")
    st.html('<h1 class="ev-claim">See what an embedding knows.</h1>')
    lead = "An embedding gives each word a list of numbers. Words that are used alike get similar numbers."
    st.html(f'<p class="ev-lead">{lead}</p>')
    st.html('<p class="ev-plain">What do you want to do?</p>')
    with st.container(key="doors"):
        with door("A map of words."):
            if st.button("Look around", type="primary", icon=":material/scatter_plot:", width=160):
                shared = {name: address.get(name) for name in address.SHARED if address.get(name)}
                address.go("words/map/page.py", {**shared, "sample": first.rule, "method": first.method})
        with door("Short lessons."):
            if st.button("Teach or learn", icon=":material/school:", width=160):
                st.switch_page("learn/page.py")
        with door("Test a file of vectors."):
            if st.button("Check a file", icon=":material/upload_file:", width=160):
                st.switch_page("make/open/page.py")
    builtin = view.recipe.kind == "builtin"
    noun, of = ("English words", " (word vectors of the model MiniLM)") if builtin else (f"{space.noun}s", "")
    alike = {"word": "Words with similar use", "text": "Texts with similar vectors"}[space.noun]
    states.note(
        f"Each dot is a {space.noun}. {alike} are near each other in the space; a map keeps part of this.",
    )
    states.note(
        f"Available offline: {view.name}{of}, {len(space):,} {noun}, {space.dimensions} numbers each.",
    )

with live:
    task = badge.measured(view, badge.check(what), projected)
    checked = task.result
    count = questions.sampled(words).size(len(projected.rows), space)
    mounted.mount(
        scatter(projected, color),
        key="home-map",
        height=400,
        chosen=projected.position.get(space.index.get(view.word, -1)),
        hits=checked.worst().tolist() if checked is not None and badge.worst_marked() else (),
        note={"title": f"{method.title} map", "space": view.size, "count": count, **badge.lines(checked, method.name)},
        summary=f"{method.title} map of {len(projected.rows):,} {space.noun}s. {projected.meaning}",
        on_click=lambda click: frame.choose_word(click.word),
        lecture=False,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        badge.badge(task, what, view.theme, short=True)
        with st.container(width="content"):
            states.note(count)
    badge.noise(checked, projected.points, view.theme, phone=view.phone)

st.divider()
cards.words(view, checked)
cards.quality(view)
texts.context()
texts.texts()
