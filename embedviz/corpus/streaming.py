"""Read texts of any size: read a file, an archive or a folder line by line.

A file is recognised by its content: packed with gzip, xz or bzip2; an archive of text files, in which the group of a
file is the name of its folder; a table (CSV, TSV, JSON Lines, Parquet or Arrow) with a column of texts; else plain
text. A line that is not UTF-8 is read as Windows-1252, and reported with its place.
"""

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from embedviz import tables
from embedviz.core.phrases import listing
from embedviz.corpus import columns, messages
from embedviz.corpus.columns import NO_GROUP, Table
from embedviz.corpus.reading import LeftOuts
from embedviz.files.archives import CorpusError, FileError, Member, Read, Stream, kind_of, members
from embedviz.files.byte_lines import NotText, after, byte_lines, head_of, latin

MOST_UNPACKED = 2**44
"""Maximum size of a packed file after unpacking, in bytes; it is never all in memory."""
READ_AS = ("auto", "table", "lines")
"""How a file may be read: recognised by its content, always as a table, or as lines of plain text."""
LONGEST = 2**20
"""Maximum size of a line of plain text in bytes; a longer line is cut, between two words if possible."""
_HEAD = 2**18
_MESSAGE = 2**20  # maximum size in bytes of a file that is checked for a message header
LOOKED_AT = 2000
"""Number of first rows from which the columns of a table are recognised."""
_TOP = "(no folder)"
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson")
_OFFICE = ("[Content_Types].xml", "mimetype")


class TextLines(NamedTuple):
    """A text of a source.

    Attributes:
        lines: Its lines, which can be read once.
        group: Its group; empty if it has none.
        name: File or line that the text comes from; empty if the source is a single plain text.
        cells: Its row of a table; empty if it is not from a table.
    """

    lines: Iterable[str]
    group: str = ""
    name: str = ""
    cells: tuple[str, ...] = ()


@dataclass
class Account(LeftOuts):
    """Report on a source that was read.

    Attributes:
        format: *lines*, *table*, *json lines*, *archive* or *folder*.
        texts: Number of texts read: rows or files.
        columns: Names of the columns of a table.
        text, group: Names of the columns of texts and of groups (labels); empty if there are none.
        beginning: The first five lines that are not empty, cut to 600 characters.
    """

    format: str = "lines"
    texts: int = 0
    columns: tuple[str, ...] = ()
    text: str = ""
    group: str = ""
    beginning: list[str] = field(default_factory=list)


LATIN = "Lines that are not UTF-8, read as Windows-1252"
LONG_LINE = f"Lines of more than {LONGEST:,} bytes, cut into pieces"
LONG_WORD = "Runs of more than 100 characters, which are no words"
MESSAGES = "Messages without their header, quoted lines and signature"


