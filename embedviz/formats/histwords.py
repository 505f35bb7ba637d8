"""HistWords (Hamilton et al. 2016): one list of words, and for each decade a matrix of raw numbers.

`embeddings_terms.json` is a JSON list of n texts. Each matrix, such as `embeddings_m_1850.f32.bin`, holds n rows of d
little-endian float32 numbers and nothing else. The number d follows from the size of the file. Two things can be
read: a matrix with the list in the same folder, and a zip archive of the list and several matrices, each of which
becomes a space. The files of an archive are read without unpacking them to disk.
"""

import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from pathlib import PurePosixPath
from typing import IO, NamedTuple

import numpy as np

from embedviz.core.phrases import listing, number_in
from embedviz.core.plain_files import read_plain
from embedviz.files.errors import FormatError
from embedviz.files.source import CHUNK, SUSPECT_RATIO, Source, too_large
from embedviz.files.zips import BoundedZip
from embedviz.formats.archives import sentences
from embedviz.formats.reading import MOST_DIMENSIONS, Format, RowBlock, Rows, Tally, checked_block

MATRIX_ENDINGS = (".bin", ".f32", ".raw")
MOST_MATRICES = 64
MOST_MEMBERS = 2_000
MOST_LIST_BYTES = 64 * 2**20
LONGEST_NAME = 80
_NUMBER = 4  # bytes
_LISTED = 'a list of words is needed, such as ["the", "of"].'
_MEMBER = re.compile(rb"PK\x03\x04.{22}(..)..", re.DOTALL)
_LIST_NAMES = ("terms", "words", "vocab")


class Decade(NamedTuple):
    """One matrix of an archive: the name for the space of this matrix, and the rows."""

    name: str
    rows: Rows


def detect(head: bytes) -> bool:
    """Return whether a file is a zip archive with a JSON list or a raw matrix among its first members."""
    if not head.startswith(b"PK\x03\x04") or b"data.pkl" in head:
        return False
    names = []
    for found in _MEMBER.finditer(head):
        length = int.from_bytes(found.group(1), "little")
        names.append(head[found.end() : found.end() + length])
    return any(name.endswith((b".json", *(ending.encode() for ending in MATRIX_ENDINGS))) for name in names)


def read(source: Source) -> Rows:
    """Return the rows of the matrix in an archive that holds only one matrix.

    Raises:
        FormatError: The archive holds several matrices, or cannot be read.
    """
    found = parts(source)
    if len(found) > 1:
        names = listing([each.name for each in found])
        raise _unfit(
            f"The archive holds {len(found)} spaces ({names}). Unpack it and name one of its matrices, or open it on "
            "the page Open."
        )
    return found[0].rows


def parts(source: Source) -> list[Decade]:
    """Return all matrices of an archive, sorted by the numbers in the names of the files.

    Raises:
        FormatError: The list or the matrices are missing, a matrix does not fit the list, or the archive is damaged or
            too large.
    """
    stream = source.seekable()
    with sentences():
        archive = BoundedZip(stream, most=source.max_bytes, ratio=SUSPECT_RATIO)
        lists, matrices = _members(archive)
        unpacked = sum(each.file_size for each in (*lists, *matrices))
        source.check_unpacked(unpacked, source.size)
        words = _words(_short(lists[0].filename), archive.read(lists[0]), source.encoding)
    names = names_of([each.filename for each in matrices])
    found = []
    for name, info in zip(names, matrices, strict=True):
        width = _dimensions(_short(info.filename), info.file_size, len(words))
        found.append(Decade(name, _rows(words, width, lambda info=info: archive.open(info))))  # type: ignore[misc]
    return sorted(found, key=lambda part: _in_order(part.name))


def rows_with_list(source: Source) -> Rows | None:
    """Return the rows of a raw matrix with a JSON list of words in the same folder.

    None if there is no such list, or the file has none of `MATRIX_ENDINGS`.

    Raises:
        FormatError: There are several lists, the list cannot be read, or the size of the matrix does not fit it.
    """
    path = source.path
    if path.suffix not in MATRIX_ENDINGS or source.packed:
        return None
    lists = sorted(each for each in path.parent.glob("*.json") if each.exists() and not each.is_dir())
    named = [each for each in lists if any(word in each.stem.lower() for word in _LIST_NAMES)]
    chosen = named or lists
    if not chosen:
        return None
    if len(chosen) > 1:
        raise _unfit(
            f"{len(chosen)} JSON files lie beside {path.name}; one list of its words is needed, such as words.json."
        )
    if chosen[0].stat().st_size > MOST_LIST_BYTES:
        raise too_large(MOST_LIST_BYTES)
    words = _words(chosen[0].name, read_plain(chosen[0], MOST_LIST_BYTES), source.encoding)
    width = _dimensions(path.name, source.size, len(words))
    return _rows(words, width, lambda: path.open("rb"))


def names_of(files: Sequence[str]) -> list[str]:
    """Return the names of spaces, one for each file: the number in its name, if each has one and all differ.

    Otherwise the name is the file's name without its suffix. If several files have the same name, their positions in
    `files` are added: *vectors 1*, *vectors 2*.
    """
    stems = [_stem(file) for file in files]
    years = [number_in(stem) for stem in stems]
    if all(years) and len(set(years)) == len(years):
        return years
    return [stem if stems.count(stem) == 1 else f"{stem} {place}" for place, stem in enumerate(stems, 1)]


