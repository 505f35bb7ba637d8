"""Read edge lists from pasted text or a file of limited size. Each line names the two nodes of an edge."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from embedviz.core.options import OptionError
from embedviz.core.phrases import cut, printable
from embedviz.core.time_limit import within_time
from embedviz.files.archives import CorpusError, Stream, kind_of
from embedviz.files.byte_lines import byte_lines

MOST_NODES, MOST_EDGES, MOST_LETTERS = 1_000, 10_000, 400_000
"""Maximum number of nodes and edges of a graph, and of characters of a pasted list."""
MOST_BYTES, MOST_LINES = 16 * 2**20, 200_000
"""Maximum number of bytes and lines of a file, after decompression."""
ENDINGS = (".txt", ".csv", ".tsv", ".edges", ".gz")
_LONGEST_NAME, _LONGEST_LINE = 60, 2_000
_SEPARATORS = (",", "\t", ";")
_HEADERS = ({"source", "target"}, {"from", "to"}, {"node1", "node2"}, {"id1", "id2"})
"""Column titles that may stand in the first line of an edge list."""

_RIGHT = "Write one edge in each line: a, b."

Pair = tuple[str, str]


def pasted_edges(text: str) -> list[Pair]:
    """Return the edges of a pasted edge list, as pairs of node names.

    Raises:
        OptionError: The list has too many characters, or a line does not have two names.
    """
    if len(text) > MOST_LETTERS:
        raise OptionError(
            f"The list has {len(text):,} characters; at most {MOST_LETTERS:,} are read. Take a smaller graph."
        )
    return list(_pairs(enumerate(text.splitlines(), 1)))


@within_time(OptionError)
def file_edges(path: str | Path, name: str = "") -> list[Pair]:
    """Return the edges in a file, as pairs of node names.

    The file may be compressed with gzip, xz or bzip2. Reading stops as soon as there are too many nodes or edges. A
    repeated edge is returned once. An edge from a node to itself is left out.

    Args:
        name: Name of the file in error messages; if empty, the file name in `path`.

    Raises:
        OptionError: The file is missing, damaged, too large, an archive of several files or not text; a line does not
            have two names; or there are more nodes or edges than `MOST_NODES` and `MOST_EDGES`.
    """
    place, called = Path(path), printable(name or Path(path).name, 60)
    try:
        if kind := kind_of(place):
            raise OptionError(f"{called} is a {kind} of several files. Unpack it, and choose one file of edges.")
        with Stream(place, MOST_BYTES) as stream:
            return _different(_pairs(_lines(stream, called)), called)
    except CorpusError as error:
        raise OptionError(f"{called} cannot be read. {error}") from None


def _lines(stream: Stream, called: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file as (line number, text).

    Raises:
        OptionError: There are too many lines, or a line is too long or not UTF-8.
    """
    for number, line, whole in byte_lines(stream.read, _LONGEST_LINE):
        if number > MOST_LINES:
            raise OptionError(
                f"{called} has more than {MOST_LINES:,} lines, the most that are read. Take a part of it."
            )
        if not whole or len(line) > _LONGEST_LINE:
            raise OptionError(f"Line {number:,} of {called} has more than {_LONGEST_LINE:,} bytes. {_RIGHT}")
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError:
            raise OptionError(f"Line {number:,} of {called} is not in UTF-8. Save the file as UTF-8.") from None


def _pairs(lines: Iterable[tuple[int, str]]) -> Iterator[Pair]:
    """Yield the edge of each line, as a pair of node names. Empty lines, comments and column titles are skipped.

    Raises:
        OptionError: A line does not have two names.
    """
    first = True
    for number, line in lines:
        if not (bare := line.strip()) or bare.startswith("#"):
            continue
        names = _names(bare)
        if len(names) < 2 or not (names[0] and names[1]):
            raise OptionError(f"Line {number:,}, “{cut(bare, 40)}”, has no two names. {_RIGHT}")
        if not (first and {each.casefold() for each in names[:2]} in _HEADERS):
            yield names[0][:_LONGEST_NAME], names[1][:_LONGEST_NAME]
        first = False


def _names(bare: str) -> list[str]:
    """Return the cells of a line, separated by comma, tab, semicolon or spaces. Cells may be quoted as in CSV.

    The list is empty for a line of more than `_LONGEST_LINE` characters.
    """
    if len(bare) > _LONGEST_LINE:
        return []
    separator = next((sign for sign in _SEPARATORS if sign in bare), None)
    if separator is None:
        return bare.split()
    if '"' in bare:
        return [part.strip() for part in next(csv.reader([bare], delimiter=separator, skipinitialspace=True))]
    return [part.strip() for part in bare.split(separator)]


def _different(pairs: Iterable[Pair], called: str) -> list[Pair]:
    """Return the pairs without repetitions and without edges from a node to itself. (a, b) and (b, a) are the same.

    Raises:
        OptionError: There are too many nodes or edges.
    """
    found: dict[Pair, None] = {}
    nodes: set[str] = set()
    for one, other in pairs:
        if one == other or (other, one) in found:
            continue
        found[one, other] = None
        nodes.update((one, other))
        if len(nodes) > MOST_NODES or len(found) > MOST_EDGES:
            raise OptionError(
                f"The graph of {called} has more than {MOST_NODES:,} nodes or {MOST_EDGES:,} edges, the most that are "
                "walked. Take a part of it."
            )
    return list(found)
