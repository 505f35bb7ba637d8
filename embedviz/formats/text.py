"""Read rows of text: one row per line, a word and then d numbers, separated by spaces or tabs.

Lines end only at byte 0x0A, and fields only at 0x20 and 0x09, so U+2028 or a no-break space inside a word splits
nothing. A carriage return or separators at the end of a line are dropped. A word may hold spaces: the numbers are
counted from the right. But if the field before the d numbers is a number too, the line counts as a row of the wrong
length, because refusing a row is better than reading it shifted. A number is what Python's `float` reads, as float32.

A large file goes through a compiled scanner (`scanner.py`) on several threads, which passes unusual lines on to
`rows.odd_row`. The scanner and the code in plain Python give the same bits.
"""

import codecs
import re
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

from embedviz.core import device
from embedviz.core.phrases import counted
from embedviz.files.errors import FormatError
from embedviz.files.source import HEAD, Source
from embedviz.formats.reading import CUT_OFF, EXTRA, HEADER, MISSING, RAGGED, Bad, RowBlock, Rows, Tally, last_words
from embedviz.formats.refusals import is_number, wordless
from embedviz.formats.rows import FIELD, LONGEST_LINE, Scan, Shape, numbers_in, scan_lines, too_long

BOM = b"\xef\xbb\xbf"
SCANNER_FROM = 32 * 2**20  # bytes: below, starting the scanner takes longer than plain Python
_HEAD_LINES = 100
_MOST_THREADS = 8
_HEADER = re.compile(rb"\A[ \t]*(\d{1,30})[ \t]+(\d{1,30})[ \t\r]*\Z")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


Scanner = Callable[[Scan], RowBlock]


def header_of(head: bytes) -> tuple[int, int] | None:
    """Return the numbers of rows and dimensions if the first line is a header with these two, otherwise None."""
    match = _HEADER.match(head.removeprefix(BOM).partition(b"\n")[0])
    return (int(match[1]), int(match[2])) if match else None


def head_lines(head: bytes) -> list[bytes]:
    """Return the first complete lines of a file, including blank lines, without a byte-order mark."""
    lines = head.removeprefix(BOM).split(b"\n")
    if len(head) >= HEAD and len(lines) > 1:
        lines.pop()
    return [line.rstrip(b" \t\r") for line in lines[:_HEAD_LINES]]


def has_rows(lines: list[bytes]) -> bool:
    """Return whether at least half of the lines that are not blank end in two or more numbers."""
    full = [line for line in lines if line]
    return bool(full) and sum(numbers_in(line) > 1 for line in full) * 2 >= len(full)


def looks_binary(head: bytes) -> bool:
    """Return whether the data after the first line are binary.

    They are if at most half of the lines end in a number and if, in addition, the data hold control bytes or are not
    UTF-8.
    """
    body = head.partition(b"\n")[2]
    lines = [line for line in head_lines(head)[1:] if line]
    if not lines or sum(numbers_in(line) > 0 for line in lines) * 2 > len(lines):
        return False
    return bool(_CONTROL.search(body)) or not _is_utf8(body)


