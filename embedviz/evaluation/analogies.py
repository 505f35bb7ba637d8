"""Analogies by the thousand: how often a space answers a : b :: c : ?, and how often c alone would have.

A question is *covered* where a, b, c and one of its right answers have rows; the others are left out and counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.phrases import counted, listing
from embedviz.core.phrases import share as percent
from embedviz.core.progress import Report
from embedviz.core.space import Ints, VectorSpace
from embedviz.core.stats.intervals import Share
from embedviz.core.stats.resampling import Units, drawn_means, quantile, share_gap, share_interval, units_of
from embedviz.evaluation.compared import AnsweredBy, Difference, difference
from embedviz.evaluation.kind import (
    DASH,
    Evaluation,
    FigureLine,
    FigureMark,
    Grading,
    Mistake,
    Mistakes,
    Quantity,
    ahead,
)
from embedviz.evaluation.missed import missed
from embedviz.evaluation.search import best_rows
from embedviz.evaluation.simpler import TITLES, SimplerRule, beats, by_frequency, named, spelling_space, strongest
from embedviz.evaluation.spelling import CASE, WORDS, ZEROS, Spelled, share, spelled
from embedviz.testsets import Question, Questions

Flags = NDArray[np.bool_]
_SPELLED = 20_000  # the most frequent words among which spelling alone looks for an answer: fewer than all are easier
_GRADING = Grading("analogies", fewest=100, good=0.8, surely=0.7)
QUANTITY = Quantity("accuracy", "Share right", "right", "questions", share=True, grading=_GRADING)


@dataclass(frozen=True)
class AnalogyScore:
    """What was answered right in one section, or in several.

    Attributes:
        kind: *semantic*, *syntactic*, or empty.
        questions: All of them; `covered`: those whose words have rows. All shares are of the covered.
        add, mul: The first answer by 3CosAdd and 3CosMul, the question's own words left out.
        add_five, mul_five: A right answer among the first five.
        unrestricted: The first answer by 3CosAdd with the question's own words left in.
        itself: There the first answer is c, the question's own word.
        third: The baseline, the row nearest to c alone, a, b and c left out; `third_five`: among its first five.
        spelling: 3CosAdd on the letters of the words alone, without the space; None where that was not asked.
        frequency: The most frequent right answer of the section, a, b and c left out; None where that is not known.
        low, high: The 95 % interval of `add`, from word pairs drawn anew within each section.
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
        """The share of first answers by 3CosAdd that are right."""
        return self.add.value

    @property
    def title(self) -> str:
        """The name without the marks of its file."""
        head, dash, rest = self.name.partition("-")
        return (rest if dash and head.startswith("gram") and head[4:].isdigit() else self.name).replace("-", " ")

    @property
    def mark(self) -> FigureMark | None:
        """The accuracy beside the best simpler rule; None where no question is covered."""
        if not self.covered:
            return None
        rules = "<br>".join(f"{title} {percent(value)}" for title, value in self.simpler.items())
        told = f"{percent(self.accuracy)} right of {self.covered:,}<br>{rules}"
        return FigureMark(self.accuracy, self.low, self.high, max(self.simpler.values()), told)

    @property
    def row(self) -> tuple[object, ...]:
        """The row of an export."""
        shares = (self.add, self.add_five, self.mul, self.unrestricted, self.third, self.spelling, self.frequency)
        values = [each.value if self.covered and each else "" for each in shares]
        return self.name, self.questions, self.covered, *values, self.low, self.high

    @property
    def simpler(self) -> dict[str, float]:
        """What each simpler rule that was asked gets right, by its title."""
        found = {"third": self.third, "spelling": self.spelling, "frequency": self.frequency}
        return {TITLES[name]: each.value for name, each in found.items() if each is not None}

    def card(self) -> dict[str, Any]:
        """Return the figures as plain JSON values; shares of nothing are None."""
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


