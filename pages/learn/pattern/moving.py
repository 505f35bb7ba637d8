"""A part of a page that runs alone when a control in it changes. This takes a third of the work of the whole page."""

from collections.abc import Callable

import streamlit as st

from pages._shared.app import states
from pages._shared.results import work


def moving(draw: Callable[[], None]) -> None:
    """Draw a part of the page. When a control in it changes, only this part runs again.

    Raises:
        What `draw()` raises in a run of the whole page. After an error in a run of the part alone, the page reruns.
    """
    failed: list[Exception] = []
    alone = False

    @st.fragment
    def part() -> None:
        watched = st.session_state.pop(work.WATCHED, False)
        st.session_state[states.TERMS] = {}  # explain terms again: their sentences change with the numbers
        try:
            draw()
        except Exception as error:
            if alone:
                st.rerun()
            failed.append(error)
        if alone and watched and work.WATCHED not in st.session_state:
            # a check of the job that waits behind this run would keep the browser from removing the row of the job
            st.rerun(scope="fragment")

    part()
    alone = True
    if failed:
        raise failed[0]
