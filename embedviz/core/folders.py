"""Where the user's own files lie."""

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
