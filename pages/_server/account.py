"""Login by account (OpenID Connect): `EMBEDVIZ_OIDC_FILE` names the file with its settings.

Streamlit's own routes redirect to the provider and back, and set a signed cookie with the provider's claims about the
account. Without this cookie, or with an account that is not allowed, only the routes `entering.OPEN` and those of the
login are answered. If a password file is set too, programs can also read `/metrics` with the password.
"""

from __future__ import annotations

import functools
import json
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from streamlit import auth_util
from streamlit.web.server.server_util import AUTH_COOKIE_NAME, get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value

from embedviz.core.login_file import CALLBACK, LoginSettings, login_of
from pages._server import entering, password
from pages._server.login_page import UNCACHED, account_page

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

VARIABLE = "EMBEDVIZ_OIDC_FILE"
WANTED = "embedviz_wanted"
"""Name of the cookie that holds the requested page during the login."""
DAYS = password.SECONDS / 86_400
"""Lifetime of a login, in days."""
_LOGIN, _LOGOUT = "auth/login", "auth/logout"
_LOGIN_SECONDS = 600  # time that the login at the provider may take
_FAILED = "The login did not succeed. Try again; your browser must accept cookies of this server."


@functools.cache
def settings_of(file: str) -> LoginSettings | None:
    """Return the settings of the login, read once per process; None if `file` is empty."""
    return login_of(file) if file else None


def secrets() -> dict[str, dict[str, str]] | None:
    """Return the secrets that Streamlit's login needs; None if the server has no login by account."""
    found = settings_of(os.environ.get(VARIABLE, ""))
    names = ("client_id", "client_secret", "server_metadata_url", "redirect_uri", "cookie_secret")
    return {"auth": {name: getattr(found, name) for name in names}} if found else None


class AccountGate:
    """Middleware that requires an allowed account on most routes (see the module); without a settings file, on none."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._settings = settings_of(os.environ.get(VARIABLE, ""))
        self._for_programs = bool(os.environ.get(password.VARIABLE))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._settings is None or entering.is_open(scope):
            await self.app(scope, receive, send)
            return
        path, entered = entering.path_of(scope), {**scope, entering.ENTERED: True}
        claims = _claims(scope, self._settings)
        if (own := _own_route(path)) and scope["type"] == "http":
            await self.app(entered, receive, _with_next_page(scope, own, send))
        elif claims and self._settings.allows(claims):
            await self.app(entered, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif path.rpartition("/")[2] == "metrics" and self._for_programs:
            await self.app(scope, receive, send)
        else:
            await self._answer(self._settings, claims, scope)(scope, receive, send)

    def _answer(self, settings: LoginSettings, claims: dict[str, Any], scope: Scope) -> Response:
        """Return the response to a visitor who has not logged in or is not allowed."""
        if not entering.asks_for_page(scope):
            return Response(status_code=403 if claims else 401, headers=UNCACHED)
        if claims:
            refused = f"The account {claims.get('email', '')} may not enter. Ask the operator, or use another account."
            return account_page(refused, "Use another account", "auth/logout", 403)
        if entering.path_of(scope).rpartition("/")[2] != "login":
            return RedirectResponse(f"login?to={entering.address_of(scope)}", 303, UNCACHED)
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if "left" in query or "failed" in query:
            return account_page("You are logged out." if "left" in query else _FAILED, "Log in", "login")
        return _to_provider(settings, scope, query)


def _own_route(path: str) -> str:
    """Return the path below the server's base path if it is a route of Streamlit's login; empty for other paths."""
    base = entering.base_path()
    below = path.removeprefix(f"{base}/") if base else path
    return below if below in (_LOGIN, _LOGOUT, CALLBACK.strip("/")) else ""


def _to_provider(settings: LoginSettings, scope: Scope, query: dict[str, list[str]]) -> Response:
    """Return a redirect to the provider, with the wanted page in a cookie; if the host differs, to `settings.root`."""
    wanted = query.get("to", [""])[0]
    host = HTTPConnection(scope).url.hostname
    if host != urlsplit(settings.root).hostname and "here" not in query:
        return RedirectResponse(f"{settings.root}login?here&to={quote(wanted, safe='')}", 303, UNCACHED)
    token = auth_util.encode_provider_token("default")
    answer = RedirectResponse(f"auth/login?provider={token}", 303, UNCACHED)
    secure = entering.by_https(scope)
    answer.set_cookie(WANTED, quote(wanted, safe=""), _LOGIN_SECONDS, httponly=True, samesite="lax", secure=secure)
    return answer


def _claims(scope: Scope, settings: LoginSettings) -> dict[str, Any]:
    """Return what the provider claims about the visitor's account; empty without a valid login at this address."""
    cookies = HTTPConnection(scope).cookies if scope["type"] in ("http", "websocket") else {}

    def signed(name: str) -> bytes | None:
        value = cookies.get(name, "").encode("latin-1", "replace")
        return decode_signed_value(get_cookie_secret(), name, value, DAYS)

    found = auth_util.get_cookie_with_chunks(signed, AUTH_COOKIE_NAME)
    claims = json.loads(found) if found else {}
    root = urlsplit(settings.root)
    here = claims.get("origin") == f"{root.scheme}://{root.netloc}"
    return dict(claims) if here and claims.get("is_logged_in") is True else {}


def _with_next_page(scope: Scope, route: str, send: Send) -> Send:
    """Return a `send` that points redirects of Streamlit's login that name no host to the address of `_next()`."""

    async def lead(message: Message) -> None:
        if message["type"] == "http.response.start" and 300 <= message["status"] < 400:
            headers = MutableHeaders(scope=message)
            if not urlsplit(headers.get("location", "")).netloc:
                headers["location"] = _next(scope, route, headers)
                headers.append("set-cookie", f"{WANTED}=; Max-Age=0; HttpOnly; SameSite=lax")
        await send(message)

    return lead


def _next(scope: Scope, route: str, headers: MutableHeaders) -> str:
    """Return the address to open after a login or logout, relative to `route`: the requested page, or a message."""
    if route in (_LOGIN, _LOGOUT):
        return "../login?left" if route == _LOGOUT else "../login?failed"
    begin = f"{AUTH_COOKIE_NAME}="
    given = [each.partition("=")[2] for each in headers.getlist("set-cookie") if each.startswith(begin)]
    if any(each and not each.startswith(('""', ";")) for each in given):
        return entering.target_of(unquote(HTTPConnection(scope).cookies.get(WANTED, "")))
    return "./login?failed" if scope["query_string"] else "./login?left"
