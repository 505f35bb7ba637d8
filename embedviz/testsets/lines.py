"""The text of a test set's file as lines with their numbers; what cannot be read is refused with its place."""

from __future__ import annotations

from typing import NamedTuple

from embedviz.core.phrases import cut
from embedviz.testsets.sets import TestSetError

LONGEST_LINE = 20_000
"""Characters."""
LONGEST_WORD = 200
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class Line(NamedTuple):
    """A line that is neither empty nor a comment, without its surrounding blanks."""

    number: int
    text: str

    def shown(self) -> str:
        """The line as a sentence quotes it."""
        return f"line {self.number:,}, “{cut(self.text)}”"

    @property
    def start(self) -> str:
        """The line as the beginning of a sentence."""
        return f"L{self.shown()[1:]}"


def decoded(content: bytes) -> str:
    """The text of a file: UTF-8, or UTF-16 where its first bytes say so.

    Raises:
        TestSetError: It is something else; the sentence names the place.
    """
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    if encoding != "utf-16" and b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise TestSetError(
            f"Line {line:,} holds a zero byte: this is no text file. A test set is text in UTF-8, or a .zip of BATS."
        )
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, place = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        raise TestSetError(
            f"Line {line:,} is not {encoding.upper().removesuffix('-SIG')}: its byte {place:,} is "
            f"0x{content[error.start]:02X}. Save the file as UTF-8."
        ) from None


def lines_of(text: str) -> list[Line]:
    """The lines of a text without empty ones and comments, which begin with `#`.

    Raises:
        TestSetError: A line is far too long, or there are none.
    """
    found = []
    for number, raw in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if len(raw) > LONGEST_LINE:
            raise TestSetError(
                f"Line {number:,} has {len(raw):,} characters; at most {LONGEST_LINE:,} are read. "
                "A test set has one question, pair or list a line."
            )
        line = raw.strip("\ufeff ").rstrip()  # a tab at the beginning is a cell without its word
        if line and not line.startswith("#"):
            found.append(Line(number, line))
    if not found:
        raise TestSetError("The file has no line with words. A test set has one question, pair or list a line.")
    return found


def word(text: str, where: str) -> str:
    """A word of a set, tidied.

    Raises:
        TestSetError: It is empty or far too long.
    """
    tidy = " ".join(text.split())
    if not tidy:
        raise TestSetError(f"A word is missing in {where}.")
    if len(tidy) > LONGEST_WORD:
        raise TestSetError(f"A word in {where} has {len(tidy):,} characters; at most {LONGEST_WORD} are read.")
    return tidy
