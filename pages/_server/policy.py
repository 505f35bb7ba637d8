"""Security headers of every response.

A page runs only scripts of this server and scripts that it makes itself (blobs). It connects to no other host. Another
site can neither show the page in a frame nor read its address. Streamlit's own page has an inline script: the policy
allows it by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders
from streamlit import file_util

from pages._server.addresses import ROOT_SCRIPT

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def script_hashes(*pages: bytes) -> list[str]:
    """Return the SHA-256 hashes of all inline scripts in HTML pages, as a content-security policy writes them."""
    scripts = [script for page in pages for script in _INLINE.findall(page)]
    return [f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'" for script in scripts]


def policy() -> str:
    """Return the content-security policy. It allows Streamlit's inline scripts and `ROOT_SCRIPT` by their hashes."""
    index = (Path(file_util.get_static_dir()) / "index.html").read_bytes()
    hashes = " ".join(script_hashes(index, ROOT_SCRIPT))
    rules = {
        "default-src": "'self'",
        "script-src": f"'self' blob: {hashes}",  # a page makes the modules of its components itself, as blobs
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' data: blob:",
        "worker-src": "'self' blob:",
        "frame-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'self'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


class SecurityHeaders:
    """Middleware that adds the content-security policy to HTML; to every response, `nosniff` and a referrer policy."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.policy = app, policy()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("x-content-type-options", "nosniff")
                headers.setdefault("referrer-policy", "same-origin")
                if headers.get("content-type", "").startswith("text/html"):
                    headers["content-security-policy"] = self.policy
            await send(message)

        await self.app(scope, receive, add if scope["type"] == "http" else send)
