"""Scripts for the browser: modules that several components share, and the joining of modules into one text."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from embedviz.figures.web.joining import inlined

if TYPE_CHECKING:
    from collections.abc import Mapping


def modules_in(folder: Path, ending: str = "mjs") -> Mapping[str, str]:
    """Return the text of each ES module in a folder by file name, or of each file with another ending."""
    return MappingProxyType({path.name: path.read_text("utf-8") for path in sorted(folder.glob(f"*.{ending}"))})


SHARED: Mapping[str, str] = modules_in(Path(__file__).parent)
"""The modules that several components and the map import, by file name."""

STYLES: Mapping[str, str] = modules_in(Path(__file__).parent, "css")
"""The style sheets that several components share, by file name."""


def component(path: Path) -> str:
    """Return a component's script as one ES module, with its imports from the same folder and from `SHARED`."""
    return inlined({**SHARED, **modules_in(path.parent)}, path.name)
