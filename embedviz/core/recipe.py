"""How to get a space, as a plain value: `Recipe`. `embedviz.catalog` reads its address and opens it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_CATALOG = "embedviz.catalog"
"""Looked up by its path: it knows every option that an address may have, and stands above this room."""


@dataclass(frozen=True)
class Recipe:
    """How to get a space. `Recipe.parse(str(recipe)) == recipe`.

    Attributes:
        kind: One of `catalog.KINDS`.
        name: The name on the shelf, the saved name, the upload's token, or the kind of a made-up space with the options
            that are not at their defaults; empty for the built-in.
        corrections: Names of `CORRECTIONS` with their options, in the order in which they are applied.
    """

    kind: str = "builtin"
    name: str = ""
    corrections: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()

    @classmethod
    def parse(cls, address: str) -> Recipe:
        """Return the recipe that an address spells.

        Raises:
            RecipeError: It spells none.
        """
        return importlib.import_module(_CATALOG).parse(address)  # type: ignore[no-any-return]

    @classmethod
    def synthetic(cls, kind: str, options: Mapping[str, Any]) -> Recipe:
        """Return the recipe of a made-up space with these options.

        Raises:
            OptionError: There is no such kind, or an option is out of range.
        """
        return importlib.import_module(_CATALOG).synthetic(kind, options)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        source = self.kind if self.kind == "builtin" else f"{self.kind}:{self.name}"
        return source + self.steps

    @property
    def steps(self) -> str:
        """Return the corrections as they are written in an address, each after a tilde; empty without any."""
        return "".join(f"~{spell(name, dict(pairs))}" for name, pairs in self.corrections)

    @property
    def private(self) -> bool:
        """Return whether only visitors with the address may see the space."""
        return self.kind == "upload"

    @property
    def in_terminal(self) -> bool:
        """Return whether the address leads to the same space in a terminal as on a page."""
        return self.kind in ("builtin", "shelf", "saved", "synthetic")

    @property
    def in_folder(self) -> bool:
        """Return whether the source lies in a folder of `catalog.folder_of`, and is not made by the program."""
        return self.kind not in ("builtin", "shelf", "synthetic")


def spell(name: str, options: Mapping[str, str]) -> str:
    """Return a name with its options as an address spells them: `whiten(components=50)`."""
    return name if not options else f"{name}({','.join(f'{key}={value}' for key, value in options.items())})"
