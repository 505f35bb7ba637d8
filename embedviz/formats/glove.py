"""GloVe's text: word2vec text without the first line.

    the 0.418 0.24968 -0.41242 …
    , 0.013441 0.23682 -0.16899 …

Written by Stanford's GloVe; a fastText `.vec` that lost its first line reads the same. How many numbers a row has is
by the first lines. Words may hold spaces (GloVe 840B has a row for `. . .`). `text` says what a row may look like.
"""

import re

from embedviz.files.source import Source
from embedviz.formats.reading import Format, Rows
from embedviz.formats.text import has_rows, head_lines, header_of, read_text
from embedviz.formats.writing import write_lines


def detect(head: bytes) -> bool:
    """Return whether there is no header, and most of the first lines end in numbers."""
    return header_of(head) is None and has_rows(head_lines(head))


def read(source: Source) -> Rows:
    """Return the rows of a GloVe text file.

    Raises:
        FormatError: The rows cannot be read.
    """
    return read_text(source, None)


FORMAT = Format(
    "glove",
    "text without a header (GloVe, fastText)",
    detect,
    read,
    "line",
    "A word and its numbers on every line, without a first line that counts them.",
    write=write_lines,
    endings=(".glove.txt", ".glove"),
    unwritable=re.compile("\\A\\Z|\\A\ufeff|[ \\t\\n\\r\ud800-\udfff]"),
)
