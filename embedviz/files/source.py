"""Reading a file in chunks of bytes: plain, compressed (gzip, bzip2, xz), or in a zip archive.

The bytes are hashed, counted and limited while they are read. Compression and UTF-16 are recognised by the first bytes,
never by the name. UTF-16 is converted to UTF-8.
"""

from __future__ import annotations

import codecs
import hashlib
import lzma
import stat
import tempfile
import threading
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from embedviz.core import time_limit
from embedviz.core.progress import Report
from embedviz.files import encodings
from embedviz.files.archives import FAULTS
from embedviz.files.errors import FormatError, damaged
from embedviz.files.packing import CutShort, packer_of, unpacked
from embedviz.files.zips import BoundedZip, ZipRefusal, refusal_of

CHUNK = 4 * 2**20  # bytes in a chunk
_PACKED_CHUNK = 2**16  # compressed bytes per read; small, because the decompressor copies the rest at each stream end
_THREADED = 2**20  # minimum bytes in a read for the use of threads
_AHEAD = 2  # chunks that are read ahead, or wait to be hashed, while one is in use
HEAD = 2**20  # bytes used to recognise a format
SUSPECT_RATIO = 100
SUSPECT_BYTES = 64 * 2**20  # below this size, any compression ratio is allowed
MAX_BYTES = 16 * 2**30
_TEXT_CONTROLS = b"\t\r\f"
PACKED_ENDINGS = (".gz", ".bz2", ".xz")


class Arriving:
    """The progress of a file that is read while it is still being written. Readers wait for bytes not written yet.

    Args:
        size: Final number of bytes of the file.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._there, self._changed = 0, threading.Condition()
        self._whole: bool | None = None

    def reached(self, there: int) -> None:
        """Record the number of bytes written so far. If it falls, writing began again: the file is then refused."""
        with self._changed:
            if there < self._there:
                self._whole = False
            self._there = there
            self._changed.notify_all()

    def end(self, *, whole: bool) -> None:
        """Record that writing has ended, and whether the file is complete and correct."""
        with self._changed:
            self._whole = whole if self._whole is None else self._whole
            self._changed.notify_all()

    def wait(self, count: int) -> None:
        """Wait until `count` bytes are written, or until writing has ended.

        Raises:
            FormatError: The file did not arrive whole.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._there >= count or self._whole is not None)
            if self._whole is False:
                raise FormatError("The file did not come whole. Download it again.", {"reason": "damaged", "usable": 0})


