"""Where the user's own files lie, and how to see that a folder was written again."""

import os
from pathlib import Path

from embedviz.core.device import data_folder


def saved_root() -> Path:
    """Return where saved spaces lie: `$EMBEDVIZ_MODELS`, else the checkout's `models/`, else the user's data folder."""
    if os.environ.get("EMBEDVIZ_MODELS"):
        return Path(os.environ["EMBEDVIZ_MODELS"])
    checkout = Path(__file__).resolve().parents[2]
    return checkout / "models" if (checkout / "app.py").is_file() else data_folder() / "models"


READ_ONLY = "This server is read-only: nothing is saved, renamed or deleted on it. Download a file instead."


def is_read_only() -> bool:
    """Return whether `EMBEDVIZ_READ_ONLY` is set: the server of a class, whose saved files nobody may change."""
    return bool(os.environ.get("EMBEDVIZ_READ_ONLY"))


def check_writable(error: type[ValueError]) -> None:
    """Pass unless the server is read-only.

    Raises:
        ValueError: As `error`: it is.
    """
    if is_read_only():
        raise error(READ_ONLY)


def stamp_of(path: Path) -> str:
    """Return what changes when another file comes to lie at this path: of its inode, time and size.

    Raises:
        OSError: There is none.
    """
    found = path.stat()
    return f"{found.st_ino:x}.{found.st_mtime_ns:x}.{found.st_size:x}"
