"""fastText's model (`.bin`), as Facebook's program writes it: words with counts, their vectors, and n-gram vectors.

All numbers are little-endian. A file holds, in this order:

- a magic number and a version
- thirteen training options, such as the dimensions and the lengths of the shortest and longest n-gram
- the dictionary: each word, ended by a zero byte, with its count
- one matrix with the rows of the words, then the rows of the n-gram buckets
- a second matrix, which only training needs

The vector of a word is the mean of its own row and the rows of its n-grams (`core.subwords`). The vector of `</s>` is
computed in the same way, as in gensim; fastText itself uses only its own row. A word that is not valid UTF-8 has the
n-grams of its bytes. Supervised and quantised models are refused.

Versions before May 2017 wrote no magic number, no version and no flag of quantisation; otherwise the files are the
same. Such files are recognised by numbers that are possible as training options.
"""

import struct
from collections.abc import Generator
from typing import BinaryIO, NamedTuple

import numpy as np

from embedviz.core.phrases import counted
from embedviz.core.space import Float, Ints
from embedviz.core.subwords import Subwords
from embedviz.files.errors import FormatError
from embedviz.files.source import CHUNK, Source
from embedviz.formats.reading import (
    CUT_OFF,
    HEADER,
    MOST_DIMENSIONS,
    NOT_FINITE,
    Bad,
    Format,
    RowBlock,
    Rows,
    Tally,
    checked_block,
    last_words,
)

MAGIC = (793712314).to_bytes(4, "little")
VERSIONS = (11, 12)
LONGEST_WORD = 4096  # bytes
LONGEST_NGRAM = 32  # characters
_HEADER = struct.Struct("<4si12id3i2q")
_OLD_HEADER = struct.Struct("<12id3iq")
_ENTRY = struct.Struct("<qb")
_MATRIX = struct.Struct("<?2q")
_OLD_MATRIX = struct.Struct("<2q")
_SUPERVISED = 3
_BLOCK = 2**20  # bytes of rows composed at a time


def detect(head: bytes) -> bool:
    """Return whether the first bytes are fastText's magic number or the training options of an old version."""
    return head.startswith(MAGIC) or _is_old(head)


def _is_old(head: bytes) -> bool:
    """Return whether the first numbers are possible as training options and dictionary sizes of an old version."""
    if len(head) < _OLD_HEADER.size:
        return False
    found = _OLD_HEADER.unpack_from(head)
    dimensions, window, epochs, minimum, negative, _, loss, model, buckets, min_n, max_n, rate, t = found[:13]
    size, words, labels, tokens = found[13:]
    possible = 0 < dimensions <= MOST_DIMENSIONS and 0 < window <= 1000 and 0 < epochs <= 10**6 and minimum >= 0
    possible = possible and 0 <= negative <= 10_000 and loss in (1, 2, 3) and model in (1, 2, 3) and buckets >= 0
    possible = possible and 0 <= min_n <= LONGEST_NGRAM and 0 <= max_n <= LONGEST_NGRAM and rate > 0 and 0 <= t <= 1
    return possible and 0 < size == words + labels and labels >= 0 and tokens >= words


def read(source: Source) -> Rows:
    """Return the words of a fastText model with their counts and vectors.

    The vector of a word is composed of the word's own row and the rows of its n-grams. Memory for the sizes in a header
    is allocated only when the file is known to be large enough.

    Raises:
        FormatError: The model is supervised, quantised or damaged.
    """
    stream = source.seekable()
    size = stream.seek(0, 2)
    stream.seek(0)
    header = _header(stream)
    if header.words * (1 + _ENTRY.size) > size:
        raise _damaged(f"{header.words:,} words in {size:,} bytes")
    words, counts = _dictionary(stream, header.words)
    own, buckets, rest = _matrices(stream, size, header)
    used = buckets is not None and header.max_n > 0
    subwords = Subwords(max(1, header.min_n), header.max_n, buckets) if used and buckets is not None else None
    blocks = _blocks(words, counts, own, subwords, _end(stream, rest, size, old=header.old))
    return Rows(header.dimensions, blocks, len(words), subwords)


FORMAT = Format(
    "fasttext",
    "fastText model (.bin)",
    detect,
    read,
    "row",
    "Facebook’s binary with its n-gram vectors, so that words that are not in it have vectors too.",
    signed=True,
)


class _Header(NamedTuple):
    """Those training options and sizes of a model that are needed to read the model."""

    dimensions: int
    buckets: int
    min_n: int
    max_n: int
    words: int
    old: bool


def _header(stream: BinaryIO) -> _Header:
    data = stream.read(_HEADER.size)
    old = not data.startswith(MAGIC)
    if old:
        dimensions, *options, _, size, nwords, nlabels, _ = _OLD_HEADER.unpack_from(data)
        version, pruned = VERSIONS[0], -1
        stream.seek(_OLD_HEADER.size)
    elif len(data) < _HEADER.size:
        raise _cut("its header")
    else:
        _, version, dimensions, *options, _, size, nwords, nlabels, _, pruned = _HEADER.unpack(data)
    model, bucket, min_n, max_n = options[6:10]
    if version not in VERSIONS:
        raise _damaged(f"version {version} of the format, where 11 or 12 are known")
    if model == _SUPERVISED or nlabels > 0:
        raise _other("a supervised fastText model", "Open the .vec file that fastText wrote beside it.")
    if pruned >= 0:
        raise _quantised()
    if not 0 < dimensions <= MOST_DIMENSIONS:
        raise _damaged(f"{counted(dimensions, 'number')} a row, where 1 to {MOST_DIMENSIONS:,} are read")
    if not 0 < nwords == size:
        raise _damaged(f"{size:,} entries and {nwords:,} words")
    if not 0 <= min_n <= LONGEST_NGRAM or not 0 <= max_n <= LONGEST_NGRAM or bucket < 0:
        raise _damaged(f"n-grams of {min_n:,} to {max_n:,} characters in {bucket:,} buckets")
    return _Header(dimensions, bucket, min_n, max_n, nwords, old)


