"""What two runs differ in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from embedviz.saying import listing
from embedviz.studies.training.records import Record

NOT_THERE = "–"
_HOW = {"vector_size", "epochs", "alpha", "min_alpha", "eta", "seed", "workers", "device", "output"}


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


def task(method: str, corpus: str, options: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a run learns, without how: the losses of two runs compare where this is equal.

    Args:
        corpus: Its checksum, or whatever else is its own.
    """
    return method, corpus, *sorted((name, str(value)) for name, value in options.items() if name not in _HOW)


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
