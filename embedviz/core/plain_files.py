"""Reading and writing of plain files; pipes and devices are refused."""

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
        most: Maximum number of bytes.

    Raises:
        OSError: The file is missing, is not a plain file, or is larger than `most`; `strerror` says which.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # does not wait for the writer of a pipe
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
    """Check that a path is a plain file, and return it, for readers that open the file themselves.

    Raises:
        OSError: The file is missing, or is not a plain file; `strerror` says which.
    """
    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise OSError(errno.EINVAL, "Not a plain file", str(path))
    return Path(path)


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """Yield a stream that writes to a draft. At the end of the block the draft replaces the file.

    After an error the draft is deleted, and the file is unchanged. The draft is in the same folder as the file, under
    an unpredictable name. If the path is a link, the target of the link is replaced.

    Raises:
        OSError: The path is a folder, a pipe or a device, or its parent folder is missing or cannot be written.
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
    """Return the umask of this process.

    The system tells the old umask only when a new one is set. So a new umask is set, and then the old one again.
    """
    before = os.umask(0o077)
    os.umask(before)
    return before
