"""The columns of a table that hold its vectors, found by content: one column of lists, or many columns of numbers."""

import re
from collections.abc import Collection, Sequence

from embedviz.core.phrases import listing
from embedviz.files.errors import FormatError

LISTS = ("embedding", "embeddings", "vector", "vectors", "emb", "vec", "values", "features")
"""Names of a column of lists, the likeliest first."""
SAMPLE = 500
"""Rows from which the columns are found."""
MOST_CELLS = 10_200
"""Columns of a table: 10,000 dimensions and some others."""
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
    """Return the column of lists that holds the vectors; empty where there is none.

    Raises:
        FormatError: There are several, and neither the caller nor the names choose one.
    """
    if chosen:
        return chosen if chosen in lists else ""
    named = [name for likely in LISTS for name in lists if name.lower().rpartition(".")[2] == likely]
    if named or len(lists) < 2:
        return (*named, *lists, "")[0]
    text = f"{len(lists)} columns hold lists of numbers: {listing(lists, 8)}. Choose one as the vector column."
    raise FormatError(text, {"reason": "several", "choices": list(lists)[:200], "option": "vector_column", "usable": 0})


def number_columns(names: Sequence[str], numeric: Collection[str], whole: Collection[str], chosen: str) -> list[str]:
    """Return the columns of numbers that are the dimensions, in the order of the table; fewer than two are none.

    Columns whose names differ by a number alone belong together (0 … 299, dim_1 … dim_50). Where there is no such
    series, all columns of numbers count that no name such as id or year sets apart.

    Args:
        numeric: Those that hold numbers alone.
        whole: Those that hold whole numbers alone.
        chosen: What the names of the dimensions begin with; empty for the longest series.
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
    """Return the refusal of a table without vectors, or without the column that was chosen."""
    listed = listing([name[:40] for name in names], 8) or "none"
    if chosen:
        text = f"The column “{chosen[:40]}” holds no vectors. The columns are: {listed}."
        return FormatError(text, {"reason": "column", "found": chosen[:80], "usable": 0})
    text = f"The table has no column of lists of numbers, and no two columns of numbers. Its columns are: {listed}."
    return FormatError(text, {"reason": "no vectors", "usable": 0})
