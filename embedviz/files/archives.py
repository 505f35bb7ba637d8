"""Reading the files in a compressed file, an archive or a folder, in one pass and without unpacking to disk.

The compression is recognised by the first bytes of a file, never by its name. The name of a member (a file inside) is
only a label: it is never used as a path.
"""

from __future__ import annotations

import contextlib
import itertools
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, TypeVar

from embedviz.core import time_limit
from embedviz.files.packing import CutShort, packer_of, unpacked
from embedviz.files.zips import BoundedZip, ZipLimit, ZipRefusal, refusal_of

CHUNK = 2**20
_PACKED_CHUNK = 2**16  # compressed bytes per read; small, because the decompressor copies the rest at each stream end
MOST_BYTES = 2**29
"""Maximum number of bytes that a file may unpack to."""
MOST_MEMBERS = 200_000
"""Maximum number of entries in an archive or a folder."""
LONGEST_HEADER = 2**16
"""Maximum number of bytes in an extended header of a tar archive, which holds for example a long name."""
SUSPECT_RATIO = 500
SUSPECT_BYTES = 64 * 2**20
_LONG_NAMES = tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK
_ZIP = b"PK\x03\x04", b"PK\x05\x06"  # the first entry, or the end mark of an empty archive
_LINK = "a link or another thing that is no plain file"
FAULTS = (
    *(zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zipfile.LargeZipFile, struct.error),
    *(OSError, EOFError, RuntimeError, ValueError, OverflowError, KeyError, IndexError),
)
"""The exceptions that Python raises for damaged or unusual compressed data."""
Read = Callable[[int], bytes]
Entry = TypeVar("Entry")


class CorpusError(ValueError):
    """The error of a file from which no texts can be read; the message is one or more sentences."""


class FileError(CorpusError):
    """The error of one file among several. The other files can still be read."""


class Member(NamedTuple):
    """One file of an archive or a folder.

    Attributes:
        name: Path of the file inside the archive or folder, cleaned by `tidy()`; used as a label only.
        read: Function that takes a number n, and returns the next n bytes or fewer; None if the file cannot be read.
        reason: Why the file cannot be read; empty if it can be read.
        fraction: Function that returns the share of the whole archive or folder read so far, 0 to 1.
    """

    name: str
    read: Read | None
    reason: str
    fraction: Callable[[], float]


class Stream:
    """The bytes of a file, decompressed while they are read, within a limit.

    Args:
        path: A regular file.
        most: Maximum number of bytes to return: of a compressed file, after decompression.

    Attributes:
        most: The limit `most`, as given.
        size: Number of bytes on disk.
        taken: Number of bytes read from disk so far.
        packed: The compression: *gzip*, *xz* or *bzip2*; empty if there is none.

    Raises:
        CorpusError: The file cannot be opened, or is not a regular file.
    """

    def __init__(self, path: Path, most: int = MOST_BYTES) -> None:
        self._file = opened(path)
        self.size, self.taken, self.most, self._given = path.stat().st_size, 0, most, 0
        first = self._raw(_PACKED_CHUNK)
        self.packed = packer_of(first)
        self._pieces = self._unpacked(first) if self.packed else self._plain(first)
        self._held = b""

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    @property
    def fraction(self) -> float:
        """Return the share of the bytes on disk that has been read, 0 to 1."""
        return min(1.0, self.taken / max(1, self.size))

    def head(self, count: int) -> bytes:
        """Return the next `count` bytes without consuming them: `read()` returns the same bytes again."""
        self._hold(count)
        return self._held[:count]

    def read(self, count: int = -1) -> bytes:
        """Return the next `count` bytes, fewer only at the end of the data; if `count` is negative, all that remain.

        Raises:
            CorpusError: The compressed data are damaged or end early, or there are more bytes than the limit.
        """
        if count < 0:
            whole = b"".join(itertools.chain([self._held], self._pieces))
            self._held = b""
            return whole
        self._hold(count)
        data, self._held = self._held[:count], self._held[count:]
        return data

    def _hold(self, count: int) -> None:
        pieces, have = [self._held], len(self._held)
        while have < count and (piece := next(self._pieces, b"")):
            pieces.append(piece)
            have += len(piece)
        self._held = b"".join(pieces)

    def _raw(self, count: int = CHUNK) -> bytes:
        time_limit.check()
        data = self._file.read(count)
        self.taken += len(data)
        return data

    def _plain(self, first: bytes) -> Iterator[bytes]:
        data = first
        while data:
            self._count(len(data))
            yield data
            data = self._raw()

    def _unpacked(self, first: bytes) -> Iterator[bytes]:
        try:
            for piece in unpacked(self.packed, first, partial(self._raw, _PACKED_CHUNK), CHUNK):
                self._count(len(piece))
                yield piece
        except CutShort:
            raise CorpusError(
                f"The {self.packed} data end early, so the file is not whole. Copy or download it again."
            ) from None
        except CorpusError:
            raise
        except FAULTS as error:
            raise CorpusError(
                f"The {self.packed} data are damaged ({error}). Copy or download the file again."
            ) from None

    def _count(self, count: int) -> None:
        self._given += count
        if self._given > self.most:
            raise CorpusError(too_much(self.most))
        if self.packed and self._given > SUSPECT_BYTES and self._given > SUSPECT_RATIO * max(1, self.taken):
            raise CorpusError(
                f"The file unpacks to more than {SUSPECT_RATIO} times its size; texts do not shrink so far."
            )


