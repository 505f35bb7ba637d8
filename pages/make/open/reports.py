"""What was read of a file of vectors, and what to do with it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from embedviz import catalog
from embedviz.core.call import call
from embedviz.core.phrases import counted
from embedviz.evaluation.verdict import Verdict
from embedviz.files.encodings import ENCODINGS
from embedviz.formats import FORMATS
from pages._shared.app import frame, states
from pages._shared.app.escape import escape, plain
from pages._shared.results import cache, calls, work
from pages._shared.sources import current, saving, spaces, uploads
from pages.make.open.exporting import size
from pages.make.open.receiving import ENCODING, put_away, read_again

LOOKED_AT = 20_000  # words among which some beyond plain ASCII are looked for


def report(view: current.View, recipe: catalog.Recipe) -> None:
    """Show what was read and what was left out, and offer what to do with it."""
    entry = catalog.entry(recipe)
    reading = entry.card["reading"]
    taken = f"{reading['seconds']:.1f} s" if reading["seconds"] >= 0.1 else "under 0.1 s"
    states.state(
        f"{entry.rows:,} words × {entry.dimensions}, read in {taken}.",
        f"{entry.title}: {FORMATS[reading['format']].title}, {size(reading['bytes'])}, {_titled(reading['encoding'])}.",
    )
    _encoding(recipe.name, reading)
    for dropped in reading["dropped"]:
        lines = ", ".join(f"{line:,}" for line in dropped["first_lines"])
        states.note(f"Left out: {dropped['count']:,} · {dropped['reason']} (first at {lines}).")
    space = cache.space(cache.key_of(str(recipe)))
    first = ", ".join(plain(word, 24) for word in space.words[:8])
    decoded = reading["encoding"] != "utf-8" and first.isascii()
    beyond = [plain(word, 24) for word in space.words[:LOOKED_AT] if decoded and not word.isascii()][:8]
    states.note(
        f"First words: {first}.",
        f"First words beyond plain ASCII: {', '.join(beyond)}." if beyond else "",
        "Words that are not among them get a vector from their n-grams." if space.subwords else "",
        space.origin.note,
        "" if reading["dropped"] else "Nothing was left out.",
        f"{reading['zero_rows']:,} rows are all zero: they have no direction, and no list shows them."
        if reading["zero_rows"]
        else "",
        f"SHA-256 {entry.card['origin']['checksum'][:16]}….",
        "An unsaved upload is deleted one minute after you close the page.",
    )
    _any_good(view, recipe, sum(dropped["count"] for dropped in reading["dropped"]))
    with st.container(horizontal=True):
        if view.address == str(recipe):
            st.page_link("words/map/page.py", label="Open the map", icon=":material/scatter_plot:")
            st.page_link("quality/evaluation/page.py", label="Ask test sets", icon=":material/fact_check:")
        else:
            st.button("Use this space", type="primary", on_click=frame.choose_space, args=(str(recipe),))
        with st.popover("Save it"):
            saving.named(
                "Name",
                entry.card["origin"]["name"],
                "Save",
                lambda name: catalog.save(catalog.open_space(recipe), name),
            )
        st.button("Done", type="tertiary", on_click=put_away, args=(recipe.name,))


def _titled(encoding: str) -> str:
    """Return what an encoding is called."""
    return ENCODINGS.get(encoding, encoding)


def _encoding(token: str, reading: dict[str, Any]) -> None:
    """Show what was guessed of the encoding and which words are not valid in it, and offer another."""
    undecodable = reading.get("undecodable", {"count": 0, "first_lines": []})
    odd, guessed = undecodable["count"], reading.get("encoding_guessed", False)
    if not odd and not guessed:
        return
    title = _titled(reading["encoding"])
    lines = ", ".join(f"{line:,}" for line in undecodable["first_lines"])
    states.note(
        f"The words are not UTF-8. The encoding was guessed: {title}." if guessed else "",
        f"{counted(odd, 'word')} not valid in {title} (first at {lines}): the odd bytes show as \\xNN." if odd else "",
        "Look at the words below; if they are wrong, choose another encoding." if uploads.file_of(token) else "",
    )
    if uploads.file_of(token):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            with st.container(width=420):
                others = [name for name in ENCODINGS if name != reading["encoding"]]
                st.selectbox("Encoding", others, format_func=_titled, key=ENCODING)
            st.button("Read again", on_click=read_again, args=(token,))


def _any_good(view: current.View, recipe: catalog.Recipe, dropped: int) -> None:
    """Show the verdict of a look of some seconds, and what it rests on."""
    task = calls.task("verdict", call("embedviz.evaluation.verdict:verdict", recipe, dropped=dropped))
    told: Verdict | None = task.result
    if told is None:
        work.show(task, "Is it any good?")
        return
    states.meaning(told.headline)
    if told.tests:
        header = ("test", "here (95\u00a0%)", "strongest baseline", "built-in space")
        if view.phone:
            for title, *cells in told.table:
                states.entry(title, "; ".join(f"{name} {cell}" for name, cell in zip(header[1:], cells, strict=True)))
        else:
            states.table(header, told.table, texts=(2, 3))
    with st.expander("What that rests on"):
        for sentence in told.notes:
            states.note(sentence)


def report_several(recipes: list[catalog.Recipe]) -> None:
    """Show what was read as several spaces: their sizes and rows of zeros, and where to follow a word through them."""
    entries = [catalog.entry(recipe) for recipe in recipes]
    first = entries[0].card["reading"]
    states.state(
        f"{len(entries)} spaces of {entries[0].rows:,} words × {entries[0].dimensions}.",
        f"{FORMATS[first['format']].title}, {size(first['bytes'])}; in the order of the numbers in their names.",
    )
    states.table(
        ("space", "words", "dimensions", "rows of zeros"),
        [
            (each.title, f"{each.rows:,}", f"{each.dimensions:,}", f"{each.card['reading']['zero_rows']:,}")
            for each in entries
        ],
    )
    words = cache.space(cache.key_of(str(recipes[0]))).words
    states.note(
        f"First words: {', '.join(plain(word, 24) for word in words[:8])}.",
        "A row of zeros is a word that has no vector there: no list shows it."
        if any(each.card["reading"]["zero_rows"] for each in entries)
        else "",
        "Unsaved uploads are deleted one minute after you close the page.",
    )
    with st.container(horizontal=True):
        if st.button("Follow a word through them", type="primary", icon=":material/timeline:"):
            spaces.go("quality/timeline/page.py", [str(recipe) for recipe in recipes])
        if st.button("Compare the first and the last", icon=":material/compare_arrows:"):
            spaces.go("quality/compare.py", [str(recipes[0]), str(recipes[-1])])
        with st.popover("Use one"):
            for each in entries:
                st.button(
                    escape(each.title, 60),
                    key=f"part-{each.recipe}",
                    type="tertiary",
                    on_click=frame.choose_space,
                    args=(str(each.recipe),),
                )
        with st.popover("Save them"):
            saving.named(
                "Name before each",
                "decades",
                "Save all",
                lambda name: [
                    catalog.save(catalog.open_space(each.recipe), f"{name} {catalog.clean_name(each.title)}")
                    for each in entries
                ][-1],
            )
        st.button("Done", type="tertiary", on_click=put_away, args=(recipes[0].name,))
