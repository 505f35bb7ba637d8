"""The login file of a server: the provider of accounts (OpenID Connect), and the accounts that may enter."""

import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

CALLBACK = "/oauth2callback"
"""The end of the address to which the provider of accounts sends visitors back after the login."""
_NEEDED = ("client_id", "client_secret", "server_metadata_url", "redirect_uri", "allowed")
_OPTIONAL = ("cookie_secret", "trust_email")
_ADDRESSES = ("server_metadata_url", "redirect_uri")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SHORTEST_SECRET = 32  # characters


class LoginFileError(ValueError):
    """Raised if a login file is missing or not valid; the message is a sentence for the user."""


@dataclass(frozen=True)
class LoginSettings:
    """Settings of the login with accounts of a provider (OpenID Connect).

    Attributes:
        redirect_uri: Address of the server for browsers, with `CALLBACK` at its end.
        allowed: E-mail addresses of accounts that may enter, and domains of such addresses, without @; in lower case.
        trust_email: Whether to accept an account if the provider does not say whether its e-mail address is verified.
        cookie_secret: Key that signs the cookies of logins. If the file has no key, each process draws a random key.
    """

    client_id: str
    client_secret: str = field(repr=False)
    server_metadata_url: str
    redirect_uri: str
    allowed: frozenset[str]
    trust_email: bool = False
    cookie_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def root(self) -> str:
        """Return the address of the server for browsers, with a slash at its end."""
        return self.redirect_uri.removesuffix(CALLBACK) + "/"

    def allows(self, claims: Mapping[str, Any]) -> bool:
        """Return whether an account may enter: its e-mail address must be allowed, and verified by the provider.

        With `trust_email`, it is enough that the provider does not say whether the address is verified.

        Args:
            claims: What the provider says about the account (claims of OpenID Connect).
        """
        email = str(claims.get("email") or "").casefold()
        domain = email.rpartition("@")[2]
        verified = claims.get("email_verified") in (True, "true") or (
            self.trust_email and claims.get("email_verified") is None
        )
        return bool(verified and "@" in email and self.allowed & {email, domain})


def login_of(file: str | Path) -> LoginSettings:
    """Read the settings of the login from a TOML file.

    Raises:
        LoginFileError: The file cannot be read, or a setting is missing, unknown or not valid. An address must begin
            with https, except on this computer; `allowed` must not be empty.
    """
    try:
        given = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LoginFileError(f"The file of the login cannot be read: {file} ({error}).") from None
    _check_names(given)
    for name in (*_NEEDED[:-1], _OPTIONAL[0]):
        if name in given and (not isinstance(given[name], str) or not given[name].strip()):
            raise LoginFileError(f"{name} is not a text, or empty. Write it in quotes.")
    for name in _ADDRESSES:
        _check_address(name, given[name])
    if not given["redirect_uri"].endswith(CALLBACK):
        raise LoginFileError(
            f"redirect_uri does not end with {CALLBACK}. It is the address of this server with that end."
        )
    if len(given.get("cookie_secret", "x" * _SHORTEST_SECRET)) < _SHORTEST_SECRET:
        raise LoginFileError(
            f"cookie_secret has fewer than {_SHORTEST_SECRET} characters. Leave it out, or make it longer."
        )
    if not isinstance(given.get("trust_email", False), bool):
        raise LoginFileError("trust_email is neither true nor false.")
    return LoginSettings(**(given | {"allowed": _allowed(given["allowed"])}))


def _check_names(given: Mapping[str, Any]) -> None:
    """Check that a login file has all required settings, and no unknown setting."""
    if missing := [name for name in _NEEDED if name not in given]:
        raise LoginFileError(f"The file of the login lacks: {', '.join(missing)}.")
    if unknown := sorted(given.keys() - {*_NEEDED, *_OPTIONAL}):
        known = ", ".join((*_NEEDED, *_OPTIONAL))
        raise LoginFileError(f"The file of the login has unknown settings: {', '.join(unknown)}. Known are: {known}.")


def _check_address(name: str, address: str) -> None:
    """Check that an address begins with https and has no query and no fragment.

    An address that leads to this computer may begin with http.
    """
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        raise LoginFileError(f"{name} is not an address.") from None
    if not (parts.scheme == "https" and host) and not (parts.scheme == "http" and host in _LOOPBACK):
        raise LoginFileError(f"{name} must begin with https:// (http:// only on localhost).")
    if parts.query or parts.fragment:
        raise LoginFileError(f"{name} has a query or a fragment. Leave out what follows ? or #.")


def _allowed(given: Any) -> frozenset[str]:
    """Return the e-mail addresses and domains of the setting `allowed`, in lower case.

    Raises:
        LoginFileError: The setting is not a list of e-mail addresses and domains, or the list is empty.
    """
    if not isinstance(given, list) or not given or not all(isinstance(each, str) for each in given):
        raise LoginFileError('allowed is not a list such as ["example.org", "ada@example.com"].')
    names = frozenset(each.strip().casefold().removeprefix("@") for each in given)
    for name in names:
        if "." not in name.rpartition("@")[2] or any(sign in name for sign in "*/ ,;"):
            raise LoginFileError(f"allowed has {name!r}, which is neither a domain nor an e-mail address.")
    return names