def _dictionary(stream: BinaryIO, count: int) -> tuple[list[bytes], Ints]:
    """Read the words and their counts, shape (count,). Afterwards the stream stands at the end of the dictionary."""
    words: list[bytes] = []
    counts: list[int] = []
    rest = b""
    while len(words) < count:
        data = stream.read(CHUNK)
        if not data:
            raise _cut(f"its dictionary, after {counted(len(words), 'word')} of {count:,}")
        rest, at = rest + data, 0
        while len(words) < count:
            end = rest.find(b"\0", at, at + LONGEST_WORD + 1)
            if end < 0 or end + 1 + _ENTRY.size > len(rest):
                break
            seen, kind = _ENTRY.unpack_from(rest, end + 1)
            if kind or seen < 0:
                raise _damaged(f"an entry of its dictionary, number {len(words) + 1:,}, that is no word with a count")
            words.append(rest[at:end])
            counts.append(seen)
            at = end + 1 + _ENTRY.size
        rest = rest[at:]
        if len(words) < count and len(rest) > LONGEST_WORD + _ENTRY.size:
            raise _damaged(f"a word longer than {LONGEST_WORD:,} bytes")
    stream.seek(-len(rest), 1)
    return words, np.array(counts, np.int64)


def _matrices(stream: BinaryIO, size: int, header: _Header) -> tuple[Float, Float | None, int]:
    """Return the two parts of the first matrix, and the byte where this matrix ends.

    The parts are the words' own rows (n, d), and the rows of the n-gram buckets (b, d) or None without buckets. Both
    are memory-mapped.
    """
    kind = _OLD_MATRIX if header.old else _MATRIX
    data = stream.read(kind.size)
    if len(data) < kind.size:
        raise _cut("what follows its dictionary")
    quantised, rows, columns = (False, *kind.unpack(data)) if header.old else kind.unpack(data)
    if quantised:
        raise _quantised()
    if (rows, columns) != (header.words + header.buckets, header.dimensions):
        says = f"{header.words:,} + {header.buckets:,} rows of {header.dimensions:,}"
        raise _damaged(f"a matrix of {rows:,} × {columns:,} numbers, where the header says {says}")
    at, width = stream.tell(), 4 * columns
    if rows * width > size - at:
        raise _cut(f"its vectors, in row {(size - at) // width + 1:,} of {rows:,}")
    own = np.memmap(stream, "<f4", "r", at, (header.words, columns))
    behind = at + header.words * width
    buckets = np.memmap(stream, "<f4", "r", behind, (header.buckets, columns)) if header.buckets else None
    return own, buckets, at + rows * width


def _end(stream: BinaryIO, at: int, size: int, *, old: bool) -> Tally:
    """Check that the second matrix, which only training needs, is complete.

    Return a tally (counts of lost rows). If the file ends within this matrix, the tally has one fault, which loses no
    row.

    Args:
        at: The byte where the second matrix begins.
        size: The size of the file in bytes.
        old: Whether the file has the format of before May 2017.
    """
    stream.seek(at)
    kind, tally = _OLD_MATRIX if old else _MATRIX, Tally()
    data = stream.read(kind.size)
    *_, rows, columns = kind.unpack(data) if len(data) == kind.size else (0, 0)
    if len(data) < kind.size or rows < 0 or columns < 0 or 4 * rows * columns > size - at - len(data):
        text = "The file ends early, inside what only training needs; it may have been cut off."
        tally.refuse(Bad(CUT_OFF, 0, text, count=0))
    return tally


def _blocks(words: list[bytes], counts: Ints, own: Float, subwords: Subwords | None, end: Tally) -> Generator[RowBlock]:
    if subwords is not None:
        _check(subwords.buckets)
    step = max(1, _BLOCK // (4 * own.shape[1]))
    for start in range(0, len(words), step):
        some = words[start : start + step]
        with np.errstate(invalid="ignore", over="ignore"):
            values = np.array(own[start : start + step], np.float32)
            values = values if subwords is None else subwords.composed(some, values)
        lines = np.arange(start + 1, start + 1 + len(some), dtype=np.int64)
        yield checked_block(some, values, lines, Tally(), counts[start : start + step])
    yield last_words(own.shape[1], end)


def _check(buckets: Float) -> None:
    """Raise an error if an n-gram vector has a number that is not finite: it would spoil all words with this n-gram."""
    step = max(1, CHUNK // (4 * buckets.shape[1]))
    with np.errstate(invalid="ignore"):
        for start in range(0, len(buckets), step):
            if not np.isfinite(buckets[start : start + step]).all():
                raise _damaged("n-gram vectors with numbers that are not finite", NOT_FINITE)


def _damaged(found: str, reason: str = HEADER) -> FormatError:
    text = f"This is a fastText model with {found}: it is damaged. Copy or download it again."
    return FormatError(text, {"reason": reason, "usable": 0})


def _cut(where: str) -> FormatError:
    text = f"This fastText model ends inside {where}. It was cut off; copy or download it again."
    return FormatError(text, {"reason": CUT_OFF, "usable": 0})


def _other(what: str, advice: str) -> FormatError:
    text = f"This is {what}, which is not read here. {advice}"
    return FormatError(text, {"reason": "not read", "looks_like": what, "usable": 0})


def _quantised() -> FormatError:
    return _other("a quantised fastText model (.ftz)", "Open the .bin that it was made from, or the .vec beside that.")
