"""Texts: those that come with the program, and those of a file, an archive or a folder.

What a file is, is told by its content: an archive (.zip, .tar, also .tar.gz, .tar.xz) or a folder of text files, whose
folders name the groups; a table (.csv, .tsv) or JSON Lines with a column of texts; else plain text, a text a line, or a
paragraph where blank lines separate them. Any of them may be packed with gzip, xz or bzip2. Nothing is unpacked to
disk.
"""

from __future__ import annotations

import importlib.util
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.core.call import offered
from embedviz.core.phrases import listing
from embedviz.core.progress import Report
from embedviz.core.space import (
    Origin,
    SpaceError,
    WordBlob,
    folder_writer,
    read_blob,
    read_card,
    refuse_existing,
    write_rest,
)
from embedviz.core.texts import Texts
from embedviz.corpus import messages, tables
from embedviz.corpus.tables import NO_GROUP, Table
from embedviz.corpus.terms import Terms, count_terms
from embedviz.files.archives import (
    MOST_BYTES,
    CorpusError,
    Member,
    Stream,
    folder_members,
    is_tar,
    is_zip,
    tar_members,
    zip_members,
)

__all__ = [
    "LEE",
    "MOST_TEXTS",
    "NO_GROUP",
    "UNITS",
    "CorpusError",
    "LeftOut",
    "Reading",
    "Terms",
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

MOST_TEXTS = 50_000
LONGEST = 200_000
"""Characters of a text; what follows is left out."""
LEE = "lee"
"""The name of the texts that come with the program."""
UNITS = ("auto", "line", "paragraph")
_FIRST = 3  # places that are told of what was left out


@dataclass(frozen=True)
class LeftOut:
    """What was not read, or not whole: why, how often, and where first."""

    reason: str
    count: int
    first: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """What came of reading a file of texts.

    Attributes:
        format: *archive*, *folder*, *table*, *json lines*, *lines* or *paragraphs*.
        texts: How many were kept.
        groups: How many groups they have; 0 where nobody said.
        columns: The columns of a table, of which `text` and `group` were taken.
        encoding: What the bytes were read as, in words.
        messages: Whether the texts are messages with a header; `stripped` whether it was taken out, with what they
            quote and their signatures.
        left_out: What was not read.
        more: Texts that were left unread since there are more than is read.
        bytes: Of the file on disk.
    """

    format: str
    texts: int
    groups: int
    columns: tuple[str, ...] = ()
    text: str = ""
    group: str = ""
    encoding: str = "UTF-8"
    messages: bool = False
    stripped: bool = False
    left_out: tuple[LeftOut, ...] = ()
    more: bool = False
    bytes: int = 0
    seconds: float = 0.0

    def card(self) -> dict[str, Any]:
        """All fields as plain JSON values."""
        return asdict(self)

    @classmethod
    def of(cls, card: dict[str, Any]) -> Reading:
        """The reading that a card keeps."""
        left = tuple(LeftOut(one["reason"], one["count"], tuple(one["first"])) for one in card["left_out"])
        return cls(**{**card, "columns": tuple(card["columns"]), "left_out": left})

    @property
    def note(self) -> str:
        """What a reader of the texts should know, in sentences."""
        said = []
        if self.stripped:
            said.append("Headers, quoted lines and signatures of the messages are left out.")
        elif self.messages:
            said.append("These are messages with their headers, which may name their group.")
        if self.more:
            said.append(f"The file has more texts; the first {self.texts:,} were read.")
        return " ".join(said)

    @property
    def details(self) -> str:
        """How it was read and what was left out, in sentences."""
        said = [f"Read as {self.encoding}."] if self.encoding != "UTF-8" else []
        said += [f"Left out: {one.count:,} · {one.reason} (first: {', '.join(one.first)})." for one in self.left_out]
        return " ".join(said)


@dataclass
class _Gathered:
    """Texts on their way in."""

    texts: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    left: dict[str, list[str]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    latin: list[str] = field(default_factory=list)
    more: bool = False

    def leave(self, reason: str, place: str) -> None:
        """Counts something that is not taken, and keeps the first places."""
        self.counts[reason] += 1
        places = self.left.setdefault(reason, [])
        if len(places) < _FIRST:
            places.append(place)

    def take(self, text: str, key: str, label: str) -> bool:
        """Takes a text; whether there is room for another one."""
        if len(self.texts) >= MOST_TEXTS:
            self.more = True
            return False
        if not text.strip():
            self.leave("empty", key)
            return True
        if len(text) > LONGEST:
            self.leave(f"what follows the first {LONGEST:,} characters of a text", key)
            text = text[:LONGEST]
        self.texts.append(text)
        self.keys.append(key)
        self.labels.append(label)
        return True

    def left_out(self) -> tuple[LeftOut, ...]:
        """What was not taken, the most frequent reason first."""
        return tuple(LeftOut(reason, count, tuple(self.left[reason])) for reason, count in self.counts.most_common())


@offered("texts", "print(texts.name, len(texts))")
def lee() -> Texts:
    """The Lee background corpus: 300 short news texts of 2001 and 2002, found in gensim's package without importing it.

    Raises:
        CorpusError: gensim is not installed.
    """
    spec = importlib.util.find_spec("gensim")
    places = spec.submodule_search_locations if spec is not None else None
    path = Path(places[0]) / "test" / "test_data" / "lee_background.cor" if places else None
    if path is None or not path.is_file():
        raise CorpusError("The Lee background corpus comes with gensim, which is not installed: pip install gensim.")
    texts = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    keys = [f"news {number}" for number in range(1, len(texts) + 1)]
    note = "Short texts of the Australian Broadcasting Corporation's news mail service (Lee, Pincombe and Welsh 2005)."
    return Texts(texts, keys, None, "Lee news", note)


@offered("texts, reading", "print(texts.name, len(texts))")
def read_texts(
    path: str | Path,
    *,
    name: str = "",
    text: str = "",
    group: str = "",
    unit: str = "auto",
    strip: bool = True,
    under: str = "",
    report: Report | None = None,
    max_bytes: int = MOST_BYTES,
) -> tuple[Texts, Reading]:
    """The texts of a file or a folder, and what came of reading it.

    Args:
        name: What they are called; the file's name where it is empty.
        text: The column of a table that holds the texts; found by name and length where it is empty.
        group: The column that holds the groups; found where it is empty, none of them for *none*.
        unit: What one text of a plain file is: *line*, *paragraph*, or *auto*.
        strip: Whether messages lose their header, quoted lines and signature; other texts are left as they are.
        under: The folder of an archive or a folder that is read; all of it where it is empty.
        max_bytes: How much a packed file may grow to.

    Raises:
        CorpusError: Nothing of it can be read; the message says what would be right.
    """
    begun, path = time.perf_counter(), Path(path)
    if unit not in UNITS:
        raise CorpusError(f"unit is {unit!r}; it may be {', '.join(UNITS)}.")
    gathered = _Gathered()
    told = report or (lambda *_: None)
    about: dict[str, Any]
    if path.is_dir():
        about = _members(folder_members(path, max_bytes), gathered, under, lambda: 0.0, told) | {"format": "folder"}
    else:
        about = _file(path, gathered, text, group, unit, under, told, max_bytes)
    if not gathered.texts:
        raise CorpusError(f"{_nothing(gathered, str(about['format']))} Choose another file.")
    grouped = about.pop("grouped")
    are_messages = messages.are_messages(gathered.texts)
    if are_messages and strip:
        gathered = _stripped(gathered)
    labels = gathered.labels if grouped and len(set(gathered.labels)) > 1 else None
    reading = Reading(
        texts=len(gathered.texts),
        groups=len(set(labels)) if labels else 0,
        messages=are_messages,
        stripped=are_messages and strip,
        left_out=gathered.left_out(),
        more=gathered.more,
        bytes=path.stat().st_size if path.is_file() else 0,
        seconds=time.perf_counter() - begun,
        **about,
    )
    return Texts(gathered.texts, _unique(gathered.keys), labels, name or stem(path), reading.note), reading


def import_texts(
    path: str | Path, folder: str | Path, name: str = "", *, report: Report | None = None, **options: Any
) -> Reading:
    """Writes the texts of a file to a folder, which `open_texts` maps; options as for `read_texts`.

    The folder appears whole or not at all.

    Raises:
        FileExistsError: The folder is there already.
        CorpusError: Nothing of the file can be read.
    """
    folder = Path(folder)
    refuse_existing(folder)
    texts, reading = read_texts(path, name=name, report=report, **options)
    save_texts(texts, folder, reading)
    return reading


def save_texts(texts: Texts, folder: str | Path, reading: Reading | None = None) -> None:
    """Writes texts to a folder, whole or not at all.

    Raises:
        FileExistsError: The folder is there already.
    """
    columns = {"text": WordBlob.of(texts.texts)}
    if texts.labels is not None:
        columns["group"] = WordBlob.of(texts.labels)
    extra = {"kind": "texts", **({"reading": reading.card()} if reading is not None else {})}
    with folder_writer(Path(folder)) as draft:
        write_rest(draft, texts.keys, None, columns, Origin("texts", texts.name, note=texts.note), extra)


def open_texts(folder: str | Path) -> Texts:
    """Texts that `import_texts` wrote, by memory map.

    Raises:
        CorpusError: The folder holds none.
    """
    folder = Path(folder)
    try:
        card = read_card(folder)
        columns = {
            str(column["name"]): read_blob(folder / f"column-{place}") for place, column in enumerate(card["columns"])
        }
        keys, origin = read_blob(folder / "words"), card["origin"]
        return Texts(columns["text"], keys, columns.get("group"), str(origin["name"]), str(origin["note"]))
    except (OSError, ValueError, KeyError, TypeError, SpaceError) as error:
        raise CorpusError(f"{folder.name} holds no texts that were kept: {error}") from None


def reading_of(folder: str | Path) -> Reading | None:
    """What came of reading the texts of a folder, where its card tells it."""
    card = read_card(folder).get("reading")
    return None if card is None else Reading.of(card)


def opened(source: str | Path) -> Texts:
    """The texts of a source: `lee`, or a folder that `import_texts` wrote.

    Raises:
        CorpusError: There are none.
    """
    return lee() if str(source) == LEE else open_texts(source)


def sample(texts: Texts, count: int, *, seed: int = 0) -> Texts:
    """So many of the texts, drawn at random without replacement, in their order; all of them where they are fewer."""
    if count >= len(texts):
        return texts
    rows = np.sort(np.random.default_rng(seed).choice(len(texts), count, replace=False)).tolist()
    labels = None if texts.labels is None else [texts.labels[row] for row in rows]
    note = f"{count:,} of {len(texts):,} texts, drawn at random with seed {seed}."
    return Texts(
        [texts.texts[row] for row in rows],
        [texts.keys[row] for row in rows],
        labels,
        texts.name,
        " ".join(filter(None, [texts.note, note])),
    )


def decoded(content: bytes) -> tuple[str, str]:
    """Bytes as text, and what they were read as: UTF-8 (or UTF-16 with its mark), else Windows-1252, else Latin-1.

    Raises:
        CorpusError: They are no text.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return _lines_joined(content.decode("utf-16")), "UTF-16"
        except UnicodeDecodeError:
            raise CorpusError("It begins like text in UTF-16 and is none.") from None
    if b"\0" in content:
        raise CorpusError("It is no text: it holds NUL bytes, as pictures and programs do.")
    try:
        return _lines_joined(content.decode("utf-8-sig")), "UTF-8"
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
    try:
        return _lines_joined(content.decode("cp1252")), f"Windows-1252 (Latin-1), since line {line:,} is not UTF-8"
    except UnicodeDecodeError:
        return _lines_joined(content.decode("latin-1")), f"Latin-1, since line {line:,} is not UTF-8"


def _lines_joined(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _file(
    path: Path,
    gathered: _Gathered,
    text: str,
    group: str,
    unit: str,
    under: str,
    told: Report,
    max_bytes: int,
) -> dict[str, Any]:
    with Stream(path, max_bytes) as stream:
        if is_zip(stream):
            members = zip_members(path, max_bytes)
            return _archive(members, gathered, text, group, unit, under, lambda: 0.0, told)
        if is_tar(stream):
            return _archive(tar_members(stream), gathered, text, group, unit, under, lambda: stream.fraction, told)
        told(0.0, "reading")
        content = stream.read()
    return _plain(content, gathered, text, group, unit)


def _archive(
    members: Iterable[Member],
    gathered: _Gathered,
    text: str,
    group: str,
    unit: str,
    under: str,
    fraction: Callable[[], float],
    told: Report,
) -> dict[str, Any]:
    """An archive of texts; one that holds a single file is that file."""
    waiting = iter(members)
    first = list(islice(waiting, 2))
    if len(first) == 1 and first[0].content is not None:
        return _plain(first[0].content, gathered, text, group, unit)
    return _members(chain(first, waiting), gathered, under, fraction, told) | {"format": "archive"}


def _members(
    members: Iterable[Member], gathered: _Gathered, under: str, fraction: Callable[[], float], told: Report
) -> dict[str, Any]:
    """Takes each file as a text whose group is the folder that it lies in."""
    latin: list[str] = []
    prefix = under.strip("/") + "/" if under.strip("/") else ""
    for member in members:
        if not member.name.startswith(prefix):
            continue
        if member.content is None:
            gathered.leave(member.reason, member.name)
            continue
        try:
            said, encoding = decoded(member.content)
        except CorpusError as error:
            gathered.leave(str(error)[:1].lower() + str(error)[1:].rstrip("."), member.name)
            continue
        if encoding != "UTF-8":
            latin.append(member.name)
        folder = member.name.rpartition("/")[0]
        if not gathered.take(said, member.name, folder.rpartition("/")[2]):
            break
        if len(gathered.texts) % 200 == 0:
            told(fraction(), f"{len(gathered.texts):,} texts read")
    said = "UTF-8"
    if latin:
        which = f"{len(latin):,} of {len(gathered.texts):,} files that are not UTF-8 (first: {latin[0]})"
        said = f"Windows-1252 or Latin-1 in {which}"
    folders = Counter(gathered.labels)
    return {"encoding": said, "grouped": 1 < len(folders) <= len(gathered.texts) / 2}


def _plain(content: bytes, gathered: _Gathered, text: str, group: str, unit: str) -> dict[str, Any]:
    """Takes the texts of a table, of JSON Lines or of plain text."""
    whole, encoding = decoded(content)
    if tables.is_json_lines(whole):
        return _table(tables.read_json_lines(whole), gathered, text, group) | {
            "format": "json lines",
            "encoding": encoding,
        }
    if unit == "auto" and (columns := tables.only_header(whole)):
        raise CorpusError(f"The table has no rows below its header ({listing(columns)}). Choose another file.")
    delimiter = "" if unit != "auto" else tables.delimiter_of(whole)
    if delimiter:
        return _table(tables.read_csv(whole, delimiter), gathered, text, group) | {
            "format": "table",
            "encoding": encoding,
        }
    pieces, kind = _pieces(whole, unit)
    for number, piece in enumerate(pieces, 1):
        if not gathered.take(piece, f"{kind} {number}", ""):
            break
    return {"format": f"{kind}s", "encoding": encoding, "grouped": False}


def _table(table: Table, gathered: _Gathered, text: str, group: str) -> dict[str, Any]:
    column = tables.text_column(table, text)
    groups = tables.group_column(table, column, group)
    for place in table.faulty:
        gathered.leave("a row that does not have as many cells as the others", f"line {place:,}")
    for row, place in zip(table.rows, table.places, strict=True):
        label = "" if groups is None else " ".join(row[groups].split())[:80] or "(empty)"
        if not gathered.take(row[column], f"line {place}", label):
            break
    return {
        "columns": table.columns,
        "text": table.columns[column],
        "group": "" if groups is None else table.columns[groups],
        "grouped": groups is not None,
    }


def _pieces(text: str, unit: str) -> tuple[list[str], str]:
    """The texts of a plain file, and what one is: paragraphs where blank lines part it into pieces of some lines."""
    lines = [line for line in text.split("\n") if line.strip()]
    paragraphs: list[str] = []
    if unit != "line":
        blocks = "\n".join("" if not line.strip() else line for line in text.split("\n")).split("\n\n")
        paragraphs = [block.strip("\n") for block in blocks if block.strip()]
    some = len(paragraphs) > 1 and 1 < len(lines) / len(paragraphs) <= 40
    return (paragraphs, "paragraph") if unit == "paragraph" or (unit == "auto" and some) else (lines, "line")


def _nothing(gathered: _Gathered, kind: str) -> str:
    """Why there is no text, in a sentence."""
    left = "; ".join(f"{one.reason} ({one.count:,})" for one in gathered.left_out())
    if not left and kind in ("archive", "folder"):
        return f"The {kind} holds no texts."
    return f"There is no text in it: {left or 'it is empty'}."


def _stripped(gathered: _Gathered) -> _Gathered:
    """The same messages without headers, quotations and signatures; those of which nothing is left are left out."""
    kept = _Gathered(left=gathered.left, counts=gathered.counts, more=gathered.more)
    for text, key, label in zip(gathered.texts, gathered.keys, gathered.labels, strict=True):
        own = messages.body(text)
        if own:
            kept.texts.append(own)
            kept.keys.append(key)
            kept.labels.append(label)
        else:
            kept.leave("a message with nothing of its own", key)
    return kept


def _unique(keys: Sequence[str]) -> list[str]:
    """The keys, a number after each that came before."""
    taken: set[str] = set()
    found = []
    for key in keys:
        one, number = key, 2
        while one in taken:
            one, number = f"{key} ({number})", number + 1
        taken.add(one)
        found.append(one)
    return found


def stem(path: Path) -> str:
    """Return the name of a file without its endings, the one of its packing too."""
    name = path.name
    for ending in (".gz", ".xz", ".bz2"):
        name = name.removesuffix(ending)
    return Path(name).stem or path.name
