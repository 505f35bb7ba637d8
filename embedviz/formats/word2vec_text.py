"""word2vec's text format; fastText's `.vec` has the same format.

The first line holds the number of words and of dimensions. Every further line is a word and its numbers:

    400000 300
    the 0.04656 0.21318 -0.0074364 …

The format is written by the word2vec program with `-binary 0`, by gensim with `save_word2vec_format`, and by fastText,
which ends its lines with a space. The module `text` reads the rows.
"""

import re
from typing import BinaryIO

from embedviz.core.space import Ints, VectorSpace
from embedviz.files.errors import FormatError
from embedviz.files.source import Source
from embedviz.formats.reading import Format, RowReport, Rows
from embedviz.formats.text import header_of, looks_binary, read_text
from embedviz.formats.writing import write_lines


def detect(head: bytes) -> bool:
    """Return whether the first line holds two whole numbers, and text follows after it."""
    return header_of(head) is not None and not looks_binary(head)


def read(source: Source) -> Rows:
    """Return the rows of a word2vec text file.

    Raises:
        FormatError: There is no header or no row, or the rows have no numbers.
    """
    promised = header_of(source.head)
    if promised is None:
        raise FormatError("The first line must say how many words and numbers follow.", {"reason": "header", "line": 1})
    return read_text(source, promised)


def write(stream: BinaryIO, space: VectorSpace, rows: Ints, report: RowReport) -> None:
    """Write a header line, then one line per word."""
    stream.write(b"%d %d\n" % (len(rows), space.dimensions))
    write_lines(stream, space, rows, report)


FORMAT = Format(
    "word2vec-text",
    "text with a header (word2vec, fastText)",
    detect,
    read,
    "line",
    "A first line with the counts, then a word and its numbers on every line; fastText’s .vec is of this kind.",
    write=write,
    endings=(".txt", ".vec", ".w2v"),
    unwritable=re.compile("\\A\\Z|[ \\t\\n\\r\ud800-\udfff]"),
)
