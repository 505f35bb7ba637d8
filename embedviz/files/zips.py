"""Reading zip archives from outside the program. The unpacked bytes are counted and limited.

Only stored and deflated files are read, because Python sets no limit when it unpacks other methods.
"""

import io
import zipfile
from typing import IO, Any

SUSPECT_BYTES = 64 * 2**20
"""Number of unpacked bytes up to which any compression ratio is allowed."""
_READ = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_LOCKED = 1
_BUFFER = 2**16


class ZipRefusal(ValueError):
    """The error for a file in an archive. The message completes “the file is …”, such as “behind a password”."""


class ZipLimit(ZipRefusal):
    """The error for an archive that unpacks to too many bytes. The message completes “the archive …”."""


class BoundedZip(zipfile.ZipFile):
    """A zip archive with a limit on the number of bytes that all its files together unpack to.

    Args:
        file: The archive; it must be seekable.
        most: Maximum number of unpacked bytes, over all files.
        ratio: Maximum ratio of unpacked bytes to the size of the archive; it applies above `SUSPECT_BYTES`.

    Raises:
        zipfile.BadZipFile: The file is not a zip archive, or is damaged.
    """

    def __init__(self, file: IO[bytes], *, most: int, ratio: int) -> None:
        file.seek(0, io.SEEK_END)
        self._size, self._most, self._ratio, self._unpacked = file.tell(), most, ratio, 0
        file.seek(0)
        super().__init__(file)

    def open(self, name: str | zipfile.ZipInfo, *args: Any, **options: Any) -> IO[bytes]:
        """Open a file of the archive for reading; the bytes read are counted.

        Raises:
            ZipRefusal: The file has a password, or is neither stored nor deflated.
            KeyError: The archive has no file of this name.
        """
        info = name if isinstance(name, zipfile.ZipInfo) else self.getinfo(name)
        if info.flag_bits & _LOCKED:
            raise ZipRefusal("behind a password")
        if info.compress_type not in _READ:
            raise ZipRefusal("packed by a method that is not read")
        return io.BufferedReader(_Counted(super().open(info), self), _BUFFER)

    def spend(self, count: int) -> None:
        """Add `count` to the number of unpacked bytes.

        Raises:
            ZipLimit: The archive unpacks to more bytes than `most`, or than `ratio` allows.
        """
        self._unpacked += count
        if self._unpacked > self._most:
            raise ZipLimit(f"unpacks to more than {self._most // 2**20:,} MB, the most that is read")
        if self._unpacked > SUSPECT_BYTES and self._unpacked > self._ratio * self._size:
            raise ZipLimit(f"unpacks to more than {self._ratio} times its size, as no honest file of its kind does")


def refusal_of(error: ZipRefusal) -> str:
    """Return an error message for users that says what is wrong with an archive, and what to do."""
    if isinstance(error, ZipLimit):
        return f"The archive {error}. Make it smaller."
    return f"A file of the archive is {error}. Pack it again as an ordinary .zip, without a password."


class _Counted(io.RawIOBase):
    """An open file of an archive; the bytes read from it are counted."""

    def __init__(self, file: IO[bytes], archive: BoundedZip) -> None:
        self._file, self._archive = file, archive

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        self._archive.spend(len(data))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()
