"""Packages that only some formats need, and that need not be there."""

from importlib import import_module
from typing import Any

from embedviz.files.errors import FormatError


def package(module: str, name: str, what: str) -> Any:
    """Return a module.

    Args:
        name: The package to install, or this one with an extra; `what`: the kind of file.

    Raises:
        FormatError: It is not installed; the sentence names it.
    """
    try:
        return import_module(module)
    except ImportError:
        install = f"'{name}'" if "[" in name else name
        text = f"This is {what}. Reading it needs the Python package {name}. Install it with: pip install {install}"
        raise FormatError(text, {"reason": "package", "found": name, "usable": 0}) from None