def opened(path: Path) -> IO[bytes]:
    """Open a regular file to read bytes.

    Raises:
        CorpusError: The file does not exist, cannot be opened, or is not a regular file.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise CorpusError(f"{path.name} is not a plain file; name a file of texts.")
        return path.open("rb")
    except FileNotFoundError:
        raise CorpusError(f"There is no file {path.name}; check its name.") from None
    except OSError as error:
        raise CorpusError(f"{path.name} cannot be opened: {error.strerror}.") from None


def kind_of(path: Path) -> str:
    """Return *folder*, *zip* or *tar* for a path that holds several files; an empty string for a single file.

    Raises:
        CorpusError: The path is neither a folder nor a regular file, cannot be opened, or has damaged compressed data.
    """
    if path.is_dir():
        return "folder"
    with Stream(path) as stream:
        if stream.head(4) in _ZIP:
            return "zip"
        return "tar" if stream.head(512)[257:262] == b"ustar" else ""


def is_packed(path: Path) -> bool:
    """Return whether a file is compressed (gzip, xz, bzip2) or a zip archive.

    Raises:
        CorpusError: The file cannot be opened, or is not a regular file.
    """
    with Stream(path) as stream:
        return bool(stream.packed) or stream.head(4) in _ZIP


def members(path: Path, most: int = MOST_BYTES) -> Iterator[Member]:
    """Yield the files of an archive or a folder in one pass. Read each file before you request the next one.

    A link, or a file with a password, is yielded with the reason why it cannot be read. Hidden files are skipped.

    Args:
        most: Maximum number of bytes in all files together.

    Raises:
        CorpusError: The archive is damaged, has too many entries, or unpacks to more than the limit.
    """
    kind = kind_of(path)
    try:
        with contextlib.ExitStack() as stack:
            if kind == "folder":
                found = _folder_members(path, most)
            elif kind == "zip":
                found = zip_members(stack.enter_context(opened(path)), most)
            else:
                found = _tar_members(stack.enter_context(Stream(path, most)))
            yield from (member for member in found if not is_hidden(member.name))
    except FAULTS as error:
        raise _damaged(kind, error) from None


def zip_members(file: IO[bytes], most: int) -> Iterator[Member]:
    """Yield the files of a zip archive as `members()` does, but include hidden files.

    Raises:
        CorpusError: The archive has too many entries, or unpacks to more than the limit.
        zipfile.BadZipFile, OSError and others of `FAULTS`: The archive is damaged.
    """
    budget = _Budget(most)
    with BoundedZip(file, most=most, ratio=SUSPECT_RATIO) as archive:
        entries = archive.infolist()
        total, done = max(1, sum(entry.compress_size for entry in entries)), 0
        for entry in _few(entries):
            fraction, done = partial(float, done / total), done + entry.compress_size
            reason = "" if stat.S_IFMT(entry.external_attr >> 16) in (0, stat.S_IFREG) else _LINK
            if not entry.is_dir():
                yield from _member(entry.filename, partial(archive.open, entry), reason, fraction, budget)


def _tar_members(stream: Stream) -> Iterator[Member]:
    budget = _Budget(stream.most)
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Entry) as archive:  # type: ignore[call-overload]
        for entry in _few(archive):
            if not entry.isdir():
                reason = "" if entry.isreg() and not entry.issparse() else _LINK
                fraction = partial(getattr, stream, "fraction")
                yield from _member(entry.name, partial(archive.extractfile, entry), reason, fraction, budget, "tar")
            archive.members = []  # tarfile lists all entries read so far: clear the list to save memory


class _Entry(tarfile.TarInfo):
    """An entry of a tar archive. Extended headers above 64 KiB are refused, because Python reads them slowly."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        more = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, *_LONG_NAMES)
        if self.type in more and self.size > LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {self.size:,} bytes; {LONGEST_HEADER:,} are read")
        entry: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        return entry


