"""Sentences with a word: built in, from a file, from pasted text, or from a collection of texts."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from embedviz.contextual.occurrences import find
from embedviz.core.call import offered
from embedviz.core.phrases import listing
from embedviz.core.plain_files import read_plain
from embedviz.core.progress import Report, tell
from embedviz.core.texts import sentence_places
from embedviz.files.archives import CorpusError
from embedviz.files.byte_lines import strict_text
from embedviz.geometry.clusters import MOST as MOST_CLUSTERS
from embedviz.tables import bare_rows
from embedviz.testsets import datasets

MOST_BYTES = 64 * 2**20
MOST_SENTENCES = 100_000
_LABELLED = re.compile(r"\s*([^\s:][^:\t]{0,23}):\s+(\S.*)")
"""Pattern of a line with a short label, a colon and a sentence."""
_LABELLED_SHARE = 2 / 3  # of the lines; of more, the others lack their label
_WORD = re.compile(r"[^\W\d_]{4,}")
_COMMON = frozenset(
    _WORD.findall(
        "about after also another because been before could every from have here into just more most only other over "
        "said should some than that their them then there these they this those through under very were what when "
        "where which while will with would your"
    )
)
_REPORTED = 500  # texts between two progress messages


class SentencesError(ValueError):
    """A file or a text has no readable sentences, or no sentence has the word. The message says why."""


class Sentences(NamedTuple):
    """Sentences that all contain the same word.

    Attributes:
        senses: The sense of the word in each sentence; None without labels.
        frames: Number of the frame (sentence pattern) of each sentence, if all senses were written into the same
            frames; else None. Sentences of one frame have the word at the same position and nearly the same length.
    """

    sentences: tuple[str, ...]
    senses: tuple[str, ...] | None
    frames: tuple[int, ...] | None = None


def known_sentences(word: str) -> Sentences:
    """Return the built-in sentences with a word, the sense of each, and the frame (sentence pattern) of each.

    Raises:
        SentencesError: There are no built-in sentences with this word.
    """
    held = datasets.sense_sentences()
    rows = held.get(word.strip().lower())
    if rows is None:
        raise SentencesError(
            f"The program has no sentences with “{word.strip()}”. It has sentences with {listing([*held])}. "
            "Take one of these words, or give your own sentences."
        )
    senses = tuple(row.sense for row in rows)
    frames = tuple(senses[:place].count(sense) for place, sense in enumerate(senses))
    return Sentences(tuple(row.sentence for row in rows), senses, frames)


def read_sentences(path: str | Path, name: str = "") -> Sentences:
    """Return the sentences of a file: one sentence per line, or two columns, sense and sentence.

    Columns are recognized in three forms. A header names *sense* and *sentence*, in either order, with a tab, comma or
    semicolon between. Or every line has one tab, after the sense. Or every line begins with a short label and a colon,
    with two to eight different labels. Empty lines are skipped.

    Args:
        name: The name in error messages; by default the name of the file.

    Raises:
        SentencesError: The file is not text in UTF-8 or UTF-16, is too large or empty, or a line has no sense or no
            sentence.
        OSError: The file cannot be read.
    """
    path = Path(path)
    name, size = name or path.name, path.stat().st_size
    if size > MOST_BYTES:
        raise SentencesError(f"{name} has {size / 2**20:,.0f} MB; at most {MOST_BYTES >> 20} are read.")
    return sentences_in(
        strict_text(read_plain(path, MOST_BYTES), SentencesError, "Sentences must be text in UTF-8.", name), name
    )


def sentences_in(text: str, name: str = "The text") -> Sentences:
    """Return the sentences of a text, in the formats of `read_sentences`.

    Args:
        name: The name in error messages.

    Raises:
        SentencesError: The text has no sentence or too many, or a line has no sense or no sentence.
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
    matches = [_LABELLED.fullmatch(line) for line in lines]
    labelled = [found.groups() for found in matches if found]
    if len(labelled) > _LABELLED_SHARE * len(lines) and 2 <= len({label for label, _ in labelled}) <= MOST_CLUSTERS:
        if None in matches:
            bare = 1 + matches.index(None)
            raise SentencesError(f"Sentence {bare:,} of {name} has no label. Give each one a label, or none.")
        return _of(labelled, name, 0, 1)
    return Sentences(tuple(line.strip() for line in lines), None)


def common_words(text: str, most: int = 5) -> list[str]:
    """Return up to `most` words that are in at least two lines of a text, words in the most lines first.

    Function words and words under four letters are left out.
    """
    lines: Counter[str] = Counter()
    for line in text.splitlines():
        lines.update(list(dict.fromkeys(word for word in _WORD.findall(line.lower()) if word not in _COMMON)))
    return [word for word, count in lines.most_common(most) if count > 1]


def _columns(name: str, text: str, separator: str, sense: int) -> Sentences:
    """Return the sentences and senses below a header; `sense`: index of the column of senses.

    In a table with tabs, quotation marks have no special meaning.
    """
    try:
        rows = [row for row, _ in bare_rows(text, separator)]
    except CorpusError as error:
        raise SentencesError(f"{name}: {error}") from None
    return _of(rows[1:], name, sense, 2)


def _of(rows: Sequence[tuple[str, ...]], name: str, sense: int, first: int) -> Sentences:
    for place, row in enumerate(rows, first):
        if len(row) != 2 or not row[0].strip() or not row[1].strip():
            raise SentencesError(
                f"Row {place:,} of {name} does not consist of a sense and a sentence. Put quotation marks around a "
                "sentence with a separator."
            )
    if not rows:
        raise SentencesError(f"{name} has a header but no sentence.")
    return Sentences(tuple(row[1 - sense].strip() for row in rows), tuple(row[sense].strip() for row in rows))


@offered("given", "print(given)")
def sentences_with(
    word: str, texts: Sequence[str], *, ignore_case: bool = True, report: Report | None = None
) -> Sentences:
    """Return the different sentences of some texts that contain the word, in text order, without labels.

    Texts are split by `texts.sentence_places`: an empty line ends a sentence, a line break does not.

    Raises:
        SentencesError: No text has the word.
        OptionError: The word is empty or too long.
    """
    found: dict[str, None] = {}
    for number, text in enumerate(texts):
        if number % _REPORTED == 0:
            tell(report, number / len(texts), f"Searching {len(texts):,} texts")
        if not find(word, [text], ignore_case=ignore_case):
            continue
        parts = [" ".join(text[start:end].split()) for start, end in sentence_places(text, wrapped=True)]
        found |= dict.fromkeys(part for part in parts if find(word, [part], ignore_case=ignore_case))
        if len(found) > MOST_SENTENCES:
            break
    if not found:
        raise SentencesError(
            f"The word “{word.strip()}” is in none of the {len(texts):,} texts. Choose another word or other texts."
        )
    return Sentences(tuple(found)[:MOST_SENTENCES], None)
