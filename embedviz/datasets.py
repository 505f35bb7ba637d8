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


class SenseSentence(NamedTuple):
    """A sentence that has a word once, in one sense."""

    sense: str
    sentence: str


@cache
def sense_sentences() -> Mapping[str, tuple[SenseSentence, ...]]:
    """Six English words in 22 sentences a sense, two or three senses each, written for this program.

    Sentence i of every sense has the word at the same place among the words and nearly the same length, so that a
    model's input layer, which knows the word and its position alone, cannot tell the senses apart. Real text is not so
    even: there one sense is far more frequent than the others.
    """
    text = files("embedviz").joinpath("data/senses.json").read_text(encoding="utf-8")
    return {
        word: tuple(SenseSentence(sense, sentence) for sense, lines in senses.items() for sentence in lines)
        for word, senses in json.loads(text).items()
    }
