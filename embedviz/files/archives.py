"""The text files in a file: packed streams, archives and folders, read in one pass and never unpacked to disk.

Its first bytes say how a file is packed, never its name. The name of a member is a label, never a path.
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
_PACKED_CHUNK = 2**16  # bytes of packed data read at a time: the end of each packed stream copies what is left of them
MOST_BYTES = 2**29
"""Bytes that a file may unpack to."""
MOST_MEMBERS = 200_000
"""Entries of an archive that are looked at."""
LONGEST_HEADER = 2**16
"""Bytes of a header of a tar archive that says more of an entry, such as a long name."""
SUSPECT_RATIO = 500
SUSPECT_BYTES = 64 * 2**20
_LONG_NAMES = tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK
_ZIP = b"PK\x03\x04", b"PK\x05\x06"  # an entry, or the end of an archive without any
_LINK = "a link or another thing that is no plain file"
FAULTS = (
    *(zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zipfile.LargeZipFile, struct.error),
    *(OSError, EOFError, RuntimeError, ValueError, OverflowError, KeyError, IndexError),
)
"""What Python raises on damaged or odd packed data."""
Read = Callable[[int], bytes]
Entry = TypeVar("Entry")


class CorpusError(ValueError):
    """A file that holds no texts that can be read; the message is a sentence."""


class FileError(CorpusError):
    """One file of several that cannot be read, while the others can."""


class Member(NamedTuple):
    """One file of an archive or a folder.

    Attributes:
        name: Its path inside, tidied; a label.
        read: Returns its next bytes, at most so many; None where it is not read.
        reason: Why it is not read.
        fraction: Returns how much of the whole was read, 0 to 1.
    """

    name: str
    read: Read | None
    reason: str
    fraction: Callable[[], float]


class Stream:
    """The bytes of a file, unpacked as they are read, within a limit.

    Args:
        path: A plain file.
        most: Bytes that it may unpack to.

    Attributes:
        most: The same.
        size: Bytes on disk.
        taken: Bytes read from disk so far.
        packed: What it is packed by: *gzip*, *xz*, *bzip2*, or empty.

    Raises:
        CorpusError: It cannot be opened, or is no plain file.
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
        """Return the share of the file that was read, 0 to 1."""
        return min(1.0, self.taken / max(1, self.size))

    def head(self, count: int) -> bytes:
        """Return the first bytes; they come again when it is read."""
        self._hold(count)
        return self._held[:count]

    def read(self, count: int = -1) -> bytes:
        """Return the next bytes, fewer only at the end; all that is left where no count is given.

        Raises:
            CorpusError: The packed data are damaged, or grow past the limit.
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
    """Return the file, opened.

    Raises:
        CorpusError: It is not there, or no plain file.
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
    """Return what holds several files, *folder*, *zip* or *tar*; empty for one file.

    Raises:
        CorpusError: It cannot be opened, or is no plain file.
    """
    if path.is_dir():
        return "folder"
    with Stream(path) as stream:
        if stream.head(4) in _ZIP:
            return "zip"
        return "tar" if stream.head(512)[257:262] == b"ustar" else ""


def is_packed(path: Path) -> bool:
    """Return whether a file grows when it is read.

    Raises:
        CorpusError: It cannot be opened.
    """
    with Stream(path) as stream:
        return bool(stream.packed) or stream.head(4) in _ZIP


def members(path: Path, most: int = MOST_BYTES) -> Iterator[Member]:
    """Yield the files of an archive or a folder in one pass; each must be read before the next.

    What is no plain file, or behind a password, comes with the reason why it is not read. Names that a system puts
    beside the files are skipped.

    Args:
        most: Bytes that may be read of all of them together.

    Raises:
        CorpusError: It is damaged, has too many entries, or unpacks to more than the limit.
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
    """Yield the files of a zip archive, as `members` does, but for faults of the archive itself."""
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
            archive.members = []  # one pass: nothing is kept of what is behind


class _Entry(tarfile.TarInfo):
    """An entry of a tar archive; extended headers are read only if they are short, since Python reads them slowly."""

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
    """Yield one file, open until the next is requested; after a fault of a tar `archive`, nothing more can be read."""

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
    """Return a member's path as a label: no root, no steps upward, no control characters."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    plain_parts = [part for part in parts if part not in ("/", "..", ".")]
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in "/".join(plain_parts))[:200] or "unnamed"


def is_hidden(name: str) -> bool:
    """Return whether a member is what a system puts beside the files, and not one of them."""
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


class _Budget:
    """Bytes that all files may have together."""

    def __init__(self, most: int) -> None:
        self._left = self._most = most

    def spend(self, count: int) -> None:
        """Count bytes that were read.

        Raises:
            CorpusError: They are too many.
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
    """Say that texts take more than `most` bytes."""
    return f"The texts take more than {most // 2**20:,} MB, the most that is read. Make the file smaller."
