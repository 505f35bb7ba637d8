"""Texts: built-in ones, and those of a file, an archive or a folder.

The format is recognised by the content: an archive (.zip, .tar, also .tar.gz, .tar.xz) or a folder of text files, in
which the group of a file is the name of its folder; a table (CSV, TSV, JSON Lines, Parquet, Arrow) with a column of
texts; else plain text. Files may be compressed with gzip, xz or bzip2. Nothing is unpacked to disk.

`streaming`: the reader · `documents`: texts with keys and groups, stored in a folder · `preparing`, `tokenized`: a
corpus of words for training.
"""

from embedviz.corpus.columns import NO_GROUP
from embedviz.corpus.documents import (
    LEE,
    MOST_TEXTS,
    TEACHING,
    UNITS,
    import_texts,
    lee,
    open_texts,
    opened,
    read_texts,
    reading_of,
    sample,
    save_texts,
)
from embedviz.corpus.reading import LeftOut, TextsReading
from embedviz.corpus.terms import Terms, count_terms
from embedviz.files.archives import MOST_BYTES, CorpusError

__all__ = [
    "LEE",
    "MOST_BYTES",
    "MOST_TEXTS",
    "NO_GROUP",
    "TEACHING",
    "UNITS",
    "CorpusError",
    "LeftOut",
    "Terms",
    "TextsReading",
    "count_terms",
    "import_texts",
    "lee",
    "open_texts",
    "opened",
    "read_texts",
    "reading_of",
    "sample",
    "save_texts",
]
