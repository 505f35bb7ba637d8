"""The one door to plain files: pipes and devices are refused, to read from and to write over."""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def read_plain(path: str | Path, most: int) -> bytes:
    """Return all bytes of a plain file.

    Args:
        most: Bytes that it may have.

    Raises:
        OSError: It is missing, no plain file, or larger; `strerror` says which.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe without a writer opens at once
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "Not a plain file", str(path))
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(most + 1)
    finally:
        os.close(handle)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"More than {most:,} bytes, the most that is read", str(path))
    return content


def plain(path: str | Path) -> Path:
    """Return the path of a plain file, for readers that open it themselves.

    Raises:
        OSError: It is missing, or no plain file; `strerror` says which.
    """
    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise OSError(errno.EINVAL, "Not a plain file", str(path))
    return Path(path)


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """Yield a stream to a draft; rename it at the end, and delete it after an error.

    The draft lies in the same folder under an unpredictable name. Where the path is a link, the file that it
    leads to is replaced.

    Raises:
        OSError: The path is there and no plain file, or its folder is missing.
    """
    place = Path(os.path.realpath(path))
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(place.stat().st_mode):
            raise OSError(errno.EINVAL, "Not a plain file, so that nothing is written there", str(path))
    if not place.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "There is no such folder; make it first", str(place.parent))
    handle, draft = tempfile.mkstemp(prefix=".draft-", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, 0o666 & ~_umask())
            yield file
        Path(draft).replace(place)
    finally:
        Path(draft).unlink(missing_ok=True)


def _umask() -> int:
    """Return which permissions this process takes from new files; it can only be asked by setting it."""
    before = os.umask(0o077)
    os.umask(before)
    return before
