"""The glossary: terms of the field, each explained in two lines."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

TOPICS = {
    "space": "Vectors and spaces",
    "map": "Maps and clusters",
    "words": "Words and analogies",
    "context": "Models and context",
    "texts": "Texts and search",
    "training": "Training",
    "statistics": "Statistics",
}
"""The topics of the glossary, in the order in which they are shown: a mapping from name to title."""


class Term(NamedTuple):
    """A term of the glossary.

    Attributes:
        name: The term.
        text: The explanation of the term.
        forms: Synonyms and other forms of the term.
        topic: A name of `TOPICS`.
        first: Rank of the term, from 1, among the terms that a beginner needs first. It is 0 for all other terms.
        everyday: Whether the term is too common a word to be marked in running text.
    """

    name: str
    text: str
    forms: tuple[str, ...]
    topic: str
    first: int = 0
    everyday: bool = False

    def has(self, part: str) -> bool:
        """Return whether the text `part` occurs in the name, in a form or in the explanation, ignoring case."""
        return any(part.lower() in each.lower() for each in (self.name, *self.forms, self.text))


@cache
def glossary() -> Mapping[str, Term]:
    """Return all terms in alphabetical order, as a mapping from name to term."""
    text = files("embedviz").joinpath("data/glossary.toml").read_text(encoding="utf-8")
    rows = sorted(tomllib.loads(text).items(), key=lambda row: row[0].lower())
    return {
        name: Term(
            name,
            row["text"],
            tuple(row.get("forms", ())),
            row["topic"],
            int(row.get("first", 0)),
            bool(row.get("everyday")),
        )
        for name, row in rows
    }


def by_topic(part: str = "") -> dict[str, list[Term]]:
    """Return the terms by topic, as a mapping from the topic's title to its terms.

    The terms for beginners come first, under the title “Begin with these”, and not again under their topics.

    Args:
        part: Only terms for which `Term.has(part)` is true are returned; empty for all terms.
    """
    found = [term for term in glossary().values() if term.has(part.strip())]
    groups = {"Begin with these": sorted((term for term in found if term.first), key=lambda term: term.first)}
    for topic, title in TOPICS.items():
        groups[title] = [term for term in found if term.topic == topic and not term.first]
    return {title: terms for title, terms in groups.items() if terms}


def terms_in(text: str) -> list[tuple[int, int, Term]]:
    """Find the first use of each term in a text, without everyday terms. Return (start, end, term), in order."""
    found: list[tuple[int, int, Term]] = []
    seen: set[str] = set()
    for match in _pattern().finditer(text):
        term = _by_form()[match.group().lower()]
        other_word = match.group().islower() and not term.name[1:].islower()  # the word “glove” is not the term GloVe
        if term.name not in seen and not (other_word and term.name.lower() == match.group()):
            seen.add(term.name)
            found.append((*match.span(), term))
    return found


def pieces(text: str, first_in: dict[str, str]) -> list[tuple[str, str]]:
    """Split a text at the terms to explain, and return (piece, explanation) pairs.

    A piece that is not a term has an empty explanation. A term is explained only in the first text that uses it.

    Args:
        first_in: Mapping from each term to the first text that used it. The new terms of `text` are added.
    """
    parts, last = [], 0
    for start, end, term in terms_in(text):
        if first_in.setdefault(term.name, text) == text:  # the same text again, if a part of the page reruns
            parts += [(text[last:start], ""), (text[start:end], f"{term.name}: {term.text}")]
            last = end
    return [piece for piece in [*parts, (text[last:], "")] if piece[0]]


@cache
def _by_form() -> Mapping[str, Term]:
    marked = (term for term in glossary().values() if not term.everyday)
    return {form.lower(): term for term in marked for form in (term.name, *term.forms)}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_by_form(), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])", re.IGNORECASE)
