"""GloVe's text format: word2vec text without the header line.

    the 0.418 0.24968 -0.41242 …
    , 0.013441 0.23682 -0.16899 …

Stanford's GloVe writes this format; a fastText `.vec` without its header line looks the same. The first lines determine
how many numbers a row has. Words may hold spaces (GloVe 840B has a row for `. . .`). The module `text` reads the rows.
"""

import re

from embedviz.files.source import Source
from embedviz.formats.reading import Format, Rows
from embedviz.formats.text import has_rows, head_lines, header_of, read_text
from embedviz.formats.writing import write_lines


def detect(head: bytes) -> bool:
    """Return whether there is no header line, and at least half of the first lines end in numbers."""
    return header_of(head) is None and has_rows(head_lines(head))


def read(source: Source) -> Rows:
    """Return the rows of a GloVe text file.

    Raises:
        FormatError: The file has no rows, or the rows have no words or no numbers.
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
