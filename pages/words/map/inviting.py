"""The box for guests (words and texts that the map does not draw) on the Map page, with their table and its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.projection.guests import entries
from pages._shared.app import address, frame, states, widget_keys
from pages._shared.app.escape import escape
from pages._shared.output import csv_files
from pages._shared.results import work
from pages._shared.sources import spaces
from pages.words.map.visitors import FIRST, MOST, NAME, SPACE, TOKEN, lines, write

if TYPE_CHECKING:
    from embedviz.projection.guests import Guests
    from pages._shared.sources.current import View
    from pages.words.map.drawn import DrawnMap
    from pages.words.map.visitors import GuestList

_BOX = "guests-box"
_HELP = {
    "word": "One per line: a word, a formula (king - man + woman), or a vector’s numbers, after a name if you like.",
    "text": "One per line: a sentence of your own, the key of a text, or the numbers of a vector.",
}
_ABOUT = {
    "word": "Add words, formulas or vectors to this map, one per line. Each is placed among its nearest words.",
    "text": "Add your own sentences to this map, one per line. Each is placed among its nearest texts.",
}


def offer(word: str) -> None:
    """Draw the button that places a word on the map as a guest, because the map does not draw it."""
    guests = lines()
    if word not in guests:
        label = f"Add {escape(word, 30)} to the map"
        st.button(label, icon=":material/person_pin_circle:", on_click=write, args=([*guests, word],))


def control(view: View, drawn: DrawnMap, guests: GuestList) -> None:
    """Draw the button that opens the box for guests. The box also has the table of the guests and a download."""
    if drawn.making.stream or len(drawn.projected.rows) > MOST:
        return
    if guests.task is not None:
        work.watch(guests.task, lambda job: states.pill(f"Reading your sentences … {work.step(job)}"))
    count, noun = len(guests.found.words) if guests.found is not None else 0, view.space.noun
    label = f"Added {noun}s: {count:,}" if count else f"Add {noun}s"
    with st.popover(label, key="map-guests", icon=":material/person_pin_circle:", type="tertiary", width="content"):
        states.note(_ABOUT[noun])
        tied = widget_keys.tie(_BOX, "\n".join(lines()), frame.safely(lambda typed: write(entries(typed, view.space))))
        st.text_area(f"Add {noun}s", help=_HELP[noun], height=120, max_chars=200_000, **tied)
        _source(view)
        states.note(guests.problem)
        if guests.found is not None:
            _table(guests.found)
        states.note("Save this space, and the Python of the map includes your sentences." if guests.unsaved else "")
        if lines() or address.get(SPACE):
            nothing = {NAME: None, TOKEN: None, SPACE: None}
            st.button(f"Remove added {noun}s", key="guests-gone", type="tertiary", on_click=address.put, kwargs=nothing)


def _source(view: View) -> None:
    """Draw the choice of the space that added words come from."""
    titles = {
        "": "This space",
        **{one: title for one, title in spaces.titles(view.address).items() if one != view.address},
    }
    chosen = address.get(SPACE) if address.get(SPACE) in titles else ""
    helped = f"Of as many dimensions, made by the same model. Without words, its first {FIRST} are placed."
    st.selectbox("From", list(titles), format_func=titles.__getitem__, help=helped, **address.bind(SPACE, chosen))


def _table(found: Guests) -> None:
    """Draw the table of the guests, with a button that downloads it, and write which guests could not be placed."""
    header, rows = found.table()
    states.note(found.already, *found.unread[:3])
    if not rows:
        return
    columns = [place for place, name in enumerate(header) if name not in "xyz"]
    st.dataframe(
        {header[place]: [row[place] for row in rows] for place in columns},
        hide_index=True,
        height=min(280, 38 + 35 * len(rows)),
        column_config={name: st.column_config.NumberColumn(format="%.2f") for name in ("neighbors kept", header[-1])},
        key="guests-table",
    )
    file = csv_files.bytes_of(lambda: csv_files.csv_text(rows, header))
    tied: dict[str, Any] = {"icon": ":material/table_view:", "on_click": "ignore", "key": "guests-file"}
    st.download_button("Table", file, "added-words.csv", "text/csv", type="tertiary", **tied)
