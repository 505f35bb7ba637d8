"""Where the user's own files lie, and what tells that a folder was written anew."""

from __future__ import annotations

import os
from pathlib import Path

from embedviz.core.device import data_folder


def saved_root() -> Path:
    """Where saved spaces lie: `$EMBEDVIZ_MODELS`, else the checkout's `models/`, else the user's data folder."""
    if os.environ.get("EMBEDVIZ_MODELS"):
        return Path(os.environ["EMBEDVIZ_MODELS"])
    checkout = Path(__file__).resolve().parents[2]
    return checkout / "models" if (checkout / "app.py").is_file() else data_folder() / "models"


def stamp_of(folder: Path) -> str:
    """Return what changes when another space or corpus comes to lie in a folder: of its card, inode and time.

    Raises:
        OSError: The folder has no card.
    """
    card = (folder / "card.json").stat()
    return f"{card.st_ino:x}.{card.st_mtime_ns:x}"
