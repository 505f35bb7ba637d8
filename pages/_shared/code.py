"""The few lines of Python that give a page's result in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from embedviz.catalog import Recipe


def space_lines(recipe: Recipe) -> list[str]:
    """Lines that open the space; an upload is opened from the reader's own file."""
    if recipe.kind in ("upload", "opened"):
        lines = ["from embedviz import formats", "", 'space, reading = formats.read("your-file")  # the file of this space']
        for name, pairs in recipe.corrections:
            lines[0] += ", postprocess"
            lines.append(f"space = postprocess.corrected(space, {call(name, dict(pairs))})")
        return lines
    return ["from embedviz import catalog", "", f"space = catalog.open_space({str(recipe)!r})"]


def call(name: str, options: Mapping[str, Any]) -> str:
    """The arguments of a call to a row of a table: its name, then its options."""
    return ", ".join([repr(name), *(f"{key}={value!r}" for key, value in options.items())])


def joined(imports: str, space: list[str], lines: list[str]) -> str:
    """One text: the imports, the space, then what the page does with it."""
    return "\n".join([f"from embedviz import {imports}", *space, *lines])
