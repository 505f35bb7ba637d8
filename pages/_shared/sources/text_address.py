"""How an address names texts: `lee`, `teaching`, `upload:TOKEN` or `file:NAME`, and the options of their reading.

Options follow after `~`: `upload:TOKEN~group=none~strip=no`. The token is the permission to see an upload.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, unquote

from embedviz import catalog
from embedviz.core import folders
from embedviz.core.options import OptionError


@dataclass(frozen=True)
class TextAddress:
    """The texts that an address names.

    Attributes:
        kind: *built-in*, *upload* or *file*.
        source: The name of built-in texts, a token, or the name of a file in `models/corpora/`.
        options: Name and value of each option of the reading that is not the default.
    """

    kind: str
    source: str
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        first = self.source if self.kind == "built-in" else f"{self.kind}:{_quoted(self.source)}"
        return "~".join([first, *(f"{name}={_quoted(value)}" for name, value in self.options)])

    @property
    def private(self) -> bool:
        """Return whether only visitors with the address may see the texts."""
        return self.kind == "upload"

    @property
    def plain(self) -> TextAddress:
        """Return the same texts with default options."""
        return replace(self, options=())

    def with_option(self, name: str, value: str) -> TextAddress:
        """Return the same texts with one option changed; an empty value is the default."""
        options = {one: text for one, text in self.options if one != name} | ({name: value} if value else {})
        return replace(self, options=tuple(sorted(options.items())))

    def value(self, name: str) -> str:
        """Return the value of an option; empty for the default."""
        return dict(self.options).get(name, "")


def parse(
    text: str, name: str, builtin: Mapping[str, str], reading: tuple[str, ...], any_text: tuple[str, ...], files: bool
) -> TextAddress:
    """Return the texts that a value of the address names.

    Args:
        name: The parameter of the address.
        builtin: Names of the texts that come with the program.
        reading: Options that texts of a file have; `any_text`: options that all texts have.
        files: Whether files in `models/corpora/` are allowed.

    Raises:
        OptionError: The value names no texts.
    """
    first, *parts = text.split("~")
    kind, colon, source = first.partition(":")
    kind, source = (kind, unquote(source)) if colon else ("built-in", first)
    pairs = [part.partition("=") for part in parts]
    options = any_text if kind == "built-in" else (*reading, *any_text)
    valid = (
        (kind == "built-in" and source in builtin)
        or (kind == "upload" and catalog.TOKEN.fullmatch(source))
        or (kind == "file" and files and is_file_name(source))
    )
    if not valid or not all(one in options and value for one, _, value in pairs):
        known = [*builtin, "upload:TOKEN", *(["file:NAME"] if files else [])]
        allowed = f"{', '.join(known[:-1])} or {known[-1]}"
        raise OptionError(f"“{text[:80]}” names no {name}. An address is {allowed}.")
    return TextAddress(kind, source, tuple(sorted((one, unquote(value)) for one, _, value in pairs)))


def corpora_root() -> Path:
    """Return the folder of files and corpora that every visitor may use: `corpora/` in the folder of models."""
    return folders.saved_root() / "corpora"


def is_file_name(name: str) -> bool:
    """Return whether a name can be that of a file in `corpora_root`."""
    return 0 < len(name) <= 120 and name.isprintable() and not name.startswith(".") and not {*"/\\"} & {*name}


def _quoted(text: str) -> str:
    return quote(text, safe="").replace("~", "%7E")
