"""The launcher of the small app that the browser tests of the shared components drive."""

import streamlit as st

from pages._shared.app import routes
from pages._shared.controls import completions

app = st.App("_main.py", routes=[*routes.ROUTES, *completions.ROUTES])

if __name__ == "__main__":
    app.run()
