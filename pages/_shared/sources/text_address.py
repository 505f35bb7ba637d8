"""How an address names texts: `lee`, `teaching`, `upload:TOKEN`, `file:NAME` or `saved:NAME`, and options.

Options follow after `~`: `upload:TOKEN~group=none~strip=no`. The token is the permission to see an upload.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, unquote

from embedviz import catalog
from embedviz.core import folders
from embedviz.core.options import OptionError
from embedviz.core.space import SpaceError, read_card


@dataclass(frozen=True)
class TextAddress:
    """The texts that an address names.

    Attributes:
        kind: *built-in*, *upload*, *file* or *saved*.
        source: In the order of the kinds: name of built-in texts, token of an upload, name of a file in
            `models/corpora/`, name of a saved space.
        options: Name and value of each reading option that is not the default.
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
    text: str,
    name: str,
    builtin: Mapping[str, str],
    reading: tuple[str, ...],
    any_text: tuple[str, ...],
    files: bool,
    saved: bool = False,
) -> TextAddress:
    """Return the texts that a value of the address names.

    Args:
        builtin: Names of the texts that come with the program.
        reading: Names of the options of texts from a file.
        any_text: Names of the options of all texts.
        files: Whether files in `models/corpora/` are allowed.
        saved: Whether saved spaces of texts are allowed.

    Raises:
        OptionError: The value names no texts.
    """
    first, *parts = text.split("~")
    kind, colon, source = first.partition(":")
    kind, source = (kind, unquote(source)) if colon else ("built-in", first)
    pairs = [part.partition("=") for part in parts]
    options = any_text if kind in ("built-in", "saved") else (*reading, *any_text)
    valid = (
        (kind == "built-in" and source in builtin)
        or (kind == "upload" and catalog.TOKEN.fullmatch(source))
        or (kind == "file" and files and is_file_name(source))
        or (kind == "saved" and saved and is_saved_name(source))
    )
    if not valid or not all(one in options and value for one, _, value in pairs):
        known = [*builtin, "upload:TOKEN", *(["file:NAME"] if files else []), *(["saved:NAME"] if saved else [])]
        allowed = f"{', '.join(known[:-1])} or {known[-1]}"
        raise OptionError(f"“{text[:80]}” names no {name}. An address is {allowed}.")
    return TextAddress(kind, source, tuple(sorted((one, unquote(value)) for one, _, value in pairs)))


def corpora_root() -> Path:
    """Return the folder of files and corpora that every visitor may use: `corpora/` in the folder of models."""
    return folders.saved_root() / "corpora"


def is_file_name(name: str) -> bool:
    """Return whether a name may be the name of a file in `corpora_root`: no path, and not hidden."""
    return 0 < len(name) <= 120 and name.isprintable() and not name.startswith(".") and not {*"/\\"} & {*name}


def is_saved_name(name: str) -> bool:
    """Return whether a saved space may have this name. A valid name cannot be a path to another folder."""
    try:
        return catalog.valid_name(name) == name
    except catalog.RecipeError:
        return False


def saved_texts() -> list[str]:
    """Return the names of the saved spaces whose rows are texts."""
    root, found = folders.saved_root(), []
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        if is_saved_name(folder.name) and (folder / "card.json").is_file():
            with suppress(SpaceError, KeyError, TypeError):
                columns = read_card(folder)["columns"]
                if any(column["name"] == "text" and column["text"] for column in columns):
                    found.append(folder.name)
    return found


def _quoted(text: str) -> str:
    return quote(text, safe="").replace("~", "%7E")