class Source:
    """A file that is read once, from the beginning to the end.

    Args:
        max_bytes: Maximum number of bytes that a compressed file may unpack to.
        report: Receives the progress while `seekable()` decompresses the file.
        encoding: Encoding of the words; empty if unknown. Only UTF-16 and UTF-32 are converted here.
        member: Name of a file in a zip archive, to read this file instead of the archive; empty to read `path` itself.
        arriving: Progress of the file if it is still being written, otherwise None.

    Attributes:
        size: Number of bytes on disk.
        taken: Number of bytes read from disk so far.
        packed: Whether the file is compressed, or is read from an archive.
        members: The open zip archive if a member is read, otherwise None.
        turned: The line end of a text without line feeds; `chunks()` yields line feeds in its place. Otherwise empty.
        wide: The encoding of the file if it is UTF-16 or UTF-32, otherwise empty.
        wide_guessed: Whether `wide` was guessed, because the file has no byte-order mark.
        head: The first bytes of the file, decompressed; `chunks()` yields these bytes again.
        cut: Whether the compressed data stopped before their end mark; known after the last chunk.

    Raises:
        FormatError: The file cannot be opened, is not a regular file, is damaged, or the member has a password.
    """

    def __init__(
        self,
        path: str | Path,
        max_bytes: int = MAX_BYTES,
        report: Report | None = None,
        encoding: str = "",
        member: str = "",
        arriving: Arriving | None = None,
    ) -> None:
        self._path, self.max_bytes, self._report, self._arriving = Path(path), max_bytes, report, arriving
        self._file = _open(self._path)
        self._zip: BinaryIO | None = None
        self._member, self.members = member, self._archive() if member else None
        self._whole: BinaryIO | None = None
        self._digest = hashlib.sha256()
        self._reader, self._hasher = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._ahead, self._hashing = deque[Future[bytes]](), deque[Future[None]]()
        self.size = arriving.size if arriving else self._path.stat().st_size
        self.taken = self._given = 0
        self.cut = False
        try:
            first = self._raw(_PACKED_CHUNK)
            self._packer = packer_of(first)
            self.packed = bool(self._packer or member)
            if member:
                self._pieces = self._of_member()
            else:
                self._pieces = self._unpacked(first) if self.packed else self._plain(first)
            begun = next(self._pieces, b"")
            self._pieces = chain([begun] if begun else [], self._pieces)
            self.encoding = encoding
            self.turned = _other_ends(begun)
            self.wide = encoding if encodings.is_wide(encoding) else "" if encoding else encodings.wide(begun)
            self.wide_guessed = self.wide not in ("", "utf-16", "utf-32", encoding)
            if self.wide:
                self._pieces = _narrowed(self._pieces, self.wide)
            elif self.turned:
                self._pieces = (piece.replace(self.turned, b"\n") for piece in self._pieces)
            self.head = self._first_bytes()
            if self.cut and not self.head:
                raise _cut(self._packer)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *error: object) -> None:
        self._reader.shutdown(cancel_futures=True)
        self._hasher.shutdown(cancel_futures=True)
        for each in (self._file, self._whole, self._zip, self.members):
            if each is not None:
                each.close()

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self._path

    @property
    def name(self) -> str:
        """Return the name of the file (or of the member that is read) without folders."""
        return PurePosixPath(self._member).name if self._member else self._path.name

    @property
    def inside(self) -> str:
        """Return the folder of the member inside the archive; “.” for the top folder."""
        return str(PurePosixPath(self._member.replace("\\", "/")).parent)

    @property
    def stem(self) -> str:
        """Return the name of the file or member without suffixes, such as “vectors” for “vectors.txt.gz”."""
        name = self.name
        for ending in PACKED_ENDINGS:
            name = name.removesuffix(ending)
        return Path(name).stem or self.name

    @property
    def fraction(self) -> float:
        """Return the share of the file, or of the member, that has been read, 0 to 1."""
        if self.members is not None:
            return min(1.0, self._given / max(1, self.members.getinfo(self._member).file_size))
        return min(1.0, self.taken / max(1, self.size))

    def chunks(self) -> Iterator[bytes]:
        """Yield all bytes from the beginning, decompressed. Call this only once.

        Raises:
            FormatError: The compressed data are damaged, or unpack to more than `max_bytes`.
        """
        for start in range(0, len(self._held), CHUNK):
            yield self._held[start : start + CHUNK]
        yield from self._pieces

    def seekable(self) -> BinaryIO:
        """Return an open file with all bytes, decompressed, for random access. The source closes it at the end.

        Use either this or `chunks()`. The open file is the file itself, or a temporary copy if the bytes have to be
        decompressed or converted.

        Raises:
            FormatError: The compressed data are damaged, end early, or unpack to more than `max_bytes`.
        """
        copied = self.packed or bool(self.wide or self.turned)
        self._whole = tempfile.TemporaryFile() if copied else self._path.open("rb")  # noqa: SIM115 (see __exit__)
        if copied:
            for chunk in self.chunks():
                self._whole.write(chunk)
                if self._report:
                    self._report(0.0, f"unpacking, {self.fraction:.0%}")
            if self.cut:
                raise _cut(self._packer)
            self._whole.seek(0)
        return self._whole

    def check_unpacked(self, count: int, packed: int) -> None:
        """Raise an error if too many bytes were unpacked, compared with `max_bytes` or with the compressed size.

        Args:
            count: Number of bytes after decompression.
            packed: Number of compressed bytes that were decompressed.

        Raises:
            FormatError: `count` is above `max_bytes`, or it is above 64 MiB and more than 100 times `packed`.
        """
        if count > self.max_bytes:
            raise too_large(self.max_bytes)
        if count > SUSPECT_BYTES and count > SUSPECT_RATIO * max(1, packed):
            raise _bomb()

    def checksum(self) -> str:
        """Return the SHA-256 of the file on disk, in hexadecimal. This reads the file to its end."""
        while self._raw():
            pass
        return self._digest.hexdigest()

    def _raw(self, count: int = CHUNK) -> bytes:
        """Return the next bytes from disk. For large reads, threads hash these bytes and read the next chunks."""
        time_limit.check()
        data = self._ahead.popleft().result() if self._ahead else self._read(count)
        many = len(data) >= _THREADED
        while many and len(self._ahead) < _AHEAD:
            self._ahead.append(self._reader.submit(self._read, count))
        while len(self._hashing) > (_AHEAD if many else 0):
            self._hashing.popleft().result()
        if many:
            self._hashing.append(self._hasher.submit(self._digest.update, data))
        else:
            self._digest.update(data)
        self.taken += len(data)
        return data

    def _read(self, count: int) -> bytes:
        if self._arriving is not None:
            self._arriving.wait(self._file.tell() + count)
        return self._file.read(count)

    def _first_bytes(self) -> bytes:
        held = bytearray()
        while len(held) <= HEAD and (piece := next(self._pieces, b"")):
            held += piece
        self._held = bytes(held)
        return self._held[:HEAD]

    def _plain(self, first: bytes) -> Iterator[bytes]:
        data = first
        while data:
            yield data
            data = self._raw()

    def _archive(self) -> BoundedZip:
        """Return the open zip archive. It has a file handle of its own, since the first handle is for hashing."""
        try:
            self._zip = self._path.open("rb")
            return BoundedZip(self._zip, most=self.max_bytes, ratio=SUSPECT_RATIO)
        except FAULTS as error:
            self._file.close()
            if self._zip is not None:
                self._zip.close()
            raise damaged("archive", error) from None

    def _of_member(self) -> Iterator[bytes]:
        """Yield the bytes of the member. zipfile reads no more than the size that the archive states for the member."""
        if self.members is None:
            return
        try:
            with self.members.open(self._member) as stream:
                while data := stream.read(CHUNK):
                    self._given += len(data)
                    yield data
        except ZipRefusal as error:
            raise FormatError(refusal_of(error), {"reason": "packed", "usable": 0}) from None
        except FAULTS as error:
            raise damaged("archive", error) from None

    def _unpacked(self, first: bytes) -> Iterator[bytes]:
        total = 0
        try:
            for piece in unpacked(self._packer, first, partial(self._raw, _PACKED_CHUNK), CHUNK):
                total += len(piece)
                self.check_unpacked(total, self.taken)
                yield piece
        except CutShort:
            self.cut = True
        except FormatError:
            raise
        except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError) as error:
            raise _damaged(self._packer, error) from None


