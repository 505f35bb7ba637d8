"""What ships with the program, read from `embedviz/data/`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple


@cache
def word_groups() -> Mapping[str, tuple[str, ...]]:
    """Eight everyday groups of lower-case English words; a word stands in one group only."""
    text = files("embedviz").joinpath("data/word_groups.json").read_text(encoding="utf-8")
    return {name: tuple(words.split()) for name, words in json.loads(text).items()}


class Example(NamedTuple):
    """A formula with the word that is expected of it.

    Attributes:
        place: The rank of the expected word by 3CosAdd in the built-in space.
        alone: Its rank there by one positive word alone, the one that has it first.
        why: One or two sentences on what happens there; they are not true of other spaces.
    """

    formula: str
    expected: str
    place: int
    alone: int
    why: str


@cache
def analogies() -> tuple[Example, ...]:
    """Formulas to begin with, among them some that fail."""
    text = files("embedviz").joinpath("data/analogies.json").read_text(encoding="utf-8")
    return tuple(Example(**row) for row in json.loads(text))
