"""Tokens of uploads and of results made from uploads: every token has a folder."""

import base64
import hashlib
import json
import secrets
from pathlib import Path

from embedviz import catalog
from pages._shared.app.registry import live

RUN_SETTINGS = "about.json"
"""Name of the file in the folder of a training run that has the settings of the run."""


def token_of(*parts: object) -> str:
    """Return a token that depends only on these parts and a secret of this server, so that it cannot be guessed."""
    key = live("uploads:secret", lambda: secrets.token_bytes(32))
    text = json.dumps(parts, sort_keys=True, default=str).encode()
    return base64.urlsafe_b64encode(hashlib.blake2b(text, key=key, digest_size=18).digest()).decode()


def folder_of(token: str) -> Path:
    """Return the folder of a token."""
    return catalog.uploads_root() / token


def root() -> Path:
    """Return the folder of all tokens; make it if it is missing."""
    folder = catalog.uploads_root()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def making(token: str) -> str:
    """Return an identifier of a token's folder; it changes when the folder is deleted and made again."""
    path = folder_of(token) / "making"
    if not path.exists():
        path.write_text(secrets.token_hex(8), encoding="utf-8")
    return path.read_text(encoding="utf-8")
