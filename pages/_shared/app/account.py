"""The account of a visitor, on a server that requires one."""

import os

import streamlit as st

from pages._shared.app.escape import escape


def log_out() -> None:
    """Draw the button that logs the visitor out; nothing on a server without accounts."""
    if os.environ.get("EMBEDVIZ_OIDC_FILE"):
        who = escape(str(st.user.get("email") or ""), 100)
        st.button("Log out", key="log-out", on_click=st.logout, type="tertiary", help=who or None)