@dataclass(frozen=True, eq=False)
class AnalogyScores:
    """What a space answers to a set of questions.

    Attributes:
        space, name, title: Of the space, and of the set.
        compared: Among how many rows each answer was sought.
        sections: In the set's order.
        total, semantic, syntactic: Over all sections and those of a kind.
        covered: Which questions are covered, shape (q,), in the set's order.
        right: For each question and each of `OUTCOMES` whether it is true, shape (q, 10); false where not covered.
        answers: The first answer to each question by 3CosAdd, a row of the space, shape (q,); −1 where there is none.
        units: The word pairs that each question is made of.
        rules: Simpler rules, and how far 3CosAdd is ahead of each.
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
        """The share of the covered questions that 3CosAdd answers right."""
        return self.total.accuracy

    @property
    def beyond_baseline(self) -> bool:
        """Whether 3CosAdd is right clearly more often than every simpler rule."""
        return beats(self.rules)

    @property
    def baseline(self) -> tuple[str, float]:
        """The strongest simpler rule, and what it gets right."""
        return strongest(self.rules)

    @property
    def behind(self) -> tuple[str, ...]:
        """The sections in which a simpler rule is right more often than the whole interval of 3CosAdd."""
        asked = (each for each in self.sections if each.covered and each.high is not None)
        return tuple(each.name for each in asked if max(each.simpler.values(), default=0.0) > (each.high or 0.0))

    def card(self) -> dict[str, Any]:
        """Return the figures as plain JSON values; shares of nothing are None."""
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
        """The accuracy; None where no question is covered."""
        return self.accuracy if self.count else None

    @property
    def bounds(self) -> tuple[float, float]:
        """The 95 % interval of the accuracy."""
        return self.total.low, self.total.high

    @property
    def count(self) -> int:
        """Covered questions."""
        return self.total.covered

    @property
    def cells(self) -> dict[str, str]:
        """Its cells of a table by their titles."""
        total = self.total
        shares: dict[str, Share | None] = {
            "first five": total.add_five,
            "3CosMul": total.mul,
            "third word": total.third,
        }
        shares |= {"spelling": total.spelling, "frequency": total.frequency}
        figures = {"3CosAdd (95\u00a0%)": QUANTITY.within(total.accuracy, total.low, total.high)}
        figures |= {name: percent(each.value) if each else DASH for name, each in shares.items()}
        figures["own words left in"] = percent(total.unrestricted.value, fine=True)
        known = {name: figure if self.count else DASH for name, figure in figures.items()}
        return {"covered": f"{self.count:,} of {total.questions:,}", **known}

    @property
    def lines(self) -> tuple[FigureLine, ...]:
        """The lines of its figure: all questions, then each section."""
        noted = (("all sections", self.total), *((each.title, each) for each in self.sections))
        return tuple(FigureLine(title, f"{each.covered:,}/{each.questions:,}", each.mark) for title, each in noted)

    @property
    def meaning(self) -> str:
        """What the space answers beside simpler rules, in two sentences."""
        return self.sentence(self.beyond_baseline)

    def sentence(self, beyond: bool) -> str:
        """Say it where several sets are tested at once, and the result is or is not beyond simpler rules."""
        total = self.total
        if not total.covered:
            return f"None of the {total.questions:,} questions has all its words here: nothing was tested."
        right = f"{percent(total.accuracy)} right"
        if not self.rules:
            return f"{right} of {counted(total.covered, 'question')}."
        rules = f"simpler rules: {named(self.rules, percent)}"
        return f"{right}; {rules}. {ahead(beyond, 'all of these')} {counted(total.covered, 'question')}."

    @property
    def note(self) -> str:
        """How it was asked, the sample, and in which sections a simpler rule is ahead; empty without questions."""
        total = self.total
        if not total.covered:
            return ""
        behind = listing([each.title for each in self.sections if each.name in self.behind])
        return (
            f"Asked with b − a + c (3CosAdd), the question's own words left out, among {self.compared:,} words, "
            f"whatever their case. With those words left in {percent(total.unrestricted.value, fine=True)} are right, "
            f"and {percent(total.itself.value)} of the answers are the third word itself. Covered: "
            f"{total.covered:,} of {total.questions:,} questions, made of "
            f"{self.units.of(self.covered).count:,} word pairs. Intervals: 95\u00a0%, word pairs drawn anew within "
            "each section. Spelling alone: the same arithmetic on letters."
            f"{f' The best simpler rule is right more often in: {behind}.' if behind else ''}"
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows of an export: all questions, then each section."""
        header = "section", "questions", "covered", "3cosadd", "first five", "3cosmul", "own words left in"
        simpler = "third alone", "spelling alone", "frequency alone", "low", "high"
        return (*header, *simpler), (each.row for each in (self.total, *self.sections))

    @property
    def parts(self) -> tuple[str, ...]:
        """The sections with covered questions, of which mistakes may be listed alone."""
        return tuple(each.name for each in self.sections if each.covered)

    def mistakes(self, space: VectorSpace, questions: Questions, part: str, count: int) -> Mistakes:
        """Return some of the questions that were answered wrong, of a section or of all."""
        listed = tuple(
            Mistake(f"{one.a} : {one.b} :: {one.c} : {one.answered}, not {one.expected}", "", one.formula, one.expected)
            for one in missed(space, questions, self, section=part, count=count)
        )
        none = "No covered question was answered wrong." if self.count else "No question is covered."
        about = "The answer, and the expected word; each leads to Analogy"
        return Mistakes("Which were wrong?", about, listed, "" if listed else none)

    def against(self, other: AnalogyScores, seed: int) -> Difference:
        """Return how far ahead of another space's scores these are, over the questions that both cover."""
        shared = self.covered & other.covered
        ours, theirs = self.right[shared, 0], other.right[shared, 0]
        counts = [int(part.sum()) for part in (ours & ~theirs, theirs & ~ours, ours & theirs, ~ours & ~theirs)]
        means = [float(right.mean()) if len(ours) else None for right in (ours, theirs)]
        gap = share_gap(ours, theirs, self.units.of(shared)) if len(ours) else None
        return difference(self, other, means, gap, len(ours), self.units.name, AnsweredBy(*counts))

    def exceeds(self, other: AnalogyScores, part: float) -> bool:
        """Return whether clearly more is answered right than a part of what another space does."""
        shared = self.covered & other.covered
        units = self.units.of(shared)
        beyond = self.right[shared, 0] - part * other.right[shared, 0]
        error = float(drawn_means(beyond[:, None], units).std())
        return float(beyond.mean()) > quantile(units.count - 1) * error


