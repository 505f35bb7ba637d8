"""Pairs of sentences to begin with."""

from __future__ import annotations

from typing import NamedTuple

from pages._shared.app import address
from pages._shared.controls import popovers


class PairExample(NamedTuple):
    """Two example sentences, and their relation in a sentence."""

    title: str
    one: str
    other: str
    about: str


EXAMPLES = (
    PairExample(
        "Other words",
        "A man is playing a guitar.",
        "Someone strums an instrument.",
        "The two sentences say nearly the same.",
    ),
    PairExample("Negation", "The film was good.", "The film was not good.", "The second denies the first."),
    PairExample("Opposites", "The price rose sharply.", "The price fell sharply.", "They exclude each other."),
    PairExample("Who does what", "The dog bit the man.", "The man bit the dog.", "The same words, another event."),
    PairExample(
        "Short and long",
        "Rain.",
        "It has been raining all day long in the north of the country.",
        "A word, and a sentence about the same.",
    ),
    PairExample(
        "Two senses", "She sat on the bank of the river.", "She works at the bank.", "They share an ambiguous word."
    ),
    PairExample(
        "Question and answer",
        "Who wrote this book?",
        "This book was written by my sister.",
        "They belong together but do not mean the same.",
    ),
    PairExample(
        "Nothing in common",
        "Cats sleep a lot.",
        "The stock market fell by three percent on Monday after the bank raised its rates.",
        "They are about different things.",
    ),
)


def choose() -> None:
    """Draw the example pairs."""
    listed = [(one.title, (one.one, one.other)) for one in EXAMPLES]
    popovers.examples("pooling-examples", listed, lambda one, two: address.put(one=one, two=two))
