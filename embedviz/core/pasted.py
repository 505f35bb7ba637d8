"""Lists of words as people paste them: lines, commas, semicolons, tabs, or the first column of a table we exported."""

import re
from collections.abc import Iterable, Iterator

from embedviz.core.phrases import visible

_HEADER = "word"
_FORMULA = re.compile("'* *[-=+@\t\r＝＋－＠]")  # how a cell begins that a spreadsheet computes, apostrophes before it
_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|u(?!d[89a-f])[0-9a-f]{4}|U000e00[0-7][0-9a-f])")
_QUOTED = r'[ ]*"((?:[^"]|""){0,32767}+)"[ ]*'  # as CSV writes a cell that holds a separator; "" is a quotation mark
_NEEDS_QUOTES = re.compile(r'[,;\t\n\r"]|^\s|\s$')


def words_of(text: str) -> list[str]:
    """Return the words in a pasted text, each once, in order.

    Cells may be quoted as in CSV. Where the first line is a header that begins with "word" and every line has as many
    cells, it is a table: its first column is read, without the apostrophe that keeps a spreadsheet from computing.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    words: Iterable[str] = _column(text)
    if not words:
        words = (cell for cell, _ in _cells(text, ",;\t")) if '"' in text else re.split("[,;\t\n]", text)
    return list(dict.fromkeys(word for word in (cell.strip() for cell in words) if word))


def text_of(words: Iterable[str]) -> str:
    """Return the words as one text that `words_of` reads back: commas between them, quotes where a word needs them."""
    return ", ".join(_quoted(word) if _NEEDS_QUOTES.search(word) else word for word in words)


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _column(text: str) -> list[str]:
    """Return the first column of a table with a header, or nothing where the text is no such table."""
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
    """Yield each cell, and whether it ends its line."""
    cell = re.compile(rf"(?:{_QUOTED}(?=[{separators}\n]|\Z)|([^{separators}\n]*))([{separators}\n]|\Z)")
    place = 0
    while place <= len(text):
        found = cell.match(text, place)
        if found is None:  # cannot be: the second form takes anything
            return
        quoted, bare, end = found.groups()
        yield (quoted.replace('""', '"') if quoted is not None else bare), end in ("\n", "")
        if not end:
            return
        place = found.end()


def inert(cell: str) -> str:
    """Return the cell with invisible characters escaped, and an apostrophe before what a spreadsheet would compute.

    `words_of` undoes both. What looks like an escape or has such an apostrophe already is marked too, so that all come
    back as they were.
    """
    cell = visible(_ESCAPE.sub(r"\\x5c\1", cell), lines=True)
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _bare(cell: str) -> str:
    """Return the cell as it was before `inert`."""
    cell = cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell
    return _ESCAPE.sub(lambda found: chr(int(found[1][1:], 16)), cell)
