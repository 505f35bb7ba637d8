"""Buttons that offer spaces to compare with."""

from collections.abc import Callable, Sequence

import streamlit as st

from embedviz.catalog import MOST_CORRECTIONS
from embedviz.geometry.corrections import CORRECTIONS, KEEPS_COSINES
from pages._shared.app.escape import escape
from pages._shared.sources.current import View
from pages._shared.sources.sharing import sharing
from pages._shared.sources.titles import in_series, titles


def offers(
    view: View,
    key: str,
    choose: Callable[[str], None],
    *,
    most: int = 6,
    corrected: bool = True,
    series: Callable[[Sequence[str]], None] | None = None,
    without: Sequence[str] = (),
) -> None:
    """Draw buttons for spaces to compare with the space in use: other spaces, corrections of it, and a file to open.

    Args:
        choose: Called with the address of the space that is clicked.
        most: Most buttons for other spaces.
        corrected: Whether corrections of the space in use are offered.
        series: Called with the addresses of a series of spaces, such as decades; None offers no series.
        without: Addresses that are not offered.
    """
    listed = {one: title for one, title in titles(view.address).items() if one not in without}
    if series is not None:
        for number, (name, found) in enumerate(in_series(listed).items()):
            st.button(f"Use {escape(name, 90)}", key=f"series-{key}-{number}", on_click=series, args=(found,))
    listed.pop(view.address, None)
    listed = sharing(view.address, listed)
    shipped = {one: title for one, title in listed.items() if one.startswith("shelf:")}
    own = {one: title for one, title in listed.items() if one not in shipped}
    listed = dict([*own.items()][-most:])
    listed |= dict([*shipped.items()][: most - len(listed)])
    done = {name for name, _ in view.recipe.corrections} | {*KEEPS_COSINES}
    for name, row in CORRECTIONS.items() if corrected else ():
        if name not in done and not row.long and len(view.recipe.corrections) < MOST_CORRECTIONS:
            listed.setdefault(f"{view.address}~{name}", f"{view.name}, {row.title.lower()}")
    with st.container(horizontal=True, vertical_alignment="center", key=f"offers-{key}"):
        for number, (one, title) in enumerate(listed.items()):
            st.button(escape(title, 100), key=f"offer-{key}-{number}", on_click=choose, args=(one,))
        st.page_link("make/open/page.py", label="Open another file", icon=":material/upload_file:")
