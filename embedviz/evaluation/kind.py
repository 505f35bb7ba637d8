"""The common form of all kinds of test: `Evaluation` is a row of `EVALUATIONS`, `Scores` the interface of results."""

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
    """A value in a figure, with its 95 % interval, its baseline (or None) and the text that appears on hover."""

    value: float
    low: float
    high: float
    baseline: float | None
    hover: str


class FigureLine(NamedTuple):
    """A row of a figure: its title, a note, and its mark (None for a row without a value)."""

    title: str
    note: str
    mark: FigureMark | None


class Mistake(NamedTuple):
    """A wrong answer, with what a click on it opens: the neighbors of a word, or an analogy.

    Attributes:
        label: The wrong answer, as text.
        word: The word whose neighbors a click opens; empty for an analogy.
        formula: The analogy that a click opens, such as c − a + b; empty for a word.
        expected: The right answer to the analogy; empty for a word.
    """

    label: str
    word: str = ""
    formula: str = ""
    expected: str = ""


class Mistakes(NamedTuple):
    """A list of wrong answers: its title, a sentence that explains the list, the answers, and a note."""

    title: str
    about: str
    listed: tuple[Mistake, ...]
    note: str = ""


class Scores(Protocol):
    """The interface of a result: one test set in one space.

    Attributes:
        quantity: The quantity that `value` measures.
        set_key: The names of the attributes that identify the test set. Two results are from the same test set if they
            have the same values of these attributes.
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
        """Return the main result as a number, such as the accuracy; None if the space covers too little."""
        ...

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """Return the 95 % interval of the value."""
        ...

    @property
    def count(self) -> int:
        """Return the number of covered questions, pairs, lists or words."""
        ...

    @property
    def cells(self) -> dict[str, str]:
        """Return the cells of this space's row in the results table: column title → text.

        Coverage and value come first.
        """
        ...

    @property
    def meaning(self) -> str:
        """Return one or two sentences: the result, compared with its baselines."""
        ...

    @property
    def sample(self) -> str:
        """Return sentences: how much of the test set the space covers, and the 95 % interval of the value."""
        ...

    @property
    def note(self) -> str:
        """Explain in sentences how the value was computed."""
        ...

    @property
    def baseline(self) -> tuple[str, float]:
        """Return title and value of the strongest baseline: a simpler rule, or chance."""
        ...

    @property
    def rules(self) -> tuple[SimplerRule, ...]:
        """Return all simpler rules, with the difference between the space and each rule."""
        ...

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the names of the sections whose mistakes can be listed."""
        ...

    @property
    def lines(self) -> tuple[FigureLine, ...]:
        """Return the rows of the figure of values and intervals; empty if this kind of test has another figure."""
        ...

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows of the exported table."""
        ...

    def mistakes(self, space: VectorSpace, given: Any, part: str, count: int) -> Mistakes:
        """Return at most `count` wrong answers to look at.

        Args:
            given: The test set.
            part: A name in `parts`; empty for all.
        """
        ...

    def shared_with(self, others: Sequence[Self]) -> Self:
        """Return the result on those items of the test set that this space and all other spaces cover."""
        ...

    def against(self, other: Self, seed: int) -> Difference:
        """Return the difference in value, this space minus the other, on the items that both spaces cover."""
        ...


@dataclass(frozen=True, kw_only=True)
class Evaluation(Method):
    """One row of `EVALUATIONS`: its function takes a space, a test set, `report` and the options.

    Attributes:
        columns: The titles of those `Scores.cells` that a page displays.
        unit: The title of the figure's axis.
        baseline: The meaning of the ticks in the figure.
        settings: The arguments of `evaluate` that are passed on to the function: *words*, *simpler* or both.
        scanned: Whether answers are searched among all rows, which takes long.
        parts: The name of the attribute of a result that holds the results of single tests; empty if a test set is one
            test.
        each_set: The caption of the figure over all test sets of this kind; empty if there is no such figure.
        question: The title of the figure, as a question.
        example: An item of a test set, as text.
        marks: The legend of the figure, in a sentence or two.
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
        """Return the result of each test in a test set: only `found` itself if the test set is one test."""
        return tuple(getattr(found, self.parts)) if self.parts else (found,)

    def text_table(self, title: str, found: Sequence[tuple[str, Any]]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and rows of a table: one row for each space and each test of the test set.

        Unlike a table on a page, it has all of `Scores.cells`.

        Args:
            title: The title of the first column, with the names of the spaces.
            found: For each space, its name and its result.
        """
        results = [(name, one) for name, scores in found for one in self.results(scores)]
        header = (title, *(["association"] if self.parts else []), *results[0][1].cells)
        return header, [(name, *([one.title] if self.parts else []), *one.cells.values()) for name, one in results]


def ahead(beyond: bool, baselines: str) -> str:
    """Return a sentence that says whether a value is clearly above its baselines.

    Args:
        beyond: Whether the value is clearly above its baselines.
        baselines: The baselines with their values, as text.
    """
    return f"This is {'clearly' if beyond else 'not clearly'} more than {baselines}."


def joint_table(results: Sequence[tuple[str, Any]]) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
    """Return header and rows of the exported table of several spaces; the first column holds the name of the space.

    Args:
        results: For each space, its name and its result.
    """
    tables = [(name, each.table()) for name, each in results]
    return ("space", *tables[0][1][0]), ((name, *row) for name, (_, rows) in tables for row in rows)
