"""What a visitor chose on a page comes back: the address of each run is stored, and restored after a page switch.

Streamlit empties the address on a page switch. Then the last choices on the new page come from the visitor's session.
On the same page only the address counts, so that the browser's Back undoes a choice.

What was restored is written at the end of the run. If it were written earlier, the browser would still show the other
page's path, and would keep a view in its history that never existed. Until the browser has the new address, a run may
still come with the bare address, which also stays in the browser's history. So after a switch that restored a view,
the bare address of the page stands for this view.

A switch to a page with a given address (`go`) first writes this address under the path of the page that is left. So the
browser's history has an entry with the old page and the new address; if Back opens this entry, the view that was left
comes back. A busy browser can make such an entry also from a restored address, if it has not yet changed the path.
"""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from pages._shared.app import newest

SHARED = ("space", "word", "texts", "model", "corpus")
NO_PAGE = "no_page"
"""Name, in the address of Start, of a requested page that does not exist."""
SAVED = "address:kept"
ALL = "all pages"
PAGE = "address:page"
RESTORED = "address:restored"
STANDS = "address:stands"
LEFT = "address:left"
_ARRIVES = 2.0  # seconds after which the browser has a written address


class StandIn(NamedTuple):
    """An address that a page may have after a switch, and the choices to restore when the page runs with it.

    Attributes:
        view: The values that are restored.
        written: Time in seconds, as `time.monotonic`, at which these values replaced the address; None before.
    """

    address: Mapping[str, Sequence[str]]
    view: dict[str, list[str]]
    written: float | None = None


def begin(page: str) -> None:
    """Read the address of this run; on a page switch without an address, restore the last choices on this page.

    Call `settle` at the end of the run.
    """
    st.session_state.pop(RESTORED, None)
    saved: dict[str, dict[str, list[str]]] = st.session_state.setdefault(SAVED, {})
    before: str = st.session_state.get(PAGE, page)
    st.session_state[PAGE], switched = page, before != page
    newest.begin(opened=switched)
    now = newest.in_run()
    if switched:
        stood, all_left = st.session_state.pop(STANDS, None), st.session_state.setdefault(LEFT, {})
        view_left = {**saved.get(ALL, {}), **saved.get(before, {})}
        left: StandIn | None = all_left.get(page)
        if left is not None and now == left.address:
            st.session_state[STANDS] = left
            st.session_state[RESTORED] = now = left.view
        elif not set(now) - set(SHARED):
            bare = not now
            now = {**saved.get(ALL, {}), **saved.get(page, {}), **now}
            st.session_state[RESTORED] = now
            if bare:
                st.session_state[STANDS] = StandIn({}, now)
        by_go = stood is not None and stood is all_left.get(before)  # `go` has noted the address that it writes
        if st.session_state.get(RESTORED) and not by_go:
            all_left[before] = StandIn(now, view_left)
    elif (stands := st.session_state.get(STANDS)) is not None and now == stands.address:
        st.session_state[RESTORED] = now = stands.view
    remember(page, now)


def settle() -> None:
    """Write the values that were restored at the start of this run into the page's address.

    If the visitor left these values with the browser's Back, write nothing.
    """
    restored = st.session_state.pop(RESTORED, None)
    if not restored:
        return
    stands: StandIn | None = st.session_state.get(STANDS)
    if stands is not None:
        if stands.written is not None and time.monotonic() - stands.written >= _ARRIVES:
            return
        st.session_state[STANDS] = stands._replace(written=stands.written or time.monotonic())
    newest.write(restored)


def all_values() -> dict[str, list[str]]:
    """Return the names and values in the address of the page.

    If this run of the page restores the visitor's last choices, return the names and values of these choices.
    """
    restored: dict[str, list[str]] | None = st.session_state.get(RESTORED)
    if restored is not None:
        return dict(restored)
    newest.catch_up()
    return newest.in_run()


def values_of(name: str) -> list[str]:
    """Return the values of a parameter of the page's address. While a view is restored, they come from this view."""
    restored: dict[str, list[str]] | None = st.session_state.get(RESTORED)
    if restored is not None:
        return restored.get(name, [])
    newest.catch_up()
    return st.query_params.get_all(name)


def remember(page: str, values: Mapping[str, Sequence[str]]) -> None:
    """Store these values of a page, to be restored when the page is opened again."""
    saved = st.session_state.setdefault(SAVED, {})
    saved[ALL] = {name: list(listed) for name, listed in values.items() if name in SHARED}
    saved[page] = {name: list(listed) for name, listed in values.items() if name not in (*SHARED, NO_PAGE)}


def stored(page: str) -> Mapping[str, Sequence[str]]:
    """Return the last stored address of a page, as name → values; empty if nothing is stored.

    Names that all pages share are left out.
    """
    found: Mapping[str, Sequence[str]] = st.session_state.get(SAVED, {}).get(page, {})
    return found
