"""What both logins (password and account) share: routes without a login, and the way back to the requested page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import streamlit as st

if TYPE_CHECKING:
    from starlette.types import Scope

OPEN = ("/_stcore/health", "/ready")
"""Routes answered without a login: they say whether the server lives, and whether it is ready for visitors."""
ENTERED = "embedviz.entered"
"""Key that is true in the ASGI scope of a request if its visitor has logged in already."""


def base_path() -> str:
    """Return the path in the server's URL under which the app runs, without slashes at its ends."""
    return str(st.get_option("server.baseUrlPath")).strip("/")


def path_of(scope: Scope) -> str:
    """Return the path of a request, without slashes at its ends."""
    return str(scope.get("path", "")).strip("/")


def is_open(scope: Scope) -> bool:
    """Return whether a request is answered without a login."""
    return scope["type"] == "lifespan" or any(f"/{path_of(scope)}".endswith(each) for each in OPEN)


def asks_for_page(scope: Scope) -> bool:
    """Return whether a browser asks for an HTML page."""
    return scope["method"] == "GET" and b"text/html" in dict(scope["headers"]).get(b"accept", b"")


def by_https(scope: Scope) -> bool:
    """Return whether the browser uses https, directly or to a proxy in front of the server."""
    return scope.get("scheme") == "https" or dict(scope["headers"]).get(b"x-forwarded-proto") == b"https"


def address_of(scope: Scope) -> str:
    """Return the page and the query of a request, quoted, so that the login can redirect back to this page."""
    page = scope["path"].rpartition("/")[2]
    query = scope["query_string"].decode("latin-1")
    return quote(f"{page}?{query}" if query else page, safe="")


def target_of(wanted: str) -> str:
    """Return the relative address of the page `wanted`. It leads to this server, whatever `wanted` holds."""
    try:
        parts = urlsplit(wanted)
    except ValueError:  # a host that is not valid
        return "./"
    page = quote(parts.path.rpartition("/")[2], safe="")
    return f"./{page}{'?' * bool(parts.query)}{quote(parts.query, safe='=&:~%+,;')}"
