"""Texts of any size, line by line: what is read of a file, an archive or a folder for a corpus, never held whole.

What a file is, is told by its content: packed with gzip, xz or bzip2; an archive of text files, whose folders name the
groups; a table or JSON Lines with a column of texts; else plain text. A line that is not UTF-8 is read as Windows-1252,
and told with its place.
"""

from __future__ import annotations

import csv
import io
import os
import stat
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from embedviz.core.phrases import listing
from embedviz.corpus import LeftOut, messages, tables
from embedviz.corpus.tables import NO_GROUP, Table
from embedviz.files.archives import MOST_MEMBERS, CorpusError, Stream, is_hidden, is_tar, is_zip, tidy
from embedviz.files.byte_lines import NotText, Read, after, byte_lines, head_of, latin

MOST_UNPACKED = 2**44
"""Bytes that a file may unpack to; what is read is never held whole."""
READ_AS = ("auto", "table", "lines")
"""What a file may be read as: what it looks like, a table whatever its lines look like, or lines of plain text."""
LONGEST = 2**20
"""Bytes of a line of plain text; a longer one is cut, between two words where it has any."""
_LONGEST_ROW = 2**24
_HEAD = 2**18
_MESSAGE = 2**20  # bytes of a file that may be a message with a header
_PLACES = 3
_LOOKED_AT = 2000  # rows that the columns of a table are told by
_LINK = "Links and other entries that are no plain file, left out"
_BEHIND = "Files behind a password, left out"
_TOP = "(no folder)"
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson")
_OFFICE = ("[Content_Types].xml", "mimetype")
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, RuntimeError, NotImplementedError, ValueError)


class Text(NamedTuple):
    """The lines of one text, to be read once and in order, and its group."""

    lines: Iterable[str]
    group: str = ""


@dataclass
class Account:
    """What there is to say of a source once it was read.

    Attributes:
        format: *lines*, *table*, *json lines*, *archive* or *folder*.
        texts: How many were read: rows, or files.
        text: The column of a table that holds the texts, `group` the one that holds their groups.
        beginning: The first lines as they are written.
    """

    format: str = "lines"
    texts: int = 0
    columns: tuple[str, ...] = ()
    text: str = ""
    group: str = ""
    beginning: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)

    def leave(self, reason: str, place: str) -> None:
        """Counts something that was not read as it is, and keeps the first places."""
        self.counts[reason] += 1
        kept = self.places.setdefault(reason, [])
        if len(kept) < _PLACES:
            kept.append(place)

    def left_out(self) -> tuple[LeftOut, ...]:
        """What was not read as it is, the most frequent reason first."""
        return tuple(LeftOut(reason, count, tuple(self.places[reason])) for reason, count in self.counts.most_common())


LATIN = "Lines that are not UTF-8, read as Windows-1252"
LONG_LINE = f"Lines of more than {LONGEST:,} bytes, cut into pieces"
LONG_WORD = "Runs of more than 100 characters, which are no words"
MESSAGES = "Messages without their header, quoted lines and signature"


