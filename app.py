"""The launcher: `streamlit run app.py`, `make run` and `embedviz open` all start here."""

import streamlit as st

from pages._lifespan import lifespan
from pages._shared.app import frames, routes
from pages._shared.controls import wordbox

app = st.App("pages/_main.py", routes=[*routes.ROUTES, *frames.ROUTES, *wordbox.ROUTES], lifespan=lifespan)

if __name__ == "__main__":
    app.run()
