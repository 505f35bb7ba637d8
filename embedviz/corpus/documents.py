"""Texts as documents: built-in texts, and those of a file, an archive or a folder, with their groups.

`streaming` reads the files. In plain text each line is a text, or each paragraph if blank lines separate paragraphs.
"""

import importlib.util
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.phrases import unique_names
from embedviz.core.progress import Report, tell
from embedviz.core.space import GROUP_COLUMN, Origin, WordBlob, write_rest
from embedviz.core.store import folder_writer, read_array, read_blob, read_card, refuse_existing, whole
from embedviz.core.texts import Texts
from embedviz.core.time_limit import within_time
from embedviz.corpus import messages, teaching
from embedviz.corpus.reading import TextsReading
from embedviz.corpus.streaming import Account, TextSource
from embedviz.files.archives import MOST_BYTES, CorpusError

MOST_TEXTS = 50_000
LONGEST = 200_000
"""Maximum number of characters of a text; the rest is left out."""
LONGEST_CELL, MOST_COLUMNS = 500, 64
"""What is stored of a table besides its texts: maximum characters of a cell, and maximum number of columns."""
LEE, TEACHING = "lee", "teaching"
"""The names of the built-in texts: news (from gensim's package), and sentences made by a grammar."""
UNITS = ("auto", "line", "paragraph")
_LONGEST_LINE = 2**24
_REPORT_EVERY = 200  # texts between two reports


@dataclass
class _Gathered:
    """The texts that were read from a source so far."""

    source: TextSource
    texts: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    cells: list[tuple[str, ...]] = field(default_factory=list)
    more: bool = False

    @property
    def account(self) -> Account:
        """Return the account of reading the source, such as the columns in use and the texts left out."""
        return self.source.account

    def take(self, text: str, key: str, label: str, cells: tuple[str, ...] = ()) -> bool:
        """Add a text with its row of a table. If there are `MOST_TEXTS` texts already, add nothing and return False.

        A blank text is not added. Of a text of more than `LONGEST` characters, the rest is cut off.
        """
        if len(self.texts) >= MOST_TEXTS:
            self.more = True
            return False
        if not text.strip():
            self.account.leave("Empty texts, left out", key)
            return True
        if len(text) > LONGEST:
            self.account.leave(f"Texts of more than {LONGEST:,} characters, cut there", key)
            text = text[:LONGEST]
        self.texts.append(text)
        self.keys.append(key)
        self.labels.append(label)
        self.cells.append(tuple(cell[:LONGEST_CELL] for cell in cells[:MOST_COLUMNS]))
        return True

    def columns(self) -> dict[str, list[str]]:
        """Return the columns of a table as a mapping from name to one value per text; empty if there is none.

        The column of the texts, the column of the groups, and columns without a value are left out.
        """
        named = self.account.columns[:MOST_COLUMNS]
        if not named or any(len(row) < len(named) for row in self.cells):
            return {}  # no table, or files with different columns
        titles = unique_names(["text", "group", *(name.strip()[:80] or "column" for name in named)])[2:]
        found = {
            title: [row[place] for row in self.cells]
            for place, (name, title) in enumerate(zip(named, titles, strict=True))
            if name not in (self.account.text, self.account.group)
        }
        return {title: values for title, values in found.items() if any(values)}