@dataclass
class Source:
    """A file or a folder whose texts may be read more than once, each time from its beginning.

    Attributes:
        under: The folder of an archive or a folder that is read; all of it where it is empty.
        text: The column of a table that holds the texts; found where it is empty.
        group: The column of groups; found where it is empty, none for *none*.
        read_as: One of `READ_AS`.
        account: What came of the latest reading.
    """

    path: Path
    under: str = ""
    text: str = ""
    group: str = ""
    most: int = MOST_UNPACKED
    read_as: str = "auto"
    account: Account = field(default_factory=Account)
    _read: Callable[[], float] = field(default=partial(float, 0), init=False, repr=False)

    def fraction(self) -> float:
        """How much of it was read, 0 to 1."""
        return self._read()

    def __iter__(self) -> Iterator[Text]:
        """The texts.

        Raises:
            CorpusError: It cannot be read; the message says why, and where.
        """
        self.account = Account()
        texts = self._folder() if self.path.is_dir() else self._file(self.path)
        for text in texts:
            self.account.texts += 1
            yield Text(self._begun(text.lines), text.group)

    def _begun(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines, of which the first are kept as they are."""
        kept = self.account.beginning
        for line in lines:
            if len(kept) < 5 and line.strip():
                kept.append(line.strip()[:600])
            yield line

    def _file(self, path: Path) -> Iterator[Text]:
        with Stream(path, self.most) as stream:
            self._read = lambda: stream.fraction
            if is_zip(stream):
                yield from self._archive(self._zip_files(path))
            elif is_tar(stream):
                yield from self._archive(self._tar_files(stream))
            else:
                yield from self._single(stream.read, "")

    def _folder(self) -> Iterator[Text]:
        files = [path for path in _files(self.path) if self._wanted(path.relative_to(self.path).as_posix())]
        sizes = [path.stat().st_size for path in files]
        total, done = max(1, sum(sizes)), 0
        if not files:
            raise CorpusError(f"The folder {self.path.name} holds no files to read.")
        if len(files) == 1:
            yield from self._file(files[0])
            return
        self.account.format = "folder"
        for path, size in zip(files, sizes, strict=True):
            self._read = partial(_share, done, total)
            name = tidy(path.relative_to(self.path).as_posix())
            try:
                with Stream(path, self.most) as stream:
                    yield from self._member(name, stream.read)
            except CorpusError as error:
                self.account.leave(_left(error), name)
            done += size

    def _wanted(self, name: str) -> bool:
        prefix = self.under.strip("/")
        return not is_hidden(tidy(name)) and (not prefix or tidy(name).startswith(f"{prefix}/"))

    def _archive(self, files: Iterator[tuple[str, Read]]) -> Iterator[Text]:
        self.account.format, some = "archive", False
        for name, read in files:
            if name.rpartition("/")[2] in _OFFICE and not some:
                raise CorpusError("It is a document of an office program or an e-book. Save it as plain text first.")
            some = True
            yield from self._member(name, read)
        if not some:
            where = f" in {self.under}" if self.under else ""
            raise CorpusError(f"The archive holds no files to read{where}.")

    def _zip_files(self, path: Path) -> Iterator[tuple[str, Read]]:
        given = _Budget(self.most)
        try:
            with path.open("rb") as file, zipfile.ZipFile(file) as archive:
                entries = archive.infolist()
                _few_enough(len(entries))
                total, done = max(1, sum(entry.compress_size for entry in entries)), 0
                for entry in entries:
                    self._read = partial(_share, done, total)
                    done += entry.compress_size
                    name = tidy(entry.filename)
                    if entry.is_dir() or not self._wanted(entry.filename):
                        continue
                    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG) or entry.flag_bits & 1:
                        self.account.leave(_BEHIND if entry.flag_bits & 1 else _LINK, name)
                        continue
                    with archive.open(entry) as member:
                        yield name, given.limited(_sound(member.read, "zip"))
        except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError) as error:
            raise _broken("zip", error) from None

    def _tar_files(self, stream: Stream) -> Iterator[tuple[str, Read]]:
        try:
            with tarfile.open(fileobj=stream, mode="r|") as archive:  # type: ignore[call-overload]
                for number, entry in enumerate(archive):
                    _few_enough(number)
                    if entry.isdir() or not self._wanted(entry.name):
                        continue
                    member = archive.extractfile(entry) if entry.isreg() and not entry.issparse() else None
                    if member is None:
                        self.account.leave(_LINK, tidy(entry.name))
                        continue
                    yield tidy(entry.name), _sound(member.read, "tar")
                    archive.members = []  # one pass: nothing is kept of what is behind
        except (tarfile.TarError, EOFError, ValueError) as error:
            raise _broken("tar", error) from None

    def _member(self, name: str, read: Read) -> Iterator[Text]:
        """One file of several: a table where its name says so, else its lines."""
        group = name.rpartition("/")[0].rpartition("/")[2] or _TOP
        if name.lower().endswith(_TABLES):
            yield from self._single(read, name, group)
            return
        start = read(_MESSAGE)
        if len(start) < _MESSAGE and messages.is_message(head_of(start)):
            self.account.leave(MESSAGES, name)
            whole = "\n".join(self._sound_lines(io.BytesIO(start).read, name))
            yield Text(messages.body(whole).split("\n"), group)
            return
        yield Text(self._sound_lines(after(start, read), name), group)

    def _sound_lines(self, read: Read, name: str) -> Iterator[str]:
        """The lines of one file of several, which is left there where it turns out to be no text."""
        try:
            yield from self._lines(read, name)
        except CorpusError as error:
            if not isinstance(error, NotText) and self.account.format != "folder":
                raise
            self.account.leave(_left(error), name)

    def _single(self, read: Read, name: str, group: str = "") -> Iterator[Text]:
        """A table, JSON Lines, or plain text."""
        start = read(_HEAD)
        head, read = head_of(start), after(start, read)
        if self.read_as == "lines":
            yield Text(self._lines(read, name), group)
        elif tables.is_json_lines(head):
            self._is("json lines")
            yield from self._rows(_objects(self._lines(read, name, _LONGEST_ROW), self.account), group)
        elif delimiter := tables.delimiter_of(head) or ("," if self.read_as == "table" else ""):
            self._is("table")
            yield from self._rows(_cells(self._lines(read, name, _LONGEST_ROW), delimiter, self.account), group)
        elif self.text or (self.group and self.group != NO_GROUP):
            if not head.strip():
                raise CorpusError(f"{name or self.path.name} is empty. Choose another file.")
            raise CorpusError(f"There is no column “{(self.text or self.group)[:80]}”: the text is no table.")
        elif columns := tables.only_header(head):
            raise CorpusError(f"The table has no rows below its header ({listing(columns)}). Choose another file.")
        else:
            yield Text(self._lines(read, name), group)

    def _is(self, kind: str) -> None:
        self.account.format = kind if self.account.format == "lines" else self.account.format

    def _rows(self, rows: Iterator[tuple[str, ...]], folder: str) -> Iterator[Text]:
        """The texts of a table whose first row names its columns."""
        columns = next(rows)
        first = list(islice(rows, _LOOKED_AT))
        sample = Table(columns, first, [], [])
        text = tables.text_column(sample, self.text)
        group = tables.group_column(sample, text, self.group)
        self.account.columns, self.account.text = columns, columns[text]
        self.account.group = "" if group is None else columns[group]
        kinds: set[str] = set()
        for row in chain(first, rows):
            label = folder if group is None else " ".join(row[group].split())[:80] or "(empty)"
            if group is not None and label not in kinds:
                kinds.add(label)
                if len(kinds) > tables.MOST_GROUPS:
                    raise CorpusError(
                        f"The column {columns[group]} has more than {tables.MOST_GROUPS:,} values, too many. "
                        f"Choose another column, or {NO_GROUP}."
                    )
            yield Text((" ".join(row[text].split("\n")),), label)

    def _lines(self, read: Read, name: str, longest: int = 0) -> Iterator[str]:
        """The lines of a file of text.

        Raises:
            CorpusError: It is no text.
        """
        where = f"{name}, line" if name else "line"
        for number, raw, usual in byte_lines(read, longest or LONGEST):
            if not usual:
                self.account.leave(LONG_LINE, f"{where} {number:,}")
            try:
                yield raw.decode("utf-8")
            except UnicodeDecodeError:
                self.account.leave(LATIN, f"{where} {number:,}")
                yield latin(raw)


class _Budget:
    """Bytes that all files of an archive may have together."""

    def __init__(self, most: int) -> None:
        self._left = self._most = most

    def limited(self, read: Read) -> Read:
        """The same bytes, counted."""

        def counted_read(count: int) -> bytes:
            data = read(count)
            self._left -= len(data)
            if self._left < 0:
                raise CorpusError(f"The texts take more than {self._most // 2**20:,} MB, the most that is read here.")
            return data

        return counted_read


def _sound(read: Read, kind: str) -> Read:
    """The same bytes; what is damaged is said in a sentence."""

    def sound(count: int) -> bytes:
        try:
            return read(count)
        except _DAMAGED as error:
            raise _broken(kind, error) from None

    return sound


def _broken(kind: str, error: Exception) -> CorpusError:
    if isinstance(error, CorpusError):
        return error
    return CorpusError(f"The {kind} archive is damaged ({error}). Copy or download it again.")


def _cells(lines: Iterable[str], delimiter: str, account: Account) -> Iterator[tuple[str, ...]]:
    """The names of a table's columns, then its rows; those of another length are left out."""
    before = csv.field_size_limit(_LONGEST_ROW)
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter)
    try:
        rows = ((tuple(row), reader.line_num) for row in reader if row)
        first = list(islice(rows, 200))
        width = Counter(len(row) for row, _ in first).most_common(1)[0][0]
        if width > tables.MOST_COLUMNS:
            raise CorpusError(f"The table has {width:,} columns; at most {tables.MOST_COLUMNS} are read.")
        whole = [row for row, _ in first if len(row) == width]
        named = tables.is_header(whole)
        header = whole[0]
        yield tables.distinct(header) if named else tuple(f"column {number + 1}" for number in range(width))
        for row, place in chain(first, rows):
            if len(row) != width:
                account.leave("Rows without as many cells as the others, left out", f"line {place:,}")
            elif not (named and row is header):
                yield row
    except csv.Error as error:
        raise CorpusError(f"Line {reader.line_num:,} of the table cannot be read: {error}.") from None
    finally:
        csv.field_size_limit(before)


