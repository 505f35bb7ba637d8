"""A popover of examples that closes when one is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st


def examples(key: str, listed: Iterable[tuple[str, tuple[Any, ...]]], choose: Callable[..., object]) -> None:
    """Draw a popover *Examples* with a button for each; a click chooses it and closes the popover.

    Args:
        key: The name of the popover in the state of the session.
        listed: The label of each, already safe for Markdown, and the arguments of `choose`.
    """

    def chosen(*arguments: Any) -> None:
        choose(*arguments)
        st.session_state[key] = False

    with (
        st.popover("Examples", key=key, icon=":material/menu_book:", type="tertiary", on_change="rerun"),
        st.container(gap=None),
    ):
        for place, (label, arguments) in enumerate(listed):
            st.button(label, key=f"example-{place}", type="tertiary", on_click=chosen, args=arguments)
