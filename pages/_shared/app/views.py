"""The views of a page. Each view is a page of its own: the menu lists one of them, the header offers all."""

from collections.abc import Callable, Mapping

import streamlit as st

from pages._shared.app import address

_TARGET = "views:asked"
_VIEW = "view"
"""Name in the address that selects a view of the page."""


def control(
    named: Mapping[str, str],
    pages: Mapping[str, st.Page],
    current: st.Page,
    carried: Callable[[str], Mapping[str, str]],
) -> None:
    """Offer the views of a page next to its title; a click opens a view with the values that all pages share.

    An address such as `neighbors?view=subwords` opens a view too.

    Args:
        named: The label of each view, by the name of its page, in the order of the control.
        pages: All pages by name.
        carried: Given the name of a view, returns what else to write into the address of this view.
    """
    target = st.session_state.pop(_TARGET, None)
    if target is None and (by_address := address.get(_VIEW)) in named:
        target = by_address
        address.put(**{_VIEW: None})  # so that Back in the browser does not lead here again
    if target in named and target != current.url_path:
        shared = {name: address.get(name) for name in address.SHARED if address.get(name)}
        more = carried(target)
        if more.get("space", shared.get("space")) != shared.get("space"):
            address.remember(target, {**shared, **more})  # the last moment and trails belong to another space
        elif "sentence" in more and address.stored(target).get("sentence") != [more["sentence"]]:
            address.remember(target, {**shared, **more})  # the last token belongs to another sentence
        address.go(pages[target], {**shared, **more})
    key = f"views:{current.url_path}"
    st.session_state[key] = current.url_path
    st.segmented_control(
        "View",
        list(named),
        format_func=named.__getitem__,
        key=key,
        on_change=_ask,
        args=(key,),
        label_visibility="collapsed",
        width="content",
    )


def _ask(key: str) -> None:
    st.session_state[_TARGET] = st.session_state[key]


def mark(owner: str) -> None:
    """Mark the menu entry of a page as current while one of its views is shown."""
    st.html(
        f'<style>[data-testid="stSidebarNavLink"][href$="/{owner}"] '
        "{background: var(--ev-track)} "
        f'[data-testid="stSidebarNavLink"][href$="/{owner}"] span {{font-weight: 600}}</style>'
    )
