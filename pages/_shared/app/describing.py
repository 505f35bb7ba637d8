"""Accessible labels of charts: a script in the page reads the title above each chart and the meaning under it."""

import streamlit as st

from pages._shared.app.component import component

_mount = component(__file__)


def begin() -> None:
    """Label the charts of this page, now and whenever one is drawn again."""
    st.html("<style>.st-key-describing { display: none; }</style>")
    _mount(key="describing", data={})
