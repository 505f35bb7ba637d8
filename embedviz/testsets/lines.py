"""The text of a test set's file as lines with their numbers; what cannot be read is refused with its place."""

from typing import NamedTuple

from embedviz.core.phrases import cut
from embedviz.files.byte_lines import strict_text
from embedviz.testsets.sets import TestSetError

LONGEST_LINE = 20_000
"""Characters."""
LONGEST_WORD = 200


class NumberedLine(NamedTuple):
    """A line that is neither empty nor a comment, without its surrounding blanks."""

    number: int
    text: str

    def quoted(self) -> str:
        """Return the line as a sentence quotes it."""
        return f"line {self.number:,}, “{cut(self.text)}”"

    @property
    def start(self) -> str:
        """Return the line number as the beginning of a sentence."""
        return f"L{self.quoted()[1:]}"


def decoded(content: bytes) -> str:
    """Return the text of a file: UTF-8, or UTF-16 where its first bytes say so.

    Raises:
        TestSetError: It is something else; the sentence names the place.
    """
    return strict_text(content, TestSetError, "A test set is text in UTF-8, or a .zip of BATS.")


def lines_of(text: str) -> list[NumberedLine]:
    """Return the lines of a text without empty ones and comments, which begin with `#`.

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
            found.append(NumberedLine(number, line))
    if not found:
        raise TestSetError("The file has no line with words. A test set has one question, pair or list a line.")
    return found


def word(text: str, where: str) -> str:
    """Return a word of a set, tidied.

    Raises:
        TestSetError: It is empty or far too long.
    """
    tidy = " ".join(text.split())
    if not tidy:
        raise TestSetError(f"A word is missing in {where}.")
    if len(tidy) > LONGEST_WORD:
        raise TestSetError(f"A word in {where} has {len(tidy):,} characters; at most {LONGEST_WORD} are read.")
    return tidy
