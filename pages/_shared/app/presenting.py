"""The lecture view: one figure fills the window in large type, with title, subject and what the figure means.

The address says which figure: `present=KEY`, or `present=1` for the first figure that is drawn. Style rules alone hide
the rest of the page, so that popovers and clicks work as before.
"""

import html

import streamlit as st

from pages._shared.app import address
from pages._shared.app.escape import plain

NAME = "present"
PAIR = "figure-pair"
"""Key of a container with two figures side by side; the lecture view of either figure shows both."""
FIRST = "1"
_FIRST_DRAWN = "presenting:first"
_SUBJECT = "presenting:subject"
_MEANING = "presenting:meaning"
_ENLARGED = 20 / 14
_LONG = 260  # a longer text under a figure takes more than two lines
_STYLE = """<style>
[data-testid="stSidebar"], [data-testid="stHeader"], .st-key-bookmarks {display: none !important}
.stMainBlockContainer.stMainBlockContainer.stMainBlockContainer {max-width: none; padding: .75rem 2rem}
.stMainBlockContainer
  [data-testid="stElementContainer"]:not(KEPT, KEPT *, :has(h1, .ev-subject, .ev-lecture)),
.stMainBlockContainer [data-testid="stLayoutWrapper"]:not(:has(KEPT, h1, .ev-lecture), KEPT *),
.stMainBlockContainer [data-testid="stColumn"]:not(:has(KEPT, h1, .ev-lecture), KEPT *) {display: none !important}
.stMainBlockContainer [data-testid="stColumn"]:has(FIGURE) {flex: 1 1 100% !important; width: 100% !important}
.stMainBlockContainer .st-key-PAIR.st-key-PAIR [data-testid="stColumn"] {flex: 1 1 0 !important; width: auto !important}
[data-testid="stHorizontalBlock"]:has(FIGURE):has(CONTROLS) > [data-testid="stColumn"]:has(FIGURE)
  {flex: 1.6 1 0 !important; width: auto !important}
[data-testid="stHorizontalBlock"]:has(FIGURE):has(CONTROLS) > [data-testid="stColumn"]:not(:has(FIGURE))
  {flex: 1 1 0 !important; width: auto !important}
FIGURE.stVerticalBlock
  {height: calc(100dvh - var(--ev-below, 11rem)) !important; min-height: 20rem; flex: none !important}
.ev-meaning.ev-meaning {font-size: 1.25rem; line-height: 1.4; max-width: 76rem}
.ev-subject {font-size: 1.25rem; line-height: 40px; margin: 0; overflow-wrap: anywhere}
:is(.st-key-badge, .st-key-badge-beside) [data-testid="stPopover"] button p {font-size: 1.25rem}
@media (min-width: 640px) {.st-key-player {zoom: 1.43}}
@media (max-width: 639px) {
  .st-key-head.st-key-head {padding-right: 6.5rem}
  .stMainBlockContainer.stMainBlockContainer.stMainBlockContainer {padding: .75rem 1rem}
  :is(.st-key-badge, .st-key-badge-beside) [data-testid="stPopover"] button p {font-size: .875rem}
}
[data-testid="stPopoverBody"] {transform: none !important; left: auto !important; top: 4rem !important;
  right: 1.5rem; width: 40vw; max-width: 40vw !important; max-height: calc(100dvh - 5rem) !important; min-width: 0}
[data-testid="stPopoverBody"] :is(.ev-small, .ev-note, table.ev, table.ev th, label p) {font-size: 1.125rem}
.st-key-present-close {position: fixed; top: .75rem; right: 1.5rem; width: auto !important; z-index: 999990}
</style>"""
_ZOOMED = f"""<style>
@media (min-width: 640px) {{
  FIGURE {{zoom: {_ENLARGED:.2f}; padding-top: 1rem}}
  .st-key-KEY-line {{zoom: {_ENLARGED:.2f}}}
}}
@media (max-height: 1000px) {{.st-key-KEY-strip {{display: none !important}}}}
</style>"""


