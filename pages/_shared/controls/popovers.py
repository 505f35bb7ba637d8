"""The popovers that many pages have: settings, and examples that close when one is chosen."""

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def settings(page: str) -> DeltaGenerator:
    """Draw the popover *Settings* and return its container.

    The popover has a fixed key. So it stays open while elements above the popover, such as a job's progress, come and
    go.

    Args:
        page: Name of a page or of its section; no two such popovers may have the same name.
    """
    return st.popover("Settings", key=f"settings-{page}", icon=":material/tune:", type="tertiary")


def examples(key: str, listed: Iterable[tuple[str, tuple[Any, ...]]], choose: Callable[..., object]) -> None:
    """Draw a popover *Examples* with a button per example; a click chooses the example and closes the popover.

    Args:
        key: Key of the popover in the session state.
        listed: For each example its label, already escaped for Markdown, and the arguments of `choose`.
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
