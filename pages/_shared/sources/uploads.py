"""Uploads: the file of a visitor lies in a folder of its own, under a random token."""

import secrets
import shutil
from pathlib import Path
from typing import BinaryIO

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from embedviz import catalog
from embedviz.core.space import SpaceError
from pages._shared.app.escape import plain
from pages._shared.sources.rooms import free_room, make_own_room, make_room
from pages._shared.sources.tokens import folder_of, making, token_of
from pages._shared.sources.visits import arrive, delete, forget, leave, ledger, sweep, visit, visited, visitors

__all__ = [
    "arrive",
    "chosen",
    "delete",
    "drop_file",
    "file_of",
    "folder_of",
    "forget",
    "free_room",
    "leave",
    "make_own_room",
    "make_room",
    "making",
    "named",
    "receive",
    "spread",
    "sweep",
    "taken",
    "token_in",
    "token_of",
    "visit",
    "visited",
    "visitors",
]
_CHOSEN = "uploads:chosen"
_PARTS = "parts"


def named(value: str) -> bool:
    """Return whether a value of an address names an existing upload: its token, or a space or texts of this token."""
    token = token_in(value)
    return bool(catalog.TOKEN.fullmatch(token)) and folder_of(token).is_dir()


def token_in(value: str) -> str:
    """Return an address value without `upload:` at its beginning and without the part from the first `~` on.

    For the address of an upload, the result is the token.
    """
    return value.removeprefix("upload:").partition("~")[0]


def receive(content: BinaryIO, name: str, size: int) -> str:
    """Write a file and its name into the folder of a new token; return the token.

    Raises:
        SpaceError: There is no room for the file, or it cannot be written.
    """
    token = make_room(size)
    folder = folder_of(token)
    try:
        (folder / "name").write_text(name, encoding="utf-8")
        with (folder / "file").open("wb") as target:
            shutil.copyfileobj(content, target, 2**20)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise SpaceError(f"The file could not be written: {error.strerror}. Nothing was changed.") from None
    return token


def chosen(key: str) -> UploadedFile | None:
    """Return the file in an upload box; None if the box is empty, or if its file was returned before.

    A box that leaves the page loses its value. If a late message of the browser then brings the same file again,
    Streamlit treats it as a new choice.
    """
    given: UploadedFile | None = st.session_state.get(key)
    returned: dict[str, str] = st.session_state.setdefault(_CHOSEN, {})
    if given is None or returned.get(key) == given.file_id:
        return None
    returned[key] = given.file_id
    return given


def taken(key: str, refused: str) -> str:
    """Receive the file of an upload box; return its token, or an empty text if there is no file or it was refused.

    Args:
        key: The key of the box.
        refused: The key of the session state that gets the reason of a refusal.
    """
    st.session_state.pop(refused, None)
    if (given := chosen(key)) is None:
        return ""
    try:
        return receive(given, plain(given.name, 80), given.size)
    except SpaceError as error:
        st.session_state[refused] = str(error)
        return ""


def file_of(token: str) -> tuple[Path, str] | None:
    """Return path and name of a received file; None if the token is not valid, or the file was deleted."""
    if not catalog.TOKEN.fullmatch(token):
        return None
    folder = folder_of(token)
    try:
        return (folder / "file", (folder / "name").read_text("utf-8")) if (folder / "file").is_file() else None
    except OSError:
        return None


def drop_file(token: str) -> None:
    """Delete the uploaded file of a token; a space that was made from the file stays."""
    (folder_of(token) / "file").unlink(missing_ok=True)


def spread(token: str, count: int) -> list[str]:
    """Give a token to each of the `count` spaces read from one file; return these tokens, the upload's own first.

    The folders `space-1`, `space-2` … of the upload are moved to folders of their own; a repeated call moves nothing.

    Raises:
        SpaceError: The upload no longer exists, or the folders cannot be moved.
    """
    folder = folder_of(token)
    with ledger().lock:
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
                raise SpaceError(f"The spaces could not be written: {error.strerror}. Choose the file again.") from None
    return [token, *(part for part in tokens if folder_of(part).is_dir())]
