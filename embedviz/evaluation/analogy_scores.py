"""Scores of analogy questions: the share of right answers in each section and in all, with baselines and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.phrases import counted
from embedviz.core.phrases import share as percent
from embedviz.core.space import Ints, VectorSpace
from embedviz.core.stats.intervals import Share
from embedviz.core.stats.resampling import Units, drawn_means, likely_means, quantile, share_gap, share_interval
from embedviz.evaluation.compared import AnsweredBy, Difference, difference
from embedviz.evaluation.kind import DASH, FigureLine, FigureMark, Mistake, Mistakes, ahead
from embedviz.evaluation.missed import missed
from embedviz.evaluation.quantity import Grading, Quantity
from embedviz.evaluation.simpler import TITLES, SimplerRule, beats, named, strongest, unclear
from embedviz.evaluation.spelling import share
from embedviz.testsets import Questions

Flags = NDArray[np.bool_]
_GRADING = Grading("analogies", fewest=100, good=0.8, surely=0.7)
QUANTITY = Quantity("accuracy", "Share right", "right", "questions", share=True, grading=_GRADING)


@dataclass(frozen=True)
class AnalogyScore:
    """The shares of right answers in one or several sections. All shares are of the covered questions.

    Attributes:
        kind: *semantic*, *syntactic*, or empty.
        questions: The number of all questions, covered or not.
        covered: The number of covered questions: a, b, c and a right answer have rows in the space.
        add, mul: Share of questions that 3CosAdd or 3CosMul answers right; a, b and c are excluded as answers.
        add_five, mul_five: Share of questions with a right answer among the first five of 3CosAdd or 3CosMul.
        unrestricted: Share of questions that 3CosAdd answers right if a, b and c are not excluded.
        itself: Share of questions that 3CosAdd answers with c itself if a, b and c are not excluded.
        third: Baseline: share of questions to which the word nearest to c (except a and b) is a right answer.
        third_five: Baseline: share of questions with a right answer among the five words nearest to c.
        spelling: Baseline: share of right answers by 3CosAdd on the letters of the words instead of their vectors; None
            if not computed.
        frequency: Baseline: share of right answers if each question is answered with the most frequent right answer of
            its section, without a, b and c; None if not computed or if frequencies are not known.
        low, high: The 95 % interval of `add`, from word pairs resampled within each section.
    """

    name: str
    kind: str
    questions: int
    covered: int
    add: Share
    add_five: Share
    mul: Share
    mul_five: Share
    unrestricted: Share
    itself: Share
    third: Share
    third_five: Share
    spelling: Share | None
    frequency: Share | None
    low: float
    high: float

    @property
    def accuracy(self) -> float:
        """Return the share of questions that 3CosAdd answers right, 0 to 1."""
        return self.add.value

    @property
    def title(self) -> str:
        """Return the name of the section as a title: without a prefix such as *gram1-*, hyphens replaced by spaces."""
        head, dash, rest = self.name.partition("-")
        return (rest if dash and head.startswith("gram") and head[4:].isdigit() else self.name).replace("-", " ")

    @property
    def mark(self) -> FigureMark | None:
        """Return what the figure shows for this section: accuracy, interval and best simpler rule.

        It is None if no question of the section is covered.
        """
        if not self.covered:
            return None
        rules = "<br>".join(f"{title} {percent(value)}" for title, value in self.simpler.items())
        hover = f"{percent(self.accuracy)} right of {self.covered:,}<br>{rules}"
        return FigureMark(self.accuracy, self.low, self.high, max(self.simpler.values()), hover)

    @property
    def row(self) -> tuple[object, ...]:
        """Return the section as a row of the exported table."""
        shares = (self.add, self.add_five, self.mul, self.unrestricted, self.third, self.spelling, self.frequency)
        values = [each.value if self.covered and each else "" for each in shares]
        return self.name, self.questions, self.covered, *values, self.low, self.high

    @property
    def simpler(self) -> dict[str, float]:
        """Return the share of right answers by each simpler rule, as a mapping from the title of the rule."""
        found = {"third": self.third, "spelling": self.spelling, "frequency": self.frequency}
        return {TITLES[name]: each.value for name, each in found.items() if each is not None}

    def card(self) -> dict[str, Any]:
        """Return the shares and counts as plain JSON values; shares are None if no question is covered."""
        names = {
            **{"accuracy": self.add, "low": self.low, "high": self.high, "top5": self.add_five, "cosmul": self.mul},
            **{"cosmul_top5": self.mul_five, "unrestricted": self.unrestricted, "itself": self.itself},
            **{"baseline": self.third, "baseline_top5": self.third_five},
            **{"spelling": self.spelling, "frequency": self.frequency},
        }
        values = {name: each.value if isinstance(each, Share) else each for name, each in names.items()}
        known = {name: value if self.covered else None for name, value in values.items()}
        whole = {"name": self.name, "kind": self.kind or None, "questions": self.questions, "covered": self.covered}
        return {**whole, **known}


class PublishedScore(NamedTuple):
    """Shares of right answers, 0 to 1, on the questions that published vectors and the built-in space both cover.

    Attributes:
        published: The share that the published vectors answer right.
        builtin: The share that the built-in space answers right.
        spelling: The share that 3CosAdd on the letters of words answers right.
    """

    title: str
    questions: int
    published: float
    builtin: float
    spelling: float


PUBLISHED = (
    PublishedScore("Google News", 4_600, 0.7837, 0.7828, 0.6189),
    PublishedScore("GloVe", 1_039, 0.7748, 0.8402, 0.4793),
)
"""The scores of two sets of published vectors, to compare the built-in space with.

