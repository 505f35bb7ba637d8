"""The page on which a visitor enters the password of a server."""

from __future__ import annotations

import html

from starlette.responses import HTMLResponse, Response

UNCACHED = {"Cache-Control": "no-store"}
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>embedviz</title><style>
:root{{color-scheme:light dark}}body{{font:16px/1.5 system-ui,sans-serif;display:grid;place-items:center;
min-height:90vh;background:light-dark(#FCFCFA,#14171A);color:light-dark(#1E2429,#E9E7E2)}}form{{width:min(20rem,90vw)}}
h1{{font:600 1.75rem serif}}input,button{{font:inherit;width:100%;box-sizing:border-box;padding:.5rem .75rem;
border:1px solid light-dark(#D9DAD4,#343A40);border-radius:.375rem;background:transparent;color:inherit}}
button{{margin-top:.75rem;background:light-dark(#1E2429,#E9E7E2);color:light-dark(#FCFCFA,#14171A)}}
p{{min-height:1.5em}}</style><form method="post"><h1>embedviz</h1><label for="password">Password of this class or team
</label><input id="password" name="password" type="password" autocomplete="current-password" autofocus required>
<button>Enter</button><p role="alert">{message}</p></form></html>"""


def login_page(message: str, status: int = 200) -> Response:
    """Return the login page with a message, empty before the first try."""
    return HTMLResponse(_PAGE.format(message=html.escape(message)), status, UNCACHED)
