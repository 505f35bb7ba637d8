"""`Recipe`: how to get a space, as a plain value. `embedviz.catalog` parses addresses and opens recipes."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_CATALOG = "embedviz.catalog"
"""The module that parses addresses. It is imported only when needed, because it imports this package itself."""


@dataclass(frozen=True)
class Recipe:
    """How to get a space. `str(recipe)` is its address, and `Recipe.parse()` of the address gives the recipe again.

    Attributes:
        kind: One of `catalog.KINDS`.
        name: The name of a published or saved space, or the secret key of an upload. For a synthetic space, the name
            of its generator, with the options that are not at their defaults. Empty for the built-in space.
        corrections: Names of `CORRECTIONS` with their options, in the order in which they are applied.
    """

    kind: str = "builtin"
    name: str = ""
    corrections: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()

    @classmethod
    def parse(cls, address: str) -> Recipe:
        """Return the recipe of an address.

        Raises:
            RecipeError: The address is not valid.
        """
        return importlib.import_module(_CATALOG).parse(address)  # type: ignore[no-any-return]

    @classmethod
    def synthetic(cls, kind: str, options: Mapping[str, Any]) -> Recipe:
        """Return the recipe of a synthetic space of this kind with these options.

        Raises:
            OptionError: There is no such kind, or an option is out of range.
        """
        return importlib.import_module(_CATALOG).synthetic(kind, options)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        source = self.kind if self.kind == "builtin" else f"{self.kind}:{self.name}"
        return source + self.steps

    @property
    def steps(self) -> str:
        """Return the corrections as they stand in an address, each after a tilde; empty if there are none."""
        return "".join(f"~{spell(name, dict(pairs))}" for name, pairs in self.corrections)

    @property
    def private(self) -> bool:
        """Return whether only visitors who know the address may see the space."""
        return self.kind == "upload"

    @property
    def in_terminal(self) -> bool:
        """Return whether the address names the same space in a terminal as on a page."""
        return self.kind in ("builtin", "shelf", "saved", "synthetic")

    @property
    def in_folder(self) -> bool:
        """Return whether the space lies in a folder of its own, as saved spaces do; see `catalog.folder_of()`.

        The built-in space, published spaces and synthetic spaces have no such folder.
        """
        return self.kind not in ("builtin", "shelf", "synthetic")


def spell(name: str, options: Mapping[str, str]) -> str:
    """Return a name with its options as they stand in an address: `whiten(components=50)`."""
    return name if not options else f"{name}({','.join(f'{key}={value}' for key, value in options.items())})"
