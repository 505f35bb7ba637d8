"""The folder of the user's saved spaces, whether it may be changed, and a text that changes if a file is replaced."""

import os
from pathlib import Path

from embedviz.core.device import data_folder


def saved_root() -> Path:
    """Return the folder of saved spaces.

    It is `$EMBEDVIZ_MODELS`, else `models/` in the checkout, else `models/` in the user's data folder.
    """
    if os.environ.get("EMBEDVIZ_MODELS"):
        return Path(os.environ["EMBEDVIZ_MODELS"])
    checkout = Path(__file__).resolve().parents[2]
    return checkout / "models" if (checkout / "app.py").is_file() else data_folder() / "models"


READ_ONLY = "This server is read-only: nothing is saved, renamed or deleted on it. Download a file instead."


def is_read_only() -> bool:
    """Return whether `EMBEDVIZ_READ_ONLY` is set. Then nobody may change saved files, as on a server for students."""
    return bool(os.environ.get("EMBEDVIZ_READ_ONLY"))


def check_writable(error: type[ValueError]) -> None:
    """Check that saved files may be changed.

    Raises:
        ValueError: The server is read-only; the class is `error`.
    """
    if is_read_only():
        raise error(READ_ONLY)


def stamp_of(path: Path) -> str:
    """Return a text that changes when another file or folder replaces the one at this path.

    The text consists of the inode, the time of the last change, and the size.

    Raises:
        OSError: Nothing is at this path.
    """
    found = path.stat()
    return f"{found.st_ino:x}.{found.st_mtime_ns:x}.{found.st_size:x}"
