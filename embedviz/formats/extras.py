"""Optional packages, which only some formats need."""

from importlib import import_module
from typing import Any

from embedviz.files.errors import FormatError


def package(module: str, name: str, what: str) -> Any:
    """Import and return a module of an optional package.

    Args:
        name: What to install with pip: a package such as h5py, or `embedviz[…]` with an extra.
        what: The kind of file that needs the package, for the error message.

    Raises:
        FormatError: The package is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ImportError:
        install = f"'{name}'" if "[" in name else name
        text = f"This is {what}. Reading it needs the Python package {name}. Install it with: pip install {install}"
        raise FormatError(text, {"reason": "package", "found": name, "usable": 0}) from None
