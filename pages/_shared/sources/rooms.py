"""Disk space for what visitors upload and make."""

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from embedviz.core import limits
from embedviz.core.space import SpaceError
from pages._shared.sources.tokens import folder_of, root
from pages._shared.sources.visits import delete_oldest, visit

_OWN = "own"  # a file that marks a folder as not counted among the uploads


def make_room(size: int, token: str = "") -> str:
    """Make the folder of an upload, named by `token` or by a new random token, and return the token.

    The folder is deleted one hour after its last visitor has left. To make room, folders without visitors are deleted
    at once: first those that were left longest ago.

    Raises:
        SpaceError: There is no room for `size` bytes.
    """
    while not _has_room(size):
        if size > limits.UPLOAD_BYTES or not delete_oldest():
            raise SpaceError("This computer has no room for another file now. Try again later.")
    if token:
        visit(token, listed=False)  # first: the sweep must not delete the new folder
        folder_of(token).mkdir(mode=0o700, exist_ok=True)
        return token
    token = secrets.token_urlsafe(16)
    folder_of(token).mkdir(mode=0o700)
    visit(token)
    return token


def _has_room(size: int) -> bool:
    """Return whether the uploads may take `size` more bytes."""
    place = root()
    folders = [folder for folder in place.iterdir() if not (folder.is_symlink() or (folder / _OWN).exists())]
    used = sum(_bytes_in(folder) for folder in folders)
    return used + size <= limits.UPLOAD_BYTES and shutil.disk_usage(place).free >= 4 * size + limits.SPARE_BYTES


def _bytes_in(folder: Path) -> int:
    """Return the total size of the files of a folder in bytes; a file that is deleted meanwhile counts 0."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(place, name).stat().st_size
    return total


def make_own_room(size: int, token: str) -> None:
    """Make the folder of a token for a corpus from a file of this computer, limited only by the free disk space.

    Raises:
        SpaceError: The disk has too little room.
    """
    if size > (free := free_room()):
        raise SpaceError(
            f"The disk has too little room: {_size(size)} are needed, {_size(max(0, free))} are free. "
            "Free some room, or choose a smaller file."
        )
    visit(token, listed=False)
    folder_of(token).mkdir(mode=0o700, exist_ok=True)
    (folder_of(token) / _OWN).touch()


def free_room() -> int:
    """Return how many more bytes of the disk may be used, so that the spare bytes of `limits` stay free."""
    return shutil.disk_usage(root()).free - limits.SPARE_BYTES


def _size(count: int) -> str:
    return f"{count / 2**30:,.1f} GB" if count >= 2**30 else f"{max(1, count // 2**20):,} MB"
