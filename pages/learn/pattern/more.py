"""The other figures of a lesson, each with its own question, offered below the exercise."""

from collections.abc import Mapping

import streamlit as st

from pages._shared.app import address, states
from pages.learn.pattern import progress

_NAME = "figure"


def current(titles: Mapping[str, str]) -> str:
    """Return the name of the figure in the page's address, else the name of the first figure."""
    wanted = address.get(_NAME)
    return wanted if wanted in titles else next(iter(titles))


def figures(titles: Mapping[str, str]) -> None:
    """Draw a button for each figure of a lesson but the one that is drawn now."""
    if len(titles) < 2:
        return
    now = current(titles)
    states.panel("One more", level=3)
    with st.container(horizontal=True, key="lesson-more"):
        for name, title in titles.items():
            if name != now and st.button(title, key=f"figure-{name}"):
                address.put(**{_NAME: name})
                progress.note_opened()
                st.rerun()  # rerun the page, which shows the lesson from its top
