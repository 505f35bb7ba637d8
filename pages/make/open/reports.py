"""The report on a file of vectors: what was read, how good it is, and what to do with it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from embedviz import catalog
from embedviz.core.folders import is_read_only
from embedviz.core.phrases import byte_size, counted
from embedviz.files.encodings import ENCODINGS
from embedviz.formats import FORMATS
from embedviz.formats.reading import MISSING, lost_rows
from pages._shared.app import frame, states
from pages._shared.app.escape import plain
from pages._shared.results import cache
from pages._shared.sources import current, saving, spaces, uploads
from pages.make.open import checks, columns, encoders, verdicts
from pages.make.open.receiving import ENCODING, put_away, read_again

UNSAVED = "Unsaved uploads are deleted one hour after you close the page."
_BAD = ("nothing", "far below")
LOOKED_AT = 20_000  # number of words among which some beyond plain ASCII are searched


def report(view: current.View, recipe: catalog.Recipe) -> None:
    """Show what was read and what was left out, and offer what to do with the space."""
    entry, space = catalog.entry(recipe), cache.space(cache.key_of(str(recipe)))
    reading = entry.card["reading"]
    taken = f", read in {reading['seconds']:.1f} s" if reading["seconds"] >= 0.1 else ""
    with st.container(horizontal=True, vertical_alignment="top"):
        with st.container():
            states.state(
                plain(entry.title, 60),
                f"{counted(entry.rows, space.noun)} × {entry.dimensions} numbers. "
                f"Format: {FORMATS[reading['format']].title}, {byte_size(reading['bytes'])}, "
                f"{_titled(reading['encoding'])}{taken}.",
            )
        st.button("Open another file", key="open:another", type="tertiary", on_click=put_away, args=(recipe.name,))
    _encoding(recipe.name, reading)
    if columns.numbered(recipe):
        columns.offer_words(recipe)
    if note := columns.read_from(recipe):
        states.meaning(note)
    columns.choose(recipe)
    encoders.offer(recipe.name)
    lost = lost_rows(reading["dropped"])
    states.panel("How good are these vectors?", level=3)
    with st.container():  # one container in every run: the form below keeps what is typed in it
        found = verdicts.section(view, recipe, lost)
    _actions(view, entry, good=found is not None and not found.damage and found.graded.grade not in _BAD)
    states.panel("What was read", level=3)
    _left_out(entry.rows, reading)
    first, named = ", ".join(f"“{plain(word, 24)}”" for word in space.words[:8]), f"{space.noun}s"
    if space.noun == "text":
        first = "; ".join(f"“{plain(space.label(row), 60)}”" for row in range(min(3, len(space))))
    decoded = reading["encoding"] != "utf-8" and first.isascii()
    beyond = [plain(word, 24) for word in space.words[:LOOKED_AT] if decoded and not word.isascii()][:8]
    states.note(
        f"First {named}: {first}.",
        f"First {named} beyond plain ASCII: {', '.join(beyond)}." if beyond else "",
        f"Saved as {plain(view.name, 40)}." if saving.copy_of(entry, view.recipe) else UNSAVED,
    )
    states.details(
        "Out-of-vocabulary words get a vector from their n-grams." if space.subwords else "",
        "" if columns.read_from(recipe) else space.origin.note,
        f"SHA-256 of the file: {entry.card['origin']['checksum'][:16]}….",
    )
    checks.section(view, recipe, lost)


def _left_out(rows: int, reading: dict[str, Any]) -> None:
    """Show how many rows were left out for each reason, how many the file lacks, and how many hold only zeros."""
    dropped = reading["dropped"]
    if lost_rows(dropped)["missing"]:
        claimed = rows + sum(each["count"] for each in dropped)
        states.meaning(
            f"The header says {counted(claimed, 'row')}; {rows:,} could be read. "
            "The file is cut off, or its header is wrong."
        )
    if dropped:
        lines = [
            "" if each["reason"] == MISSING else ", ".join(f"{line:,}" for line in each["first_lines"])
            for each in dropped
        ]
        cells = [(each["reason"], f"{each['count']:,}", first) for each, first in zip(dropped, lines, strict=True)]
        with st.container(width=verdicts.WIDTH):
            header = ("not read", "rows", f"first at {FORMATS[reading['format']].unit}")
            width = 3 if any(lines) else 2
            states.table(header[:width], [each[:width] for each in cells], texts=(2,) if width > 2 else ())
    zeros = reading["zero_rows"]
    states.note(
        "" if dropped else "No row was left out.",
        f"{counted(zeros, 'row')} of zeros: such a row has no direction and no neighbors." if zeros else "",
    )


def _actions(view: current.View, entry: catalog.SpaceEntry, *, good: bool) -> None:
    """Draw the buttons to use, evaluate and save the space. “Use this space” is the primary button if `good`."""
    recipe, name = entry.recipe, entry.card["origin"]["name"]
    words = cache.space(cache.key_of(str(recipe))).noun == "word"
    with st.container(horizontal=True, key="open-actions"):
        if (saved := saving.copy_of(entry, view.recipe)) or view.address == str(recipe):
            st.page_link("words/map/page.py", label="Open the map", icon=":material/scatter_plot:")
            if words:
                st.page_link("quality/evaluation/page.py", label="Evaluate", icon=":material/fact_check:")
            states.note("All pages show this space now.")
        else:
            st.button(
                "Use this space",
                type="primary" if good else "secondary",
                on_click=frame.choose_space,
                args=(str(recipe),),
            )
            if words and st.button("Evaluate", icon=":material/fact_check:", key="open:evaluate"):
                spaces.go("quality/evaluation/page.py", [str(recipe)])
            states.note(f"The other pages show {plain(view.name, 40)} until you use this space.")
        with st.popover("Save a copy" if saved else "Save it", key="open-save"):
            saving.named("Name", name, "Save", lambda typed: catalog.save(catalog.open_space(recipe), typed))
            states.note("" if is_read_only() else "All users of this installation can use, rename and delete it.")


def _titled(encoding: str) -> str:
    """Return the title under which the page shows an encoding."""
    return ENCODINGS.get(encoding, encoding)


def _encoding(token: str, reading: dict[str, Any]) -> None:
    """Show the encoding if it was guessed, count words that are not valid in it, and offer to choose another."""
    undecodable = reading.get("undecodable", {"count": 0, "first_lines": []})
    odd, guessed = undecodable["count"], reading.get("encoding_guessed", False)
    if not odd and not guessed:
        return
    title, lines = _titled(reading["encoding"]), ", ".join(f"{line:,}" for line in undecodable["first_lines"])
    invalid = f"{counted(odd, 'word')} {'is' if odd == 1 else 'are'} not valid in {title} (first at {lines})."
    states.note(
        f"The words are not UTF-8. The encoding was guessed: {title}." if guessed else "",
        f"{invalid} Invalid bytes are shown as \\xNN." if odd else "",
        "Check the words below. If they are wrong, choose another encoding." if uploads.file_of(token) else "",
    )
    if uploads.file_of(token):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            with st.container(width=420):
                others = [name for name in ENCODINGS if name != reading["encoding"]]
                st.selectbox("Encoding", others, format_func=_titled, key=ENCODING)
            st.button("Read again", on_click=read_again, args=(token,))
