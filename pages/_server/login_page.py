"""The pages on which a visitor logs in: with the password of a server, or with an account."""

import html

from starlette.responses import HTMLResponse, Response

from embedviz.figures.theme import THEMES

UNCACHED = {"Cache-Control": "no-store"}
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>embedviz</title><style>
:root{{color-scheme:light dark}}body{{font:16px/1.5 system-ui,sans-serif;display:grid;place-items:center;
min-height:90vh;background:light-dark({light.bg},{dark.bg});color:light-dark({light.ink},{dark.ink})}}form,main{{width:min(20rem,90vw)}}
h1{{font:600 1.75rem serif}}input,button,a{{font:inherit;width:100%;box-sizing:border-box;padding:.5rem .75rem;
border:1px solid light-dark({light.border},{dark.border});border-radius:.375rem;background:transparent;color:inherit}}
button,a{{display:block;margin-top:.75rem;text-align:center;text-decoration:none;
background:light-dark({light.ink},{dark.ink});color:light-dark({light.bg},{dark.bg})}}
p{{min-height:1.5em}}</style>{body}</html>"""
_FORM = """<form method="post"><h1>embedviz</h1><label for="password">Password of this class or team
</label><input id="password" name="password" type="password" autocomplete="current-password" autofocus required>
<button>Enter</button><p role="alert">{message}</p></form>"""
_ACCOUNT = """<main><h1>embedviz</h1><p role="alert">{message}</p><a href="{address}">{label}</a></main>"""


def login_page(message: str, status: int = 200) -> Response:
    """Return the page that asks for the password. `message` says what was wrong with the last try, if there was one."""
    return _page(_FORM.format(message=html.escape(message)), status)


def account_page(message: str, label: str, address: str, status: int = 200) -> Response:
    """Return a page with a message about a login by account, and one link to `address` with the text `label`."""
    texts = {"message": message, "label": label, "address": address}
    return _page(_ACCOUNT.format(**{name: html.escape(text) for name, text in texts.items()}), status)


def _page(body: str, status: int) -> Response:
    return HTMLResponse(_PAGE.format(body=body, **THEMES), status, UNCACHED)
