"""Pasted lists of words: separated by lines, commas, semicolons or tabs, or the first column of an exported table."""

import re
from collections.abc import Iterable, Iterator

from embedviz.core.phrases import visible

_HEADER = "word"
_FORMULA = re.compile("'* *[-=+@\t\r＝＋－＠]")  # beginning of a cell that a spreadsheet computes, after apostrophes
_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|u(?!d[89a-f])[0-9a-f]{4}|U000e00[0-7][0-9a-f])")
_QUOTED = r'[ ]*"((?:[^"]|""){0,32767}+)"[ ]*'  # as CSV writes a cell that holds a separator; "" is a quotation mark
_NEEDS_QUOTES = re.compile(r'[,;\t\n\r"]|^\s|\s$')


def words_of(text: str) -> list[str]:
    """Return the words in a pasted text, each once, in order.

    Cells may be quoted as in CSV. The text is a table if its first cell is "word", it has at least two columns and two
    lines, and all lines have the same number of cells. The words of a table are its first column without this cell.
    Escapes and apostrophes that `inert()` added are removed from them.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    words: Iterable[str] = _column(text)
    if not words:
        words = (cell for cell, _ in _cells(text, ",;\t")) if '"' in text else re.split("[,;\t\n]", text)
    return list(dict.fromkeys(word for word in (cell.strip() for cell in words) if word))


def text_of(words: Iterable[str]) -> str:
    """Return the words as one text, separated by commas, from which `words_of()` returns the same words.

    Words that contain separators or quotes stand in quotes.
    """
    return ", ".join(_quoted(word) if _NEEDS_QUOTES.search(word) else word for word in words)


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _column(text: str) -> list[str]:
    """Return the first column of a table, without the header. For a text that is not a table return an empty list."""
    found = re.match(rf'"?{_HEADER}"?([,;\t])', text)
    if found is None:
        return []
    rows: list[list[str]] = [[]]
    for cell, ends in _cells(text.rstrip("\n"), found[1]):
        rows[-1].append(cell)
        if ends:
            rows.append([])
    rows.pop()
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return []
    return [_bare(row[0]) for row in rows[1:]]


def _cells(text: str, separators: str) -> Iterator[tuple[str, bool]]:
    """Yield each cell of a text, and whether the cell is the last in its line."""
    cell = re.compile(rf"(?:{_QUOTED}(?=[{separators}\n]|\Z)|([^{separators}\n]*))([{separators}\n]|\Z)")
    place = 0
    while place <= len(text):
        found = cell.match(text, place)
        if found is None:  # cannot happen: the second form matches any text
            return
        quoted, bare, end = found.groups()
        yield (quoted.replace('""', '"') if quoted is not None else bare), end in ("\n", "")
        if not end:
            return
        place = found.end()


def inert(cell: str) -> str:
    """Return the cell in a form that is safe in a spreadsheet: invisible characters escaped, formulas as text.

    An apostrophe before a formula makes the formula a text. A backslash that already looks like an escape is escaped
    too. So `words_of()` gets every original cell back.
    """
    cell = visible(_ESCAPE.sub(r"\\x5c\1", cell), lines=True)
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _bare(cell: str) -> str:
    """Return the original of a cell that `inert()` has made safe for spreadsheets."""
    cell = cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell
    return _ESCAPE.sub(lambda found: chr(int(found[1][1:], 16)), cell)
