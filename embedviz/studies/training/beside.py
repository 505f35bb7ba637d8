"""What two runs differ in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from embedviz.saying import listing
from embedviz.static.word2vec import ARCHITECTURES
from embedviz.studies.training.records import Record

NOT_THERE = "–"
UNTOLD = ("first run", "second run")
"""What two runs are called that nothing tells apart."""


class Difference(NamedTuple):
    """One thing in which two runs differ, and what it is in each, in words."""

    what: str
    one: str
    other: str


def differences(one: Record, other: Record) -> tuple[Difference, ...]:
    """All in which two runs differ as they were set: trainer, corpus, options, how they ended, versions.

    What came of them is not compared. An option that one of the trainers does not have is `NOT_THERE` for it.
    """
    found = [
        ("trainer", one.title, other.title),
        ("corpus", _corpus(one, other), _corpus(other, one)),
        *_pairs(one.options, other.options),
        *(_pairs(one.corpus.made, other.corpus.made) if one.corpus.checksum != other.corpus.checksum else []),
        ("passes made", _number(one.epochs), _number(other.epochs)),
        *_pairs(one.versions, other.versions),
    ]
    return tuple(Difference(*each) for each in found if each[1] != each[2])


def alike(one: Record, other: Record) -> str:
    """What two runs have in common, in a sentence; empty where that is nothing."""
    common = [name for name, value in one.options.items() if name in other.options and other.options[name] == value]
    parts = [
        *(["trainer"] if one.method == other.method else []),
        *(["corpus"] if one.corpus.checksum == other.corpus.checksum else []),
        *(["seed"] if "seed" in common else []),
        *(name for name in common if name != "seed"),
    ]
    return f"The same: {listing(parts, 30)}." if parts else ""


def called(records: Sequence[Record | None]) -> tuple[str, str]:
    """Two runs by what they were set to differ in, two things at most: *skip-gram* and *CBOW*, *window 2* and *window 10*.

    The trainers alone where these differ. *first run* and *second run* where nothing differs, or nothing was kept.
    """
    one, other = records
    if one is None or other is None:
        return UNTOLD
    if one.method != other.method:
        return one.title, other.title
    found = [
        each
        for each in differences(one, other)
        if NOT_THERE not in each and each.what not in {*one.versions, *other.versions}
    ][:2]
    if not found:
        return UNTOLD
    first, second = (
        ", ".join(_short(each.what, value) for each, value in zip(found, values, strict=True))
        for values in ([each.one for each in found], [each.other for each in found])
    )
    return first, second


def _short(what: str, value: str) -> str:
    if what == "architecture":
        return ARCHITECTURES.get(value, value)
    return value if what == "corpus" else f"{what.replace('_', ' ')} {value}"


def table(found: Sequence[Difference], one: str, other: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Header and rows for people."""
    return ("differs", one, other), [tuple(each) for each in found]


def _pairs(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [(name, _said(one, name), _said(other, name)) for name in dict.fromkeys([*one, *other])]


def _said(options: Mapping[str, Any], name: str) -> str:
    if name not in options:
        return NOT_THERE
    value = options[name]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _number(value) if isinstance(value, int | float) else str(value)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def _corpus(one: Record, beside: Record) -> str:
    """The corpus by its name; of two with one name also by its checksum's first digits, where they are not equal."""
    same_name = one.corpus.name == beside.corpus.name
    doubtful = same_name and one.corpus.checksum != beside.corpus.checksum
    return f"{one.corpus.name} ({one.corpus.checksum[:8]})" if doubtful else one.corpus.name