They were measured with spaces that ship with the program, on the words that each shares with the built-in space.

The built-in space minus the published vectors is −0.1 points (−4.5 to 4.4) and 6.5 points (−0.2 to 13.1): neither
difference is more than chance.
"""


@dataclass(frozen=True, eq=False)
class AnalogyScores:
    """The answers of a space to a set of analogy questions, and their scores.

    Attributes:
        space: The name of the space.
        name, title: The name and title of the test set.
        compared: The number of rows among which each answer was searched.
        sections: The scores of each section, in the order of the test set.
        total, semantic, syntactic: The scores over all sections, over the semantic and over the syntactic ones.
        covered: Whether each question is covered, shape (q,), in the order of the test set.
        right: Whether each of the `OUTCOMES` is true for each question, shape (q, 10). Ignore the rows of questions
            that are not covered.
        answers: The row of 3CosAdd's first answer to each question, shape (q,); −1 for no answer.
        units: The word pairs (a, b) and (c, right answer) of each question, for resampling.
        rules: The simpler rules, with the difference between 3CosAdd and each rule.
    """

    space: str
    name: str
    title: str
    compared: int
    sections: tuple[AnalogyScore, ...]
    total: AnalogyScore
    semantic: AnalogyScore
    syntactic: AnalogyScore
    covered: Flags
    right: Flags
    answers: Ints
    units: Units
    rules: tuple[SimplerRule, ...]

    quantity: ClassVar[Quantity] = QUANTITY
    set_key: ClassVar[tuple[str, ...]] = ("name", "total.questions")

    @property
    def accuracy(self) -> float:
        """Return the share of the covered questions that 3CosAdd answers right."""
        return self.total.accuracy

    @property
    def beyond_baseline(self) -> bool:
        """Return whether 3CosAdd is clearly better than every simpler rule."""
        return beats(self.rules)

    @property
    def baseline(self) -> tuple[str, float]:
        """Return the title of the strongest simpler rule, and its share of right answers."""
        return strongest(self.rules)

    @property
    def unbeaten(self) -> list[tuple[str, float]]:
        """Return title and share of right answers for each simpler rule that 3CosAdd does not clearly beat."""
        return unclear(self.rules)

    def drawn(self, other: AnalogyScores) -> NDArray[np.float64]:
        """Return resampled accuracies of this and another space, shape (draws, 2), on the questions that both cover."""
        shared = self.covered & other.covered
        right = np.column_stack([self.right[shared, 0], other.right[shared, 0]]).astype(np.float64)
        return likely_means(right, self.units.of(shared))

    @property
    def behind(self) -> tuple[AnalogyScore, ...]:
        """Return the sections in which a simpler rule answers more questions right than 3CosAdd."""
        return tuple(each for each in self.scored_parts if max(each.simpler.values(), default=0.0) > each.accuracy)

    @property
    def scored_parts(self) -> tuple[AnalogyScore, ...]:
        """Return the sections that have at least one covered question."""
        return tuple(each for each in self.sections if each.covered)

    def card(self) -> dict[str, Any]:
        """Return the scores of all sections as plain JSON values; shares are None if no question is covered."""
        return {
            **self.total.card(),
            "compared": self.compared,
            "unit": self.units.name,
            "units": self.units.of(self.covered).count,
            "rules": [rule.card() for rule in self.rules],
            "beyond_baseline": self.beyond_baseline,
            "sections": [each.card() for each in self.sections],
        }

    @property
    def value(self) -> float | None:
        """Return the accuracy; None if no question is covered."""
        return self.accuracy if self.count else None

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the 95 % interval of the accuracy."""
        return self.total.low, self.total.high

    @property
    def count(self) -> int:
        """Return the number of covered questions."""
        return self.total.covered

    @property
    def cells(self) -> dict[str, str]:
        """Return the cells of this space's row in the results table: column title → text."""
        total = self.total
        shares: dict[str, Share | None] = {
            "3CosAdd, top five": total.add_five,
            "3CosMul": total.mul,
            "nearest to the third word": total.third,
        }
        shares |= {"spelling alone": total.spelling, "frequency alone": total.frequency}
        figures = {"3CosAdd (95\u00a0%)": QUANTITY.within(total.accuracy, total.low, total.high)}
        figures |= {name: percent(each.value) if each else DASH for name, each in shares.items()}
        figures["own words left in"] = percent(total.unrestricted.value, fine=True)
        known = {name: figure if self.count else DASH for name, figure in figures.items()}
        return {"covered": f"{self.count:,} of {total.questions:,}", **known}

    @property
    def lines(self) -> tuple[FigureLine, ...]:
        """Return the rows of the figure: the first for all questions, then one per section."""
        whole, *parts = (
            FigureLine(each.title, f"{each.covered:,}/{each.questions:,}", each.mark)
            for each in (self.total, *self.sections)
        )
        return whole._replace(title="all sections", note=f"covered {whole.note}"), *parts

    @property
    def meaning(self) -> str:
        """Return sentences: the share of right answers, and whether it is clearly above simpler rules."""
        return self.sentence(self.beyond_baseline)

    def sentence(self, beyond: bool) -> str:
        """Return sentences on the share of right answers and how it compares with simpler rules.

        Args:
            beyond: Whether 3CosAdd clearly beats every simpler rule, adjusted for the number of test sets.
        """
        total = self.total
        if not total.covered:
            return f"No question can be tested: none of the {total.questions:,} has all its words in this space."
        right = f"{percent(total.accuracy)} of {counted(total.covered, 'question')} are answered right."
        if not self.rules:
            return right
        behind = f" But a{self.caveat[1:]}" if self.caveat else ""
        more = ahead(beyond, f"simpler rules: {named(self.rules, percent)}")
        title, most = self.baseline
        if most > total.high:
            more, behind = f"This is less than {title} ({percent(most)}).", behind.replace(" But a", " A")
        return f"{right} {more}{behind}"

    @property
    def clearly_behind(self) -> int:
        """Return the number of sections in which a simpler rule's share is above the 95 % interval of 3CosAdd."""
        return sum(max(each.simpler.values(), default=0.0) > each.high for each in self.behind)

    @property
    def caveat(self) -> str:
        """Return a sentence that says in how many sections a simpler rule is better than 3CosAdd.

        It is empty if there is no such section, or if only one section has covered questions.
        """
        if not self.behind or len(self.scored_parts) < 2:
            return ""
        clearly = self.clearly_behind
        sure = "" if not clearly else f", clearly in {clearly}" if clearly < len(self.behind) else ", always clearly"
        return f"A simpler rule is better in {len(self.behind)} of {len(self.scored_parts)} sections{sure}."

    @property
    def sample(self) -> str:
        """Return sentences on coverage and the 95 % interval; empty if no question is covered."""
        total = self.total
        if not total.covered:
            return ""
        left_out = " The others are left out, because this space lacks a word of them."
        left_out = left_out if total.covered < total.questions else ""
        return (
            f"Covered: {total.covered:,} of {total.questions:,} questions, made of "
            f"{self.units.of(self.covered).count:,} word pairs.{left_out} 95\u00a0% interval: {percent(total.low)} to "
            f"{percent(total.high)}."
        )

    @property
    def yardstick(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]] | None:
        """Return header and rows of a table that compares published vectors with the built-in space.

        It is None for test sets other than the Google analogies.
        """
        if self.name != "google":
            return None
        return ("vectors (questions)", "published", "MiniLM", "spelling alone"), [
            (f"{one.title} ({one.questions:,})", *map(percent, (one.published, one.builtin, one.spelling)))
            for one in PUBLISHED
        ]

    @property
    def note(self) -> str:
        """Explain how the questions are answered; empty if no question is covered."""
        total = self.total
        if not total.covered:
            return ""
        return (
            f"The answer is the word nearest to b − a + c (3CosAdd) among {self.compared:,} words. Case is ignored. "
            f"The words of the question are excluded. If they are included, "
            f"{percent(total.unrestricted.value, fine=True)} are right, and {percent(total.itself.value)} of the "
            "answers are the third word itself. Intervals: 95\u00a0%, from resampled word pairs within each section; "
            "a rule beyond the interval of a section is clearly better there. "
            "Spelling alone: the same arithmetic on letters."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows of the exported table: one row for all questions, then one per section."""
        header = "section", "questions", "covered", "3cosadd", "3cosadd top five", "3cosmul", "own words left in"
        simpler = "third alone", "spelling alone", "frequency alone", "low", "high"
        return (*header, *simpler), (each.row for each in (self.total, *self.sections))

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the names of the sections that have covered questions, for lists of mistakes."""
        return tuple(each.name for each in self.scored_parts)

    @property
    def wrong(self) -> Ints:
        """Return the positions, in the test set, of the covered questions that 3CosAdd answers with a wrong word."""
        return np.flatnonzero(self.covered & ~self.right[:, 0] & (self.answers >= 0))

    def mistakes(self, space: VectorSpace, questions: Questions, part: str, count: int) -> Mistakes:
        """Return at most `count` wrong answers of 3CosAdd.

        Args:
            part: The name of a section; empty for all sections.
        """
        listed = tuple(
            Mistake(one.text, "", one.formula, one.expected)
            for one in missed(space, questions, self.answers, self.wrong, section=part, count=count)
        )
        none = "All covered questions are answered right." if self.count else "No question is covered."
        about = "Pair given, then the answer. Click to open it in Analogy"
        return Mistakes("Wrong answers", about, listed, "" if listed else none)

    def against(self, other: AnalogyScores, seed: int) -> Difference:
        """Return the difference in accuracy, this space minus the other, on the questions that both spaces cover."""
        shared = self.covered & other.covered
        ours, theirs = self.right[shared, 0], other.right[shared, 0]
        counts = [int(part.sum()) for part in (ours & ~theirs, theirs & ~ours, ours & theirs, ~ours & ~theirs)]
        means = [float(right.mean()) if len(ours) else None for right in (ours, theirs)]
        gap = share_gap(ours, theirs, self.units.of(shared)) if len(ours) else None
        return difference(self, other, means, gap, len(ours), self.units.name, AnsweredBy(*counts))

    def shared_with(self, others: Sequence[AnalogyScores]) -> AnalogyScores:
        """Return the scores of this space on those questions that it and all other spaces cover."""
        covered = np.logical_and.reduce([self.covered, *(other.covered for other in others)])
        sections = np.repeat(np.arange(len(self.sections)), [each.questions for each in self.sections])
        parts = [(each.name, each.kind) for each in self.sections]
        names = [rule.name for rule in self.rules]
        return scored(self, parts, sections, covered, names)

    def exceeds(self, other: AnalogyScores, part: float) -> bool:
        """Return whether the accuracy is clearly above `part` (0 to 1) times the accuracy of the other space."""
        shared = self.covered & other.covered
        units = self.units.of(shared)
        beyond = self.right[shared, 0] - part * other.right[shared, 0]
        error = float(drawn_means(beyond[:, None], units).std())
        return float(beyond.mean()) > quantile(units.count - 1) * error


ANSWERED = ("add", "add_five", "mul", "mul_five", "unrestricted", "itself", "third", "third_five")
OUTCOMES = (*ANSWERED, "spelling", "frequency")
"""The columns of `AnalogyScores.right`. The share of True in a column is the `AnalogyScore` attribute of its name."""


def scored(
    answered: AnalogyScores, parts: Sequence[tuple[str, str]], sections: Ints, covered: Flags, rules: Sequence[str]
) -> AnalogyScores:
    """Return the answers with their scores filled in: for each section, each kind and all questions.

    Args:
        parts: Name and kind of each section.
        sections: The index of each question's section, shape (q,).
        covered: Whether each question is to be scored, shape (q,).
        rules: The names of the simpler rules.
    """
    right, units = answered.right, answered.units
    kinds, ours = [kind for _, kind in parts], units.of(covered)

    def score(name: str, kind: str, chosen: Flags) -> AnalogyScore:
        tested = chosen & covered
        within = ours if chosen.all() else units.of(tested)
        return section_score(name, int(chosen.sum()), right[tested], within, rules, kind)

    def over(name: str, kind: str) -> AnalogyScore:
        return score(name, kind, np.isin(sections, [i for i, each in enumerate(kinds) if kind in ("", each)]))

    def rule(name: str) -> SimplerRule:
        flags = right[covered, OUTCOMES.index(name)]
        gap = share_gap(right[covered, 0], flags, ours)
        return SimplerRule(name, TITLES[name], share(flags).value, gap)

    return replace(
        answered,
        covered=covered,
        sections=tuple(score(name, kind, sections == i) for i, (name, kind) in enumerate(parts)),
        semantic=over("semantic", "semantic"),
        syntactic=over("syntactic", "syntactic"),
        total=over("total", ""),  # the last one, since the rules reuse its cached draws
        rules=tuple(rule(name) for name in rules) if covered.any() else (),
    )


def section_score(
    name: str, questions: int, right: Flags, units: Units, rules: Sequence[str], kind: str = ""
) -> AnalogyScore:
    """Return the scores of a section.

    Args:
        questions: The number of all questions of the section, covered or not.
        right: Whether each of the `OUTCOMES` is true for each covered question, shape (m, 10).
        units: The word pairs of the covered questions.
        rules: The names of the simpler rules that were computed.
    """
    low, high = share_interval(right[:, 0], units)
    shares: dict[str, Any] = {each: share(right[:, place]) for place, each in enumerate(OUTCOMES)}
    shares |= {each: None for each in OUTCOMES[-2:] if each not in rules}
    return AnalogyScore(name, kind, questions, len(right), **shares, low=low, high=high)
