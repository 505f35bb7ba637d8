"""Read tables of sentence pairs with people's scores from untrusted files."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from embedviz.contextual.pooled import LONGEST
from embedviz.core.phrases import cut, listing
from embedviz.core.plain_files import read_plain
from embedviz.files.archives import CorpusError
from embedviz.files.byte_lines import strict_text
from embedviz.tables import bare_rows, cell_number
from embedviz.testsets import datasets
from embedviz.testsets.datasets import SentencePair

EXAMPLE = "example"
"""The name of the built-in pairs."""
MOST_BYTES = 16 * 2**20
MOST_PAIRS = 10_000
FEWEST = 6
_NAMES = {
    "one": ("sentence1", "sentence_1", "sentence_a", "text1"),
    "other": ("sentence2", "sentence_2", "sentence_b", "text2"),
    "score": ("score", "similarity", "similarity_score", "relatedness_score", "label"),
}
_SAYS = "A table of pairs has the columns sentence1, sentence2 and score, with commas, semicolons or tabs between them."
_BENCHMARK = (5, 6, 4)  # columns, from 0, of the two sentences and the score in the original STS benchmark files


class PairsError(ValueError):
    """A file has no usable sentence pairs and scores; the message says why, in sentences."""


@dataclass(frozen=True)
class SentencePairs:
    """Sentence pairs with people's scores.

    Attributes:
        name: Name of the pairs or of their file.
        pairs: The pairs, each with a score.
        source: The source of the pairs, in a sentence.
    """

    name: str
    pairs: tuple[SentencePair, ...]
    source: str = ""

    def __len__(self) -> int:
        return len(self.pairs)


def example() -> SentencePairs:
    """Return the built-in pairs."""
    return SentencePairs(
        "24 pairs of this program",
        datasets.sentence_pairs(),
        "The pairs were written for this program and scored 0 to 5 by its author; they are no benchmark.",
    )


def read_pairs(path: str | Path, name: str = "") -> SentencePairs:
    """Return the pairs of a table: CSV with commas or semicolons, or TSV.

    Columns are found by their names, such as sentence1, sentence2 and score; other columns are ignored. A table without
    a header has two sentences and a score in each row, or the columns of the STS benchmark files. In a table with tabs,
    quotation marks have no special meaning.

    Args:
        name: Name of the file in messages; by default the file name in `path`.

    Raises:
        PairsError: The file is too large or not such a table; it has too few or too many pairs, or all scores are
            equal; a row lacks a sentence or a score, or a sentence is too long.
        OSError: The file cannot be read.
    """
    path = Path(path)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise PairsError(f"The file has {size / 2**20:,.0f} MB; at most {MOST_BYTES >> 20} are read.")
    return pairs_in(read_plain(path, MOST_BYTES), name or path.name)


def pairs_in(content: bytes, name: str) -> SentencePairs:
    """Return the pairs of a table, given the bytes of its file; formats and errors are as for `read_pairs`."""
    called = " ".join(PurePosixPath(name.replace("\\", "/")).name.split())[:80] or "file"
    rows = _rows(strict_text(content, PairsError, _SAYS))
    columns = _named(rows[0][1])
    if columns is None:
        columns = _unnamed(rows)
    else:
        rows = rows[1:]
    if len(rows) > MOST_PAIRS:
        raise PairsError(f"The table has {len(rows):,} pairs; at most {MOST_PAIRS:,} are read.")
    found = tuple(_pair(line, row, columns) for line, row in rows)
    if len(found) < FEWEST:
        raise PairsError(f"The table has {len(found)} pairs; a rank correlation of two halves needs {FEWEST} at least.")
    if len({pair.score for pair in found}) == 1:
        raise PairsError(f"All {len(found):,} scores are {found[0].score:g}: there is no order to compare with.")
    return SentencePairs(called, found, f"From the file {called}.")


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """Return the nonempty rows of a table: for each row the number of its last line in the file, and the cells.

    Raises:
        PairsError: The first line has one column, the table is damaged, or all cells are blank.
    """
    head = text.lstrip("\r\n").partition("\n")[0]
    separator = max("\t,;", key=head.count)
    if not head.count(separator):
        raise PairsError(f"The first line, “{cut(head)}”, has one column. {_SAYS}")
    try:
        rows = [(line, list(row)) for row, line in bare_rows(text, separator)]
    except CorpusError as error:
        raise PairsError(str(error)) from None
    if not rows:
        raise PairsError(f"The table has no rows. {_SAYS}")
    return rows


def _named(row: Sequence[str]) -> tuple[int, int, int] | None:
    """Return the column numbers of the two sentences and the score, found in a header.

    None if one of them is missing and a cell is a number: then `row` is no header.

    Raises:
        PairsError: No cell is a number, and one of the three columns is missing.
    """
    names = [cell.strip().strip('"').lower() for cell in row]
    places = {
        what: next((names.index(name) for name in known if name in names), None) for what, known in _NAMES.items()
    }
    one, other, score = places["one"], places["other"], places["score"]
    if one is not None and other is not None and score is not None:
        return one, other, score
    if all(cell_number(cell) is None for cell in row):
        listed = listing([cut(cell, 24) or "(empty)" for cell in row])
        raise PairsError(f"The first line names the columns {listed}. {_SAYS}")
    return None


def _unnamed(rows: Sequence[tuple[int, list[str]]]) -> tuple[int, int, int]:
    """Return the column numbers of the two sentences and the score in a table without a header.

    Raises:
        PairsError: The columns are not recognized.
    """
    row = rows[0][1]
    if len(row) == 3 and cell_number(row[2]) is not None:
        return 0, 1, 2
    if len(row) == 3 and cell_number(row[0]) is not None:
        return 1, 2, 0
    if len(row) >= 7 and cell_number(row[4]) is not None:
        return _BENCHMARK
    raise PairsError(f"The first line has {len(row)} columns and no names of columns. {_SAYS}")


def _pair(line: int, row: Sequence[str], columns: tuple[int, int, int]) -> SentencePair:
    if len(row) <= max(columns):
        raise PairsError(
            f"Line {line:,} has {len(row)} columns; {max(columns) + 1} are needed. Put quotation marks around a "
            "sentence that holds a separator."
        )
    one, other, score = (row[column].strip() for column in columns)
    value = cell_number(score)
    if value is None or not math.isfinite(value):
        raise PairsError(f"The score of line {line:,} is “{cut(score, 24)}”; a number is needed.")
    for sentence in (one, other):
        if not sentence:
            raise PairsError(f"A sentence is missing in line {line:,}.")
        if len(sentence) > LONGEST:
            raise PairsError(
                f"A sentence of line {line:,} has {len(sentence):,} characters; at most {LONGEST:,} are read."
            )
    return SentencePair(one, other, value)
