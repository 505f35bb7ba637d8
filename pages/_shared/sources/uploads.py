"""Uploads and their visitors: a folder each under a random token, gone a minute after its last visitor."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import shutil
import threading
import time
from pathlib import Path
from typing import BinaryIO

import streamlit as st

from embedviz import catalog, training
from embedviz.core.space import SpaceError
from pages._shared.app.escape import plain
from pages._shared.app.registry import live
from pages._shared.results import cache
from pages._shared.results.memory import RESULTS

GRACE = 60.0
"""Seconds an upload stays after its last visitor left; a reload takes one or two."""
MOST_UNPACKED = 2**30
"""Bytes that a packed upload may grow to; larger files come by path."""
MOST_KEPT = 8 * 2**30
"""Bytes of all uploads together."""
_SEEN = "uploads:seen"
_PARTS = "parts"
_OWN = "own"  # stands in a folder that is not counted among the uploads
_SPARE = 2**28  # bytes of the disk that are left alone


class _Visits:
    """Who is looking at which upload."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.visitors: dict[str, int] = {}
        self.left: dict[str, float] = {}


def _visits() -> _Visits:
    return live("uploads", _Visits)


def make_room(size: int, token: str = "") -> str:
    """Make a token whose folder goes with its visitors: a new one, or the given one where it has no folder yet.

    Raises:
        SpaceError: There is no room for so much.
    """
    root = _root()
    folders = [folder for folder in root.iterdir() if not (folder / _OWN).exists()]
    kept = sum(file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file())
    if kept + size > MOST_KEPT or shutil.disk_usage(root).free < 4 * size + _SPARE:
        raise SpaceError("There is no room for another file on this computer now. Try again when others have left.")
    if token:
        folder_of(token).mkdir(mode=0o700, exist_ok=True)
        visit(token, listed=False)
        return token
    token = secrets.token_urlsafe(16)
    folder_of(token).mkdir(mode=0o700)
    visit(token)
    return token


def make_own_room(size: int, token: str) -> None:
    """Make the folder of a token for what is made of a file of this computer: only the disk is its limit.

    Raises:
        SpaceError: The disk has not as much left.
    """
    if size > (free := free_room()):
        raise SpaceError(
            f"The disk has no room for it. It takes about {_size(size)}, and {_size(max(0, free))} can be used. Make "
            "room on the disk, or take a smaller file."
        )
    folder_of(token).mkdir(mode=0o700, exist_ok=True)
    (folder_of(token) / _OWN).touch()
    visit(token, listed=False)


def free_room() -> int:
    """Return bytes of the disk that may be used."""
    return shutil.disk_usage(_root()).free - _SPARE


def token_of(*parts: object) -> str:
    """Return the token of what is made of these parts: the same for the same parts while the server lives, no guess."""
    key = live("uploads:secret", lambda: secrets.token_bytes(32))
    text = json.dumps(parts, sort_keys=True, default=str).encode()
    return base64.urlsafe_b64encode(hashlib.blake2b(text, key=key, digest_size=18).digest()).decode()


def folder_of(token: str) -> Path:
    """Return where what belongs to a token lies."""
    return catalog.uploads_root() / token


def named(value: str) -> bool:
    """Return whether a value of an address names an upload: a token, or a space or texts under one."""
    token = value.removeprefix("upload:").partition("~")[0]
    return bool(catalog.TOKEN.fullmatch(token)) and folder_of(token).is_dir()


def receive(content: BinaryIO, name: str, size: int) -> str:
    """Return a new token, under which the content and its name now lie.

    Raises:
        SpaceError: There is no room for it.
    """
    token = make_room(size)
    folder = folder_of(token)
    try:
        (folder / "name").write_text(name, encoding="utf-8")
        with (folder / "file").open("wb") as target:
            shutil.copyfileobj(content, target, 2**20)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise SpaceError(f"The file could not be kept: {error.strerror}. Nothing was changed.") from None
    return token


def taken(key: str, refused: str) -> str:
    """Return the token of the file just chosen in the box of this key; empty where there is none or no room for it.

    Args:
        refused: Where the session keeps the sentence that says why it was not taken.
    """
    given = st.session_state.get(key)
    st.session_state.pop(refused, None)
    if given is None:
        return ""
    try:
        return receive(given, plain(given.name, 80), given.size)
    except SpaceError as error:
        st.session_state[refused] = str(error)
        return ""


