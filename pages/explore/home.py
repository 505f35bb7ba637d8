"""Start: the claim, a live map, and a small true figure and a door for each page that exists."""

import streamlit as st

from embedviz.figures.neighbors import bars_figure
from embedviz.figures.scatter import scatter
from embedviz.options import OptionError
from pages._shared import badge, cache, frame, states
from pages._shared import scatter as mounted

view = frame.view()
space = view.space

claim, live = st.columns([1, 1.35], gap="large", vertical_alignment="center")
with claim:
    st.html('<h1 class="ev-claim">See what an embedding knows.</h1>')
    st.html('<p class="ev-lead">Maps and neighbors, each with the number that says how far to trust it.</p>')
    with st.container(horizontal=True):
        if st.button("Open the map", type="primary", icon=":material/scatter_plot:"):
            st.switch_page("explore/map.py")
        if st.button("Your vectors", icon=":material/upload_file:"):
            st.switch_page("manage/open.py")
    words = "English words" if view.recipe.kind == "builtin" else "words"
    states.note(f"Ready offline: {len(space):,} {words} × {space.dimensions}, {space.origin.name}.")

with live:
    try:
        rule, options, by = "groups", {}, "groups"
        shown = cache.mapped(view.address, rule, options, (), "pca", {})
    except OptionError:  # a space without English words
        rule, options, by = "frequent", {}, "frequency"
        shown = cache.mapped(view.address, rule, options, (), "pca", {})
    color = cache.colored(view.address, rule, options, (), by, {})
    sample = cache.sample(view.address, rule, options, ())
    job = badge.measured(space, shown, view.address, f"{rule}|pca", view.recipe.private)
    row = space.index.get(view.word)
    place = {int(number): index for index, number in enumerate(shown.rows)}
    mounted.mount(
        scatter(shown, color),
        key="home-map",
        height=400,
        chosen=place.get(row) if row is not None else None,
        note={"title": "PCA map", "space": view.size, "count": "", "badge": badge.line(badge.quality_of(job))},
        summary=f"PCA map of {len(shown.rows):,} words. {shown.meaning}",
        on_click=lambda click: frame.choose_word(click.word),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        badge.badge(job, "PCA", f"{view.address}|{rule}")
        states.note(f"{len(shown.rows):,} of {len(space):,} words, {sample.rule}")

st.divider()
doors = st.columns(3, gap="large")
with doors[0]:
    st.html('<div class="ev-card"><h2>Map</h2><span class="ev-muted">How much does a flat map keep?</span></div>')
    measured = badge.quality_of(job)
    if measured is None:
        states.note("Checking …")
    else:
        st.html(
            f'<table class="ev"><tr><th></th><th class="num">this map</th><th class="num">chance</th></tr>'
            f'<tr><td>{measured.k} nearest kept</td><td class="num"><b>{badge.share(measured.neighbor_preservation)}</b></td>'
            f'<td class="num">{badge.share(measured.chance)}</td></tr>'
            f'<tr><td>far order right</td><td class="num"><b>{badge.share(measured.triplet_accuracy)}</b></td><td class="num">50 %</td></tr></table>'
        )
    st.page_link("explore/map.py", label="Open the map", icon=":material/scatter_plot:")
with doors[1]:
    st.html('<div class="ev-card"><h2>Neighbors</h2><span class="ev-muted">How near is near?</span></div>')
    word = view.word if view.word in space.index else view.examples()[0]
    near = cache.neighborhood(view.address, (word,), 5, "cosine")
    st.plotly_chart(
        bars_figure(near, view.theme),
        theme=None,
        width="stretch",
        config={"displayModeBar": False, "displaylogo": False},
    )
    st.page_link(
        "explore/neighbors.py", label=f"Ask for another word than {frame.plain(word, 30)}", icon=":material/near_me:"
    )
with doors[2]:
    st.html('<div class="ev-card"><h2>Your vectors</h2><span class="ev-muted">What can be opened here?</span></div>')
    listed = cache.entries()[:4]
    cells = "".join(
        f'<tr><td>{frame.inert(entry.title)}</td><td class="num">{entry.rows:,} × {entry.dimensions}</td></tr>'
        for entry in listed
    )
    st.html(f'<table class="ev"><tr><th>space</th><th class="num">words × dimensions</th></tr>{cells}</table>')
    st.page_link("manage/open.py", label="Open your own", icon=":material/upload_file:")
