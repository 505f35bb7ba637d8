"""Make a corpus from a built-in text, a file, an archive or a folder, with options of tokenizing.

The source is streamed, so it may be larger than memory. `streaming` decides what is read and what is left out;
`tokenizing` decides what a word is.
"""

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, Protocol

from embedviz.core.call import offered
from embedviz.core.progress import Report, tell
from embedviz.core.space import refuse_existing
from embedviz.core.texts import sentences
from embedviz.core.time_limit import within_time
from embedviz.corpus import streaming, teaching
from embedviz.corpus.documents import LEE, TEACHING, lee, stem
from embedviz.corpus.reading import LeftOut, TextsReading
from embedviz.corpus.streaming import MOST_UNPACKED, READ_AS, Account, TextLines, TextSource
from embedviz.corpus.tokenized import Corpus, write_corpus
from embedviz.corpus.tokenizing import TOKENIZING, Tokenizer, checked, phrases_of, preview
from embedviz.files.archives import CorpusError, tidy

__all__ = ["LEE", "SOURCES", "TEACHING", "TOKENIZING", "CorpusError", "prepare", "preview"]

SOURCES = {TEACHING: "Teaching corpus", LEE: "Lee news"}
"""Built-in texts: name → title."""
_REPORT_EVERY = 0.2  # seconds between two reports


class _LineSource(Protocol):
    """Source of texts that can be read more than once, with a report on its latest reading."""

    account: Account

    def fraction(self) -> float: ...

    def __iter__(self) -> Iterator[TextLines]: ...


@within_time(CorpusError)
def prepare(
    source: str | Path,
    folder: str | Path,
    *,
    name: str = "",
    under: str = "",
    text: str = "",
    group: str = "",
    read_as: str = "auto",
    report: Report | None = None,
    max_bytes: int = MOST_UNPACKED,
    most_bytes: int | None = None,
    **tokenizing: Any,
) -> Corpus:
    """Tokenize and count a source, write the corpus to a folder, and return it opened from there.

    No incomplete folder is left behind.

    Args:
        source: *lee*, *teaching*, or a file or folder.
        name: Name of the corpus; if empty, the name of the file.
        under: Folder inside an archive or a folder to read; if empty, everything is read.
        text: Column of a table that has the texts; if empty, it is found by name and length.
        group: Column that has the groups; if empty, the column is found; *none* for no groups.
        read_as: How to read a file that is not an archive: *table*, *lines*, or *auto* to recognise it.
        max_bytes: Maximum size of a packed file after unpacking.
        most_bytes: Maximum size of the corpus on disk; None for no limit.
        tokenizing: Options of `TOKENIZING`.

    Raises:
        FileExistsError: The folder exists already.
        CorpusError: The source has no word or cannot be read; the message says why and where.
        OptionError: An option of `TOKENIZING` is unknown, or its value is not allowed.
    """
    options = checked(tokenizing)
    refuse_existing(Path(folder))
    if read_as not in READ_AS:
        raise CorpusError(f"read_as is {read_as!r}; it may be {', '.join(READ_AS)}.")
    given, title, note = _given(source, name, under, text, group, max_bytes, read_as)
    reading = _Reading(given, options, report)
    choices = {"under": under, "text": text, "group": group, "read_as": read_as if read_as != "auto" else ""}
    made = {"source": str(source) if str(source) in SOURCES else "file", **options}
    try:
        return write_corpus(
            reading.lines(),
            folder,
            name=title,
            note=lambda: _together(note, reading.note()),
            labels=reading.labels(),
            made=made | {key: value for key, value in choices.items() if value},
            about=reading.about,
            most_bytes=most_bytes,
        )
    except CorpusError as error:
        raise CorpusError(_together(str(error), reading.note())) from None