def _other_ends(begun: bytes) -> bytes:
    """Return the line end (carriage return or form feed) of a text without line feeds; empty for any other data."""
    if b"\n" in begun or begun.translate(None, _TEXT_CONTROLS) != begun.translate(None, bytes(range(32))):
        return b""
    return next((sign for sign in (b"\r", b"\f") if sign in begun.strip()), b"")


def _narrowed(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Yield the pieces of a text converted from `encoding` to UTF-8; invalid bytes become U+FFFD.

    Raises:
        FormatError: The text lacks the byte-order mark that the encoding needs.
    """
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    try:
        for piece in pieces:
            if text := decoder.decode(piece):
                yield text.encode("utf-8", "replace")
        if text := decoder.decode(b"", final=True):
            yield text.encode("utf-8", "replace")
    except UnicodeError:
        sentence = f"The file does not begin as a text in {encoding} does. Leave the encoding out, or choose another."
        raise FormatError(sentence, {"reason": "encoding", "found": encoding, "usable": 0}) from None


def _open(path: Path) -> BinaryIO:
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise FormatError(f"{path.name} is a folder; name a file.", {"reason": "folder"})
        if not stat.S_ISREG(kind):
            raise FormatError(f"{path.name} is not a plain file; name a file.", {"reason": "not a file"})
        return path.open("rb", buffering=0)
    except FileNotFoundError:
        raise FormatError(f"There is no file {path.name}; check its name.", {"reason": "missing"}) from None
    except FormatError:
        raise
    except (OSError, ValueError) as error:
        raise FormatError(f"{path.name} cannot be opened: {error}.", {"reason": "unreadable"}) from None


def _damaged(packer: str, error: Exception) -> FormatError:
    reason = str(error).rpartition(": ")[2]
    return FormatError(
        f"The {packer} data are damaged ({reason}), so no line of them can be trusted. "
        "Copy or download the file again.",
        {"reason": "damaged", "usable": 0},
    )


def _cut(packer: str) -> FormatError:
    text = f"The {packer} data end early, so the file is not whole. Copy or download it again."
    return FormatError(text, {"reason": "damaged", "usable": 0})


def _bomb() -> FormatError:
    return FormatError(
        f"The file unpacks to more than {SUSPECT_RATIO} times its size; vectors shrink to a third. "
        "It holds no vectors worth reading; unpack it yourself to look inside.",
        {"reason": "bomb"},
    )


def too_large(limit: int) -> FormatError:
    """Return the error for a file that unpacks to more than `limit` bytes."""
    return FormatError(
        f"The file unpacks to more than {limit:,} bytes, the most that is read. Unpack it first, or make it smaller.",
        {"reason": "too large", "expected": limit},
    )
