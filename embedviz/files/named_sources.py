"""Sources that the operator of a server lists in a TOML file. Visitors choose a name, and do not see the address.

[products]
address = "postgresql://reader@db.internal/shop?table=products&text=title&limit=200000"
about = "Product texts, embedded each night."
"""

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from embedviz.core.phrases import listing, printable
from embedviz.core.plain_files import read_plain
from embedviz.files.addresses import RemoteAddress, parse
from embedviz.files.errors import FormatError

SOURCES = "EMBEDVIZ_SOURCES"
"""The environment variable that holds the path of the TOML file."""
_MOST = 2**20
_NAME = re.compile(r"[^\W_][\w .+-]{0,59}")


@dataclass(frozen=True)
class NamedSource:
    """A source in the operator's list.

    Attributes:
        name: The name that visitors choose.
        address: The address of the source; never shown to visitors.
        about: A sentence about the source for visitors; may be empty.
    """

    name: str
    address: str
    about: str = ""

    @property
    def parsed(self) -> RemoteAddress:
        """Return the parts of the address."""
        return parse(self.address)


def named_sources(path: str | Path | None = None) -> dict[str, NamedSource]:
    """Return the sources that a file lists, by name.

    Without a path, the file is `$EMBEDVIZ_SOURCES`; if this variable is not set, the result is empty.

    Raises:
        FormatError: The file cannot be read, or one of its entries is wrong.
    """
    place = path or os.environ.get(SOURCES, "")
    if not place:
        return {}
    try:
        given = tomllib.loads(read_plain(place, _MOST).decode("utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no TOML"
        raise _refused(f"The list of sources {Path(place).name} cannot be read: {reason}.") from None
    return {name: _checked(name, entry) for name, entry in given.items()}


def source_of(name: str) -> NamedSource:
    """Return the source of this name from the file of `$EMBEDVIZ_SOURCES`.

    Raises:
        FormatError: There is no source of this name, or the file is wrong.
    """
    found = named_sources()
    if name not in found:
        raise _refused(f"There is no source “{printable(name, 60)}”. There are: {listing([*found], 8) or 'none'}.")
    return found[name]


def _checked(name: str, entry: object) -> NamedSource:
    if not _NAME.fullmatch(name):
        raise _refused(f"“{printable(name, 60)}” is no name of a source: letters, digits, blanks, dots and hyphens.")
    if not isinstance(entry, dict) or not isinstance(entry.get("address"), str):
        raise _refused(f'The source {name} has no address. Write: [{name}] and address = "postgresql://…"')
    parse(entry["address"])
    return NamedSource(name, entry["address"], str(entry.get("about", "")))


def _refused(sentence: str) -> FormatError:
    return FormatError(sentence, {"reason": "source", "usable": 0})
