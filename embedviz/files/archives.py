"""The text files in a file: packed streams, archives and folders, read in one pass and never unpacked to disk.

What packs a file is told by its first bytes, never by its name. The name of a member is a label, never a path.
"""

from __future__ import annotations

import bz2
import itertools
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

CHUNK = 2**20
MOST_BYTES = 2**29
"""Bytes that a file may unpack to."""
MOST_MEMBERS = 200_000
"""Entries of an archive that are looked at."""
LARGEST = 8 * 2**20
"""Bytes of one member of several; the first, which may be all there is, may have what the whole may."""
MEMORY = 2**28
"""Bytes that xz may ask for."""
SUSPECT_RATIO = 500
SUSPECT_BYTES = 64 * 2**20
_GZIP, _XZ, _BZIP2 = b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh"
_ZIP = b"PK\x03\x04", b"PK\x05\x06"  # an entry, or the end of an archive without any
_DAMAGED = (zlib.error, lzma.LZMAError, OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, RuntimeError)
_ZIPPED = (*_DAMAGED, NotImplementedError, ValueError, zipfile.LargeZipFile)


class CorpusError(ValueError):
    """A file that holds no texts that can be read; the message is a sentence."""


class Member(NamedTuple):
    """One entry of an archive or a folder.

    Attributes:
        name: Its path inside, tidied; a label.
        content: Its bytes, or None where it was not read.
        reason: Why it was not read.
    """

    name: str
    content: bytes | None
    reason: str = ""


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
        first = self._raw()
        self.packed = _packer_of(first)
        self._pieces = self._unpacked(first) if self.packed else self._plain(first)
        self._held = b""

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    @property
    def fraction(self) -> float:
        """How much of the file was read, 0 to 1."""
        return min(1.0, self.taken / max(1, self.size))

    def head(self, count: int) -> bytes:
        """The first bytes; they come again when it is read."""
        self._hold(count)
        return self._held[:count]

    def read(self, count: int = -1) -> bytes:
        """The next bytes, fewer only at the end; all that is left where no count is given.

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

    def _raw(self) -> bytes:
        data = self._file.read(CHUNK)
        self.taken += len(data)
        return data

    def _plain(self, first: bytes) -> Iterator[bytes]:
        data = first
        while data:
            self._count(len(data))
            yield data
            data = self._raw()

    def _unpacked(self, first: bytes) -> Iterator[bytes]:
        data, packer, full = first, _packer(self.packed), False
        try:
            while True:
                if packer.eof:
                    data = (packer.unused_data or self._raw()).lstrip(b"\0")
                    if not data:
                        return
                    packer = _packer(self.packed)
                elif not data and not full and _needs(packer):
                    data = self._raw()
                    if not data:
                        raise CorpusError(
                            f"The {self.packed} data end early, so the file is not whole. Copy or download it again."
                        )
                piece = packer.decompress(data, CHUNK)
                data, full = getattr(packer, "unconsumed_tail", b""), len(piece) == CHUNK
                self._count(len(piece))
                if piece:
                    yield piece
        except _DAMAGED as error:
            raise CorpusError(
                f"The {self.packed} data are damaged ({error}). Copy or download the file again."
            ) from None

    def _count(self, count: int) -> None:
        self._given += count
        if self._given > self.most:
            raise CorpusError(_too_much(self.most))
        if self.packed and self._given > SUSPECT_BYTES and self._given > SUSPECT_RATIO * max(1, self.taken):
            raise CorpusError(
                f"The file unpacks to more than {SUSPECT_RATIO} times its size; texts do not shrink so far."
            )


def opened(path: Path) -> IO[bytes]:
    """The file, opened.

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


def is_tar(stream: Stream) -> bool:
    """Whether what a stream gives is a tar archive."""
    return stream.head(512)[257:262] == b"ustar"


def is_zip(stream: Stream) -> bool:
    """Whether a stream is a zip archive."""
    return stream.head(4) in _ZIP


def is_packed(path: Path) -> bool:
    """Whether a file grows when it is read.

    Raises:
        CorpusError: It cannot be opened.
    """
    with Stream(path) as stream:
        return bool(stream.packed) or is_zip(stream)