@offered("texts", "print(texts.name, len(texts))")
def lee() -> Texts:
    """Return the Lee background corpus: 300 short news texts of 2001 and 2002, from gensim's package.

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
    note = "Short texts of the Australian Broadcasting Corporation’s news mail service (Lee, Pincombe and Welsh 2005)."
    return Texts(texts, keys, None, "Lee news", note)


@offered("texts, reading", "print(texts.name, len(texts))")
@within_time(CorpusError)
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
) -> tuple[Texts, TextsReading]:
    """Return the texts of a file or a folder, and a report of the reading.

    Args:
        name: Name of the texts; if empty, the name of the file.
        text: Column of a table that has the texts; if empty, it is found by name and length.
        group: Column that has the groups; if empty, the column is found; *none* for no groups.
        unit: What a text of a plain file is: *line*, *paragraph*, or *auto*. With the first two, CSV and JSON Lines
            are read as plain text, too.
        strip: Whether to remove header, quoted lines and signature from messages; other texts are not changed.
        under: Folder inside an archive or a folder to read; if empty, everything is read.
        max_bytes: Maximum size of a packed file after unpacking.

    Raises:
        CorpusError: The file cannot be read or has no text; the message says why.
    """
    begun, path = time.perf_counter(), Path(path)
    if unit not in UNITS:
        raise CorpusError(f"unit is {unit!r}; it may be {', '.join(UNITS)}.")
    read_as = "auto" if unit == "auto" else "lines"
    source = TextSource(path, under, text, group, max_bytes, read_as, False, _LONGEST_LINE, MOST_TEXTS)
    try:
        gathered, format = _gathered(source, unit, report)
    except CorpusError as error:
        raise CorpusError(f"{error} {source.account.note}".rstrip()) from None
    account = source.account
    if not gathered.texts:
        raise CorpusError(f"There is no text in it: {account.note or 'it is empty.'} Choose another file.")
    are_messages = messages.are_messages(gathered.texts)
    if are_messages and strip:
        gathered = _stripped(gathered)
    kinds = len(set(gathered.labels))
    grouped = kinds > 1 and (bool(account.group) or kinds <= len(gathered.texts) / 2)
    reading = TextsReading(
        format,
        len(gathered.texts),
        kinds if grouped else 0,
        account.columns,
        account.text,
        account.group,
        are_messages,
        are_messages and strip,
        account.left_out(),
        gathered.more,
        path.stat().st_size if path.is_file() else 0,
        time.perf_counter() - begun,
    )
    labels = gathered.labels if grouped else None
    keys, called = unique_names(gathered.keys), name or stem(path)
    group = account.group if grouped else ""
    return Texts(gathered.texts, keys, labels, called, reading.note, gathered.columns(), group), reading


def _gathered(source: TextSource, unit: str, report: Report | None) -> tuple[_Gathered, str]:
    """Return the texts of a source, at most `MOST_TEXTS`, and the format of the source.

    Args:
        unit: As for `read_texts`.
    """
    found, format = _Gathered(source), ""
    for text in source:
        before = source.account.counts.total()
        if not text.name:
            pieces, kind = _pieces(text.lines, unit)
            format = f"{kind}s"
            named = [(piece, f"{kind} {number}") for number, piece in enumerate(pieces, 1)]
        else:
            named = [(_whole(text.lines), text.name)]
        if source.account.counts.total() > before:  # the file may have been left out, and so be empty
            named = [one for one in named if one[0]]
        if not all(found.take(piece, key, text.group, text.cells) for piece, key in named):
            break
        if len(found.texts) % _REPORT_EVERY == 0:
            tell(report, source.fraction(), f"{len(found.texts):,} texts read")
    return found, format or source.account.format


def _whole(lines: Iterable[str]) -> str:
    """Return the lines as one text; lines after the maximum length of a text are not read."""
    held, size = [], 0
    for line in lines:
        held.append(line)
        size += len(line) + 1
        if size > LONGEST + 1:
            break
    return "\n".join(held)


def _pieces(lines: Iterable[str], unit: str) -> tuple[list[str], str]:
    """Return the texts of a plain file, and the unit of these texts: *line* or *paragraph*.

    With the unit *auto*, texts are paragraphs if blank lines separate blocks that have on average more than one and at
    most 40 lines; otherwise they are lines.
    """
    every = list(lines)
    written = [line for line in every if line.strip()]
    if unit == "line":
        return written, "line"
    blocks = ["\n".join(block) for some, block in groupby(every, key=lambda line: bool(line.strip())) if some]
    if unit == "paragraph" or (len(blocks) > 1 and 1 < len(written) / len(blocks) <= 40):
        return blocks, "paragraph"
    return written, "line"


def _stripped(gathered: _Gathered) -> _Gathered:
    """Return the messages without headers, quotations and signatures; messages that are then empty are left out."""
    stripped = _Gathered(gathered.source, more=gathered.more)
    every = zip(gathered.texts, gathered.keys, gathered.labels, gathered.cells, strict=True)
    for text, key, label, cells in every:
        own = messages.body(text)
        if own:
            stripped.take(own, key, label, cells)
        else:
            stripped.account.leave("Messages with nothing of their own, left out", key)
    return stripped


def import_texts(
    path: str | Path, folder: str | Path, name: str = "", *, report: Report | None = None, **options: Any
) -> TextsReading:
    """Write the texts of a file to a folder for `open_texts`, and return the report of the reading.

    No incomplete folder is left behind. For `options` see the keywords of `read_texts`.

    Raises:
        FileExistsError: The folder exists already.
        CorpusError: The file cannot be read or has no text.
    """
    folder = Path(folder)
    refuse_existing(folder)
    texts, reading = read_texts(path, name=name, report=report, **options)
    save_texts(texts, folder, reading)
    return reading


def save_texts(texts: Texts, folder: str | Path, reading: TextsReading | None = None) -> None:
    """Write texts to a folder; no incomplete folder is left behind.

    Raises:
        FileExistsError: The folder exists already.
    """
    columns = {"text": WordBlob.of(texts.texts)}
    if texts.labels is not None:
        columns["group"] = WordBlob.of(texts.labels)
    columns |= {name: WordBlob.of(values) for name, values in texts.columns.items()}
    extra = {"kind": "texts", **({"reading": reading.card()} if reading is not None else {})}
    with folder_writer(Path(folder)) as draft:
        write_rest(draft, texts.keys, None, columns, Origin("texts", texts.name, note=texts.note), extra)


def open_texts(folder: str | Path) -> Texts:
    """Return the texts in a folder, memory-mapped: the folder of `import_texts`, or of a saved space of texts.

    Raises:
        CorpusError: The folder holds no texts.
    """
    folder = Path(folder)
    with whole(folder, "holds no texts that were kept", CorpusError):
        card = read_card(folder)
        columns: dict[str, Sequence[str]] = {}
        for place, column in enumerate(card["columns"]):
            file = folder / f"column-{place}"
            columns[str(column["name"])] = read_blob(file) if column["text"] else _as_texts(read_array(file))
        keys, origin = read_blob(folder / "words"), card["origin"]
        named = str(origin["parameters"].get("texts") or origin["name"])
        texts, groups = columns.pop("text"), columns.pop("group", None)
        note = str(origin["note"]) if card.get("kind") == "texts" else ""
        group = str(card.get("reading", {}).get("group") or origin["parameters"].get(GROUP_COLUMN) or "")
        return Texts(texts, keys, groups, named, note, columns, group if groups is not None else "")


def _as_texts(column: NDArray[Any]) -> list[str]:
    """Return the numbers of a column as texts; NaN becomes an empty text."""
    return ["" if value != value else f"{value:.10g}" for value in column.tolist()]


def reading_of(folder: str | Path) -> TextsReading | None:
    """Return the report of reading the texts in a folder; None if the folder has no report.

    Raises:
        SpaceError: The folder holds nothing saved.
    """
    card = read_card(folder).get("reading")
    return None if card is None else TextsReading.of(card)


def opened(source: Texts | str | Path) -> Texts:
    """Return the texts of a source: *lee*, *teaching*, or a folder as for `open_texts`.

    A `Texts` is returned unchanged.

    Raises:
        CorpusError: The folder holds no texts, or gensim, which has the Lee news, is not installed.
    """
    if isinstance(source, Texts):
        return source
    if str(source) == TEACHING:
        return teaching.texts()
    return lee() if str(source) == LEE else open_texts(source)


def sample(texts: Texts, count: int, *, seed: int = 0) -> Texts:
    """Draw `count` texts at random without replacement, in their original order; return all if there are fewer."""
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
        {name: [values[row] for row in rows] for name, values in texts.columns.items()},
        texts.group,
    )


def stem(path: Path) -> str:
    """Return the name of a file without its ending and without the ending of its compression (`.gz`, …)."""
    name = path.name
    for ending in (".gz", ".xz", ".bz2"):
        name = name.removesuffix(ending)
    return Path(name).stem or path.name
