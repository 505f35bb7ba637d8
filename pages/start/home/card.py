"""One card of the Start page: a page's title and question, a small figure or text, and links to the page."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages._shared.app import states


@contextmanager
def card(title: str, question: str, *links: tuple[str, str, str]) -> Iterator[None]:
    """Draw a frame as high as the frames next to it, with title and question at the top and links at the foot.

    What the caller draws inside the `with` block stands below the question.

    Args:
        title: Title of the page.
        question: What the page answers.
        links: Page, label and icon of each link.
    """
    with st.container(border=True, height="stretch", vertical_alignment="distribute", gap="small"):
        with st.container(gap="small"):
            states.card(title, question)
            yield
        with st.container(gap=None):
            for page, label, icon in links:
                st.page_link(page, label=label, icon=f":material/{icon}:")
