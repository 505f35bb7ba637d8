"""Pairs of sentences to begin with."""

from typing import NamedTuple

from pages._shared.app import address
from pages._shared.controls import popovers


class PairExample(NamedTuple):
    """Two example sentences, with a title and a phrase about their relation."""

    title: str
    one: str
    other: str
    about: str

    @property
    def note(self) -> str:
        """Return the title of the example and how its two sentences are related."""
        return f"Example “{self.title}”: {self.about}"


EXAMPLES = (
    PairExample(
        "Paraphrase",
        "A man is playing a guitar.",
        "Someone strums an instrument.",
        "nearly the same meaning in other words.",
    ),
    PairExample("Negation", "The film was good.", "The film was not good.", "the second denies the first."),
    PairExample("Opposites", "The price rose sharply.", "The price fell sharply.", "they exclude each other."),
    PairExample("Who does what", "The dog bit the man.", "The man bit the dog.", "the same words, another event."),
    PairExample(
        "Short and long",
        "Rain.",
        "It has been raining all day long in the north of the country.",
        "a word, and a sentence about the same.",
    ),
    PairExample(
        "Two senses", "She sat on the bank of the river.", "She works at the bank.", "they share an ambiguous word."
    ),
    PairExample(
        "Question and answer",
        "Who wrote this book?",
        "This book was written by my sister.",
        "they belong together but do not mean the same.",
    ),
    PairExample(
        "Nothing in common",
        "Cats sleep a lot.",
        "The stock market fell by three percent on Monday after the bank raised its rates.",
        "they are about different things.",
    ),
)


def choose() -> None:
    """Draw the popover of example pairs."""
    listed = [(one.title, (one.one, one.other)) for one in EXAMPLES]
    popovers.examples("pooling-examples", listed, lambda one, two: address.put(one=one, two=two))
