"""The lines of a text of any size, a line at a time, whatever ends them and however they are coded."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator

from embedviz.files.archives import CorpusError

_CHUNK = 2**20
_HEAD = 2**18
_CONTROL = bytes(sign for sign in range(1, 32) if sign not in b"\t\n\v\f\r\x1b")

Read = Callable[[int], bytes]


class NotText(CorpusError):
    """Bytes that are no text."""


def byte_lines(read: Read, longest: int) -> Iterator[tuple[int, bytes, bool]]:
    """Each line as bytes, with its number from 1; False with the first piece of one that is too long.

    Raises:
        CorpusError: The bytes are no text.
    """
    start = read(_CHUNK)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        read = _recoded(after(start, read))
        start = read(_CHUNK)
    held, number, data, cut, back = b"", 1, start.removeprefix(b"\xef\xbb\xbf"), False, b""
    _refuse_binary(data[:_HEAD])
    while data or back:
        given, data = bool(data), back + data
        back = b"\r" if given and data.endswith(b"\r") else b""  # whose line feed may come next
        data = data[: len(data) - len(back)]
        if b"\0" in data:
            place = number + data.count(b"\n", 0, data.index(0))
            raise NotText(
                f"Line {place:,} holds a NUL byte: it is no text, or UTF-16 without its mark. Save it as UTF-8."
            )
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = (held + data).split(b"\n")
        held = lines.pop()
        for line in lines:
            while len(line) > longest:
                piece, line = _cut(line, longest)
                yield number, piece, cut
                cut = True
            yield number, line, True
            number, cut = number + 1, False
        while len(held) > longest:
            piece, held = _cut(held, longest)
            yield number, piece, cut
            cut = True
        data = read(_CHUNK)
    if held:
        yield number, held, True


def latin(raw: bytes) -> str:
    """Bytes that are not UTF-8 as Windows-1252, or as Latin-1 where that has no sign for one of them."""
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def head_of(start: bytes) -> str:
    """The beginning of a file as text that tells what it is."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return start.decode("utf-16", "replace")
    text = start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def after(start: bytes, read: Read) -> Read:
    """The same bytes from their beginning, of which the first were read already."""
    held = io.BytesIO(start)

    def from_start(count: int) -> bytes:
        return held.read(count) or read(count)

    return from_start


def _cut(line: bytes, longest: int) -> tuple[bytes, bytes]:
    """A piece of at most so many bytes that ends at a blank, or else between two characters; and the rest."""
    at = line.rfind(b" ", longest // 2, longest)
    if at < 0:
        at = longest
        while at > longest - 4 and line[at] & 0xC0 == 0x80:
            at -= 1
    return line[:at], line[at:]


def _recoded(read: Read) -> Read:
    """UTF-16 with its mark as UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-16")()

    def recode(count: int) -> bytes:
        while True:
            data = read(count)
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError:
                raise NotText("It begins like text in UTF-16 and is none. Save the file as UTF-8.") from None
            if text or not data:
                return text.encode("utf-8", "replace")

    return recode


def _refuse_binary(start: bytes) -> None:
    if len(start) - len(start.translate(None, _CONTROL)) > 0.02 * len(start):
        raise NotText("It is no text: it is full of control characters, as pictures and packed files are.")
