"""Find the columns of a table that hold its vectors: one column of lists, or many columns of numbers."""

import re
from collections.abc import Collection, Sequence

from embedviz.core.phrases import listing
from embedviz.files.errors import FormatError

LISTS = ("embedding", "embeddings", "vector", "vectors", "emb", "vec", "values", "features")
"""Usual titles of a column of lists, the most likely first."""
SAMPLE = 500
"""Number of first rows of a table from which the columns of the vectors are found."""
MOST_CELLS = 10_200
"""Maximum number of columns of a table: 10,000 dimensions and some other columns."""
_NUMBERED = re.compile(r"(.*?)[ _.\-]?(\d{1,6})\Z", re.DOTALL)
_OTHER = (
    "id",
    "index",
    "key",
    "count",
    "counts",
    "freq",
    "frequency",
    "year",
    "label",
    "class",
    "cluster",
    "group",
    "target",
)


def list_column(lists: Sequence[str], chosen: str) -> str:
    """Return the name of the column of lists that holds the vectors.

    It is empty if there is no column of lists, or if the chosen column does not hold lists.

    Args:
        lists: The names of the columns of lists.
        chosen: The name of the column that the caller chose; may be empty.

    Raises:
        FormatError: There are several columns of lists, none has a usual title, and none is chosen.
    """
    if chosen:
        return chosen if chosen in lists else ""
    named = [name for likely in LISTS for name in lists if name.lower().rpartition(".")[2] == likely]
    if named or len(lists) < 2:
        return (*named, *lists, "")[0]
    text = f"{len(lists)} columns hold lists of numbers: {listing(lists, 8)}. Choose one as the vector column."
    raise FormatError(text, {"reason": "several", "choices": list(lists)[:200], "option": "vector_column", "usable": 0})


def number_columns(names: Sequence[str], numeric: Collection[str], whole: Collection[str], chosen: str) -> list[str]:
    """Return the names of the columns of numbers that are the dimensions, in the order of the table.

    If the result has fewer than two columns, the table has no vectors. Columns whose names differ only by a number
    are a series (0 … 299, dim_1 … dim_50). The result is the longest series if it has over eight columns or at least
    half of the columns of numbers. Otherwise it is the columns of decimals if there are two, else all columns of
    numbers. Columns with names such as id or year do not count.

    Args:
        names: The names of all columns.
        numeric: The columns that hold only numbers.
        whole: The columns that hold only whole numbers.
        chosen: The common beginning of the names of the wanted columns; empty to detect the columns.
    """
    series: dict[str, list[str]] = {}
    for name in names:
        match = _NUMBERED.match(name) if name in numeric else None
        if match:
            series.setdefault(match[1], []).append(name)
    if chosen:
        begin = chosen.rstrip("*0123456789 _.-")
        return series.get(begin) or [name for name in names if name in numeric and name.startswith(chosen)]
    longest = max(series.values(), key=len, default=[])
    free = [name for name in names if name in numeric and name.lower() not in _OTHER]
    decimal = [name for name in free if name not in whole]
    if len(longest) > 1 and (2 * len(longest) >= len(free) or len(longest) > 8):
        return longest
    return decimal if len(decimal) > 1 else free


def no_vectors(names: Sequence[str], chosen: str) -> FormatError:
    """Return the error for a table without vectors. If a column was `chosen`, the error is about that column."""
    listed = listing([name[:40] for name in names], 8) or "none"
    if chosen:
        text = f"The column “{chosen[:40]}” holds no vectors. The columns are: {listed}."
        return FormatError(text, {"reason": "column", "found": chosen[:80], "usable": 0})
    text = f"The table has no column of lists of numbers, and no two columns of numbers. Its columns are: {listed}."
    return FormatError(text, {"reason": "no vectors", "usable": 0})