def _folder_members(folder: Path, most: int) -> Iterator[Member]:
    paths = list(_few(_paths(folder)))
    entries = [path.lstat() for path in paths]
    total, done, budget = max(1, sum(entry.st_size for entry in entries)), 0, _Budget(most)
    for path, entry in zip(paths, entries, strict=True):
        fraction, done = partial(float, done / total), done + entry.st_size
        reason = "" if stat.S_ISREG(entry.st_mode) else _LINK
        yield from _member(path.relative_to(folder).as_posix(), partial(Stream, path, most), reason, fraction, budget)


def _paths(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders.sort()
        yield from (Path(root, name) for name in sorted(files))


def _member(
    name: str,
    open_: Callable[[], Any],
    reason: str,
    fraction: Callable[[], float],
    budget: _Budget,
    archive: str = "",
) -> Iterator[Member]:
    """Yield one file as a `Member`. The file stays open until the next item is requested.

    Reading a damaged file of a tar archive raises CorpusError, because the files after it cannot be read either.
    For a zip archive or a folder, it raises FileError.

    Args:
        open_: Function that opens the file; not called if there is a `reason`.
        reason: Why the file cannot be read; empty if not known.
        budget: The number of bytes left for all files.
        archive: “tar” for a tar archive; empty for a zip archive or a folder.
    """

    def sound(count: int = -1) -> bytes:
        try:
            data: bytes = file.read(count)
        except ZipLimit as error:
            raise CorpusError(refusal_of(error)) from None
        except FAULTS as error:
            raise _damaged(archive, error) if archive else FileError(_reason(error)) from None
        budget.spend(len(data))
        return data

    file: Any = None
    try:
        file = None if reason else open_()
    except FAULTS as error:
        reason = _reason(error)
    if file is None:
        yield Member(tidy(name), None, reason or _LINK, fraction)
    else:
        with file:
            yield Member(tidy(name), sound, "", fraction)


def tidy(name: str) -> str:
    """Return the path of a member as a label of at most 200 characters, without root and `..`.

    Characters that cannot be printed become U+FFFD.
    """
    parts = PurePosixPath(name.replace("\\", "/")).parts
    plain_parts = [part for part in parts if part not in ("/", "..", ".")]
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in "/".join(plain_parts))[:200] or "unnamed"


def is_hidden(name: str) -> bool:
    """Return whether the file or a folder in a path is hidden (leading dot), or was added by macOS (`__MACOSX`)."""
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


class _Budget:
    """The number of bytes that may still be read from all files together."""

    def __init__(self, most: int) -> None:
        self._left = self._most = most

    def spend(self, count: int) -> None:
        """Add `count` to the number of bytes read.

        Raises:
            CorpusError: More bytes were read than the limit.
        """
        self._left -= count
        if self._left < 0:
            raise CorpusError(too_much(self._most))


def _few(entries: Iterable[Entry]) -> Iterator[Entry]:
    for number, entry in enumerate(entries):
        if number >= MOST_MEMBERS:
            raise CorpusError(
                f"There are more than {MOST_MEMBERS:,} entries, the most that is looked at. Make it smaller."
            )
        yield entry


def _reason(error: Exception) -> str:
    return str(error).rstrip(".") if isinstance(error, CorpusError | ZipRefusal) else f"damaged ({error})"


def _damaged(kind: str, error: Exception) -> CorpusError:
    if isinstance(error, CorpusError):
        return error
    return CorpusError(f"The {kind} archive is damaged ({error}). Copy or download it again.")


def too_much(most: int) -> str:
    """Return an error message that says that the texts have more than `most` bytes."""
    return f"The texts take more than {most // 2**20:,} MB, the most that is read. Make the file smaller."
