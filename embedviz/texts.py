"""Texts and spaces of texts: `Texts` is what makers of text vectors take, `TextSpace` what they give."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from embedviz.space import Float, VectorSpace

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, in order: runs of letters of any script, with apostrophes inside."""
    return _WORD.findall(text.lower())


class Token(NamedTuple):
    """A word of a text in lower case, and the characters of the text that it was read from: start to end."""

    word: str
    start: int
    end: int


def places(text: str) -> Iterator[Token]:
    """The same words as `tokens`, each with its place in the text as it is written."""
    lower = text.lower()
    if len(lower) == len(text):
        for found in _WORD.finditer(lower):
            yield Token(found[0], found.start(), found.end())
        return
    where = [place for place, letter in enumerate(text) for _ in letter.lower()]  # "İ" becomes two characters
    for found in _WORD.finditer(lower):
        yield Token(found[0], where[found.start()], where[found.end() - 1] + 1)


@dataclass(frozen=True, eq=False)
class Texts:
    """Short texts, one document each.

    Attributes:
        texts: What they say, n of them.
        keys: n unique names, for example file names.
        labels: The group each belongs to, or None where nobody said.
        name: Of the whole collection.
        note: What a reader should know of it: its source, what was left out.
    """

    texts: Sequence[str]
    keys: Sequence[str]
    labels: Sequence[str] | None
    name: str
    note: str = ""

    def __len__(self) -> int:
        return len(self.texts)


class Part(NamedTuple):
    """A word of a query and what it adds to the score; the parts of a score sum to it."""

    word: str
    share: float


@dataclass(frozen=True, eq=False)
class TextSpace:
    """A space with one row for each text, and the way to bring another text into it.

    Attributes:
        space: n rows; `metadata` holds *text*, *label* (what is shown) and, where there are groups, *group*.
        encode: The vector of any text, (d,) float32; zeros where it has no word that the method knows.
        parts: What each word of a query adds to its cosine with the text of a row, the greatest first; None for a
            method whose score is no sum over words.
        scores: The cosine of a query with every row, (n,) float32, zeros where one of the two has no known word; the
            `parts` sum to it. None: that of `encode` with the rows. TF-IDF has its own, over all words, where the
            space keeps the columns of the most frequent ones alone.
        words: What each word of a row's text adds to the same cosine with a query, the greatest first; None as `parts`.
    """

    space: VectorSpace
    encode: Callable[[str], Float]
    parts: Callable[[str, int], list[Part]] | None = None
    scores: Callable[[str], Float] | None = None
    words: Callable[[str, int], list[Part]] | None = None
