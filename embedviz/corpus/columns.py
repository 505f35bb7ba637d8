"""Find the column of texts and the column of groups in a table."""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from embedviz.core.phrases import listing
from embedviz.files.archives import CorpusError
from embedviz.tables import SEPARATORS, TEXT_NAMES, cell_number

GROUP_NAMES = (
    *("group", "label", "class", "category", "topic", "target", "newsgroup", "section", "genre", "subject"),
    *("sentiment", "language", "author", "source"),
)
NO_GROUP = "none"
"""The value of the option `group` for texts without groups."""
MOST_GROUPS = 1_000
_LOOKED_AT = 200  # first rows, whose mean lengths are compared
_LONGEST_GROUP = 40  # maximum mean number of characters of a group's name


class Table(NamedTuple):
    """The names of the columns of a table, and the cells of its first rows."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def only_header(text: str) -> tuple[str, ...]:
    """Return the column names in a text that is only the header of a table; empty for any other text."""
    lines = [line.strip() for line in text[: 2**12].split("\n") if line.strip()]
    if len(lines) != 1 or len(text) > 2**12:
        return ()
    for delimiter in SEPARATORS:
        cells = [cell.strip().strip('"') for cell in lines[0].split(delimiter)]
        header = {cell.lower() for cell in cells} & {*TEXT_NAMES, *GROUP_NAMES}
        if header and all(cells) and len({*cells}) == len(cells):
            return tuple(cells)
    return ()


def is_header(rows: Sequence[tuple[str, ...]]) -> bool:
    """Return whether the first row of a table looks like a header with the names of its columns."""
    first, rest = rows[0], rows[1:]
    cells = [cell.strip().lower() for cell in first]
    if len(set(cells)) < len(cells) or not all(cells) or not rest:
        return False
    if set(cells) & {*TEXT_NAMES, *GROUP_NAMES, "id"}:
        return True
    lengths = [fmean(len(row[number]) for row in rest) for number in range(len(first))]
    longest = max(range(len(first)), key=lengths.__getitem__)
    return len(first[longest]) <= min(30, lengths[longest] / 3) and not any(
        cell_number(cell) is not None for cell in cells
    )


def text_column(table: Table, wanted: str = "") -> int:
    """Return the number of the column with the texts: the column `wanted` if given.

    If `wanted` is empty, it is a column with a typical name, or else the column with the longest cells.

    Raises:
        CorpusError: There is no column with the wanted name.
    """
    if wanted:
        return _named(table, wanted)
    for name in TEXT_NAMES:
        for number, column in enumerate(table.columns):
            if column.strip().lower() == name:
                return number
    sample = table.rows[:_LOOKED_AT]
    return max(range(len(table.columns)), key=lambda number: fmean([len(row[number]) for row in sample] or [0]))


def group_column(table: Table, text: int, wanted: str = "") -> int | None:
    """Return the number of the column with the groups, or None if there is no such column.

    If `wanted` is `NO_GROUP`, return None. If it is empty, search for a column whose values have a mean length of at
    most 40 characters. It has at least two different values, and more than two only with three rows per value. Of
    several such columns, take one with a name in `GROUP_NAMES`, else the one with the fewest values.

    Args:
        text: The number of the column with the texts.
        wanted: The name of the column with the groups; empty to search for it.

    Raises:
        CorpusError: There is no column with the wanted name, or it has more than `MOST_GROUPS` values.
    """
    if wanted == NO_GROUP:
        return None
    if wanted:
        number = _named(table, wanted)
        values = len({row[number] for row in table.rows})
        if values > MOST_GROUPS:
            raise CorpusError(f"The column {wanted} has {values:,} values; at most {MOST_GROUPS:,} can be groups.")
        return number
    others = [number for number in range(len(table.columns)) if number != text]
    few = [number for number in others if _is_grouping(table, number)]
    for name in GROUP_NAMES:
        for number in few:
            if table.columns[number].strip().lower() == name:
                return number
    return min(few, key=lambda number: len({row[number] for row in table.rows}), default=None)


def _is_grouping(table: Table, number: int) -> bool:
    values = [row[number].strip() for row in table.rows]
    kinds = len(set(values))
    short = fmean([len(value) for value in values[:_LOOKED_AT]] or [0]) <= _LONGEST_GROUP
    return 2 <= kinds <= min(MOST_GROUPS, max(2, len(values) // 3)) and short


def _named(table: Table, wanted: str) -> int:
    if wanted not in table.columns:
        raise CorpusError(f"There is no column “{wanted[:80]}”. There is: {listing(table.columns)}.")
    return table.columns.index(wanted)
