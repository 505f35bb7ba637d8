"""The section of made-up spaces: the choice of a kind, its options, and a button that opens the space."""

import streamlit as st

from embedviz import catalog
from embedviz.synthetic import SYNTHETIC
from pages._shared.app import frame, states
from pages._shared.controls import popovers, widgets
from pages._shared.results import cache
from pages._shared.sources import current

NAME = "made"
"""Name in the address for the kind of space. The names of the kind's options in the address begin with the kind."""
PAGES = (
    ("words/map/page.py", "Map", "scatter_plot"),
    ("quality/isotropy/page.py", "Isotropy", "explore"),
    ("quality/evaluation/page.py", "Evaluation", "fact_check"),
    ("quality/compare/page.py", "Compare", "compare_arrows"),
)


def section(view: current.View) -> None:
    """Show the kinds of made-up spaces, and the options and the description of the chosen kind."""
    st.html('<h2 class="ev-section">Made-up spaces</h2>')
    states.note("The structure of these spaces is known, so you can check whether the program finds it.")
    with st.container(horizontal=True, vertical_alignment="center", key="made-up"):
        chosen = widgets.method("Kind", NAME, SYNTHETIC, next(iter(SYNTHETIC)), segmented=not view.phone)
        with popovers.settings("made-up"):
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
            st.html('<span class="ev-muted">In use. See it on:</span>', width="content")
            for page, title, icon in PAGES:
                st.page_link(page, label=title, icon=f":material/{icon}:")


@frame.safely
def _open(address: str) -> None:
    """Use the made-up space with this address, if its options are allowed."""
    cache.space(cache.key_of(address))
    frame.choose_space(address)