class _Reading:
    """Reader of a source as lines of words, which knows the group (label) of the current line."""

    def __init__(self, source: _LineSource, options: Mapping[str, Any], report: Report | None) -> None:
        self._source, self._options, self._report = source, options, report
        self._tokenizer = Tokenizer(options)
        self._group, self._words, self._due, self._begun = "", 0, 0.0, time.perf_counter()
        self._passes = {"none": 1, "pairs": 2, "longer": 3}[options["phrases"]]
        self._pass = 0
        self._groups: set[str] = set()
        self._models: list[Any] = []

    def lines(self) -> Iterator[Sequence[str]]:
        """Yield the words of each line with phrases joined. Each round of phrases reads the source once more."""
        models = self._models = []
        for _ in range(self._passes - 1):
            models.append(phrases_of(_joined(self._once("phrases are counted"), models), self._options))
            self._pass += 1
        yield from _joined(self._once("words are counted"), models)

    def labels(self) -> Iterator[str]:
        """Yield, without end, the group of the line that `lines()` yielded last."""
        return (self._group for _ in repeat(None))

    def _once(self, what: str) -> Iterator[list[str]]:
        self._words = self._tokenizer.long = 0
        self._groups.clear()
        for text in self._source:
            self._group = text.group
            self._groups.add(text.group)
            for unit in _units(map(_flat, text.lines), self._options["unit"]):
                words = self._tokenizer(unit)
                self._words += len(words)
                if words:
                    yield words
                self._tell(what)

    def _tell(self, what: str) -> None:
        now = time.monotonic()
        if self._report is not None and now >= self._due:
            self._due = now + _REPORT_EVERY
            done = (self._pass + 0.98 * self._source.fraction()) / self._passes
            tell(self._report, done, f"{what}: {self._words:,} so far")

    def _left_out(self) -> tuple[LeftOut, ...]:
        long = self._tokenizer.long
        return (
            *self._source.account.left_out(),
            *([LeftOut(streaming.LONG_WORD, long, ())] if long else []),
        )

    def note(self) -> str:
        """Return sentences that say which lines, texts, files or words were left out or changed."""
        return " ".join(left.sentence for left in self._left_out())

    def about(self) -> dict[str, Any]:
        """Return as JSON values the `TextsReading`, the first lines, and the phrases joined in these lines."""
        account = self._source.account
        groups = len(self._groups) if len(self._groups) > 1 else 0
        reading = TextsReading(
            account.format,
            account.texts,
            groups,
            account.columns,
            account.text,
            account.group,
            left_out=self._left_out(),
            seconds=time.perf_counter() - self._begun,
        )
        return {"reading": reading.card(), "beginning": account.beginning, "phrases": self._phrases()}

    def _phrases(self) -> list[list[str]]:
        """Return the phrases (such as “new_york”) that are joined in the first five lines of the source.

        The result has one list for each round of joining.
        """
        tokenizer, found = Tokenizer(self._options), [dict[str, None]() for _ in self._models]
        for unit in _units(self._source.account.beginning, self._options["unit"]):
            words = tokenizer(unit)
            for model, new in zip(self._models, found, strict=True):
                before, words = {*words}, model[words]
                new.update(dict.fromkeys(word for word in words if word not in before))
        return [[*each] for each in found]


class _Held:
    """Built-in texts as a source.

    Args:
        texts: Function that returns the texts; called once for each reading.
        count: Number of texts.
    """

    def __init__(self, texts: Callable[[], Iterable[TextLines]], count: int) -> None:
        self.account, self._texts, self._count = Account(), texts, max(1, count)

    def fraction(self) -> float:
        """Return the fraction of the texts that was read so far, 0 to 1."""
        return self.account.texts / self._count

    def __iter__(self) -> Iterator[TextLines]:
        self.account = Account()
        for text in self._texts():
            self.account.texts += 1
            lines = list(text.lines)
            self.account.beginning += [line[:600] for line in lines][: max(0, 5 - len(self.account.beginning))]
            yield TextLines(lines, text.group)


def _given(
    source: str | Path, name: str, under: str, text: str, group: str, most: int, read_as: str
) -> tuple[_LineSource, str, str]:
    """Return the source to read, the name of the corpus, and a note on the texts.

    Raises:
        CorpusError: There is no such file.
    """
    if str(source) == LEE:
        news = lee()
        return _Held(lambda: (TextLines([each]) for each in news.texts), len(news.texts)), name or news.name, news.note
    if str(source) == TEACHING:
        made = _Held(lambda: (TextLines([line], kind) for kind, line in teaching.sentences()), teaching.SENTENCES)
        return made, name or teaching.NAME, teaching.NOTE
    path = Path(source)
    if not path.exists():
        raise CorpusError(f"There is no file {path.name}; check its name.")
    return TextSource(path, under, text, group, most, read_as), name or tidy(stem(path)), ""


def _together(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _flat(line: str) -> str:
    """Return a text of several lines, such as a cell of a table, as one line."""
    return line.replace("\n", " ") if "\n" in line else line


def _units(lines: Iterable[str], unit: str) -> Iterator[str]:
    """Yield the lines, sentences or paragraphs of a text; no context window reaches beyond such a unit."""
    if unit == "sentence":
        for line in lines:
            yield from sentences(line)
    elif unit == "paragraph":
        held: list[str] = []
        size = 0
        for line in lines:
            if not line.strip() or size > streaming.LONGEST:
                yield " ".join(held)
                held, size = [], 0
            held.append(line)
            size += len(line)
        yield " ".join(held)
    else:
        yield from lines


def _joined(lines: Iterable[list[str]], models: Sequence[Any]) -> Iterator[list[str]]:
    """Yield the lines with phrases joined: first by the first model, then by the second one, and so on."""
    for line in lines:
        words = line
        for model in models:
            words = model[words]
        yield words


@offered("corpus", "print(corpus.size)")
def prepared(source: str | Path, **options: Any) -> Corpus:
    """Return the corpus that `prepare` makes of a source, in a new temporary folder.

    Args:
        source, options: As for `prepare`.

    Raises:
        CorpusError, OptionError: As for `prepare`.
    """
    return prepare(source, Path(tempfile.mkdtemp(prefix="embedviz-corpus-")) / "corpus", **options)
