"""The account of a visitor, where a server asks for one."""

import os

import streamlit as st

from pages._shared.app.escape import escape


def log_out() -> None:
    """Draw the button that ends the login of this visitor's account; nothing where visitors have none."""
    if os.environ.get("EMBEDVIZ_OIDC_FILE"):
        who = escape(str(st.user.get("email") or ""), 100)
        st.button("Log out", key="log-out", on_click=st.logout, type="tertiary", help=who or None)