def _is_utf8(part: bytes) -> bool:
    """Return whether the bytes are UTF-8. The last character may be cut off."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(part)
    except UnicodeDecodeError:
        return False
    return True


def read_text(source: Source, promised: tuple[int, int] | None) -> Rows:
    """Return the rows of a text file.

    Args:
        promised: The number of rows and of dimensions in the header; None if there is no header.

    Raises:
        FormatError: There are no rows, or the rows have no words or no numbers.
    """
    shape = _shape(head_lines(source.head), promised)
    scan = _compiled() if is_large(source) else None
    pieces = TextChunks(source, shape, headed=promised is not None)
    blocks = _threaded(scan, iter(pieces)) if scan else map(scan_lines, pieces)
    return Rows(shape.dimensions, _held_to(promised, blocks, pieces, source))


def is_large(source: Source) -> bool:
    """Return whether a file has about 32 MB of text or more: then the compiled scanner is faster than Python."""
    return source.size * (3 if source.packed else 1) >= SCANNER_FROM


def _shape(lines: list[bytes], promised: tuple[int, int] | None) -> Shape:
    """Return the number of dimensions of the rows, and the line number of the first row with so many numbers.

    If a row in `lines` has as many dimensions as the header says, these are the dimensions. Otherwise they are the most
    common number of dimensions in `lines`. So a wrong header alone never makes the program allocate memory.
    """
    first = 1 if promised is None else 2
    rows = [(number, line) for number, line in enumerate(lines[first - 1 :], first) if line]
    if not rows:
        raise _no_rows(promised)
    if promised is None and _wordless([line for _, line in rows]):
        raise wordless()
    counts = Counter(count for _, line in rows if (count := numbers_in(line)))
    if not counts:
        raise _no_numbers(rows[0][0], promised)
    stated = promised[1] if promised else 0
    dimensions = stated if stated in counts else counts.most_common(1)[0][0]
    return Shape(dimensions, next(number for number, line in rows if numbers_in(line) == dimensions))


def _wordless(lines: list[bytes]) -> bool:
    firsts = [FIELD.findall(line)[0] for line in lines]
    return len(firsts) > 1 and all(b"." in field and is_number(field) for field in firsts)


def _no_rows(promised: tuple[int, int] | None) -> FormatError:
    says = "The file holds no row."
    if promised:
        says = f"The header says {counted(promised[0], 'word')}, but no row follows it."
    details = {"reason": "no rows", "expected": promised[0] if promised else None, "found": 0, "usable": 0}
    return FormatError(f"{says} Copy or download the file again.", details)


def _no_numbers(line: int, promised: tuple[int, int] | None) -> FormatError:
    says = "A row is a word and its numbers, but"
    if promised:
        says = f"The header says {counted(promised[1], 'number')} a row, but"
    details = {"reason": RAGGED, "line": line, "found": 0, "expected": promised[1] if promised else None, "usable": 0}
    return FormatError(f"{says} line {line:,} has none. Choose another file.", details)


class TextChunks:
    """A file in pieces of complete lines, without its header.

    Attributes:
        rest: The bytes read after the last complete line. When all pieces are read: a last line without a line feed.
        line: The number, from 1, of the line whose beginning is `rest`.
    """

    def __init__(self, source: Source, shape: Shape, *, headed: bool) -> None:
        self._source, self.shape, self._headed = source, shape, headed
        self.rest, self.line = b"", 1

    def __iter__(self) -> Iterator[Scan]:
        for position, data in enumerate(self._source.chunks()):
            self.rest += data if position else data.removeprefix(BOM)
            end = self.rest.rfind(b"\n") + 1
            if not end and len(self.rest) > LONGEST_LINE:
                raise too_long(self.line)
            whole, self.rest = self.rest[:end], self.rest[end:]
            if whole and self._headed and self.line == 1:
                whole, self.line = whole[whole.index(b"\n") + 1 :], 2
            if whole:
                yield Scan(whole, self.line, self.shape)
                self.line += whole.count(b"\n")


def _compiled() -> Scanner | None:
    try:
        from embedviz.formats import scanner
    except ImportError:
        return None
    scanner.warm()
    return scanner.scan


def _threaded(scan: Scanner, pieces: Iterator[Scan]) -> Iterator[RowBlock]:
    """Yield the blocks in the order of the file, while several threads scan the next pieces."""
    threads = min(_MOST_THREADS, device.cores())
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[RowBlock]] = deque(pool.submit(scan, each) for each in islice(pieces, threads + 1))
        while waiting:
            block = waiting.popleft().result()
            waiting.extend(pool.submit(scan, each) for each in islice(pieces, 1))
            yield block


def _held_to(
    promised: tuple[int, int] | None, blocks: Iterator[RowBlock], pieces: TextChunks, source: Source
) -> Generator[RowBlock]:
    """Yield the blocks of rows, and blocks without rows for faults in the header and at the end of the file."""
    shape, rows = pieces.shape, 0
    if promised and promised[1] != shape.dimensions:
        yield _complaint(shape, _lying(promised[1], shape))
    for block in blocks:
        rows += _rows_in(block)
        yield block
    if pieces.rest or source.cut:
        block = _last(pieces, cut=source.cut)
        rows += _rows_in(block)
        yield block
    if promised and promised[0] != rows:
        yield _complaint(shape, _miscounted(promised[0], rows, pieces.line))


def _rows_in(block: RowBlock) -> int:
    return len(block.words) + sum(block.tally.counts.values())


def _complaint(shape: Shape, bad: Bad) -> RowBlock:
    tally = Tally()
    tally.refuse(bad)
    return last_words(shape.dimensions, tally)


def _last(pieces: TextChunks, *, cut: bool) -> RowBlock:
    """Return a block with the row in the last line, which has no line end.

    If this line or the compressed data are cut off, the block has no row; its `tally` has the fault.
    """
    block = scan_lines(Scan(pieces.rest + b"\n", pieces.line, pieces.shape))
    bad, dimensions = block.tally.first, pieces.shape.dimensions
    if cut:
        place = f"inside line {pieces.line:,}" if pieces.rest else f"after line {pieces.line - 1:,}"
        text = f"The gzip data end early, {place}. Copy or download the file again for the rest."
        return _complaint(pieces.shape, Bad(CUT_OFF, pieces.line, text, expected=dimensions, count=bool(pieces.rest)))
    if bad and bad.reason == RAGGED and isinstance(bad.found, int) and bad.found < dimensions:
        text = f"The file ends inside line {bad.line:,}, after {bad.found:,} of {dimensions:,} numbers."
        return _complaint(pieces.shape, Bad(CUT_OFF, bad.line, text, bad.found, dimensions))
    return block


def _lying(stated: int, shape: Shape) -> Bad:
    text = f"The header says {counted(stated, 'number')} a row; line {shape.line:,} has {shape.dimensions:,}."
    return Bad(HEADER, 1, text, shape.dimensions, stated, count=0)


def _miscounted(stated: int, rows: int, line: int) -> Bad:
    if rows < stated:
        text = (
            f"The header says {counted(stated, 'row')}; the file ends after {rows:,}: cut off, or the header is wrong."
        )
        return Bad(MISSING, line, text, rows, stated, count=stated - rows)
    text = f"The header says {counted(stated, 'row')}; the file has {rows:,}."
    return Bad(EXTRA, line, text, rows, stated, count=0)
