"""Addresses of pages: add the root of the program to the HTML, and redirect unknown addresses.

Every page lies one level below the root of the program. Streamlit first looks for its server below the page, which is
a 404 in the console of the browser. So the HTML of a page names the root.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.responses import RedirectResponse

from pages._server.entering import base_path
from pages._shared.app.address import NO_PAGE, page_name

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_PAGES = Path(__file__).parents[1]
_NAME = re.compile(r"[\w-]{1,60}")
ROOT_SCRIPT = (
    b'<script>{const page=location.pathname.replace(/\\/+$/,"");'
    b'const root=location.origin+(page.slice(0,page.lastIndexOf("/"))||"/");'
    b"window.__streamlit={...window.__streamlit,BACKEND_BASE_URL:root}}</script>"
)
_BEFORE = b'<script type="module"'
TITLED = {"start": "", "home": "", "sentences": "pooling", "replay": "trajectory"}
"""Names that a visitor may type, such as titles, and the address of the page meant; Start has the empty address."""


def page_names(folder: Path = _PAGES) -> frozenset[str]:
    """Return the names of all pages in addresses. A page is a file `SECTION/PAGE.py` or `SECTION/PAGE/page.py`."""
    files: Iterable[Path] = [*folder.glob("[a-z]*/*.py"), *folder.glob("[a-z]*/*/page.py")]
    return frozenset(page_name(path.as_posix()) for path in files if path.stem != "__init__")


class PageAddresses:
    """Middleware for the HTML of pages: adds the root of the program, and redirects unknown addresses to Start.

    The names in `TITLED` are redirected to their pages.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.names = app, page_names()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").strip("/")
        name = path.rpartition("/")[2]
        if scope["type"] != "http" or scope["method"] != "GET" or not _NAME.fullmatch(name):
            await self.app(scope, receive, send)
            return
        if name in self.names and name not in TITLED:
            await self.app(_uncompressed(scope), receive, _with_root(send))
            return
        base = base_path()
        below = path.removeprefix(base).strip("/")
        up = "../" * below.count("/") or "./"
        query = scope.get("query_string", b"").decode("latin-1") if name in TITLED else f"{NO_PAGE}={quote(name)}"
        instead = RedirectResponse(f"{up}{TITLED.get(name, '')}?{query}", 302)
        await self.app(scope, receive, _replacing_html(send, instead, scope, receive) if below else send)


def _replacing_html(send: Send, instead: ASGIApp, scope: Scope, receive: Receive) -> Send:
    """Return a `send` that sends `instead` in place of HTML: Streamlit answers even unknown addresses with a page."""
    replaced = False

    async def check(message: Message) -> None:
        nonlocal replaced
        if message["type"] == "http.response.start":
            kind = MutableHeaders(scope=message).get("content-type", "")
            replaced = message["status"] == 200 and kind.startswith("text/html")
            if replaced:
                await instead(scope, receive, send)
        if not replaced:
            await send(message)

    return check


def _uncompressed(scope: Scope) -> Scope:
    """Return the request without compression and caching headers, so that the response is the whole text."""
    left_out = (b"accept-encoding", b"if-none-match", b"if-modified-since")
    return {**scope, "headers": [(key, value) for key, value in scope["headers"] if key not in left_out]}


def _with_root(send: Send) -> Send:
    """Return a `send` that adds `ROOT_SCRIPT`, which names the root of the program, to HTML."""
    begun: list[Message] = []
    body = bytearray()

    async def add(message: Message) -> None:
        if message["type"] == "http.response.start":
            begun.append(message)
            return
        body.extend(message.get("body", b""))
        if message.get("more_body"):
            return
        headers = MutableHeaders(scope=begun[0])
        text = bytes(body)
        if headers.get("content-type", "").startswith("text/html"):
            text = text.replace(_BEFORE, ROOT_SCRIPT + _BEFORE, 1)
            for name in ("etag", "last-modified"):
                del headers[name]
            headers["content-length"] = str(len(text))
        await send(begun[0])
        await send({"type": "http.response.body", "body": text})

    return add
