"""The section of made-up spaces: a kind, its options, and a button that opens it."""

from __future__ import annotations

import streamlit as st

from embedviz import catalog
from embedviz.synthetic import SYNTHETIC
from pages._shared.app import frame, states
from pages._shared.controls import widgets
from pages._shared.results import cache
from pages._shared.sources import current

NAME = "made"
"""What the address calls the kind; its options stand there after the kind's name."""
PAGES = (
    ("words/map/page.py", "Map", "scatter_plot"),
    ("quality/isotropy/page.py", "Isotropy", "explore"),
    ("quality/evaluation/page.py", "Evaluation", "fact_check"),
    ("quality/compare.py", "Compare", "compare_arrows"),
)


def section(view: current.View) -> None:
    """Show the kinds of made-up spaces, the options of one, and what it is."""
    st.html('<h2 class="ev-section">Made-up spaces</h2>')
    states.note("Their truth is known. Open one, and check what the program says of it.")
    with st.container(horizontal=True, vertical_alignment="center", key="made-up"):
        chosen = widgets.method("Kind", NAME, SYNTHETIC, next(iter(SYNTHETIC)), segmented=not view.phone)
        with st.popover("Settings", icon=":material/tune:", type="tertiary"):
            options = widgets.options(chosen, (), f"{chosen.name}_")
        recipe = catalog.Recipe.synthetic(chosen.name, options)
        if str(recipe) != view.address:
            st.button("Open", key="made-up-open", type="primary", on_click=_open, args=(str(recipe),))
    states.note(
        chosen.summary,
        f"{chosen.source}." if chosen.source else "",
        f"{widgets.spoken(chosen, options).capitalize()}.",
    )
    if str(recipe) == view.address:
        with st.container(horizontal=True, vertical_alignment="center", key="made-up-pages"):
            st.html('<span class="ev-muted">In use. Look at it:</span>', width="content")
            for page, title, icon in PAGES:
                st.page_link(page, label=title, icon=f":material/{icon}:")


@frame.safely
def _open(address: str) -> None:
    """Make this the space in use, where it can be made."""
    cache.space(cache.key_of(address))
    frame.choose_space(address)
