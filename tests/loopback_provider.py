"""A provider of accounts on loopback that speaks OpenID Connect: codes with PKCE, signed tokens, and the logout."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "embedviz-tests", "the secret of the client"


class Provider:
    """What the provider knows: its accounts, the codes that it gave, and who was logged out.

    Attributes:
        accounts: Claims by the name of the account; the browser chooses one.
        forged: Whether tokens are signed with a key that the provider does not publish.
        logouts: How often a visitor was sent to the end of the session.
    """

    def __init__(self, accounts: dict[str, dict[str, Any]]) -> None:
        self.accounts, self.forged, self.logouts = accounts, False, 0
        self.address = ""
        self.key, self.other = (RSAKey.generate_key(2048, {"kid": "one"}) for _ in range(2))
        self.codes: dict[str, tuple[str, dict[str, str]]] = {}

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
            "end_session_endpoint": f"{self.address}/end",
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def code_for(self, name: str, asked: dict[str, str]) -> str:
        assert asked["client_id"] == CLIENT
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(8)
        self.codes[code] = name, asked
        return code

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """The tokens for a code, once; None where the client, the code or its proof is wrong."""
        expected = base64.b64encode(f"{CLIENT}:{SECRET.replace(' ', '+')}".encode()).decode()
        plain = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        name, asked = self.codes.pop(form["code"], ("", {}))
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if authorization.removeprefix("Basic ") not in (expected, plain) or proof != asked.get("code_challenge"):
            return None
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "sub": name, "iat": now, "exp": now + 300}
        claims |= {"nonce": asked["nonce"], **self.accounts[name]}
        key = self.other if self.forged else self.key
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)
        return {"id_token": signed, "access_token": secrets.token_urlsafe(8), "token_type": "Bearer", "expires_in": 300}


@contextmanager
def provided(accounts: dict[str, dict[str, Any]]) -> Iterator[Provider]:
    """The provider, from the moment it answers until the block ends."""
    provider = Provider(accounts)

    class Handler(_Handler):
        of = provider

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    of: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/.well-known/openid-configuration":
            self._json(self.of.metadata())
        elif parts.path == "/keys":
            self._json({"keys": [self.of.key.as_dict(private=False)]})
        elif parts.path == "/authorize" and "as" not in query:
            links = [f'<a href="{html.escape(self.path)}&as={name}">{name}</a>' for name in self.of.accounts]
            self._send(200, f"<h1>Provider</h1>{'<br>'.join(links)}".encode(), "text/html")
        elif parts.path == "/authorize":
            back = {"code": self.of.code_for(query.pop("as"), query), "state": query["state"]}
            self._redirect(f"{query['redirect_uri']}?{urlencode(back)}")
        elif parts.path == "/end":
            self.of.logouts += 1
            self._redirect(query["post_logout_redirect_uri"])
        else:
            self._send(404, b"", "text/plain")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        tokens = self.of.token(form, self.headers.get("authorization", ""))
        self._json(tokens or {"error": "invalid_grant"}, 200 if tokens else 400)

    def _redirect(self, address: str) -> None:
        self.send_response(302)
        self.send_header("location", address)
        self.send_header("content-length", "0")
        self.end_headers()

    def _json(self, content: dict[str, Any], status: int = 200) -> None:
        self._send(status, json.dumps(content).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_given: Any) -> None:
        """Write nothing."""
