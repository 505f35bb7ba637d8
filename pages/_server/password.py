"""One password for the whole server: the first line of the file that `EMBEDVIZ_PASSWORD_FILE` names.

Without the cookie that the login page sets, no page, file or websocket is answered. Programs may send the password in
a header instead (HTTP basic). The cookie holds its expiry time and a signature. The key of the signature is derived
from the password: servers with the same file accept each other's cookies, and a new password invalidates all cookies.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import logging
import os
import time
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.responses import RedirectResponse, Response

from embedviz.core.password_file import password_of
from pages._server import entering
from pages._server.login_page import UNCACHED, login_page
from pages._server.tries import WrongTries

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

VARIABLE = "EMBEDVIZ_PASSWORD_FILE"
COOKIE = "embedviz_visit"
SECONDS = 12 * 3600
"""Lifetime of a login, in seconds."""
_LONGEST = 4_096  # bytes read from a posted form
_log = logging.getLogger("embedviz")


class PasswordGate:
    """Middleware that asks for the password before it answers. Without a password file it answers everyone.

    The signs of life (`/ready`, `/_stcore/health`) are answered without the password.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        named = os.environ.get(VARIABLE, "")
        self._password = password_of(named) if named else ""
        salt = b"embedviz: signature of a visit"
        self._key = hashlib.scrypt(self._password.encode(), salt=salt, n=2**14, r=8, p=1) if named else b""
        self._wrong = WrongTries()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = entering.path_of(scope)
        free = not self._password or scope.get(entering.ENTERED) or entering.is_open(scope)
        if free or self._has_valid_cookie(scope) or self._carries_password(scope):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif path.rpartition("/")[2] == "login":
            await (await self._login(scope, receive))(scope, receive, send)
        elif entering.asks_for_page(scope):
            await RedirectResponse(f"login?to={entering.address_of(scope)}", 303, UNCACHED)(scope, receive, send)
        else:
            await Response(status_code=401, headers=UNCACHED)(scope, receive, send)

    def _has_valid_cookie(self, scope: Scope) -> bool:
        """Return whether the request has a cookie with a valid signature that has not expired.

        A cookie that expires more than `SECONDS` from now is refused too.
        """
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(dict(scope["headers"]).get(b"cookie", b"").decode("latin-1"))
        except CookieError:
            return False
        until, _, signature = cookies[COOKIE].value.partition(".") if COOKIE in cookies else ("", "", "")
        valid = hmac.compare_digest(signature.encode(), self._signature(until).encode())
        return valid and until.isdecimal() and 0 < int(until) - time.time() <= SECONDS

    def _carries_password(self, scope: Scope) -> bool:
        """Return whether the request has the password in a header (HTTP basic), as programs send it for `/metrics`."""
        kind, _, coded = dict(scope["headers"]).get(b"authorization", b"").partition(b" ")
        if kind.lower() != b"basic" or self._wrong.too_many(host := _host(scope)):
            return False
        try:
            given = base64.b64decode(coded, validate=True).partition(b":")[2]
        except ValueError:
            given = b""
        return self._right(given, host)

    def _right(self, given: bytes, host: str) -> bool:
        """Return whether `given` is the password. If not, count a wrong password for the host."""
        if hmac.compare_digest(given, self._password.encode()):
            return True
        self._wrong.add(host)
        if self._wrong.too_many(host):
            _log.warning("Ten wrong passwords from one host within a minute: it has to wait")
        return False

    def _signature(self, until: str) -> str:
        return hmac.new(self._key, until.encode(), "sha256").hexdigest()

    async def _login(self, scope: Scope, receive: Receive) -> Response:
        """Return the login page. After the right password, return a redirect to the requested page, with the cookie."""
        if scope["method"] != "POST":
            return login_page("")
        host = _host(scope)
        if self._wrong.too_many(host):
            return login_page("Too many wrong passwords. Wait one minute.", 429)
        typed = parse_qs((await _body(receive)).decode("utf-8", "replace")).get("password", [""])[0]
        if not self._right(typed.strip().encode(), host):
            await asyncio.sleep(0.5)
            return login_page("This is not the password.", 403)
        until = str(int(time.time()) + SECONDS)
        wanted = parse_qs(scope["query_string"].decode("latin-1")).get("to", [""])[0]
        answer = RedirectResponse(entering.target_of(wanted), 303, UNCACHED)
        visit = f"{until}.{self._signature(until)}"
        path = f"/{entering.base_path()}"  # a server at another path has its own login
        secure = entering.by_https(scope)
        answer.set_cookie(COOKIE, visit, SECONDS, path=path, httponly=True, samesite="lax", secure=secure)
        return answer


def _host(scope: Scope) -> str:
    return str((scope.get("client") or ("", 0))[0])


async def _body(receive: Receive) -> bytes:
    """Return the body of a request, cut at `_LONGEST` bytes."""
    body, more = b"", True
    while more and len(body) < _LONGEST:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    return body[:_LONGEST]
