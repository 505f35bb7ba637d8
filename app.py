"""The launcher: `streamlit run app.py`, `make run` and `embedviz open` all start here."""

import streamlit as st

from pages._shared import frames, routes, wordbox
from pages._shared.lifespan import lifespan

app = st.App("pages/_main.py", routes=[*routes.ROUTES, *frames.ROUTES, *wordbox.ROUTES], lifespan=lifespan)

if __name__ == "__main__":
    app.run()
