"""Find the roles of a table's columns by their names and content: names of the rows, texts, counts."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from embedviz.core.phrases import listing
from embedviz.files.errors import FormatError
from embedviz.formats.refusals import is_number
from embedviz.tables import TEXT_NAMES

WORDS = ("word", "words", "token", "term", "lemma", "entity", "label", "name", "key", "id", "custom_id", "title")
"""Usual titles of a column that names the rows, the most likely first."""
SURE = ("word", "words", "token", "term")
"""Titles that always mean a column of names and never one of texts, even if half of its cells repeat."""
COUNTS = ("count", "counts", "frequency", "freq")
_LONG = 40  # characters: a column holds texts if the median cell is longer
_BLANKS = 3  # spaces: a column holds texts if the median cell has more
_UNIQUE = 0.95  # smallest share of distinct cells in a column that names the rows


class Roles(NamedTuple):
    """The roles of the columns of a table, without the columns of the vectors.

    Attributes:
        words: The column that names the rows; empty if the rows are numbered.
        text: The column of texts; empty if there is none.
        counts: The column with the counts of the words; empty if there is none.
        numbers: Those of the `carried` columns that hold numbers.
        carried: The columns that become columns of the space: all but `words` and `counts`.
        why: A sentence that says why the rows are numbered; it applies only without `words`.
    """

    words: str = ""
    text: str = ""
    counts: str = ""
    numbers: frozenset[str] = frozenset()
    carried: tuple[str, ...] = ()
    why: str = ""


def reading_note(vectors: Sequence[str], lists: bool, roles: Roles) -> str:
    """Return a sentence that says which columns of a table were read as vectors, names and texts.

    Args:
        vectors: The column of lists, or the columns of numbers.
        lists: Whether `vectors` is one column of lists.
        roles: The roles of the other columns.
    """
    vector = f"“{vectors[0]}”" if lists else f"the {len(vectors):,} columns “{vectors[0]}” to “{vectors[-1]}”"
    names = f", the names in “{roles.words}”" if roles.words else ""
    text = f", the texts in “{roles.text}”" if roles.text else ""
    numbered = "" if names or text else f", numbered rows ({roles.why.rstrip('.')})"
    return f"Read: the vectors in {vector}{names}{text}{numbered}."[:500]


def roles_of(columns: Mapping[str, Sequence[str]], chosen: str = "") -> Roles:
    """Return the roles of columns, found by their titles and cells.

    Args:
        columns: Column name → cells (a sample is enough), without the columns of the vectors.
        chosen: The column that the caller chose; empty to detect the columns. If its cells are long (see `_is_long`),
            it is the column of texts. Otherwise it names the rows, if at least half of its cells are different; if not,
            no column does.

    Raises:
        FormatError: There is no such column.
    """
    if chosen and chosen not in columns:
        names = listing(list(columns), 8) or "none"
        raise FormatError(
            f"There is no column “{chosen[:40]}” of words or texts. The columns are: {names}.",
            {"reason": "column", "found": chosen[:80]},
        )
    numbers = frozenset(name for name, cells in columns.items() if is_numeric(cells))
    counts = next((name for name in columns if name.lower() in COUNTS and _whole(columns[name])), "")
    texts = [name for name in columns if name not in numbers]
    long = [name for name in texts if name.lower() not in SURE and _is_long(columns[name])]
    text = chosen if chosen in long else _first([name for name in long if not chosen], TEXT_NAMES)
    free = [name for name in columns if name not in (text, counts)]
    if chosen and chosen != text:
        words = chosen if _share(columns[chosen]) >= 0.5 else ""
        return _roles(columns, words, "", counts, numbers, f"The texts in {chosen[:40]} repeat.")
    fit = [name for name in free if name not in long and _names_rows(name, columns[name], number=name in numbers)]
    words = _first(fit, WORDS)
    why = "Rows are texts." if text else "No column has a different word in each row."
    return _roles(columns, words, text, counts, numbers, why)


def _roles(
    columns: Mapping[str, Sequence[str]], words: str, text: str, counts: str, numbers: frozenset[str], why: str
) -> Roles:
    carried = tuple(name for name in columns if name not in (words, counts))
    return Roles(words, text, counts, numbers - {words, counts}, carried, why)


def is_numeric(cells: Sequence[str]) -> bool:
    """Return whether all cells are numbers or empty, and at least one is not empty."""
    full = [cell for cell in cells if cell.strip()]
    return bool(full) and all(is_number(cell) for cell in full)


def _first(names: Sequence[str], order: Sequence[str]) -> str:
    """Return the one of `names` that comes first in `order`; if none is there, the first name; empty without names."""
    ranked = sorted(names, key=lambda name: order.index(name.lower()) if name.lower() in order else len(order))
    return ranked[0] if ranked else ""


def _names_rows(name: str, cells: Sequence[str], *, number: bool) -> bool:
    """Return whether a column can name the rows: its share of distinct cells is `_UNIQUE` or more.

    Under a title in `SURE`, such as *word*, a share of a half is enough. A column of numbers can name the rows only
    under a title in `SURE`, or under *id*, *key*, *index* or *custom_id*.
    """
    if number and name.lower() not in ("id", "key", "index", "custom_id", *SURE):
        return False
    return _share(cells) >= (0.5 if name.lower() in SURE else _UNIQUE)


def _share(cells: Sequence[str]) -> float:
    full = [cell for cell in cells if cell]
    return len(set(full)) / max(1, len(cells))


def _is_long(cells: Sequence[str]) -> bool:
    full = [cell for cell in cells if cell]
    return bool(full) and (median(map(len, full)) > _LONG or median(cell.count(" ") for cell in full) > _BLANKS)


def _whole(cells: Sequence[str]) -> bool:
    return all(cell.strip().isdecimal() and len(cell) < 19 for cell in cells)