def begin() -> None:
    """Forget the first figure, subject and meaning noted in the previous run of a page; called before each run."""
    for name in (_FIRST_DRAWN, _SUBJECT, _MEANING):
        st.session_state.pop(name, None)


def header() -> None:
    """Reserve a place in the header line for the subject of the figure, if the lecture view is open."""
    if on():
        st.session_state[_SUBJECT] = st.empty()


def opening() -> None:
    """Draw the button that opens the lecture view; the view shows the first figure of the page."""
    _button("first", FIRST)


def on(key: str = "") -> bool:
    """Return whether the lecture view shows this figure; without a key, whether it shows any figure."""
    wanted = address.get(NAME)
    if wanted == FIRST and key:
        return bool(st.session_state.setdefault(_FIRST_DRAWN, key) == key)
    return bool(wanted) if not key else wanted == key


def whole(key: str) -> bool:
    """Return whether the lecture view shows the whole container of this key: its figures and the texts around them."""
    wanted = address.get(NAME)
    return wanted == key or (wanted == FIRST and st.session_state.get(_FIRST_DRAWN) == key)


def type_is_large() -> bool:
    """Return whether the lecture view draws figures in large type; not on a phone, which is read from near."""
    return bool(st.session_state["frame:look"].width != "phone")


def control(key: str) -> None:
    """Draw the button that opens the lecture view of a figure; `key` names its container or component."""
    _button(key, key)


def _button(name: str, key: str) -> None:
    st.button(
        "Lecture view",
        key=f"present-{name}",
        type="tertiary",
        icon=":material/present_to_all:",
        on_click=lambda: address.put(**{NAME: key}),
    )


def stage(key: str, *, zoomed: bool = False) -> None:
    """Hide all but this figure, and draw the button that closes the lecture view; Escape presses it.

    Args:
        key: Key of the figure's container or component. Its controls (`KEY-line`) and its curve (`KEY-scores`) stay
            visible; so does `KEY-strip` if the window is high.
        zoomed: Whether the browser has to enlarge the figure: true if the figure does not draw itself larger.
    """
    figure = f":is(.st-key-{key}, .st-key-{key}-picture)"
    controls = f":is(.st-key-{key}-line, .st-key-{key}-scores)"
    others = f".st-key-badge, .st-key-badge-checking, .st-key-player, .st-key-present-close, .st-key-{PAIR}"
    visible = f":is(.st-key-{key}, .st-key-{key}-picture, .st-key-{key}-strip, {controls}, {others})"
    style = _STYLE + (_ZOOMED.replace("KEY", key) if zoomed else "")
    style = style.replace("KEPT", visible).replace("FIGURE", figure).replace("CONTROLS", controls)
    st.html(style.replace("PAIR", PAIR))
    st.button("Close", key="present-close", icon=":material/close:", type="tertiary", shortcut="Escape", on_click=leave)


def leave() -> None:
    """Go back from the lecture view to the whole page."""
    address.put(**{NAME: None})


def note_meaning(text: str) -> None:
    """Note the text on what a figure means; the lecture view of the figure may show it (`describe()`)."""
    st.session_state[_MEANING] = text


def describe(title: str, meaning: str) -> None:
    """Write `title`, the subject of the figure, after the page's title, and `meaning` under the figure.

    Args:
        meaning: What the figure means; if it is empty, the text last passed to `note_meaning` is written.
    """
    if title and (place := st.session_state.get(_SUBJECT)) is not None:
        place.html(f'<p class="ev-subject">{html.escape(plain(title, 120))}</p>', width="content")
    if text := meaning or st.session_state.get(_MEANING, ""):
        long = " ev-long" if len(text) > _LONG else ""
        st.html(f'<p class="ev-meaning ev-lecture{long}">{html.escape(plain(text, 700))}</p>')
