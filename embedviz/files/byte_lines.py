"""Reading a text of any size line by line, as bytes: with any line end, in UTF-8, UTF-16 or another encoding."""

import codecs
import io
from collections.abc import Iterator

from embedviz.files.archives import FileError, Read

_CHUNK = 2**20
_HEAD = 2**18
_MOST_CONTROL = 0.08  # random bytes have 0.1; postings that quote encrypted text have up to 0.074
_CONTROL = bytes(sign for sign in range(1, 32) if sign not in b"\t\n\v\f\r\x1b")


class NotText(FileError):
    """The error of bytes that are not text."""


def byte_lines(read: Read, longest: int) -> Iterator[tuple[int, bytes, bool]]:
    """Yield for each line its number (from 1), its bytes and a flag. A line above `longest` bytes comes in pieces.

    The flag is False for the first piece of such a line, and True for its other pieces and for all shorter lines. So a
    caller can count the lines that are too long.

    Args:
        read: Function that takes a number n, and returns the next n bytes or fewer.
        longest: Maximum number of bytes in a line or a piece.

    Raises:
        NotText: The bytes are not text, or are UTF-16 without a byte-order mark.
    """
    start = read(_CHUNK)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        read = _recoded(after(start, read))
        start = read(_CHUNK)
    held, number, data, cut, back = b"", 1, start.removeprefix(b"\xef\xbb\xbf"), False, b""
    _refuse_binary(data[:_HEAD])
    while data or back:
        given, data = bool(data), back + data
        back = b"\r" if given and data.endswith(b"\r") else b""  # its line feed may be in the next chunk
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
    """Decode bytes that are not UTF-8 as Windows-1252, or as Latin-1 if a byte is not valid in Windows-1252."""
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def head_of(start: bytes) -> str:
    """Return the first bytes of a file as text, to recognise its format; invalid bytes become U+FFFD."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return start.decode("utf-16", "replace")
    text = start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def after(start: bytes, read: Read) -> Read:
    """Return a function that gives the bytes of `start` first, and then the bytes of the function `read`."""
    held = io.BytesIO(start)

    def from_start(count: int) -> bytes:
        return held.read(count) or read(count)

    return from_start


def strict_text(content: bytes, refused: type[ValueError], says: str, name: str = "") -> str:
    """Return the text of a small file in UTF-8, or in UTF-16 with a byte-order mark.

    Args:
        refused: The exception to raise if the file is not valid in its encoding; the message names the line.
        says: Sentence that is added to the message if the file is binary, which means that it holds a zero byte.
        name: Name of the file for the message; may be empty.
    """
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    content = content.removeprefix(b"\xef\xbb\xbf")
    codec = "UTF-16" if wide else "UTF-8"
    try:
        text = content.decode("utf-16" if wide else "utf-8")
        at = -1 if wide else content.find(b"\0")
        if at < 0:
            return text
    except UnicodeDecodeError as error:
        at = error.start if wide or b"\0" not in content else content.index(b"\0")
    line, place = content.count(b"\n", 0, at) + 1, at - content.rfind(b"\n", 0, at)
    where = f"Line {line:,} of {name}" if name else f"Line {line:,}"
    if not wide and content[at] == 0:
        raise refused(f"{where} holds a zero byte: this is no text file. {says}")
    raise refused(f"{where} is not {codec}: its byte {place:,} is 0x{content[at]:02X}. Save the file as UTF-8.")


def _cut(line: bytes, longest: int) -> tuple[bytes, bytes]:
    """Cut a line into a piece of at most `longest` bytes and the rest: at a blank, or else between two characters."""
    at = line.rfind(b" ", longest // 2, longest)
    if at < 0:
        at = longest
        while at > longest - 4 and line[at] & 0xC0 == 0x80:
            at -= 1
    return line[:at], line[at:]


def _recoded(read: Read) -> Read:
    """Return a function that gives the bytes of `read` converted from UTF-16 (with a byte-order mark) to UTF-8."""
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
    if len(start) - len(start.translate(None, _CONTROL)) > _MOST_CONTROL * len(start):
        raise NotText("It is no text: it is full of control characters, as pictures and packed files are.")
