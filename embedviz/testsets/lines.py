"""The numbered lines of a test set file. An error names the line that cannot be read."""

from typing import NamedTuple

from embedviz.core.phrases import cut
from embedviz.files.byte_lines import strict_text
from embedviz.testsets.sets import TestSetError

LONGEST_LINE = 20_000
"""Maximum number of characters in a line."""
LONGEST_WORD = 200


class NumberedLine(NamedTuple):
    """A line of text with its number, counted from 1. Surrounding blanks are removed, but not tabs at the beginning."""

    number: int
    text: str

    def quoted(self) -> str:
        """Return the line number and the shortened text, to be used inside a sentence: `line 7, “king man”`."""
        return f"line {self.number:,}, “{cut(self.text)}”"

    @property
    def start(self) -> str:
        """Return the text of `quoted` with a capital letter, to begin a sentence: `Line 7, “king man”`."""
        return f"L{self.quoted()[1:]}"


def decoded(content: bytes) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with a byte-order mark.

    Raises:
        TestSetError: The file is in neither encoding; the message names the line.
    """
    return strict_text(content, TestSetError, "A test set is text in UTF-8, or a .zip of BATS.")


def lines_of(text: str) -> list[NumberedLine]:
    """Return the lines of a text. Empty lines and comments, which begin with `#`, are left out.

    Raises:
        TestSetError: A line is longer than `LONGEST_LINE`, or no line is left.
    """
    found = []
    for number, raw in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if len(raw) > LONGEST_LINE:
            raise TestSetError(
                f"Line {number:,} has {len(raw):,} characters; at most {LONGEST_LINE:,} are read. "
                "A test set has one question, pair or list a line."
            )
        line = raw.strip("\ufeff ").rstrip()  # a tab at the beginning stays: it marks an empty first cell
        if line and not line.startswith("#"):
            found.append(NumberedLine(number, line))
    if not found:
        raise TestSetError("The file has no line with words. A test set has one question, pair or list a line.")
    return found


def word(text: str, where: str) -> str:
    """Return a word of a test set with surrounding and repeated blanks removed.

    Args:
        where: Where the word stands, for the error message.

    Raises:
        TestSetError: The word is empty, or longer than `LONGEST_WORD`.
    """
    tidy = " ".join(text.split())
    if not tidy:
        raise TestSetError(f"A word is missing in {where}.")
    if len(tidy) > LONGEST_WORD:
        raise TestSetError(f"A word in {where} has {len(tidy):,} characters; at most {LONGEST_WORD} are read.")
    return tidy
