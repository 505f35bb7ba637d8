"""The table of the measure that colors a map: a button opens it, and a click on a row chooses the word."""

import streamlit as st

from pages._shared.app import frame, states
from pages._shared.output import csv_files
from pages.words.map import patched
from pages.words.map.drawn import DrawnMap

_TABLE = "measured-table"


def show(drawn: DrawnMap) -> None:
    """Draw a button that opens the table of the measure that colors a map, with a button to download the table.

    Nothing is drawn for other colors. The measure has the methods `meaning_of(by)`, `table(by)` and `places(by)`; the
    last returns the places of the table's rows on the map.
    """
    measured, by, words = drawn.colors.measured, drawn.by, drawn.projected.words
    if measured is None:
        return
    (header, rows), places = measured.table(by.name), measured.places(by.name)
    more = patched.columns(drawn)
    decimals = "%.3f" if "verdict" in header else "%.2f"  # with two, a patch close to its limit may look equal to it
    header = (*header, *more)
    rows = [(*row, *(values[place] for values in more.values())) for place, row in enumerate(rows)]

    def picked() -> None:
        chosen = st.session_state[_TABLE]["selection"]["rows"]
        if chosen:
            frame.choose_word(words[int(places[chosen[0]])])

    with st.popover(
        f"{by.title}: the list",
        key="map-list",
        icon=":material/format_list_bulleted:",
        type="tertiary",
        width="content",
    ):
        states.note(measured.meaning_of(by.name))
        st.dataframe(
            {name: [row[place] for row in rows] for place, name in enumerate(header)},
            hide_index=True,
            height=min(420, 38 + 35 * len(rows)),
            width=720,
            column_config={
                name: st.column_config.NumberColumn(format=decimals, help=patched.EXPLAINED.get(name))
                for place, name in enumerate(header)
                if rows and isinstance(rows[0][place], float)
            },
            key=_TABLE,
            on_select=picked,
            selection_mode="single-row",
        )
        st.download_button(
            "Table",
            csv_files.bytes_of(lambda: csv_files.csv_text(rows, header)),
            f"{by.name}.csv",
            "text/csv",
            type="tertiary",
            icon=":material/table_view:",
            on_click="ignore",
            key="measured-file",
        )
        patched.offers(drawn)
