"""What was read of a file that holds several spaces, such as the decades of HistWords."""

import streamlit as st

from embedviz import catalog
from embedviz.core.phrases import byte_size
from embedviz.formats import FORMATS
from pages._shared.app import frame, states
from pages._shared.app.escape import escape, plain
from pages._shared.results import cache
from pages._shared.sources import saving, spaces
from pages.make.open.receiving import put_away
from pages.make.open.reports import UNSAVED


def report_several(recipes: list[catalog.Recipe]) -> None:
    """Show the spaces with their sizes and rows of zeros, and offer to follow a word through them."""
    entries = [catalog.entry(recipe) for recipe in recipes]
    first = entries[0].card["reading"]
    states.state(
        f"{len(entries)} spaces of {entries[0].rows:,} words × {entries[0].dimensions}.",
        f"{FORMATS[first['format']].title}, {byte_size(first['bytes'])}. "
        "The order is that of the numbers in their names.",
    )
    zeros = [each.card["reading"]["zero_rows"] for each in entries]
    states.table(
        ("space", "words", "dimensions", "rows of zeros"),
        [
            (each.title, f"{each.rows:,}", f"{each.dimensions:,}", f"{count:,}")
            for each, count in zip(entries, zeros, strict=True)
        ],
    )
    words = cache.space(cache.key_of(str(recipes[0]))).words
    states.note(
        f"First words: {', '.join(plain(word, 24) for word in words[:8])}.",
        "A row of zeros is a word without a vector in that space." if any(zeros) else "",
        UNSAVED,
    )
    with st.container(horizontal=True, key="several-actions"):
        if st.button("Follow a word", type="primary", icon=":material/timeline:"):
            spaces.go("quality/timeline/page.py", [str(recipe) for recipe in recipes])
        if st.button("Compare the first and the last", icon=":material/compare_arrows:"):
            spaces.go("quality/compare/page.py", [str(recipes[0]), str(recipes[-1])])
        with st.popover("Use one", key="several-use"):
            for each in entries:
                address = str(each.recipe)
                st.button(
                    escape(each.title, 60),
                    key=f"part-{address}",
                    type="tertiary",
                    on_click=frame.choose_space,
                    args=(address,),
                )
        with st.popover("Save all", key="several-save"):
            name = entries[0].title.rpartition(" ")[0] or "decades"
            saving.named("First part of each name", name, "Save all", lambda typed: _save_all(entries, name, typed))
        st.button("Close", type="tertiary", on_click=put_away, args=(recipes[0].name,))


def _save_all(entries: list[catalog.SpaceEntry], before: str, name: str) -> catalog.Recipe:
    """Save all spaces, and return the last saved one. In each name, `name` replaces the common beginning `before`."""
    titles = [each.title.removeprefix(before).strip() for each in entries]
    return [
        catalog.save(catalog.open_space(each.recipe), f"{name} {catalog.clean_name(title)}")
        for each, title in zip(entries, titles, strict=True)
    ][-1]