def file_of(token: str) -> tuple[Path, str] | None:
    """Return the file that was received and its name; None for no token, once it was read, or the upload is gone."""
    if not catalog.TOKEN.fullmatch(token):
        return None
    folder = folder_of(token)
    try:
        return (folder / "file", (folder / "name").read_text("utf-8")) if (folder / "file").is_file() else None
    except OSError:
        return None


def drop_file(token: str) -> None:
    """Delete the file that an upload was read from: the space made of it is all that is needed."""
    (folder_of(token) / "file").unlink(missing_ok=True)


def spread(token: str, count: int) -> list[str]:
    """Return the tokens of the spaces that one file was read as, a token each; the first keeps that of the file.

    Those after the first were read into `space-1`, `space-2` … beside it. They get a folder of their own here, once.

    Raises:
        SpaceError: There is no room for them, or the upload is gone.
    """
    folder = folder_of(token)
    with _visits().lock:
        try:
            tokens = (folder / _PARTS).read_text("ascii").split()
        except OSError:
            tokens = []
        if not tokens and count > 1:
            try:
                for place in range(1, count):
                    part = secrets.token_urlsafe(16)
                    folder_of(part).mkdir(mode=0o700)
                    (folder / f"space-{place}").rename(folder_of(part) / "space")
                    tokens.append(part)
                (folder / _PARTS).write_text("\n".join(tokens), "ascii")
            except OSError as error:
                raise SpaceError(f"The spaces could not be kept: {error.strerror}. Choose the file again.") from None
    return [token, *(part for part in tokens if folder_of(part).is_dir())]


def _root() -> Path:
    root = catalog.uploads_root()
    root.mkdir(parents=True, exist_ok=True)
    return root


def _size(count: int) -> str:
    return f"{count / 2**30:,.1f} GB" if count >= 2**30 else f"{max(1, count // 2**20):,} MB"


def making(token: str) -> str:
    """Return what tells this folder of a token from one that has gone since and was made anew: kept with the folder."""
    path = folder_of(token) / "making"
    if not path.exists():
        path.write_text(secrets.token_hex(8), encoding="utf-8")
    return path.read_text(encoding="utf-8")


def visit(token: str, *, listed: bool = True) -> None:
    """Count this session among the upload's visitors until the session ends; what is listed it may choose by name."""
    _visitor(token)
    if not listed:
        return
    seen = st.session_state.setdefault(_SEEN, [])
    if token not in seen:
        seen.append(token)


def visited() -> list[str]:
    """Return the tokens that this session came with or made, of what is still here, in their order."""
    return [token for token in st.session_state.get(_SEEN, []) if folder_of(token).is_dir()]


@st.cache_resource(scope="session", show_spinner=False, max_entries=32, on_release=lambda token: leave(token))
def _visitor(token: str) -> str:
    arrive(token)
    return token


def arrive(token: str) -> None:
    """Count one more visitor."""
    visits = _visits()
    with visits.lock:
        visits.visitors[token] = visits.visitors.get(token, 0) + 1
        visits.left.pop(token, None)


def leave(token: str) -> None:
    """Count one visitor less, and notes the time when none is left."""
    visits = _visits()
    with visits.lock:
        visits.visitors[token] = visits.visitors.get(token, 1) - 1
        if visits.visitors[token] <= 0:
            del visits.visitors[token]
            visits.left[token] = time.monotonic()


def sweep(grace: float = GRACE) -> list[str]:
    """Delete the uploads whose last visitor left longer ago than the grace; returns their tokens."""
    visits, now = _visits(), time.monotonic()
    with visits.lock:
        gone = [token for token, when in visits.left.items() if now - when > grace]
        for token in gone:
            del visits.left[token]
            delete(token)
    return gone


def delete(token: str) -> None:
    """Delete all that belongs to a token, with what a training under it has left or will leave when it is cut off."""
    cache.forget(str(catalog.Recipe("upload", token)))
    cache.forget_corpus(str(folder_of(token) / "corpus"))
    RESULTS.forget(str(folder_of(token)))
    shutil.rmtree(folder_of(token), ignore_errors=True)
    training.discard(token)
