"""Texts: their words, their sentences, and collections of them."""

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

_WHERE_MARKS = (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0))


def marks() -> str:
    """Return the combining marks of Unicode, as ranges for a character set in a pattern."""
    marks = [code for code in _WHERE_MARKS if unicodedata.category(chr(code))[0] == "M"]
    starts = [marks[0], *(code for last, code in pairwise(marks) if code > last + 1)]
    ends = [*(last for last, code in pairwise(marks) if code > last + 1), marks[-1]]
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


_LETTER = r"[^\W\d_]"
_JOINERS = "\u200c\u200d"  # between letters, in Persian and the scripts of India
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'’”»)\]]*+(?=\s)|(?<![。！？])[。！？]++[」』”）]*+")  # a sentence may end
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"“])(?:[A-Z]|(?:[A-Za-z]\.)+[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Gen|Col|Capt|Lt|Sgt|Sen|Rep|Gov|vs"
    r"|e\.g|i\.e|etc|cf|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$"
)
_NEAR = 20  # characters before and after an end that are examined
_EMPTY_LINE = re.compile(r"(\n[^\S\n]*(?=\n))")
LETTERS = rf"{_LETTER}+(?:(?:[{marks()}]|[{_JOINERS}](?={_LETTER})){_LETTER}*)*"
"""Pattern of a run of letters of any script, with the combining marks that belong to the letters."""
_WORD = re.compile(rf"{LETTERS}(?:['’]{LETTERS})*")
_ASCII_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")  # the same for ASCII text, in half the time


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, in order: runs of letters of any script, with apostrophes inside.

    Combining marks belong to their letters: the vowel signs of Hindi, the vowel marks of Arabic, separate accents.
    Words are in Unicode's composed form (NFC), so that both spellings of é are equal. Scripts without blanks, such as
    Thai, Chinese and Japanese, are not divided into words: a run of letters is one word.
    """
    lower = text.lower()
    if lower.isascii():
        return _ASCII_WORD.findall(lower)
    found = _WORD.findall(lower)
    if unicodedata.is_normalized("NFC", lower):
        return found
    return [unicodedata.normalize("NFC", word) for word in found]


class Token(NamedTuple):
    """A word of a text in lower case, and the start and end of its characters in the original text."""

    word: str
    start: int
    end: int


def places(text: str, only: Container[str] | None = None) -> Iterator[Token]:
    """Yield the words that `tokens()` returns, with the start and end of each word in the original text.

    Args:
        only: The words to yield, in lower case; None for all words.
    """
    lower = text.lower()
    composed = lower.isascii() or unicodedata.is_normalized("NFC", lower)
    same = len(lower) == len(text)  # "İ" becomes two characters
    where = range(len(text)) if same else [place for place, letter in enumerate(text) for _ in letter.lower()]
    for found in (_ASCII_WORD if lower.isascii() else _WORD).finditer(lower):
        word = found[0] if composed else unicodedata.normalize("NFC", found[0])
        if only is None or word in only:
            yield Token(word, where[found.start()], where[found.end() - 1] + 1)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, in order, without blanks around them.

    A sentence ends at a line break, and at a full stop, question mark, exclamation mark or ellipsis with a blank after
    it, unless a small letter follows. A full stop after a single capital letter or a common abbreviation (Dr, Jan, vs)
    does not end a sentence. Chinese and Japanese marks need no blank.
    """
    return [text[start:end] for start, end in sentence_places(text)]


def sentence_places(text: str, *, wrapped: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the start and end, in the text, of each sentence that `sentences()` returns.

    Args:
        wrapped: Whether the lines of the text are wrapped. Then an empty line ends a sentence, a line break does not.
    """
    before = 0
    for part in _EMPTY_LINE.split(text) if wrapped else text.splitlines(keepends=True):
        start = 0
        for end in _END.finditer(part):
            after = part[end.end() : end.end() + _NEAR].lstrip()[:1]
            if after.islower() or _ABBREVIATION.search(part, max(start, end.end() - _NEAR), end.end()):
                continue
            yield from _trimmed(part, start, end.end(), before)
            start = end.end()
        yield from _trimmed(part, start, len(part), before)
        before += len(part)


def _trimmed(text: str, start: int, end: int, before: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of what is left of `text[start:end]` without the blanks around it.

    If there are only blanks, nothing is yielded. `before`, the number of characters before `text`, is added to start
    and end.
    """
    whole = text[start:end]
    if stripped := whole.strip():
        first = before + start + len(whole) - len(whole.lstrip())
        yield first, first + len(stripped)


@dataclass(frozen=True, eq=False)
class Texts:
    """Short texts, one document each.

    Attributes:
        texts: The n texts.
        keys: n unique names, for example file names.
        labels: The group of each text, or None if there are no groups.
        name: Name of the whole collection.
        note: A remark for the user, for example on the source, or on texts that were left out.
        columns: The columns of the table from which the texts come, without the texts and labels themselves, as a
            mapping from name to n values. No column has the name *text* or *group*.
        group: Name of the table column with the labels; empty if the texts come from no table.
    """

    texts: Sequence[str]
    keys: Sequence[str]
    labels: Sequence[str] | None
    name: str
    note: str = ""
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    group: str = ""

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def filters(self) -> dict[str, Sequence[str]]:
        """Return the columns by which the texts can be filtered, as a mapping from name to column.

        The labels, if there are any, come first, under the name *group*.
        """
        return {**({"group": self.labels} if self.labels is not None else {}), **self.columns}


class ScorePart(NamedTuple):
    """A word of a query, and what the word adds to the score of a text. The score is the sum over all words."""

    word: str
    share: float


class Passage(NamedTuple):
    """A sentence of a text: the start and end of the sentence in the text, and its cosine with a query."""

    start: int
    end: int
    cosine: float
