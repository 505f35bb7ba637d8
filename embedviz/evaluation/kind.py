"""What each file of this room gives: a row of `EVALUATIONS`, and results that describe themselves.

A result says of itself:

    quantity          what its value is; `value` and `bounds`, the 95 % interval, None where too little is covered
    count, cells      what is covered; its cells of a table of spaces by their titles, *covered* and the value first
    meaning, note     what was found, in one or two sentences; method, sample and interval
    baseline, rules   the strongest simpler rule and its value; all simpler rules
    table(), lines    header and rows of an export; lines of its figure, empty where it has a figure of its own
    mistakes(…)       what to look at one by one
    set_key           attributes that are equal for results of one test set; `against(…)` is their `Difference`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from embedviz.core.options import Method, Parameter
from embedviz.core.phrases import number, share, signed

DASH = "–"
SEED = Parameter("seed", 0, 1_000_000, 0, "Another seed draws anew.", "Seed")
_PERCENT = "\u00a0%"


class Grading(NamedTuple):
    """How a quantity counts in the grade of a space.

    Attributes:
        name: As the card of a grade has it.
        fewest: Covered questions or pairs below which a test says nothing.
        good: Share of the built-in space's value from which a space is as good as published ones.
        surely: Share of it that such a space must clearly exceed, by `exceeds` of its result; 0 where it need not. It
            keeps out a noisy space with few covered questions, whose share is high by luck.
    """

    name: str
    fewest: int
    good: float
    surely: float = 0.0


class Quantity(NamedTuple):
    """What a kind of test measures.

    Attributes:
        name: As cards have it.
        title: What a value is; `short`: in a word or two; `symbol`: what stands before a value.
        counted: What it is counted over.
        share: Whether it is a share, said in percent, whose differences are points.
        grading: How it counts in the grade of a space; None where it does not.
    """

    name: str
    title: str
    short: str
    counted: str
    share: bool
    symbol: str = ""
    grading: Grading | None = None

    def say(self, value: float) -> str:
        """Return a value in words."""
        return share(value) if self.share else number(value)

    def within(self, value: float, low: float | None, high: float | None) -> str:
        """Return a value with its interval in brackets."""
        return f"{self.say(value)} ({self.say(low or 0.0).removesuffix(_PERCENT)} to {self.say(high or 0.0)})"

    def step(self, difference: float) -> str:
        """Return a difference with its sign, of shares in points; a small one keeps a digit more."""
        if not self.share:
            return signed(difference, 2 if abs(difference) >= 0.005 else 3)
        digits = 1 if abs(difference) >= 0.0005 else 2
        return signed(100 * difference, digits) if abs(difference) >= 0.00005 else "0.0"

    def sized(self, difference: float) -> str:
        """Return a difference with its unit."""
        return f"{self.step(difference)}{' points' if self.share else ''}"


class FigureMark(NamedTuple):
    """A value of a figure with its interval and its baseline."""

    value: float
    low: float
    high: float
    baseline: float | None
    hover: str


class FigureLine(NamedTuple):
    """A line of a figure: its title, a note beside it, and its mark where there is one."""

    title: str
    note: str
    mark: FigureMark | None


class Mistake(NamedTuple):
    """Something that went wrong, and what leads to it: a word, or a formula with the word expected."""

    label: str
    word: str = ""
    formula: str = ""
    expected: str = ""


class Mistakes(NamedTuple):
    """What went wrong, one by one: a title, what is listed, and a note at the end."""

    title: str
    about: str
    listed: tuple[Mistake, ...]
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Evaluation(Method):
    """One row of `EVALUATIONS`: its function takes a space, a test set, `report` and the options.

    Attributes:
        columns: Titles of the `cells` that a page shows.
        unit: What the axis of its figure counts; `baseline`: what the ticks are.
        settings: Arguments of `evaluate` that the function takes too.
        scanned: Whether answers are sought among all rows, which takes long.
        parts: The field that holds a result for each test of a set; empty where a set is one test.
        each_set: What is drawn of every set of the kind beside the chosen one; empty for nothing.
    """

    columns: tuple[str, ...]
    unit: str = ""
    baseline: str = ""
    settings: tuple[str, ...] = ()
    scanned: bool = False
    parts: str = ""
    each_set: str = ""

    def results(self, found: Any) -> tuple[Any, ...]:
        """Return the results of each test of a set."""
        return tuple(getattr(found, self.parts)) if self.parts else (found,)

    def text_table(self, title: str, found: Sequence[tuple[str, Any]]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and lines of a table with all cells: of each space, by its name, each test of the set."""
        results = [(name, one) for name, scores in found for one in self.results(scores)]
        header = (title, *(["association"] if self.parts else []), *results[0][1].cells)
        return header, [(name, *([one.title] if self.parts else []), *one.cells.values()) for name, one in results]


def ahead(beyond: bool, these: str) -> str:
    """Return a sentence: whether a value is ahead of its baselines."""
    return f"That is more than {these}, beyond chance." if beyond else f"It is not shown to do better than {these}."


def joint_table(results: Sequence[tuple[str, Any]]) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
    """Return header and rows of an export of several spaces, by their names."""
    tables = [(name, each.table()) for name, each in results]
    return ("space", *tables[0][1][0]), ((name, *row) for name, (_, rows) in tables for row in rows)
