"""The launcher of the small app that the browser tests of the shared components drive."""

import streamlit as st

from pages._shared.app import routes
from pages._shared.controls import wordbox

app = st.App("_main.py", routes=[*routes.ROUTES, *wordbox.ROUTES])

if __name__ == "__main__":
    app.run()
