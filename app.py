"""The launcher: `streamlit run app.py`, `make run` and `embedviz open` all start here."""

import streamlit as st

from pages._server.lifespan import lifespan
from pages._shared.app import frames, routes
from pages._shared.controls import completions

app = st.App("pages/_main.py", routes=[*routes.ROUTES, *frames.ROUTES, *completions.ROUTES], lifespan=lifespan)

if __name__ == "__main__":
    app.run()
