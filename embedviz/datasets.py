"""What ships with the program, read from `embedviz/data/`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from embedviz.testsets import Categories, OddOne, OddOnes


@cache
def word_groups() -> Mapping[str, tuple[str, ...]]:
    """Eight everyday groups of lower-case English words; a word stands in one group only."""
    text = files("embedviz").joinpath("data/word_groups.json").read_text(encoding="utf-8")
    return {name: tuple(words.split()) for name, words in json.loads(text).items()}


@cache
def categories() -> Categories:
    """The everyday groups as a set of categories."""
    source = "Eight everyday groups of English words, put together for this program."
    return Categories("groups", "Everyday groups", word_groups(), source)


@cache
def odd_ones() -> OddOnes:
    """Two hundred lists: four words of one everyday group and one of another, drawn with seed 0."""
    groups = {name: sorted(words) for name, words in word_groups().items()}
    random = np.random.default_rng(0)
    lists = []
    for _ in range(200):
        one, other = random.permutation(len(groups))[:2]
        alike, strange = list(groups.values())[one], list(groups.values())[other]
        odd = strange[random.integers(len(strange))]
        lists.append(OddOne((*(alike[row] for row in random.permutation(len(alike))[:4]), odd), odd))
    source = "Made up by the program: four words of one everyday group and one of another, drawn with seed 0."
    return OddOnes("groups-odd", "Everyday groups", tuple(lists), source)


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
