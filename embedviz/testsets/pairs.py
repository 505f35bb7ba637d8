"""Reading word pairs with human scores: two columns of words, then numbers; separated by tabs, `;`, `,` or blanks.

A header may name the columns. The scores are in the column called *SimLex999*, *human (mean)*, *score*, *similarity*,
*mean*, *rating* or *relatedness*. If there is no such column, they are in the column with numbers only. If a header
names several columns with numbers only, the file is refused; without a header, the first such column is used.
"""

import csv
import math
import re
from collections.abc import Sequence

from embedviz.core.phrases import counted, cut
from embedviz.tables import cell_number
from embedviz.testsets.lines import NumberedLine, word
from embedviz.testsets.sets import Pair, RatedPairs, TestSetError

SEPARATORS = ("\t", ";", ",")
_SCORES = ("simlex999", "human (mean)", "score", "similarity", "mean", "rating", "relatedness")
_TAGGED = re.compile(r"(.+)-[nvjar]")  # the lemmas of MEN, with a part of speech: sun-n
_SAYS = "A line of pairs has two words and a score, with tabs, semicolons, commas or blanks between them."


def cells(line: NumberedLine, separator: str | None) -> list[str]:
    """Return the cells of a line, split at `separator`, or at blanks if `separator` is None.

    With a separator, cells may be quoted as in CSV.

    Raises:
        TestSetError: The line cannot be read as CSV.
    """
    if separator is None:
        return line.text.split()
    try:
        parts = next(csv.reader([line.text], delimiter=separator))
    except csv.Error:
        raise TestSetError(f"{line.start}, cannot be read as CSV.") from None
    return [part.strip() for part in parts]


def separator_of(lines: Sequence[NumberedLine]) -> str | None:
    """Return the separator (tab, `;` or `,`) that more than half of the lines contain; None for blanks."""
    for separator in SEPARATORS:
        if sum(separator in line.text for line in lines) > len(lines) / 2:
            return separator
    return None


def is_pairs(lines: Sequence[NumberedLine]) -> bool:
    """Return whether at least half of the lines after the first have two words and then a number."""
    separator = separator_of(lines)
    looked = lines[1:200] or lines
    return sum(_has_score(line, separator) for line in looked) >= len(looked) / 2


def _has_score(line: NumberedLine, separator: str | None) -> bool:
    parts = cells(line, separator)
    return (
        len(parts) > 2
        and all(cell_number(part) is None for part in parts[:2])
        and any(cell_number(part) is not None for part in parts[2:])
    )


def pairs(lines: Sequence[NumberedLine], name: str, title: str, source: str) -> RatedPairs:
    """Return the rated pairs of a file.

    Raises:
        TestSetError: The rows differ in their number of columns. Or a row has no score, the column of scores is
            unclear, there are fewer than three pairs, or all scores are equal.
    """
    separator = separator_of(lines)
    rows = [cells(line, separator) for line in lines]
    header = rows[0] if _is_header(rows[0]) else None
    if header is not None:
        lines, rows = lines[1:], rows[1:]
    width = len(header or rows[0])
    for line, row in zip(lines, rows, strict=True):
        if len(row) != width:
            raise TestSetError(f"{line.start}, has {counted(len(row), 'column')} where {width} are expected. {_SAYS}")
    column = _score_column(header, rows)
    found = []
    for line, row in zip(lines, rows, strict=True):
        score = cell_number(row[column])
        if score is None or not math.isfinite(score):
            raise TestSetError(f"The score in {line.quoted()}, is “{cut(row[column], 20)}”; a number is needed.")
        found.append(Pair(word(row[0], line.quoted()), word(row[1], line.quoted()), score))
    if len(found) < 3:
        raise TestSetError(f"The file has {counted(len(found), 'pair')}; a rank correlation needs three at least.")
    if len({pair.score for pair in found}) == 1:
        raise TestSetError(f"All {len(found):,} scores are {found[0].score:g}: there is no order to compare with.")
    if header is not None and header[column]:
        source = f"{source} Scores: its column “{cut(header[column], 30)}”."
    return RatedPairs(name, title, tuple(_untagged(found)), source)


def _is_header(row: Sequence[str]) -> bool:
    return all(cell_number(cell) is None for cell in row) or any(cell.lower() in _SCORES for cell in row[2:])


def _score_column(header: Sequence[str] | None, rows: Sequence[Sequence[str]]) -> int:
    """Return the index of the column that has the scores, from 0."""
    if header is not None:
        names = [cell.strip().lower() for cell in header]
        for known in _SCORES:
            if known in names[2:]:
                return names.index(known, 2)
    numeric = [
        place for place in range(2, len(rows[0])) if all(cell_number(row[place]) is not None for row in rows[:200])
    ]
    if not numeric:
        raise TestSetError(f"No column after the first two has numbers only. {_SAYS}")
    if header is not None and len(numeric) > 1:
        listed = ", ".join(cut(header[place], 20) or f"column {place + 1}" for place in numeric[:8])
        raise TestSetError(f"Several columns have numbers: {listed}. Name the one to use “score”.")
    return numeric[0]


def _untagged(found: Sequence[Pair]) -> list[Pair]:
    """Return the pairs without part-of-speech tags: “sun-n” becomes “sun”.

    The pairs are returned unchanged unless every word has a tag.
    """
    if not all(_TAGGED.fullmatch(text) for pair in found for text in pair[:2]):
        return list(found)
    return [Pair(pair.one[:-2], pair.other[:-2], pair.score) for pair in found]
