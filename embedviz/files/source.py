"""A file as chunks of bytes, plain or gzip: hashed, measured and bounded on the way.

Whether it is packed, or text in UTF-16, is told by its first bytes, never by its name. UTF-16 comes out as UTF-8.
"""

from __future__ import annotations

import codecs
import hashlib
import stat
import tempfile
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from embedviz.core.progress import Report
from embedviz.files import encodings
from embedviz.files.errors import FormatError

CHUNK = 4 * 2**20  # bytes handed on at a time
HEAD = 2**20  # bytes that a format is told by
SUSPECT_RATIO = 100
SUSPECT_BYTES = 64 * 2**20  # below this a small file may shrink as it likes
MAX_BYTES = 16 * 2**30
GZIP = b"\x1f\x8b"


class Source:
    """One pass over a file.

    Args:
        max_bytes: How much a packed file may grow to.
        report: Told how far the unpacking is where a reader asks for `seekable`.
        encoding: In which the words stand, if somebody said so; only one of two or four bytes a letter is heeded here.

    Attributes:
        size: Bytes on disk.
        taken: Bytes read from disk so far.
        packed: Whether it is gzip.
        wide: The encoding of two or four bytes a letter that it was in, or empty; `wide_guessed`: without a mark.
        head: Its first bytes, unpacked; they come again as part of `chunks`.
        cut: Whether the gzip data ended before its end mark; known after the last chunk.

    Raises:
        FormatError: It cannot be opened, is no plain file, is empty or is damaged.
    """

    def __init__(
        self, path: str | Path, max_bytes: int = MAX_BYTES, report: Report | None = None, encoding: str = ""
    ) -> None:
        self._path, self.max_bytes, self._report = Path(path), max_bytes, report
        self._file = _open(self._path)
        self._whole: BinaryIO | None = None
        self._digest = hashlib.sha256()
        self.size = self._path.stat().st_size
        self.taken = 0
        self.cut = False
        try:
            first = self._raw()
            self.packed = first.startswith(GZIP)
            self._pieces = self._unpacked(first) if self.packed else self._plain(first)
            begun = next(self._pieces, b"")
            self._pieces = chain([begun] if begun else [], self._pieces)
            self.wide = encoding if encodings.is_wide(encoding) else "" if encoding else encodings.wide(begun)
            self.wide_guessed = self.wide not in ("", "utf-16", "utf-32", encoding)
            if self.wide:
                self._pieces = _narrowed(self._pieces, self.wide)
            self.head = self._first_bytes()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        if self._whole is not None:
            self._whole.close()

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._path

    @property
    def name(self) -> str:
        """The file's name without folders."""
        return self._path.name

    @property
    def stem(self) -> str:
        """The file's name without `.gz` and its suffix."""
        name = self._path.name.removesuffix(".gz")
        return Path(name).stem or self._path.name

    @property
    def fraction(self) -> float:
        """How much of the file was read, 0 to 1."""
        return min(1.0, self.taken / max(1, self.size))

    def chunks(self) -> Iterator[bytes]:
        """Yield all bytes, unpacked, from the beginning; may be asked for once.

        Raises:
            FormatError: The packed data are damaged or grow past `max_bytes`.
        """
        for start in range(0, len(self._held), CHUNK):
            yield self._held[start : start + CHUNK]
        yield from self._pieces

    def seekable(self) -> BinaryIO:
        """Return all bytes, unpacked, in a file to be read at any place, in place of `chunks`; closed with the source.

        It is the file itself, or a copy without a name where that is packed or in UTF-16.

        Raises:
            FormatError: The packed data are damaged, end early or grow past `max_bytes`.
        """
        copied = self.packed or bool(self.wide)
        self._whole = tempfile.TemporaryFile() if copied else self._path.open("rb")  # noqa: SIM115 (see __exit__)
        if copied:
            for chunk in self.chunks():
                self._whole.write(chunk)
                if self._report:
                    self._report(0.0, f"unpacking, {self.fraction:.0%}")
            if self.cut:
                raise _cut()
            self._whole.seek(0)
        return self._whole

    def checksum(self) -> str:
        """Return the SHA-256 of the file as it lies on disk; reads what was not read yet."""
        while self._raw():
            pass
        return self._digest.hexdigest()

    def _raw(self) -> bytes:
        data = self._file.read(CHUNK)
        self._digest.update(data)
        self.taken += len(data)
        return data

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

    def _unpacked(self, first: bytes) -> Iterator[bytes]:
        packer, data, total = zlib.decompressobj(wbits=31), first, 0
        while data or not packer.eof:
            try:
                piece = packer.decompress(data, CHUNK)
            except zlib.error as error:
                raise _damaged(error) from None
            total += len(piece)
            if total > self.max_bytes:
                raise too_large(self.max_bytes)
            if total > SUSPECT_BYTES and total > SUSPECT_RATIO * max(1, self.taken):
                raise bomb()
            if piece:
                yield piece
            data = packer.unconsumed_tail
            if packer.eof:
                data = self._next_member(packer.unused_data)
                packer = zlib.decompressobj(wbits=31) if data else packer
            elif not data and len(piece) < CHUNK:
                data = self._raw()
                if not data:
                    self.cut = True
                    return

    def _next_member(self, data: bytes) -> bytes:
        """Return what follows a whole gzip member but for padding; empty at the end of the file."""
        rest = data.lstrip(b"\0")
        while not rest and (data := self._raw()):
            rest = data.lstrip(b"\0")
        return rest


def _narrowed(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Yield the same text in UTF-8; what is no letter comes as U+FFFD."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for piece in pieces:
        if text := decoder.decode(piece):
            yield text.encode("utf-8", "replace")
    if text := decoder.decode(b"", final=True):
        yield text.encode("utf-8", "replace")


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
    except (OSError, ValueError) as error:
        raise FormatError(f"{path.name} cannot be opened: {error}.", {"reason": "unreadable"}) from None


def _damaged(error: Exception) -> FormatError:
    reason = str(error).rpartition(": ")[2]
    return FormatError(
        f"The gzip data are damaged ({reason}), so no line of them can be trusted. Copy or download the file again.",
        {"reason": "damaged", "usable": 0},
    )


def _cut() -> FormatError:
    text = "The gzip data end early, so the file is not whole. Copy or download it again."
    return FormatError(text, {"reason": "damaged", "usable": 0})


def bomb() -> FormatError:
    """Return the refusal of a file that unpacks beyond belief."""
    return FormatError(
        f"The file unpacks to more than {SUSPECT_RATIO} times its size; vectors shrink to a third. "
        "It holds no vectors worth reading; unpack it yourself to look inside.",
        {"reason": "bomb"},
    )


def too_large(limit: int) -> FormatError:
    """Return the refusal of a file that unpacks to more than is read."""
    return FormatError(
        f"The file unpacks to more than {limit:,} bytes, the most that is read. Unpack it first, or make it smaller.",
        {"reason": "too large", "expected": limit},
    )