def _objects(lines: Iterable[str], account: Account) -> Iterator[tuple[str, ...]]:
    """The names of the fields of JSON objects, one a line, then what each object has in them."""

    def objects() -> Iterator[dict[str, object]]:
        for place, line in enumerate(lines, 1):
            found = tables.json_object(line) if line.strip() else None
            if found is not None:
                yield found
            elif line.strip():
                account.leave("Lines that are no JSON object, left out", f"line {place:,}")

    every = objects()
    first = list(islice(every, 1000))
    columns = tuple(dict.fromkeys(name for one in first for name in one))[: tables.MOST_COLUMNS]
    if not columns:
        raise CorpusError("No line is a JSON object with a text in it.")
    yield columns
    for one in chain(first, every):
        yield tuple(tables.json_cell(one.get(name)) for name in columns)


def _files(folder: Path) -> Iterator[Path]:
    """The plain files in a folder and its folders, by name; links are not followed."""
    number = 0
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            _few_enough(number := number + 1)
            path = Path(root) / name
            if stat.S_ISREG(path.lstat().st_mode):
                yield path


def _few_enough(number: int) -> None:
    if number >= MOST_MEMBERS:
        raise CorpusError(f"There are more than {MOST_MEMBERS:,} entries, the most that is looked at. Make it smaller.")


def _share(done: int, total: int) -> float:
    return done / total


def _left(error: CorpusError) -> str:
    """Why a file of several was left out."""
    kind = "no text" if isinstance(error, NotText) else str(error).rstrip(".")
    return f"Files left out: {kind}"
