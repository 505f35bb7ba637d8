"""Sentences with a word: those that come with the program, a file's, pasted ones, and those of any texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from embedviz.contextual.occurrences import find
from embedviz.core.call import offered
from embedviz.core.phrases import listing
from embedviz.core.progress import Report, tell
from embedviz.core.texts import sentence_places
from embedviz.files.archives import CorpusError
from embedviz.files.byte_lines import strict_text
from embedviz.tables import bare_rows
from embedviz.testsets import datasets

MOST_BYTES = 64 * 2**20
MOST_SENTENCES = 100_000
_LABELLED = re.compile(r"\s*([^\s:][^:\t]{0,23}):\s+(\S.*)")
"""A short label, a colon, and a sentence."""
_MOST_LABELS = 8
_WORD = re.compile(r"[^\W\d_]{4,}")
_COMMON = frozenset(
    _WORD.findall(
        "about after also another because been before could every from have here into just more most only other over "
        "said should some than that their them then there these they this those through under very were what when "
        "where which while will with would your"
    )
)
_TOLD = 500  # texts between two reports


class SentencesError(ValueError):
    """A file that holds no sentences, or a word that none is at hand of; the message is a sentence."""


class Sentences(NamedTuple):
    """Sentences, and the sense of each where they are known.

    Attributes:
        frames: A number for each sentence, where every sense was written into the same frames: the word at the same
            place, in a sentence of nearly the same length.
    """

    sentences: tuple[str, ...]
    senses: tuple[str, ...] | None
    frames: tuple[int, ...] | None = None


def known_sentences(word: str) -> Sentences:
    """The sentences of a word that come with the program, with their senses.

    Raises:
        SentencesError: There are none of this word.
    """
    held = datasets.sense_sentences()
    rows = held.get(word.strip().lower())
    if rows is None:
        raise SentencesError(
            f"No sentences with “{word.strip()}” come with the program; there are some with {listing([*held])}. "
            "Give a file of your own."
        )
    senses = tuple(row.sense for row in rows)
    frames = tuple(senses[:place].count(sense) for place, sense in enumerate(senses))
    return Sentences(tuple(row.sentence for row in rows), senses, frames)


def read_sentences(path: str | Path, name: str = "") -> Sentences:
    """The sentences of a file: a line a sentence, or two columns, sense and sentence.

    Columns are told by a header (sense and sentence, in either order, with a tab, comma or semicolon between), or by
    one tab in every line, the sense before it; or by a short label and a colon that begin every line, where there are
    two to eight different labels. Empty lines are skipped.

    Args:
        name: What the file is called where it is refused, if not by its own name.

    Raises:
        SentencesError: It cannot be read as text in UTF-8 or UTF-16, is too large, or a line has no sense or sentence.
    """
    path = Path(path)
    name, size = name or path.name, path.stat().st_size
    if size > MOST_BYTES:
        raise SentencesError(f"{name} has {size / 2**20:,.0f} MB; at most {MOST_BYTES >> 20} are read.")
    return sentences_in(strict_text(path.read_bytes(), SentencesError, "Sentences are text in UTF-8.", name), name)


def sentences_in(text: str, name: str = "The text") -> Sentences:
    """The sentences of a text, as `read_sentences` reads those of a file.

    Args:
        name: What the text is called where it is refused.

    Raises:
        SentencesError: It has none or too many, or a line has no sense or sentence.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise SentencesError(f"{name} has no sentence.")
    if len(lines) > MOST_SENTENCES:
        raise SentencesError(f"{name} has {len(lines):,} lines; at most {MOST_SENTENCES:,} are read.")
    for separator in "\t,;":
        header = [cell.strip().strip('"').lower() for cell in lines[0].split(separator)]
        if sorted(header) == ["sense", "sentence"]:
            return _columns(name, text, separator, header.index("sense"))
    if all(line.count("\t") == 1 for line in lines):
        return _of([tuple(line.split("\t")) for line in lines], name, 0, 1)
    labelled = [found.groups() for line in lines if (found := _LABELLED.fullmatch(line))]
    if len(labelled) == len(lines) and 2 <= len({label for label, _ in labelled}) <= _MOST_LABELS:
        return _of(labelled, name, 0, 1)
    return Sentences(tuple(line.strip() for line in lines), None)


def common_words(text: str, most: int = 5) -> list[str]:
    """The words of four letters or more that stand in most lines of a text, two at least, in that order."""
    lines: Counter[str] = Counter()
    for line in text.splitlines():
        lines.update(list(dict.fromkeys(word for word in _WORD.findall(line.lower()) if word not in _COMMON)))
    return [word for word, count in lines.most_common(most) if count > 1]


def _columns(name: str, text: str, separator: str, sense: int) -> Sentences:
    """The two columns below a header; a quotation mark in a table with tabs is only itself."""
    try:
        rows = [row for row, _ in bare_rows(text, separator)]
    except CorpusError as error:
        raise SentencesError(f"{name}: {error}") from None
    return _of(rows[1:], name, sense, 2)


def _of(rows: Sequence[tuple[str, ...]], name: str, sense: int, first: int) -> Sentences:
    for place, row in enumerate(rows, first):
        if len(row) != 2 or not row[0].strip() or not row[1].strip():
            raise SentencesError(
                f"Row {place:,} of {name} has not just a sense and a sentence. Put quotation marks around a "
                "sentence that holds a separator."
            )
    if not rows:
        raise SentencesError(f"{name} has a header and no sentence.")
    return Sentences(tuple(row[1 - sense].strip() for row in rows), tuple(row[sense].strip() for row in rows))


@offered("given", "print(given)")
def sentences_with(
    word: str, texts: Sequence[str], *, ignore_case: bool = True, report: Report | None = None
) -> Sentences:
    """The sentences of these texts that have the word, each once, in order; their senses are not known.

    Sentences are those of `texts.sentence_places`; an empty line ends one, a line break does not.

    Raises:
        SentencesError: None has it.
        OptionError: The word is empty or far too long.
    """
    found: dict[str, None] = {}
    for number, text in enumerate(texts):
        if number % _TOLD == 0:
            tell(report, number / len(texts), f"Looking through {len(texts):,} texts")
        if not find(word, [text], ignore_case=ignore_case):
            continue
        parts = [" ".join(text[start:end].split()) for start, end in sentence_places(text, wrapped=True)]
        found |= dict.fromkeys(part for part in parts if find(word, [part], ignore_case=ignore_case))
        if len(found) > MOST_SENTENCES:
            break
    if not found:
        raise SentencesError(f"None of the {len(texts):,} texts has the word “{word.strip()}”.")
    return Sentences(tuple(found)[:MOST_SENTENCES], None)
