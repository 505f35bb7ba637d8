"""Uploads and their visitors: a folder each under a random token, gone a minute after its last visitor."""

from __future__ import annotations

import secrets
import shutil
import threading
import time
from pathlib import Path
from typing import BinaryIO

import streamlit as st

from embedviz import catalog
from pages._shared.registry import live

GRACE = 60.0
"""Seconds an upload stays after its last visitor left; a reload takes one or two."""


class _Visits:
    """Who is looking at which upload."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.visitors: dict[str, int] = {}
        self.left: dict[str, float] = {}


def _visits() -> _Visits:
    return live("uploads", _Visits)


def receive(content: BinaryIO) -> tuple[str, Path]:
    """A new token and the file in its folder with the content written to it, 1 MB at a time."""
    token = secrets.token_urlsafe(16)
    folder = catalog.uploads_root() / token
    folder.mkdir(parents=True, mode=0o700)
    file = folder / "file"
    with file.open("wb") as target:
        shutil.copyfileobj(content, target, 2**20)
    return token, file


def drop_file(token: str) -> None:
    """Deletes the file that an upload was read from: the space made of it is all that is needed."""
    (catalog.uploads_root() / token / "file").unlink(missing_ok=True)


def visit(token: str) -> None:
    """Counts this session among the upload's visitors until the session ends."""
    _visitor(token)


@st.cache_resource(scope="session", show_spinner=False, max_entries=32, on_release=lambda token: _leave(token))
def _visitor(token: str) -> str:
    visits = _visits()
    with visits.lock:
        visits.visitors[token] = visits.visitors.get(token, 0) + 1
        visits.left.pop(token, None)
    return token


def _leave(token: str) -> None:
    visits = _visits()
    with visits.lock:
        visits.visitors[token] = visits.visitors.get(token, 1) - 1
        if visits.visitors[token] <= 0:
            del visits.visitors[token]
            visits.left[token] = time.monotonic()


def sweep(grace: float = GRACE) -> list[str]:
    """Deletes the uploads whose last visitor left longer ago than the grace; returns their tokens."""
    visits, now = _visits(), time.monotonic()
    with visits.lock:
        gone = [token for token, when in visits.left.items() if now - when > grace]
        for token in gone:
            del visits.left[token]
    for token in gone:
        shutil.rmtree(catalog.uploads_root() / token, ignore_errors=True)
    return gone
