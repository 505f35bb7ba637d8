"""Odd one out: the word of a list with the lowest mean cosine to the others.

For unit vectors u of m words, u·mean(u) = (1 + (m − 1) · mean cosine to the others) / m. So the choice is the same as
in gensim's `doesnt_match`, which takes the word farthest from the mean of the unit vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.phrases import share
from embedviz.core.progress import Report
from embedviz.core.space import Float, VectorSpace
from embedviz.core.stats.intervals import Share
from embedviz.core.stats.resampling import Units, share_gap, share_interval, units_of
from embedviz.evaluation.compared import Difference, flagged
from embedviz.evaluation.kind import DASH, Evaluation, FigureLine, FigureMark, Mistake, Mistakes, ahead
from embedviz.evaluation.quantity import Quantity
from embedviz.evaluation.simpler import (
    TITLES,
    SimplerRule,
    beats,
    named,
    rules_card,
    spelling_rows,
    strongest,
    value_of,
)
from embedviz.evaluation.words import as_spelled, every_row
from embedviz.testsets import OddOne, OddOnes

QUANTITY = Quantity("odd", "Share of odd words found", "found", "lists", share=True)


class Standing(NamedTuple):
    """A word of a list, and its mean cosine to the other words of the list."""

    word: str
    cosine: float


class OddChoice(NamedTuple):
    """The word that a space chooses from one list as the odd one.

    Attributes:
        place: The index of the list in the test set.
        list: The list.
        words: The words of the list with their mean cosines, lowest first; the first word is the chosen one.
        right: Whether the chosen word is the odd word of the list.
    """

    place: int
    list: OddOne
    words: tuple[Standing, ...]
    right: bool

    @property
    def chosen(self) -> str:
        """Return the chosen word."""
        return self.words[0].word


@dataclass(frozen=True, eq=False)
class OddScores:
    """The words that a space chooses from the lists of a test set, and how often they are the odd ones.

    Attributes:
        space: The name of the space.
        name, title: The name and title of the test set.
        lists: The number of lists in the test set.
        choices: The choice from each covered list. A list is covered if each word has a row of its own, not of zeros.
        rules: The simpler rule, which chooses by the letters of the words, and how far the space is ahead of the rule.
    """

    space: str
    name: str
    title: str
    lists: int
    choices: tuple[OddChoice, ...]
    rules: tuple[SimplerRule, ...]
    quantity: ClassVar[Quantity] = QUANTITY
    set_key: ClassVar[tuple[str, ...]] = ("name", "lists")
    parts: ClassVar[tuple[str, ...]] = ()

    @property
    def covered(self) -> int:
        """Return the number of covered lists."""
        return len(self.choices)

    @property
    def found(self) -> Share:
        """Return the share of covered lists whose odd word was found."""
        return Share(sum(choice.right for choice in self.choices), self.covered)

    @property
    def units(self) -> Units:
        """Return the words of each covered list as `Units`. With them, intervals allow for words in several lists."""
        return list_units([choice.list.words for choice in self.choices])

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the 95 % interval of the share of odd words found. It allows for words that are in several lists."""
        return share_interval(np.array([choice.right for choice in self.choices], np.bool_), self.units)

    @property
    def beyond_baseline(self) -> bool:
        """Return whether the space finds clearly more odd words than both a random choice and the simpler rule."""
        return self.chance is not None and self.bounds[0] > self.chance and beats(self.rules)

    @property
    def baseline(self) -> tuple[str, float]:
        """Return title and value of the strongest baseline: a simpler rule, or a random choice."""
        return strongest(self.rules, ("a word drawn at random", self.chance or 0.0))

    @property
    def accuracy(self) -> float | None:
        """Return the share of covered lists whose odd word was found; None if no list is covered."""
        return self.found.value if self.choices else None

    count = covered
    value = accuracy

    @property
    def cells(self) -> dict[str, str]:
        """Return the cells of this space's row in the results table: column title → text."""
        known = self.accuracy is not None
        return {
            "covered": f"{self.covered:,} of {self.lists:,}",
            "found (95\u00a0%)": QUANTITY.within(self.accuracy or 0.0, *self.bounds) if known else DASH,
            "by chance": share(self.chance or 0.0) if known else DASH,
            "spelling alone": value_of(self.rules, "spelling", share),
        }

    @property
    def lines(self) -> tuple[FigureLine, ...]:
        """Return the single row of the figure."""
        if self.accuracy is None or self.chance is None:
            return (FigureLine("odd word found", "", None),)
        label = f"{share(self.accuracy)} of {self.covered:,} lists<br>by chance {share(self.chance)}"
        return (FigureLine("odd word found", "", FigureMark(self.accuracy, *self.bounds, self.chance, label)),)

    @property
    def sample(self) -> str:
        """Return sentences: the number of covered lists, and the 95 % interval of the share found."""
        covered = f"Covered: {self.covered:,} of {self.lists:,} lists."
        if self.accuracy is None:
            return covered
        low, high = self.bounds
        return f"{covered} 95\u00a0% interval: {share(low)} to {share(high)}."

    @property
    def note(self) -> str:
        """Explain how a word is chosen and how the interval is computed."""
        return (
            "The word with the lowest mean cosine to the others is chosen. A list is covered if all its words "
            "have a row. The interval allows for words in several lists."
        )

    def card(self) -> dict[str, object]:
        """Return plain JSON values: the results of the simpler rules, and whether the space beats all baselines."""
        return rules_card(self.rules, self.beyond_baseline)

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows of the exported table, one row per covered list."""
        rows = ((" ".join(one.list.words), one.list.odd, one.chosen, int(one.right)) for one in self.choices)
        return ("words", "odd", "chosen", "right"), rows

    def mistakes(self, space: VectorSpace, lists: OddOnes, part: str, count: int) -> Mistakes:
        """Return at most `count` lists from which the space chose a word that is not the odd one."""
        wrong = self.wrong[:count]
        listed = [f"{', '.join(one.list.words)}: {one.chosen}, not {one.list.odd}" for one in wrong]
        linked = map(Mistake, listed, (as_spelled(space, one.chosen) for one in wrong))
        none = "All covered lists are answered right." if self.covered else "No list is covered."
        about = "Word chosen, and odd word. Click to open it in Neighbors"
        return Mistakes("Wrong answers", about, tuple(linked), "" if wrong else none)

    def against(self, other: OddScores, seed: int) -> Difference:
        """Return the difference in the share of lists whose odd word is found, this space minus the other.

        Only lists that both spaces cover count.
        """
        ours, theirs = ({choice.place: choice.right for choice in each.choices} for each in (self, other))
        lists = {choice.place: choice.list.words for choice in self.choices}
        return flagged(self, other, ours, theirs, lambda places: list_units([lists[place] for place in places]))

    @property
    def chance(self) -> float | None:
        """Return the share of odd words that a random choice finds on average; None if no list is covered.

        It is the mean of 1 / m over the covered lists, where m is the number of words in a list.
        """
        return float(np.mean([1 / len(choice.words) for choice in self.choices])) if self.choices else None

    @property
    def wrong(self) -> tuple[OddChoice, ...]:
        """Return the choices in which the chosen word is not the odd one."""
        return tuple(choice for choice in self.choices if not choice.right)

    @property
    def meaning(self) -> str:
        """Return two sentences: the share of odd words found, and a comparison with the baselines."""
        if self.accuracy is None or self.chance is None:
            return "No list can be tested: none has all its words in this space."
        found = f"The odd word is found in {share(self.accuracy)} of {self.covered:,} lists."
        rules = f"a random word ({share(self.chance)}) and {named(self.rules, share)}"
        return f"{found} {ahead(self.beyond_baseline, rules)}"

    def shared_with(self, others: Sequence[OddScores]) -> OddScores:
        """Return the scores of this space on those lists that it and all other spaces cover."""
        places = set.intersection(*({choice.place for choice in each.choices} for each in (self, *others)))
        choices = tuple(choice for choice in self.choices if choice.place in places)
        return replace(self, choices=choices, rules=_spelling(choices))


def list_units(lists: Sequence[Sequence[str]]) -> Units:
    """Return the words of each list as `Units`, for intervals that allow for words in several lists.

    Lists shorter than the longest one are filled up with units that no other list has.
    """
    most = max(map(len, lists), default=0)
    filled = [
        (*(word.lower() for word in words), *((place, at) for at in range(most - len(words))))
        for place, words in enumerate(lists)
    ]
    return units_of(filled, "words")


def standings(unit: Float, words: Sequence[str]) -> tuple[Standing, ...]:
    """Return the words, each with its mean cosine to the other words, sorted from the lowest.

    Args:
        unit: The unit vectors of the words, shape (m, d).
    """
    rows = np.asarray(unit, np.float64)
    means = (rows @ rows.sum(axis=0) - 1) / (len(rows) - 1)
    return tuple(Standing(words[place], float(means[place])) for place in np.argsort(means, kind="stable"))


@offered("scores", "print(scores.meaning)")
def odd_ones(space: VectorSpace, lists: OddOnes, *, report: Report | None = None) -> OddScores:
    """Return the choice of the space from each covered list (see `OddScores`), and the scores."""
    choices = []
    for place, each in enumerate(lists.lists):
        rows = every_row(space, each.words)
        if rows is not None:
            ranked = standings(space.unit_rows(rows), each.words)
            choices.append(OddChoice(place, each, ranked, ranked[0].word == each.odd))
        if report is not None and place % 500 == 499:
            report((place + 1) / len(lists.lists), f"{place + 1:,} of {len(lists.lists):,} lists tested")
    found = tuple(choices)
    return OddScores(space.origin.name, lists.name, lists.title, len(lists.lists), found, _spelling(found))


def _spelling(choices: Sequence[OddChoice]) -> tuple[SimplerRule, ...]:
    """Return the simpler rule, which chooses the word whose letters are least similar to those of the other words.

    The result is a tuple with this one rule, or empty if there are no choices.
    """
    if not choices:
        return ()
    words = tuple(dict.fromkeys(word for choice in choices for word in choice.list.words))
    places, unit = {word: place for place, word in enumerate(words)}, spelling_rows(words)
    right = np.array([choice.right for choice in choices], np.bool_)
    spelled = np.array(
        [
            standings(unit[[places[word] for word in one.list.words]], one.list.words)[0].word == one.list.odd
            for one in choices
        ],
        np.bool_,
    )
    gap = share_gap(right, spelled, list_units([choice.list.words for choice in choices]))
    return (SimplerRule("spelling", TITLES["spelling"], float(spelled.mean()), gap),)


ROW = Evaluation(
    "odd",
    "Odd one out",
    odd_ones,
    (),
    "How often the word with the lowest mean cosine to the others is the one that does not belong.",
    "gensim, doesnt_match",
    long=True,
    question="Does the space find the word that does not belong?",
    columns=("covered", "found (95\u00a0%)", "by chance", "spelling alone"),
    unit="lists",
    baseline="by chance",
    marks="Dot: share of lists whose odd word is found. Line through it: its 95\u00a0% interval. Upright tick: chance. "
    "▼: below it.",
)
