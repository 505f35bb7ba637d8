"""The kinds of test: `Evaluation` is a row of `EVALUATIONS`, `Scores` is what every result of a kind can do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

from embedviz.core.options import Method, Parameter
from embedviz.evaluation.compared import Difference
from embedviz.evaluation.quantity import Quantity

if TYPE_CHECKING:
    from embedviz.core.space import VectorSpace
    from embedviz.evaluation.simpler import SimplerRule

DASH = "–"
SEED = Parameter("seed", 0, 1_000_000, 0, "Another seed draws anew.", "Seed")


class FigureMark(NamedTuple):
    """A value of a figure with its interval and its baseline."""

    value: float
    low: float
    high: float
    baseline: float | None
    hover: str


class FigureLine(NamedTuple):
    """A line of a figure: its title, a note, and its mark where there is one."""

    title: str
    note: str
    mark: FigureMark | None


class Mistake(NamedTuple):
    """A wrong answer, and what leads to it: a word, or a formula with the word expected."""

    label: str
    word: str = ""
    formula: str = ""
    expected: str = ""


class Mistakes(NamedTuple):
    """Wrong answers: a title, a line about the list, the list, and a note."""

    title: str
    about: str
    listed: tuple[Mistake, ...]
    note: str = ""


class Scores(Protocol):
    """A result of one test set in one space.

    Attributes:
        quantity: What its value is.
        set_key: Attributes that are equal for results of one test set.
    """

    quantity: ClassVar[Quantity]
    set_key: ClassVar[tuple[str, ...]]

    @property
    def space(self) -> str:
        """Return the name of the space."""
        ...

    @property
    def name(self) -> str:
        """Return the name of the test set."""
        ...

    @property
    def title(self) -> str:
        """Return the title of the test set."""
        ...

    @property
    def value(self) -> float | None:
        """Return the value; None where too little is covered."""
        ...

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """Return the 95 % interval of the value."""
        ...

    @property
    def count(self) -> int:
        """Count the covered questions, pairs, lists or words."""
        ...

    @property
    def cells(self) -> dict[str, str]:
        """Return the cells of a table of spaces by their titles, the coverage and the value first."""
        ...

    @property
    def meaning(self) -> str:
        """Say what was found, in one or two sentences."""
        ...

    @property
    def sample(self) -> str:
        """Say what is covered, in a sentence."""
        ...

    @property
    def note(self) -> str:
        """Explain how the value was computed, in sentences."""
        ...

    @property
    def baseline(self) -> tuple[str, float]:
        """Return the strongest simpler rule and its value."""
        ...

    @property
    def rules(self) -> tuple[SimplerRule, ...]:
        """Return all simpler rules."""
        ...

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the names of the sections whose mistakes can be listed."""
        ...

    @property
    def lines(self) -> tuple[FigureLine, ...]:
        """Return the lines of the common figure; empty where the set has a figure of its own."""
        ...

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows of an export."""
        ...

    def mistakes(self, space: VectorSpace, given: Any, part: str, count: int) -> Mistakes:
        """Return what to look at one by one."""
        ...

    def shared_with(self, others: Sequence[Self]) -> Self:
        """Return the result on what all these results cover."""
        ...

    def against(self, other: Self, seed: int) -> Difference:
        """Return this value minus that of another space, on what both cover."""
        ...


@dataclass(frozen=True, kw_only=True)
class Evaluation(Method):
    """One row of `EVALUATIONS`: its function takes a space, a test set, `report` and the options.

    Attributes:
        columns: Titles of the `cells` that a page shows.
        unit: What the axis of its figure counts; `baseline`: what the ticks are.
        settings: Arguments of `evaluate` that the function takes too.
        scanned: Whether answers are searched among all rows, which takes long.
        parts: The field that holds a result for each test of a set; empty where a set is one test.
        each_set: What is drawn for every set of the kind; empty for nothing.
        question: What its figure answers, as a title; `example`: an item of a set, in words.
        marks: What the marks of its figure are, in a sentence or two.
    """

    columns: tuple[str, ...]
    unit: str = ""
    baseline: str = ""
    settings: tuple[str, ...] = ()
    scanned: bool = False
    parts: str = ""
    each_set: str = ""
    question: str = ""
    example: str = ""
    marks: str = ""

    def results(self, found: Any) -> tuple[Scores, ...]:
        """Return the results of each test of a set."""
        return tuple(getattr(found, self.parts)) if self.parts else (found,)

    def text_table(self, title: str, found: Sequence[tuple[str, Any]]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and lines of a table with all cells: of each space, by its name, each test of the set."""
        results = [(name, one) for name, scores in found for one in self.results(scores)]
        header = (title, *(["association"] if self.parts else []), *results[0][1].cells)
        return header, [(name, *([one.title] if self.parts else []), *one.cells.values()) for name, one in results]


def ahead(beyond: bool, baselines: str) -> str:
    """Return a sentence: whether a value is clearly above its baselines, and their values."""
    return f"This is {'clearly' if beyond else 'not clearly'} more than {baselines}."


def joint_table(results: Sequence[tuple[str, Any]]) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
    """Return header and rows of an export of several spaces, by their names."""
    tables = [(name, each.table()) for name, each in results]
    return ("space", *tables[0][1][0]), ((name, *row) for name, (_, rows) in tables for row in rows)
