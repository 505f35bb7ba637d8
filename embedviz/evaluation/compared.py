"""Compare two spaces on one test set: the difference on the items that both cover, with its 95 % interval."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import listing, number
from embedviz.core.progress import Report
from embedviz.core.stats.intervals import LEVEL
from embedviz.core.stats.resampling import Gap, Units, holm, share_gap
from embedviz.evaluation.quantity import Quantity

Key = TypeVar("Key", bound=Hashable)
_NUMBERED = 2  # up to this many spaces, the summary gives their values


class AnsweredBy(NamedTuple):
    """Counts of questions that only the first space answers right, only the second, both spaces, or neither."""

    only_one: int
    only_other: int
    both: int
    neither: int


@dataclass(frozen=True)
class Difference:
    """The difference of two spaces in the result of a test, first minus second, on the items that both cover.

    Items are questions, word pairs, lists or words, depending on the kind of test.

    Attributes:
        name, title: The name and title of the test set.
        quantity: The quantity of the values.
        first, second: The names of the spaces.
        one, other: The values of the first and the second space on the shared items; None for too few items.
        low, high: The 95 % interval of the difference `one` − `other`; None for too few items. It allows for items with
            units in common, such as two word pairs with the same word.
        both_cover: The number of items that both spaces cover.
        unit: What several items may have in common: *word pairs* for analogies, otherwise *words*.
        p: The two-sided p-value of the difference; None without an interval.
        agreement: For analogies, how many questions one space, both or no space answers right; otherwise None.
        adjusted: p adjusted for all comparisons made together (Holm). `among_all` sets it; before, it is None.
        family: The number of comparisons made together.
    """

    name: str
    title: str
    quantity: Quantity
    first: str
    second: str
    one: float | None
    other: float | None
    low: float | None
    high: float | None
    both_cover: int
    unit: str
    p: float | None
    agreement: AnsweredBy | None = None
    adjusted: float | None = None
    family: int = 1

    @property
    def measure(self) -> str:
        """Return the name of the quantity: *accuracy*, *spearman*, *odd*, *purity* or *effect*."""
        return self.quantity.name

    @property
    def value(self) -> float | None:
        """Return the value of the first space minus that of the second; None if one of the values is missing."""
        return None if self.one is None or self.other is None else self.one - self.other

    @property
    def clear_alone(self) -> bool:
        """Return whether the difference would be more than chance if it were the only comparison."""
        return self.p is not None and self.p < LEVEL

    @property
    def beyond_chance(self) -> bool:
        """Return whether the difference is more than chance, adjusted for all comparisons made together."""
        p = self.p if self.adjusted is None else self.adjusted
        return p is not None and p < LEVEL

    @property
    def size(self) -> str:
        """Return the difference with its unit, as text."""
        return self.quantity.sized(self.value or 0.0)

    @property
    def cell(self) -> str:
        """Return the text of a table cell: the difference with its interval; “too few in both” if there is none."""
        if self.value is None or self.low is None or self.high is None:
            return "too few in both"
        value, low, high = map(self.quantity.step, (self.value, self.low, self.high))
        return f"{value} ({low} to {high})"

    @property
    def line(self) -> tuple[str, str, str, str, str]:
        """Return a row of a table: title, measure with interval, value of `second`, value of `first`, difference."""
        quantity = self.quantity
        low, high = (quantity.step(end or 0.0) for end in (self.low, self.high))
        about = f"{quantity.title}, {self.both_cover:,} {quantity.counted} covered; 95\u00a0%: {low} to {high}"
        return self.title, about, quantity.say(self.other or 0.0), quantity.say(self.one or 0.0), self.size

    def card(self) -> dict[str, Any]:
        """Return the comparison as plain JSON values."""
        agreement = None if self.agreement is None else self.agreement._asdict()
        return {
            "set": self.name,
            "measure": self.measure,
            "spaces": [self.first, self.second],
            "values": [self.one, self.other],
            "difference": self.value,
            "low": self.low,
            "high": self.high,
            "both_cover": self.both_cover,
            "unit": self.unit,
            "p": self.p,
            "p_adjusted": self.p if self.adjusted is None else self.adjusted,
            "family": self.family,
            "beyond_chance": self.beyond_chance,
            "agreement": agreement,
        }

    @property
    def meaning(self) -> str:
        """Return sentences: both values, their difference, and whether it may be chance."""
        what = self.quantity.counted
        if self.value is None or self.low is None or self.high is None:
            return f"{self.title}: both spaces cover {self.both_cover:,} {what}, too few to compare."
        values = (
            f"{self.title}, {self.both_cover:,} {what} that both cover: {self.first} {_digits(self.one)}, "
            f"{self.second} {_digits(self.other)}, a difference of {_digits(self.value)} "
            f"(95\u00a0%: {_digits(self.low)} to {_digits(self.high)})."
        )
        among = f" ({self.family} tests at once)" if self.family > 1 else ""
        if not self.beyond_chance:
            return f"{values} The difference may be chance{among}: this set does not show which is better."
        return f"{values} The difference is more than chance on this set{among}."


def among_all(found: Sequence[Difference], planned: int = 0) -> tuple[Difference, ...]:
    """Return the same differences, each with its p-value adjusted for the number of differences (Holm).

    Args:
        planned: The final number of comparisons, if more will follow later; otherwise 0.
    """
    known = [one.p for one in found if one.p is not None]
    family = max(len(known), planned)
    grown = iter(holm([*known, *[1.0] * (family - len(known))]))
    return tuple(one if one.p is None else replace(one, adjusted=next(grown), family=family) for one in found)


def summary(found: Mapping[str, Difference], base: str) -> str:
    """Return sentences that compare several spaces with one space, the base.

    For one or two spaces the sentences give the values; for more, they list the spaces that differ from the base.

    Args:
        found: Name of the space → its difference from the base.
        base: The name of the base.
    """
    if len(found) <= _NUMBERED:
        return " ".join(_compared(name, one, base) for name, one in found.items())
    beyond = [f"{name} by {one.size}" for name, one in found.items() if one.beyond_chance]
    alike = [name for name, one in found.items() if one.value is not None and not one.beyond_chance]
    few = [name for name, one in found.items() if one.value is None]
    family = max((one.family for one in found.values()), default=1)
    sentences = (
        f"Different from {base} by more than chance, on what both cover: {listing(beyond)}." if beyond else "",
        f"No clear difference from {base} on this set: {listing(alike)}." if alike else "",
        f"Both cover too little to compare: {listing(few)}." if few else "",
        f"Adjusted for {family} comparisons (Holm); the intervals are not." if family > 1 else "",
    )
    return " ".join(filter(None, sentences))


def _compared(name: str, found: Difference, base: str) -> str:
    """Return a sentence that compares the space `name` with the space `base` on the items that both cover.

    It gives both values and whether they differ beyond chance, or says that too few items are shared.
    """
    what = f"{found.both_cover:,} {found.quantity.counted}"
    if found.one is None or found.other is None or found.p is None:
        return f"{base} and {name} both cover only {what}: too few to compare."
    quantity = found.quantity
    name_of = f"{quantity.symbol.strip()} = " if quantity.symbol else f"{quantity.short} "
    symbol = "" if quantity.share else name_of
    here, there = (f"{symbol}{quantity.say(value)}" for value in (found.other, found.one))
    verdict = f"a difference of {found.size}, more than chance" if found.beyond_chance else "no clear difference"
    p = found.p if found.adjusted is None else found.adjusted
    sure = "p below 0.001" if p < 0.001 else f"p\u00a0=\u00a0{number(p, 3 if p < 0.1 else 2)}"
    many = f", adjusted for {found.family} comparisons" if found.family > 1 else ""
    return f"On the same {what}: {base} {here}, {name} {there}; {verdict} ({sure}{many})."


def _digits(value: float | None) -> str:
    """Return a value as text with two decimals. A value below 0.01 gets more, up to its first digit that is not 0."""
    if not value or abs(value) >= 0.01:
        return number(value or 0.0)
    return f"{value:.{-math.floor(math.log10(abs(value)))}f}".replace("-", "−")


@offered("joint", "for scores in joint:", '    print(f"{scores.space}: {scores.meaning}")')
def on_shared(results: Sequence[Any], *, report: Report | None = None) -> tuple[Any, ...]:
    """Return the results, each limited to the items that all results cover, so that all have the same sample.

    Args:
        results: Results of different spaces on the same test set. An `Effect` of WEAT is returned unchanged.

    Raises:
        OptionError: The results are from different test sets.
    """
    for other in results[1:]:
        _check_same_set(results[0], other)
    return tuple(
        one.shared_with([*results[:place], *results[place + 1 :]]) if len(results) > 1 else one
        for place, one in enumerate(results)
    )


def _check_same_set(one: Any, other: Any) -> None:
    """Raise an error if the results are from different kinds of test, or from different test sets.

    Raises:
        OptionError: The results cannot be compared.
    """
    if type(one) is not type(other):
        raise OptionError("The scores are of test sets of two kinds; compare two spaces on the same set.")
    same = attrgetter(*one.set_key)
    if same(one) != same(other):
        raise OptionError("The scores are of two test sets; compare two spaces on the same set.")


@offered("difference", "print(difference.meaning)")
def paired(one: Any, other: Any, *, seed: int = 0, report: Report | None = None) -> Difference:
    """Return the difference in value, first space minus second, on the items that both cover.

    Args:
        one, other: Results of two spaces on the same test set.
        seed: The seed for resampling; only the association test (WEAT) uses it.

    Raises:
        OptionError: The results are from different test sets.
    """
    _check_same_set(one, other)
    found: Difference = one.against(other, seed)
    return found


def difference(
    one: Any,
    other: Any,
    values: Sequence[float | None],
    gap: Gap | None,
    both: int,
    unit: str = "words",
    agreement: AnsweredBy | None = None,
) -> Difference:
    """Assemble a `Difference` from two results and the numbers that compare them.

    Args:
        values: The values of `one` and `other` on the items that both spaces cover.
        gap: The difference of `values` with its interval and p-value; None if there are too few items.
        both: The number of items that both spaces cover.
        unit, agreement: As in `Difference`.
    """
    low, high, p = (gap.low, gap.high, gap.p) if gap else (None, None, None)
    names = one.name, one.title, one.quantity, one.space, other.space
    return Difference(*names, values[0], values[1], low, high, both, unit, p, agreement)


def flagged(
    one: Any,
    other: Any,
    ours: Mapping[Key, bool],
    theirs: Mapping[Key, bool],
    units: Callable[[list[Key]], Units],
) -> Difference:
    """Return the difference in the share of right items, over the items that both results cover.

    Args:
        ours, theirs: For `one` and for `other`: key of each covered item → whether the item is right.
        units: Function that takes a list of keys, and returns the `Units` of these items.
    """
    shared = [key for key in ours if key in theirs]
    if not shared:
        return difference(one, other, (None, None), None, 0)
    flags = np.array([(ours[key], theirs[key]) for key in shared], np.bool_)
    gap = share_gap(flags[:, 0], flags[:, 1], units(shared))
    return difference(one, other, flags.mean(axis=0).tolist(), gap, len(shared))