def tar_members(stream: Stream, most: int = LARGEST) -> Iterator[Member]:
    """The entries of a tar archive, in its order. Links and devices are told, never followed.

    The first file may be as large as the stream allows.

    Raises:
        CorpusError: It is damaged, or has too many entries.
    """
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:  # type: ignore[call-overload]
            largest = stream.most
            for number, entry in enumerate(archive):
                _few_enough(number)
                if entry.isdir() or is_hidden(tidy(entry.name)):
                    continue
                reason = _reason(entry.isreg() and not entry.issparse(), entry.size, largest)
                largest = most
                file = None if reason else archive.extractfile(entry)
                yield Member(tidy(entry.name), None if file is None else file.read(), reason)
                archive.members = []  # one pass: nothing is kept of what is behind
    except (tarfile.TarError, EOFError, ValueError) as error:
        if isinstance(error, CorpusError):
            raise
        raise CorpusError(f"The tar archive is damaged ({error}). Copy or download it again.") from None


def zip_members(path: Path, limit: int = MOST_BYTES, most: int = LARGEST) -> Iterator[Member]:
    """The entries of a zip archive, in its order. Links are told, never followed.

    The first file may be as large as the limit.

    Raises:
        CorpusError: It is damaged, has too many entries, or unpacks to more than the limit.
    """
    total, largest = 0, limit
    try:
        with opened(path) as file, zipfile.ZipFile(file) as archive:
            for number, entry in enumerate(archive.infolist()):
                _few_enough(number)
                if entry.is_dir() or is_hidden(tidy(entry.filename)):
                    continue
                plain = stat.S_IFMT(entry.external_attr >> 16) in (0, stat.S_IFREG)
                reason = "behind a password" if entry.flag_bits & 1 else _reason(plain, entry.file_size, largest)
                content, reason = (None, reason) if reason else _zipped(archive, entry, largest)
                largest = most
                total += len(content or b"")
                if total > limit:
                    raise CorpusError(_too_much(limit))
                yield Member(tidy(entry.filename), content, reason)
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError) as error:
        if isinstance(error, CorpusError):
            raise
        raise CorpusError(f"The zip archive is damaged ({error}). Copy or download it again.") from None


def folder_members(folder: Path, limit: int = MOST_BYTES, most: int = LARGEST) -> Iterator[Member]:
    """The files in a folder and its folders, by name. Links are told, never followed.

    Raises:
        CorpusError: There are too many, or they hold more than the limit.
    """
    total, number = 0, 0
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            _few_enough(number := number + 1)
            path = Path(root) / name
            if is_hidden(tidy(path.relative_to(folder).as_posix())):
                continue
            entry = path.lstat()
            reason = _reason(stat.S_ISREG(entry.st_mode), entry.st_size, most)
            content = None if reason else path.read_bytes()
            total += len(content or b"")
            if total > limit:
                raise CorpusError(_too_much(limit))
            yield Member(tidy(path.relative_to(folder).as_posix()), content, reason)


def tidy(name: str) -> str:
    """A member's path as a label: no root, no steps upward, no control characters."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    kept = [part for part in parts if part not in ("/", "..", ".")]
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in "/".join(kept))[:200] or "unnamed"


def is_hidden(name: str) -> bool:
    """Whether a member is what a system puts beside the files, and not one of them."""
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def _zipped(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> tuple[bytes | None, str]:
    try:
        with archive.open(entry) as file:
            content = file.read(most + 1)
    except _ZIPPED as error:
        return None, f"damaged ({error})" if not isinstance(error, NotImplementedError) else "packed in an unknown way"
    return (content, "") if len(content) <= most else (None, _reason(True, len(content), most))


def _reason(plain: bool, size: int, most: int) -> str:
    if not plain:
        return "a link or another thing that is no plain file"
    return f"larger than {most // 2**20} MB" if size > most else ""


def _few_enough(number: int) -> None:
    if number >= MOST_MEMBERS:
        raise CorpusError(f"There are more than {MOST_MEMBERS:,} entries, the most that is looked at. Make it smaller.")


def _too_much(most: int) -> str:
    return f"The texts take more than {most // 2**20:,} MB, the most that is read. Make the file smaller."


def _packer_of(head: bytes) -> str:
    known: Iterable[tuple[bytes, str]] = ((_GZIP, "gzip"), (_XZ, "xz"), (_BZIP2, "bzip2"))
    return next((name for sign, name in known if head.startswith(sign)), "")


def _packer(name: str) -> zlib._Decompress | lzma.LZMADecompressor | bz2.BZ2Decompressor:
    if name == "xz":
        return lzma.LZMADecompressor(memlimit=MEMORY)
    return bz2.BZ2Decompressor() if name == "bzip2" else zlib.decompressobj(wbits=31)


def _needs(packer: object) -> bool:
    """Whether it has given all that it was fed; zlib hands back what it has not used."""
    return bool(getattr(packer, "needs_input", True))
