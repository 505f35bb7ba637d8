"""The glossary: terms of the field, each explained in two lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Term(NamedTuple):
    """A term of the glossary.

    Attributes:
        name: The term.
        text: Its explanation.
        forms: Other forms that mean the same.
        first: Whether a beginner needs it before the others.
        everyday: Whether it is too common to be marked in running text.
    """

    name: str
    text: str
    forms: tuple[str, ...]
    first: bool = False
    everyday: bool = False


@cache
def glossary() -> Mapping[str, Term]:
    """Return all terms by name, in alphabetical order."""
    text = files("embedviz").joinpath("data/glossary.toml").read_text(encoding="utf-8")
    rows = sorted(tomllib.loads(text).items(), key=lambda row: row[0].lower())
    return {
        name: Term(name, row["text"], tuple(row.get("forms", ())), bool(row.get("first")), bool(row.get("everyday")))
        for name, row in rows
    }


def terms_in(text: str) -> list[tuple[int, int, Term]]:
    """Find the first use of each term in a text: start, end and term, in the order of the text."""
    found: list[tuple[int, int, Term]] = []
    seen: set[str] = set()
    for match in _pattern().finditer(text):
        term = _by_form()[match.group().lower()]
        if term.name not in seen:
            seen.add(term.name)
            found.append((*match.span(), term))
    return found


@cache
def _by_form() -> Mapping[str, Term]:
    marked = (term for term in glossary().values() if not term.everyday)
    return {form.lower(): term for term in marked for form in (term.name, *term.forms)}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_by_form(), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])", re.IGNORECASE)