_ANSWERED = ("add", "add_five", "mul", "mul_five", "unrestricted", "itself", "third", "third_five")
OUTCOMES = (*_ANSWERED, "spelling", "frequency")
"""The columns of `AnalogyScores.right`, by the names that `AnalogyScore` has for their shares."""


@offered(
    "scores",
    "print(scores.meaning)",
    "for section in scores.sections:",
    "    print(section.name, section.covered, section.add.value)",
)
def analogies(
    space: VectorSpace,
    questions: Questions,
    *,
    words: int = 0,
    case: str = "folded",
    simpler: bool = True,
    report: Report | None = None,
) -> AnalogyScores:
    """Return what the space answers to these questions, by three rules, with and without the questions' own words.

    The accuracy of 3CosAdd is that of gensim's `evaluate_word_analogies`: all spellings of a, b and c are left out of
    the answers, and an answer is right in any spelling. (gensim gives up where five spellings of the question's own
    words come first; here the search goes on.) Of equal scores the more frequent row is first. Rows of zeros neither
    answer nor count as the row of a word.

    Args:
        words: Use only so many of the most frequent rows; 0 for all. gensim's `restrict_vocab` is 300,000.
        case: *folded*, so that Paris, PARIS and paris are one word, for which its most frequent row stands; or
            *exact*.
        simpler: Whether the rules that go by spelling and by frequency alone are asked too.

    Raises:
        OptionError: There is no such case, or `words` is negative.
    """
    every = [question for section in questions.sections for question in section.questions]
    sections = np.repeat(np.arange(len(questions.sections)), [len(each.questions) for each in questions.sections])
    asked = itertools.chain((word for q in every for word in q[:3]), (word for q in every for word in q.expected))
    known = spelled(space, asked, words=words, case=case)
    asking, covered, expected = _numbered(every, known)
    right = np.zeros((len(every), len(OUTCOMES)), np.bool_)
    answers = np.full(len(every), -1)
    rules = ["third"]
    if covered.any():
        found, own = best_rows(space, known, asking[covered], report)
        told = np.flatnonzero(covered)
        right[told, : len(_ANSWERED)] = _judged(known, asking[covered], [expected[at] for at in told], found, own)
        answers[told] = np.where(found[:, 0, 0] >= 0, known.rows[found[:, 0, 0]], -1)
        if simpler:
            rules.append("spelling")
            right[told, OUTCOMES.index("spelling")] = _by_spelling(space, known, questions, case)[told]
        if simpler and by_frequency(space):
            rules.append("frequency")
            right[told, OUTCOMES.index("frequency")] = _most_frequent(known, asking, expected, sections, told)
    return _scored(space, questions, len(known.rows), sections, covered, right, answers, rules)


def _by_spelling(space: VectorSpace, known: Spelled, questions: Questions, case: str) -> Flags:
    """Return whether 3CosAdd on letters alone is right, (q,), among the most frequent words and those asked about."""
    places = np.union1d(np.flatnonzero(known.groups != ZEROS)[:_SPELLED], known.firsts)
    return _spelling_right(tuple(space.words_at(known.rows[places])), questions, case)


@lru_cache(maxsize=4)  # the same for every correction of a space
def _spelling_right(words: tuple[str, ...], questions: Questions, case: str) -> Flags:
    return analogies(spelling_space(words), questions, case=case, simpler=False).right[:, 0]


def _most_frequent(
    known: Spelled, asking: Ints, expected: Sequence[Sequence[int]], sections: Ints, told: Ints
) -> list[bool]:
    """Return whether the section's most frequent right answer, the question's own words left out, is right."""
    pools: dict[int, list[int]] = {}
    for section in np.unique(sections[told]).tolist():
        inside = told[sections[told] == section]
        pool = {number for place in inside for number in expected[place]}
        pools[section] = sorted(pool, key=known.firsts.__getitem__)
    found = []
    for place in told:
        own = set(asking[place].tolist())
        best = next((number for number in pools[int(sections[place])] if number not in own), -1)
        found.append(best in expected[place])
    return found


