"""Addresses of remote vectors: a Parquet file on the web, a table in PostgreSQL, a collection in Qdrant.

    https://host/vectors.parquet#vector=embedding&text=title&limit=50000
    postgresql://user@host:5432/database?table=schema.items&vector=embedding&text=title&limit=50000
    qdrant://host:6333/collection?vector=name&text=field&limit=50000      (qdrants:// with encryption)

In a web address, the options of this program follow the `#`, because that part is never sent to the server. In the
other addresses they follow the `?`. An address never contains a password, because addresses end up in shell histories
and process lists.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from embedviz.core.phrases import printable
from embedviz.files.errors import FormatError

LIMIT, MOST_ROWS = 100_000, 10_000_000
"""The default `limit` of rows to read, and the largest `limit` that an address may give."""
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
"""Scheme → the options that an address with this scheme may have."""


@dataclass(frozen=True)
class RemoteAddress:
    """The parts of the address of remote vectors.

    Attributes:
        scheme: One of http, https, postgresql, qdrant, qdrants.
        user, host, port: User and host are empty, and port is None, if the address does not give them.
        path: Path of the file, or name of the database or the collection; without the first slash.
        query: Query that is sent to a web server, the part after `?`; empty for the other schemes.
        options: The options *table*, *vector*, *text* and *sslmode*, if the address gives them.
        limit: Maximum number of rows to read.
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
        """Return whether the address belongs to a file on the web."""
        return self.scheme in _WEB

    @property
    def public(self) -> str:
        """Return the address without user, options and query. The query is left out because it may contain a key."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{f':{self.port}' if self.port else ''}/{self.path}"

    @property
    def name(self) -> str:
        """Return a short name: the name of the table, else the last part of the path, else the host."""
        return self.options.get("table") or self.path.rpartition("/")[2] or self.host


def is_address(text: str) -> bool:
    """Return whether a text begins with a known scheme and `://`."""
    return text.partition("://")[0].lower() in _OPTIONS and "://" in text


def parse(text: str) -> RemoteAddress:
    """Return the parts of an address.

    Raises:
        FormatError: The scheme or an option is unknown, a part is missing or wrong, or there is a password.
    """
    try:
        parts = urlsplit(text)
    except ValueError:  # such as [ without ]
        raise refused("The host of the address is not valid. Write a name, such as example.org.") from None
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
    if "%2f" in host.lower():  # the path of a socket; urlsplit puts hosts in lower case, but a path keeps its case
        host = unquote(parts.netloc.rpartition("@")[2].partition(":")[0])
    return RemoteAddress(scheme, user, host, port, path, parts.query if web else "", options, limit)


def _limit(text: str) -> int:
    if not text:
        return LIMIT
    if not text.isdecimal() or len(text) > 12 or not 0 < int(text) <= MOST_ROWS:
        raise refused(f"limit is {printable(text, 20)}; it may be from 1 to {MOST_ROWS:,}.")
    return int(text)


def refused(sentence: str) -> FormatError:
    """Return the error for a wrong address, or for a wrong name in an address, such as that of a missing table."""
    return FormatError(sentence, {"reason": "address", "usable": 0})
