"""Two routes beside Streamlit's own: the bytes of a figure, and the modules that draw it.

Streamlit does not check cross-site requests, cookies or logins for custom routes. So both routes only read, and the
random token of `data/{token}` *is* the permission: it is not logged, and it ends with the session that published it.
The leading path of each route makes it answer under any `server.baseUrlPath`.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import streamlit as st
from starlette.responses import Response
from starlette.routing import Route

from embedviz.core import limits
from embedviz.figures.scatter import MODULES, VERSION
from pages._shared.app.registry import Registry, live

if TYPE_CHECKING:
    from starlette.requests import Request


_IMPORT = re.compile(r'from\s+"\.{1,2}/(?:[\w.-]+/)*([\w-]+\.mjs)"')


def contents() -> Registry[bytes]:
    """Return the registry of this process with the bytes of figures, which browsers fetch by token."""
    return live("published bytes", lambda: Registry(limits.PUBLISHED_BYTES, len))


def publish(content: bytes, digest: str | None = None) -> str:
    """Return the token under which this session's browser may fetch the bytes: the same for the same content.

    Equal content is stored once, however many sessions publish it. A known `digest` saves computing the hash.
    """
    return str(_token(digest or hashlib.blake2b(content, digest_size=12).hexdigest(), content))


@st.cache_resource(
    scope="session",
    on_release=lambda token: contents().release(token),
    validate=lambda token: contents().get(token) is not None,
    max_entries=limits.PUBLISHED_TOKENS,
    show_spinner=False,
)
def _token(digest: str, _content: bytes) -> str:
    return contents().publish(_content, digest)


async def data(request: Request) -> Response:
    """Answer with the bytes that the token in the request names; an unknown token gives 404 without detail."""
    content = contents().get(request.path_params["token"])
    if content is None:
        return Response(status_code=404, headers={"Cache-Control": "no-store"})
    headers = {
        "Content-Encoding": "identity",  # gzip saves 7 % of floats and takes a quarter of a second for 8 MB
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=3600, immutable",
    }
    return Response(content, media_type="application/octet-stream", headers=headers)


async def module(request: Request) -> Response:
    """Answer with one of the map's modules, from a fixed list; another name gives 404 without detail.

    The version of the program is added to relative imports, so that the browser uses no module of an older release from
    its cache.
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
