"""What this computer offers: the folders of this user."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """Where things that can be made again are kept: `$EMBEDVIZ_CACHE`, else the user's cache folder."""
    return _folder("EMBEDVIZ_CACHE", "XDG_CACHE_HOME", ".cache", "Library/Caches")


def data_folder() -> Path:
    """Where an installed copy keeps the user's own spaces, unless `$EMBEDVIZ_MODELS` names another place."""
    return _folder("EMBEDVIZ_DATA_HOME", "XDG_DATA_HOME", ".local/share", "Library/Application Support")


def _folder(own: str, standard: str, linux: str, mac: str) -> Path:
    if os.environ.get(own):
        return Path(os.environ[own])
    if os.environ.get(standard):
        return Path(os.environ[standard]) / "embedviz"
    try:
        home = Path.home()
    except RuntimeError:  # no home folder
        return Path(tempfile.gettempdir()) / "embedviz"
    return home / (mac if sys.platform == "darwin" else linux) / "embedviz"