@dataclass
class TextSource:
    """A file, an archive or a folder of texts that can be read more than once.

    An archive or a folder with a single file is read like that file.

    Attributes:
        under: Folder inside an archive or a folder to read; if empty, everything is read.
        text: Column of a table that has the texts; if empty, it is found.
        group: Column that has the groups; if empty, the column is found; *none* for no groups.
        most: Maximum size after unpacking, in bytes.
        read_as: One of `READ_AS`.
        strip: Whether to remove header, quoted lines and signature from messages, if the source has several files.
        longest: Maximum size of a line of plain text in bytes.
        looked_at: Number of first rows from which the columns of a table are recognised.
        account: Account of the latest reading.
    """

    path: Path
    under: str = ""
    text: str = ""
    group: str = ""
    most: int = MOST_UNPACKED
    read_as: str = "auto"
    strip: bool = True
    longest: int = field(default_factory=lambda: LONGEST)
    looked_at: int = LOOKED_AT
    account: Account = field(default_factory=Account)
    _read: Callable[[], float] = field(default=partial(float, 0), init=False, repr=False)

    def fraction(self) -> float:
        """Return the fraction of the source that was read so far, 0 to 1."""
        return self._read()

    def __iter__(self) -> Iterator[TextLines]:
        """Yield the texts. The lines of a text must be read before the next text is taken.

        Raises:
            CorpusError: The source cannot be read; the message says why and where.
        """
        self.account = Account()
        kind = kind_of(self.path)
        for text in self._several(kind) if kind else self._file():
            self.account.texts += 1
            yield text._replace(lines=self._begun(text.lines))

    def _begun(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines, and store the first five that are not blank in `account.beginning`.

        A stored line is cut to 600 characters.
        """
        beginning = self.account.beginning
        for line in lines:
            if len(beginning) < 5 and line.strip():
                beginning.append(" ".join(line.strip().split("\n"))[:600])
            yield line

    def _file(self) -> Iterator[TextLines]:
        """Yield the texts of one file."""
        if tables.arrow_format(self.path):
            self._is("table")
            yield from self._rows(tables.arrow_rows(self.path, self.most), "", "")
            return
        with Stream(self.path, self.most) as stream:
            self._read = lambda: stream.fraction
            yield from self._single(stream.read, "")

    def _several(self, kind: str) -> Iterator[TextLines]:
        """Yield the texts of an archive or a folder; a file that cannot be read is left out."""
        first = [member.name for member in islice((one for one in self._members() if one.read), 2)]
        if first and first[0].rpartition("/")[2] in _OFFICE:
            raise CorpusError("It is a document of an office program or an e-book. Save it as plain text first.")
        if len(first) != 1:
            self.account.format = "folder" if kind == "folder" else "archive"
        for member in self._members():
            self._read = member.fraction
            if member.read is None:
                self.account.leave(_left(member.reason), member.name)
            elif len(first) == 1:
                yield from self._single(member.read, "")
            else:
                try:
                    yield from self._member(member.name, member.read)
                except FileError as error:
                    self.account.leave(_left(error), member.name)
        if not first:
            where = f" in {self.under}" if self.under else ""
            raise CorpusError(f"The {self.account.format} holds no files to read{where}.")

    def _members(self) -> Iterator[Member]:
        prefix = self.under.strip("/")
        every = members(self.path, self.most)
        return (member for member in every if not prefix or member.name.startswith(f"{prefix}/"))

    def _member(self, name: str, read: Read) -> Iterator[TextLines]:
        """Yield the texts of a file in an archive or folder: the rows if its name is that of a table, else one text."""
        group = name.rpartition("/")[0].rpartition("/")[2] or _TOP
        if name.lower().endswith(_TABLES):
            yield from self._single(read, name, group)
            return
        start = read(_MESSAGE)
        if self.strip and len(start) < _MESSAGE and messages.is_message(head_of(start)):
            self.account.leave(MESSAGES, name)
            whole = "\n".join(self._sound_lines(io.BytesIO(start).read, name))
            yield TextLines(messages.body(whole).split("\n"), group, name)
        else:
            yield TextLines(self._sound_lines(after(start, read), name), group, name)

    def _sound_lines(self, read: Read, name: str) -> Iterator[str]:
        """Yield the lines of a file in an archive or folder, up to the first line that cannot be read as text.

        The rest of the file is left out, which is noted in `account`.
        """
        try:
            yield from self._lines(read, name, self.longest)
        except FileError as error:
            self.account.leave(_left(error), name)

    def _single(self, read: Read, name: str, group: str = "") -> Iterator[TextLines]:
        """Yield the texts of one file: rows of a table or of JSON Lines, or all lines of plain text as one text."""
        start = read(_HEAD)
        head, read = head_of(start), after(start, read)
        rows = None
        if self.read_as != "lines" and tables.is_json_lines(head):
            self._is("json lines")
            rows = tables.object_rows(self._lines(read, name, tables.LONGEST_CELL), self.account.leave)
        elif self.read_as != "lines" and (
            delimiter := tables.delimiter_of(head) or ("," if self.read_as == "table" else "")
        ):
            self._is("table")
            lines = self._lines(read, name, tables.LONGEST_CELL)
            rows = tables.named_rows(lines, delimiter, columns.is_header, self.account.leave)
        elif self.read_as != "lines":
            self._refuse(head, name)
        if rows is not None:
            yield from self._rows(rows, group, name)
        else:
            yield TextLines(self._lines(read, name, self.longest), group, name)

    def _refuse(self, head: str, name: str) -> None:
        """Refuse plain text if a column was named, and a table that has only a header.

        Raises:
            CorpusError: Always in these cases.
        """
        if self.text or (self.group and self.group != NO_GROUP):
            if not head.strip():
                raise CorpusError(f"{name or self.path.name} is empty. Choose another file.")
            raise CorpusError(f"There is no column “{(self.text or self.group)[:80]}”: the text is no table.")
        if named := columns.only_header(head):
            raise CorpusError(f"The table has no rows below its header ({listing(named)}). Choose another file.")

    def _is(self, kind: str) -> None:
        self.account.format = kind if self.account.format == "lines" else self.account.format

    def _rows(self, rows: Iterator[tables.Row], folder: str, name: str) -> Iterator[TextLines]:
        """Yield the texts of a table.

        Args:
            rows: The names of the columns, then the rows.
            folder: Group of the texts if the table has no group column.
            name: Name of the file, or empty.
        """
        named, _ = next(rows)
        first = list(islice(rows, self.looked_at))
        sample = Table(named, [row for row, _ in first])
        text = columns.text_column(sample, self.text)
        group = columns.group_column(sample, text, self.group)
        self.account.columns, self.account.text = named, named[text]
        self.account.group = "" if group is None else named[group]
        kinds: set[str] = set()
        for row, place in chain(first, rows):
            label = folder if group is None else " ".join(row[group].split())[:80] or "(empty)"
            if group is not None and label not in kinds:
                kinds.add(label)
                if len(kinds) > columns.MOST_GROUPS:
                    raise CorpusError(
                        f"The column {named[group]} has more than {columns.MOST_GROUPS:,} values, too many. "
                        f"Choose another column, or {NO_GROUP}."
                    )
            yield TextLines((row[text],), label, _line(name, place), tuple(row))

    def _lines(self, read: Read, name: str, longest: int) -> Iterator[str]:
        """Yield the decoded lines of a file.

        Raises:
            NotText: The file is not text.
        """
        for number, raw, usual in byte_lines(read, longest):
            if not usual:
                self.account.leave(LONG_LINE, _line(name, number))
            try:
                yield raw.decode("utf-8")
            except UnicodeDecodeError:
                self.account.leave(LATIN, _line(name, number))
                yield latin(raw)


def _line(name: str, number: int) -> str:
    return f"{name}, line {number:,}" if name else f"line {number:,}"


def _left(why: CorpusError | str) -> str:
    """Return the reason why a file in an archive or folder was left out."""
    return f"Files left out: {'no text' if isinstance(why, NotText) else str(why).rstrip('.')}"
