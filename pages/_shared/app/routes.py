"""Two routes beside Streamlit's own: the bytes of a figure, and the modules that draw it.

Custom routes get no cross-site, cookie or login check from Streamlit, so both only read, and the random token of
`data/{token}` *is* the permission: it is not logged, and it is freed with the session that published it. The
leading path of each route makes it answer under any `server.baseUrlPath`.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
from typing import TYPE_CHECKING

import streamlit as st
from starlette.responses import Response
from starlette.routing import Route

from embedviz.figures.scatter import MODULES, VERSION
from pages._shared.app.registry import live

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_BYTES = 1_500_000_000
"""Most bytes held over all sessions; beyond it what was published first goes, and is published again on demand."""
MOST_TOKENS = 24
"""Most tokens of one session."""

_IMPORT = re.compile(r'from\s+"\.{1,2}/(?:[\w.-]+/)*([\w-]+\.mjs)"')


class _Published:
    """Contents by their digest, oldest first, and tokens that point to them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.contents: dict[str, bytes] = {}
        self.tokens: dict[str, str] = {}


def _published() -> _Published:
    return live("published bytes", _Published)


def publish(content: bytes, digest: str | None = None) -> str:
    """The token under which this session's browser may fetch the bytes: the same for the same content.

    Equal content is kept once however many sessions publish it. `digest` spares the hash where one is known.
    """
    return str(_token(digest or hashlib.blake2b(content, digest_size=12).hexdigest(), content))


def hold(digest: str, content: bytes) -> str:
    """A new token for the content; the first published content goes when the whole grows too large."""
    held = _published()
    token = secrets.token_urlsafe(16)
    with held.lock:
        held.contents[digest] = held.contents.pop(digest, content)
        held.tokens[token] = digest
        while len(held.contents) > 1 and sum(map(len, held.contents.values())) > MOST_BYTES:
            del held.contents[next(iter(held.contents))]
    return token


def release(token: str) -> None:
    """None; the token is forgotten, and its content with the last token that points to it."""
    held = _published()
    with held.lock:
        digest = held.tokens.pop(token, None)
        if digest is not None and digest not in held.tokens.values():
            held.contents.pop(digest, None)


def content_of(token: str) -> bytes | None:
    """The bytes under a token, or None."""
    held = _published()
    return held.contents.get(held.tokens.get(token, ""))


def _is_live(token: str) -> bool:
    return content_of(token) is not None


@st.cache_resource(scope="session", on_release=release, validate=_is_live, max_entries=MOST_TOKENS, show_spinner=False)
def _token(digest: str, _content: bytes) -> str:
    return hold(digest, _content)


async def data(request: Request) -> Response:
    """The bytes under a token; 404 without detail otherwise."""
    content = content_of(request.path_params["token"])
    if content is None:
        return Response(status_code=404, headers={"Cache-Control": "no-store"})
    headers = {
        "Content-Encoding": "identity",  # floats shrink by 7 % and gzip would take a quarter of a second for 8 MB
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=3600, immutable",
    }
    return Response(content, media_type="application/octet-stream", headers=headers)


async def module(request: Request) -> Response:
    """One of the map's modules, from a fixed list; 404 without detail otherwise.

    All are answered from one folder. Relative imports get the version too, so that no module of an older release is
    taken from the browser's cache.
    """
    text = MODULES.get(request.path_params["name"])
    if text is None:
        return Response(status_code=404, headers={"Cache-Control": "no-store"})
    current = request.query_params.get("v") == VERSION
    headers = {
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=31536000, immutable" if current else "no-cache",
    }
    return Response(_IMPORT.sub(rf'from "./\1?v={VERSION}"', text), media_type="text/javascript", headers=headers)


ROUTES = [
    Route("/{_:path}data/{token}", data, methods=["GET"]),
    Route("/{_:path}scatter/{name}", module, methods=["GET"]),
]
"""The routes for `st.App(routes=…)`."""
