"""Addresses of vectors that lie elsewhere: a Parquet file on the web, a table of PostgreSQL, a collection of Qdrant.

    https://host/vectors.parquet#vector=embedding&text=title&limit=50000
    postgresql://user@host:5432/database?table=schema.items&vector=embedding&text=title&limit=50000
    qdrant://host:6333/collection?vector=name&text=field&limit=50000      (qdrants:// with encryption)

What belongs to this program stands behind the `#` of a web address, which is never sent, and behind the `?` of the
others. A password never stands in an address, because addresses end up in histories and lists of processes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from embedviz.core.phrases import printable
from embedviz.files.errors import FormatError

LIMIT, MOST_ROWS = 100_000, 10_000_000
"""Rows that are read where the address has no `limit`, and the most that it may have."""
_OURS = ("vector", "text", "limit")
_WEB = ("http", "https")
_OPTIONS: dict[str, tuple[str, ...]] = {
    "http": _OURS,
    "https": _OURS,
    "postgresql": ("table", "sslmode", *_OURS),
    "postgres": ("table", "sslmode", *_OURS),
    "qdrant": _OURS,
    "qdrants": _OURS,
}
"""Each scheme with the options that its addresses may have."""


@dataclass(frozen=True)
class RemoteAddress:
    """Where vectors lie.

    Attributes:
        scheme: One of http, https, postgresql, qdrant, qdrants.
        user, host, port: Empty and None where the address has none.
        path: Of the file, the database or the collection, without the first slash.
        query: What a web server gets behind the `?`.
        options: *table*, *vector*, *text* and others, as they were written.
        limit: Rows that are read at most.
    """

    scheme: str
    user: str
    host: str
    port: int | None
    path: str
    query: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    limit: int = LIMIT

    @property
    def web(self) -> bool:
        """Return whether it is a file on the web."""
        return self.scheme in _WEB

    @property
    def public(self) -> str:
        """Return the address without user, options and what a server gets behind the `?`, which may be a key."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{f':{self.port}' if self.port else ''}/{self.path}"

    @property
    def name(self) -> str:
        """Return a short name: of the table, the collection or the file."""
        return self.options.get("table") or self.path.rpartition("/")[2] or self.host


def is_address(text: str) -> bool:
    """Return whether a text begins as an address of this kind."""
    return text.partition("://")[0].lower() in _OPTIONS and "://" in text


def parse(text: str) -> RemoteAddress:
    """Return the parts of an address.

    Raises:
        FormatError: It holds a password, lacks a part, or has an option that is not known.
    """
    parts = urlsplit(text)
    scheme = {"postgres": "postgresql"}.get(parts.scheme.lower(), parts.scheme.lower())
    if scheme not in _OPTIONS:
        raise refused(f"“{printable(scheme, 20)}” is no kind of address. Known are: {', '.join(_OPTIONS)}.")
    if parts.password is not None:
        raise refused(
            "The address holds a password. Addresses end up in histories and logs. For PostgreSQL write it into "
            "~/.pgpass or PGPASSWORD, for Qdrant into QDRANT_API_KEY."
        )
    web = scheme in _WEB
    options = dict(parse_qsl(parts.fragment if web else parts.query, keep_blank_values=True))
    for name in options:
        if name not in _OPTIONS[scheme]:
            known = ", ".join(_OPTIONS[scheme])
            raise refused(f"“{printable(name, 30)}” is no option of such an address. Known are: {known}.")
    try:
        port = parts.port
    except ValueError:
        raise refused("The port of the address is no number from 1 to 65535.") from None
    path = unquote(parts.path.lstrip("/")) if not web else parts.path.lstrip("/")
    if not path or (web and not parts.hostname):
        raise refused("The address names no file, database or collection. Write it behind the host: HOST/NAME.")
    if scheme == "postgresql" and not options.get("table"):
        raise refused("The address names no table. Add it: postgresql://HOST/DATABASE?table=NAME")
    limit = _limit(options.pop("limit", ""))
    user, host = unquote(parts.username or ""), parts.hostname or ""
    if "%2f" in host.lower():  # the folder of a socket, whose letters may be capital
        host = unquote(parts.netloc.rpartition("@")[2].partition(":")[0])
    return RemoteAddress(scheme, user, host, port, path, parts.query if web else "", options, limit)


def _limit(text: str) -> int:
    if not text:
        return LIMIT
    if not text.isdecimal() or not 0 < int(text[:12]) <= MOST_ROWS:
        raise refused(f"limit is {printable(text, 20)}; it may be from 1 to {MOST_ROWS:,}.")
    return int(text)


def refused(sentence: str) -> FormatError:
    """Return the error for an address, or for a choice in it, that cannot be read."""
    return FormatError(sentence, {"reason": "address", "usable": 0})
