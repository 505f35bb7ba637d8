"""Bookmarks of views: the address and the map's camera, stored only in the visitor's browser."""

import re
from urllib.parse import parse_qs

import streamlit as st

from pages._shared.app import address
from pages._shared.app.component import component
from pages._shared.app.events import nothing

CHARTS = ("map", "home-map")
"""The keys of the maps whose cameras a bookmark stores."""
LONGEST_QUERY = 8_000
_PAGE = re.compile(r"[\w-]{0,60}")
_STYLE = """<style>
.st-key-bookmarks { position: fixed; top: .6rem; right: 3.75rem; width: 40px !important; z-index: 999991; }
@media (max-width: 639px) { .st-key-bookmarks { right: 3.5rem; } }
@media print { .st-key-bookmarks { display: none; } }
</style>"""
_mount = component(__file__)


def control(page: st.Page, pages: dict[str, st.Page], *parts: str) -> None:
    """Draw the icon in the header with its list of bookmarks, and go to a bookmark that the visitor opened.

    Args:
        parts: Parts of the default name of a new bookmark: the page's title, the word, the space.
    """
    st.html(_STYLE)
    data = {"page": page.url_path, "name": " · ".join(part for part in parts if part), "charts": CHARTS}
    result = _mount(key="bookmarks", data=data, on_opened_change=nothing)
    if (target := read(result.get("opened"), pages)) is not None:
        name, query = target
        address.remember(name, query)
        address.go(pages[name], query, carry=False)


def read(value: object, pages: dict[str, st.Page]) -> tuple[str, dict[str, list[str]]] | None:
    """Return page name and query of the view that the browser requested; None if the message is not valid."""
    if not isinstance(value, dict):
        return None
    page, query = value.get("page"), value.get("query")
    if not isinstance(page, str) or not isinstance(query, str) or len(query) > LONGEST_QUERY or page not in pages:
        return None
    if not _PAGE.fullmatch(page):
        return None
    try:
        return page, parse_qs(query.removeprefix("?"), keep_blank_values=True, max_num_fields=400, errors="replace")
    except ValueError:
        return None
