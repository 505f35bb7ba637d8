"""Texts: their words, their sentences, and collections of them."""

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

_WHERE_MARKS = (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0))


def marks() -> str:
    """Return the combining marks of Unicode, as ranges of a set in a pattern."""
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
_NEAR = 20  # characters around an end that are looked at
_EMPTY_LINE = re.compile(r"(\n[^\S\n]*(?=\n))")
LETTERS = rf"{_LETTER}+(?:(?:[{marks()}]|[{_JOINERS}](?={_LETTER})){_LETTER}*)*"
"""A run of letters of any script with their marks, as a pattern."""
_WORD = re.compile(rf"{LETTERS}(?:['’]{LETTERS})*")
_ASCII_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")  # the same where there is nothing else, in half the time


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, in order: runs of letters of any script, with apostrophes inside.

    Marks over and under letters belong to them: the vowel signs of Hindi, the vowel marks of Arabic, accents that stand
    as characters of their own. Words come in Unicode's composed form (NFC), so that é is one word's é however it is
    written. Scripts without blanks, such as Thai, Chinese and Japanese, are not cut into words: a run is one.
    """
    lower = text.lower()
    if lower.isascii():
        return _ASCII_WORD.findall(lower)
    found = _WORD.findall(lower)
    if unicodedata.is_normalized("NFC", lower):
        return found
    return [unicodedata.normalize("NFC", word) for word in found]


class Token(NamedTuple):
    """A word of a text in lower case, and the characters of the text that it was read from: start to end."""

    word: str
    start: int
    end: int


def places(text: str, only: Container[str] | None = None) -> Iterator[Token]:
    """Yield the same words as `tokens`, or some of them, each with its place in the text as written."""
    lower = text.lower()
    composed = lower.isascii() or unicodedata.is_normalized("NFC", lower)
    same = len(lower) == len(text)  # "İ" becomes two characters
    where = range(len(text)) if same else [place for place, letter in enumerate(text) for _ in letter.lower()]
    for found in (_ASCII_WORD if lower.isascii() else _WORD).finditer(lower):
        word = found[0] if composed else unicodedata.normalize("NFC", found[0])
        if only is None or word in only:
            yield Token(word, where[found.start()], where[found.end() - 1] + 1)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, in order, without blanks around them; a line break ends one.

    Told by signs alone: a full stop, question or exclamation mark and a blank, and then no small letter. A full stop
    after a single capital, a title or a month cut short ends none.
    """
    return [text[start:end] for start, end in sentence_places(text)]


def sentence_places(text: str, *, wrapped: bool = False) -> Iterator[tuple[int, int]]:
    """Yield where the same sentences start and end; in wrapped text an empty line ends one, not a line break."""
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
    """Yield where these characters begin and end without blanks, so many characters after; nothing for blanks."""
    whole = text[start:end]
    if stripped := whole.strip():
        first = before + start + len(whole) - len(whole.lstrip())
        yield first, first + len(stripped)


@dataclass(frozen=True, eq=False)
class Texts:
    """Short texts, one document each.

    Attributes:
        texts: What they say, n of them.
        keys: n unique names, for example file names.
        labels: The group each belongs to, or None where none are given.
        name: Of the whole collection.
        note: What a reader should know of it: its source, what was left out.
        columns: The other columns of the table that they come from: name to n values. None is called *text* or *group*.
        group: The name of the column that holds the labels; empty where they come from no table.
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
        """Return the columns by name, the groups first, as *group*."""
        return {**({"group": self.labels} if self.labels is not None else {}), **self.columns}


class ScorePart(NamedTuple):
    """A word of a query and what it adds to the score; the parts of a score sum to it."""

    word: str
    share: float


class Passage(NamedTuple):
    """A sentence of a text, its characters from start to end, and its own cosine with a query."""

    start: int
    end: int
    cosine: float