def _in_order(name: str) -> tuple[float, str]:
    found = number_in(name)
    return (float(found) if found else float("inf"), name)


FORMAT = Format(
    "histwords",
    "HistWords (.zip of a word list and raw matrices)",
    detect,
    read,
    "row",
    "A JSON list of the words, and for each decade a matrix of raw float32 numbers.",
    signed=True,
)


def _short(name: str) -> str:
    """Return the name of a file in an archive for messages: without folders, printable and shortened."""
    base = PurePosixPath(name.replace("\\", "/")).name
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in base)[:LONGEST_NAME]


def _stem(name: str) -> str:
    stem = _short(name)
    for ending in (*MATRIX_ENDINGS, *MATRIX_ENDINGS):
        stem = stem.removesuffix(ending)
    return stem or "matrix"


def _members(archive: zipfile.ZipFile) -> tuple[list[zipfile.ZipInfo], list[zipfile.ZipInfo]]:
    """Return the word list (one entry) and the matrices of an archive.

    Raises:
        FormatError: There is not exactly one list, there is no matrix, or there are too many matrices.
    """
    listed = archive.infolist()
    if len(listed) > MOST_MEMBERS:
        raise _unfit(f"The archive has {len(listed):,} files; at most {MOST_MEMBERS:,} are looked through.")
    files = [each for each in listed if not each.is_dir() and not _hidden(each.filename)]
    lists = [each for each in files if each.filename.endswith(".json")]
    matrices = [each for each in files if each.filename.endswith(MATRIX_ENDINGS)]
    if len(lists) != 1:
        says = "no JSON list of words" if not lists else f"{len(lists)} JSON files"
        raise _unfit(f"The archive holds {says}; one is needed, with a word for every row of the matrices.")
    if not matrices:
        known = ", ".join(MATRIX_ENDINGS)
        raise _unfit(f"The archive holds a word list and no matrix; a file of raw float32 numbers is needed ({known}).")
    if len(matrices) > MOST_MATRICES:
        raise _unfit(f"The archive holds {len(matrices):,} matrices; at most {MOST_MATRICES} are read.")
    if lists[0].file_size > MOST_LIST_BYTES:
        raise too_large(MOST_LIST_BYTES)
    return lists, matrices


def _hidden(name: str) -> bool:
    return name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith(".")


def _words(name: str, data: bytes, encoding: str) -> list[bytes]:
    """Return the words of a JSON list, in UTF-8.

    Args:
        name: The name of the file, for the error message.
        encoding: The encoding of the list; empty to detect UTF-8, UTF-16 or UTF-32.

    Raises:
        FormatError: The JSON is not a list of texts, the list is empty, or a word occurs twice.
    """
    try:
        words = json.loads(data.decode(encoding) if encoding else data)
    except (ValueError, RecursionError):
        raise _unfit(f"{name} cannot be read as JSON; {_LISTED}") from None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise _unfit(f"{name} is no list of texts; {_LISTED}")
    if len(set(words)) < len(words):
        twice, count = Counter(words).most_common(1)[0]
        raise _unfit(f"In {name} a word stands more than once: “{twice[:40]}” {count:,} times. A word has one row.")
    return [word.encode("utf-8", "replace") for word in words]


def _dimensions(name: str, size: int, rows: int) -> int:
    """Return how many numbers a row of a matrix has, from the matrix's `size` in bytes and its number of `rows`.

    Args:
        name: The name of the file, for the error message.

    Raises:
        FormatError: The size does not fit a whole number of float32 numbers per row, or a row would be too long.
    """
    width, left = divmod(size, _NUMBER * rows)
    if left or not width:
        raise _unfit(
            f"{name} has {size:,} bytes; for {rows:,} words of 4-byte numbers that must be a multiple of "
            f"{_NUMBER * rows:,}. The list has another number of words, or the file is cut off."
        )
    if width > MOST_DIMENSIONS:
        raise _unfit(f"{name} has {width:,} numbers for each of {rows:,} words; 1 to {MOST_DIMENSIONS:,} are read.")
    return width


def _rows(words: list[bytes], width: int, opened: Callable[[], IO[bytes]]) -> Rows:
    return Rows(width, _blocks(words, width, opened), len(words), utf8=True)


def _blocks(words: list[bytes], width: int, opened: Callable[[], IO[bytes]]) -> Generator[RowBlock]:
    """Yield the rows of a matrix in blocks.

    Args:
        width: The number of numbers in a row.
        opened: Function that opens the file of the matrix.

    Raises:
        FormatError: The matrix ends early, or a number is not finite.
    """
    step = max(1, CHUNK // (_NUMBER * width))
    with sentences(), opened() as stream:
        for start in range(0, len(words), step):
            some = words[start : start + step]
            data = stream.read(_NUMBER * width * len(some))
            if len(data) < _NUMBER * width * len(some):
                raise EOFError("the matrix ends early")
            values = np.frombuffer(data, "<f4").reshape(len(some), width)
            block = checked_block(some, values, np.arange(start + 1, start + 1 + len(some)), Tally())
            if block.finite is not None:
                row = start + 1 + int(np.flatnonzero(~block.finite)[0])
                raise _unfit(
                    f"Row {row:,} holds a number that is not finite: these are no little-endian float32 numbers, or "
                    "the file is damaged."
                )
            yield block


def _unfit(sentence: str) -> FormatError:
    return FormatError(sentence, {"reason": "not a vector file", "usable": 0})