def _numbered(every: Sequence[Question], known: Spelled) -> tuple[Ints, Flags, list[list[int]]]:
    """Return the numbers of a, b and c, (q, 3), which questions are covered, and the numbers of their right answers."""
    numbers = known.numbers
    words = itertools.chain.from_iterable((q.a, q.b, q.c) for q in every)
    asking = np.fromiter(map(numbers.__getitem__, words), np.int64, 3 * len(every)).reshape(-1, 3)
    expected = [[numbers[word] for word in q.expected if numbers[word] >= 0] for q in every]
    covered = (asking >= 0).all(axis=1) & np.array([bool(numbers) for numbers in expected], np.bool_)
    return asking, covered, expected


def _judged(known: Spelled, asking: Ints, expected: Sequence[Sequence[int]], found: Ints, own: Ints) -> Flags:
    """Return for each question and each of `OUTCOMES` whether it is true, (q, 8)."""
    spells = np.where(found >= 0, known.groups[found], -1)
    lengths = np.array([len(numbers) for numbers in expected])
    of, starts = np.repeat(np.arange(len(expected)), lengths), np.cumsum(lengths) - lengths
    wanted = np.fromiter(itertools.chain.from_iterable(expected), np.int64)
    hit = np.logical_or.reduceat(spells[of] == wanted[:, None, None], starts)
    left_in = np.where(own >= 0, known.groups[own], spells[:, 0, 0])
    unrestricted = np.logical_or.reduceat(left_in[of] == wanted, starts)
    first, five = hit[:, :, 0], np.asarray(hit.any(axis=2))
    itself = left_in == asking[:, 2]
    return np.column_stack(
        [first[:, 0], five[:, 0], first[:, 1], five[:, 1], unrestricted, itself, first[:, 2], five[:, 2]]
    )


def _scored(
    space: VectorSpace,
    questions: Questions,
    compared: int,
    sections: Ints,
    covered: Flags,
    right: Flags,
    answers: Ints,
    rules: Sequence[str],
) -> AnalogyScores:
    """Return the shares of each section, of the kinds and of all."""
    units = _word_pairs(questions, sections)
    kinds = [section.kind for section in questions.sections]

    def score(name: str, kind: str, chosen: Flags) -> AnalogyScore:
        told = chosen & covered
        low, high = share_interval(right[told, 0], units.of(told))
        shares: dict[str, Any] = {each: share(right[told, place]) for place, each in enumerate(OUTCOMES)}
        shares |= {each: None for each in OUTCOMES[-2:] if each not in rules}
        return AnalogyScore(name, kind, int(chosen.sum()), int(told.sum()), **shares, low=low, high=high)

    def over(name: str, kind: str) -> AnalogyScore:
        return score(name, kind, np.isin(sections, [i for i, each in enumerate(kinds) if kind in ("", each)]))

    def rule(name: str) -> SimplerRule:
        told = right[covered, OUTCOMES.index(name)]
        gap = share_gap(right[covered, 0], told, units.of(covered))
        return SimplerRule(name, TITLES[name], share(told).value, gap)

    each = (score(section.name, section.kind, sections == i) for i, section in enumerate(questions.sections))
    return AnalogyScores(
        space.origin.name,
        questions.name,
        questions.title,
        compared,
        tuple(each),
        over("total", ""),
        over("semantic", "semantic"),
        over("syntactic", "syntactic"),
        covered,
        right,
        answers,
        units,
        tuple(rule(name) for name in rules) if covered.any() else (),
    )


def _word_pairs(questions: Questions, sections: Ints) -> Units:
    """Return the two word pairs of each question, in any case; a pair belongs to the section that has it first."""
    every = (question for section in questions.sections for question in section.questions)
    keys = [((q.a.lower(), q.b.lower()), (q.c.lower(), q.expected[0].lower())) for q in every]
    return units_of(keys, "word pairs", strata=sections.tolist(), crossed=True)


ROW = Evaluation(
    "analogies",
    "Analogies",
    analogies,
    (WORDS, CASE),
    "a is to b as c is to …: how often the nearest word to b − a + c is right, and the nearest to c alone.",
    "Mikolov et al. 2013; Levy and Goldberg 2014; Linzen 2016",
    long=True,
    columns=("covered", "3CosAdd (95\u00a0%)", "first five", "3CosMul", "third word", "spelling"),
    unit="answered right",
    baseline="best simpler rule",
    settings=("words", "simpler"),
    scanned=True,
)
