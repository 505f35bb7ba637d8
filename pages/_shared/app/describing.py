"""Labels of charts for screen readers, which a script in the page makes from the texts above and under each chart."""

import streamlit as st

from pages._shared.app.component import component

_mount = component(__file__)


def begin() -> None:
    """Label the charts of this page, now and whenever one is drawn again."""
    st.html("<style>.st-key-describing { display: none; }</style>")
    _mount(key="describing", data={})
