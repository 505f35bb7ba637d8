"""The one reader of zip archives from outside: what they unpack to is counted, and bounded.

Only stored and deflated files are read: Python unpacks the other methods without a limit of its own.
"""

import io
import zipfile
from typing import IO, Any

SUSPECT_BYTES = 64 * 2**20
"""Bytes; an archive that unpacks to fewer may shrink as far as it likes."""
_READ = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_LOCKED = 1
_BUFFER = 2**16


class ZipRefusal(ValueError):
    """A file of an archive that is refused; the message says why, such as "behind a password"."""


class ZipLimit(ZipRefusal):
    """An archive that unpacks to more than is read; the message is a predicate."""


class BoundedZip(zipfile.ZipFile):
    """A zip archive that is read within limits; all its files together spend one budget.

    Args:
        file: The archive, seekable.
        most: Bytes that may be unpacked of all its files together.
        ratio: How many times its size an archive may unpack to, above `SUSPECT_BYTES`.

    Raises:
        zipfile.BadZipFile: It is no zip archive, or damaged.
    """

    def __init__(self, file: IO[bytes], *, most: int, ratio: int) -> None:
        file.seek(0, io.SEEK_END)
        self._size, self._most, self._ratio, self._unpacked = file.tell(), most, ratio, 0
        file.seek(0)
        super().__init__(file)

    def open(self, name: str | zipfile.ZipInfo, *args: Any, **options: Any) -> IO[bytes]:
        """Open a file of the archive for reading.

        Raises:
            ZipRefusal: It is behind a password, or packed in another way than stored or deflated.
            KeyError: There is none of that name.
        """
        info = name if isinstance(name, zipfile.ZipInfo) else self.getinfo(name)
        if info.flag_bits & _LOCKED:
            raise ZipRefusal("behind a password")
        if info.compress_type not in _READ:
            raise ZipRefusal("packed by a method that is not read")
        return io.BufferedReader(_Counted(super().open(info), self), _BUFFER)

    def spend(self, count: int) -> None:
        """Count bytes that were unpacked.

        Raises:
            ZipLimit: They are more than the limit, or too many for an archive of this size.
        """
        self._unpacked += count
        if self._unpacked > self._most:
            raise ZipLimit(f"unpacks to more than {self._most // 2**20:,} MB, the most that is read")
        if self._unpacked > SUSPECT_BYTES and self._unpacked > self._ratio * self._size:
            raise ZipLimit(f"unpacks to more than {self._ratio} times its size, as no honest file of its kind does")


def refusal_of(error: ZipRefusal) -> str:
    """Return the refusal as a sentence that says what to do."""
    if isinstance(error, ZipLimit):
        return f"The archive {error}. Make it smaller."
    return f"A file of the archive is {error}. Pack it again as an ordinary .zip, without a password."


class _Counted(io.RawIOBase):
    """A file of an archive whose bytes are counted."""

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
