"""The row under each figure: Image, Table, Copy link, Python, and more.

The image is made in the browser, from what is drawn there: no server-side browser, no other host.
"""

import json
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from embedviz.core import notebook
from embedviz.core.call import Call
from pages._shared.app import presenting
from pages._shared.output.csv_files import LONGEST_CELL as LONGEST_CELL
from pages._shared.output.csv_files import Table, bytes_of, file_name
from pages._shared.output.csv_files import csv_text as csv_text
from pages._shared.output.csv_files import map_table as map_table
from pages._shared.output.link import link
from pages._shared.output.link import mount as _mount
from pages._shared.results import calls as results

_STYLE = """<style>
[class*="st-key-export-"] { gap: 0 0.5rem !important; margin-left: -4px; }
[class*="st-key-export-"] button { min-height: 40px; padding: 0 4px !important; color: inherit !important; }
[class*="st-key-export-"] button:not(:hover, :focus-visible, [aria-expanded="true"]) { opacity: 0.72; }
[class*="st-key-export-"] [data-testid="stPopoverButton"] > div > [aria-hidden="true"] { display: none; }
</style>"""

TABLE_ICON = ":material/table_view:"
"""Icon of every button that downloads a table."""


def export_row(
    *,
    key: str,
    picture: str | None,
    table: Table | None,
    filename: str,
    code: str = "",
    calls: Sequence[Call] = (),
    note: Mapping[str, str],
    page: Callable[[], str] | None = None,
    also: Callable[[], object] | None = None,
    depth: bool = False,
) -> None:
    """Draw the row of buttons. An argument that is None leaves out its button.

    Args:
        key: Unique on the page; the row's CSS class is `st-key-export-{key}`.
        picture: What the image shows. `"plot:KEY"`: the Plotly chart in the container KEY. `"map:KEY"`: the map KEY; it
            saves its picture on the window event `embedviz:picture` (its detail has `chart`, `filename`, `note` and
            `format`). `"drawing:KEY"`: the component KEY, which answers `embedviz:drawing` with an SVG.
        table: CSV text; or a function that returns CSV text, or header and rows, when the button is pressed.
        filename: File name without extension; characters that a file name may not hold are replaced.
        code: Python code of the same result, if there are no calls.
        calls: Calls of the figure and its table. The row offers the Python code of all calls, and a card (a file to
            repeat a result) of the first call.
        note: Lines in the image: `title` and `space` above the figure, `meaning` under it in ink, then every other
            line, small. Long lines wrap; empty lines are left out.
        page: Returns the figure as an HTML page that needs no server; called when its button is pressed.
        also: Draws further buttons after the button of the table.
        depth: Whether the figure is a map in three dimensions, for which a stereo picture is offered.

    Raises:
        ValueError: `picture` names no picture.
    """
    name = file_name(filename)
    if picture is not None:
        _present(picture, note)
    st.html(_STYLE)
    with st.container(horizontal=True, key=f"export-{key}", vertical_alignment="center"):
        if picture is not None:
            kind, _, target = picture.partition(":")
            if kind not in ("map", "plot", "drawing") or not target:
                raise ValueError(f"{picture!r} names no picture; give 'map:KEY', 'plot:KEY' or 'drawing:KEY'.")
            data = {"action": "picture", "kind": kind, "target": target, "filename": name, "note": dict(note)}
            _mount(key=f"image-{key}", data={**data, "format": "png"}, width="content")
        if table is not None:
            st.download_button(
                "Table",
                bytes_of(table),
                f"{name}.csv",
                "text/csv",
                key=f"table-{key}",
                type="tertiary",
                icon=TABLE_ICON,
                on_click="ignore",
            )
        if also is not None:
            also()
        if page is not None:
            _web_page(page, key, name)
        if picture is not None:
            presenting.control(target)
        link(key)
        with st.popover("Python", type="tertiary", icon=":material/code:", key=f"python-{key}"):
            st.code(notebook.python(*calls) if calls else code, language="python")
        if picture is not None or calls:
            with (
                st.popover("More", type="tertiary", icon=":material/more_horiz:", key=f"more-{key}"),
                st.container(key=f"export-more-{key}"),
            ):
                if picture is not None:
                    for form in ("svg", "print", *(["stereo"] if depth else [])):
                        _mount(key=f"{form}-{key}", data={**data, "format": form}, width="content")
                if calls:
                    _card(calls[0], key, name)


def _web_page(page: Callable[[], str], key: str, name: str) -> None:
    """Offer the figure as one HTML file."""
    st.download_button(
        "Web page",
        lambda: page().encode("utf-8", "replace"),
        f"{name}.html",
        "text/html",
        key=f"page-{key}",
        type="tertiary",
        icon=":material/web:",
        on_click="ignore",
        help="One file that opens without a server, full screen: move, zoom and search in any browser.",
    )


def _present(picture: str, note: Mapping[str, str]) -> None:
    """Write a figure's title and meaning if the lecture view shows this figure, and hide the rest of the page.

    Args:
        picture: Kind and key of the figure, such as `plot:KEY`. For the kind *plot*, nothing is hidden here.
    """
    kind, _, target = picture.partition(":")
    if presenting.on(target):
        presenting.describe(note.get("title", ""), note.get("meaning", ""))
        if kind != "plot":
            presenting.stage(target, zoomed=kind == "drawing")


def _card(call: Call, key: str, name: str) -> None:
    """Offer a card: a JSON file with the call, versions and checksums of the spaces, to repeat the result."""
    st.download_button(
        "Card",
        lambda: json.dumps(results.card(call), indent=1, ensure_ascii=False).encode("utf-8", "replace"),
        f"{name}.card.json",
        "application/json",
        key=f"card-{key}",
        type="tertiary",
        icon=":material/receipt_long:",
        on_click="ignore",
        help="What was computed, by which versions and from which vectors. Repeat it: embedviz repeat FILE",
    )
