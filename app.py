"""The launcher: `streamlit run app.py`, `make run` and `embedviz open` all start here."""

import streamlit as st
from starlette.middleware import Middleware

from pages._server import account, health
from pages._server.addresses import PageAddresses
from pages._server.lifespan import lifespan
from pages._server.password import PasswordGate
from pages._server.policy import SecurityHeaders
from pages._shared.app import frames, routes
from pages._shared.controls import completions

app = st.App(
    "pages/_main.py",
    routes=[*routes.ROUTES, *frames.ROUTES, *completions.ROUTES, *health.ROUTES],
    middleware=list(map(Middleware, [SecurityHeaders, account.AccountGate, PasswordGate, PageAddresses])),
    secrets=account.secrets(),
    lifespan=lifespan,
)

if __name__ == "__main__":
    app.run()
