"""Analogies by the thousand: how often a space answers a : b :: c : ?, and how often c alone would have.

The words of all questions are multiplied with the rows once; each question then adds up three lines of that product.
A question is *covered* where a, b, c and one of its right answers have rows; the others are left out and counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core import device
from embedviz.core.call import offered
from embedviz.core.phrases import share as percent
from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.intervals import Share
from embedviz.core.stats.resampling import Units, share_gap, share_interval, units_of
from embedviz.evaluation.simpler import TITLES, Rule, beats, by_frequency, named, spelling_space, strongest
from embedviz.evaluation.spelling import ZEROS, Spelled, share, spelled
from embedviz.testsets import Question, Questions

Flags = NDArray[np.bool_]
_HELD = 2_000_000  # cosines held at a time: 8 MB, which a processor's cache can hold
_SHARED_FROM = 500  # questions; fewer are not worth a second thread
_SPELLED = 20_000  # the most frequent words among which spelling alone looks for an answer: fewer than all are easier


@dataclass(frozen=True)
class Score:
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
    def simpler(self) -> dict[str, float]:
        """What each simpler rule that was asked gets right, by its title."""
        found = {"third": self.third, "spelling": self.spelling, "frequency": self.frequency}
        return {TITLES[name]: each.value for name, each in found.items() if each is not None}

    def card(self) -> dict[str, Any]:
        """The figures as plain JSON values; shares of nothing are None."""
        values = {
            "accuracy": self.accuracy,
            "low": self.low,
            "high": self.high,
            "top5": self.add_five.value,
            "cosmul": self.mul.value,
            "cosmul_top5": self.mul_five.value,
            "unrestricted": self.unrestricted.value,
            "itself": self.itself.value,
            "baseline": self.third.value,
            "baseline_top5": self.third_five.value,
            "spelling": self.spelling.value if self.spelling else None,
            "frequency": self.frequency.value if self.frequency else None,
        }
        known = {name: value if self.covered else None for name, value in values.items()}
        return {
            "name": self.name,
            "kind": self.kind or None,
            "questions": self.questions,
            "covered": self.covered,
            **known,
        }


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
    sections: tuple[Score, ...]
    total: Score
    semantic: Score
    syntactic: Score
    covered: Flags
    right: Flags
    answers: Ints
    units: Units
    rules: tuple[Rule, ...]

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
        """The figures as plain JSON values; shares of nothing are None."""
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
    def meaning(self) -> str:
        """What the figures say, in some sentences."""
        return self.sentence(self.beyond_baseline)

    def sentence(self, beyond: bool) -> str:
        """Say the figures, and whether they are beyond simpler rules where several sets are tested at once."""
        total = self.total
        if not total.covered:
            return f"None of the {total.questions:,} questions has all its words here: nothing was tested."
        less = self.baseline[1] > total.accuracy
        ahead = "more than" if beyond else "less than" if less else "not clearly more than"
        simpler = f", {ahead} by simpler rules ({named(self.rules, shares=True)})" if self.rules else ""
        return (
            f"{percent(total.accuracy)} of the {total.covered:,} covered questions of {total.questions:,} are answered "
            f"right{simpler}. 95\u00a0%: {percent(total.low)} to {percent(total.high)}, word pairs drawn anew. "
            f"With the question's own words left in, {percent(total.unrestricted.value, fine=True)} are right, and "
            f"{percent(total.itself.value)} of the answers are the third word itself."
        )


_ANSWERED = ("add", "add_five", "mul", "mul_five", "unrestricted", "itself", "third", "third_five")
OUTCOMES = (*_ANSWERED, "spelling", "frequency")
"""The columns of `AnalogyScores.right`, by the names that `Score` has for their shares."""


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
    """What the space answers to these questions, by three rules, with and without the questions' own words.

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
        found, own = _answered(space, known, asking[covered], report)
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
    """Whether 3CosAdd on the letters alone is right, (q,): among the most frequent words and those asked about."""
    places = np.union1d(np.flatnonzero(known.groups != ZEROS)[:_SPELLED], known.firsts)
    return _spelling_right(tuple(space.words_at(known.rows[places])), questions, case)


@lru_cache(maxsize=4)  # the same for every correction of a space
def _spelling_right(words: tuple[str, ...], questions: Questions, case: str) -> Flags:
    return analogies(spelling_space(words), questions, case=case, simpler=False).right[:, 0]


def _most_frequent(
    known: Spelled, asking: Ints, expected: Sequence[Sequence[int]], sections: Ints, told: Ints
) -> list[bool]:
    """Whether the section's most frequent right answer, the question's own words left out, is right."""
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
    """The numbers of a, b and c, (q, 3), which questions are covered, and the numbers of each one's right answers."""
    numbers = known.numbers
    words = itertools.chain.from_iterable((q.a, q.b, q.c) for q in every)
    asking = np.fromiter(map(numbers.__getitem__, words), np.int64, 3 * len(every)).reshape(-1, 3)
    expected = [[numbers[word] for word in q.expected if numbers[word] >= 0] for q in every]
    covered = (asking >= 0).all(axis=1) & np.array([bool(numbers) for numbers in expected], np.bool_)
    return asking, covered, expected


def _answered(space: VectorSpace, known: Spelled, asking: Ints, report: Report | None) -> tuple[Ints, Ints]:
    """The best rows for each question and rule, and by 3CosAdd with the question's own words left in.

    Returns:
        Rows, (q, 3, 5), and the row of a question's own words that comes before all others, (q,); −1 for none.
    """
    from threadpoolctl import threadpool_limits

    from embedviz.evaluation import scan

    used, lines = np.unique(asking, return_inverse=True)
    groups = _renumbered(known.groups, used)
    order = np.lexsort(lines.reshape(-1, 3).T[::-1])
    sorted_lines = np.ascontiguousarray(lines.reshape(-1, 3)[order])
    count, shape = len(asking), (len(asking), len(scan.RULES))
    scores = np.full((*shape, scan.KEPT), scan.LOWEST)
    rows = np.full((*shape, scan.KEPT), -1)
    own_scores, own_rows = np.full(shape, scan.LOWEST), np.full(shape, -1)
    threads = device.threads() if count >= _SHARED_FROM else 1
    edges = np.linspace(0, count, threads + 1).astype(int).tolist()
    lines_each = np.linspace(0, len(used), threads + 1).astype(int).tolist()
    vectors = known.vectors(space, used)
    n, step = len(known.rows), max(256, _HELD // len(used) // 256 * 256)
    held = np.empty((len(used), step + 16), np.float32)  # lines an odd way apart fall into different cache sets
    # one product a thread: those of the library's own would spin on between two blocks, and hold up ours
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(threads) as pool:
        for first in range(0, n, step):
            block = slice(first, min(first + step, n))
            width = block.stop - first
            unit = _unit(space, known, block).T

            def multiply(part: tuple[int, int], unit: Float = unit, width: int = width) -> None:
                np.matmul(vectors[slice(*part)], unit, out=held[slice(*part), :width])

            def look(part: tuple[int, int], width: int = width, first: int = first) -> None:
                scan.scan(held, width, first, groups, sorted_lines, *part, scores, rows, own_scores, own_rows)

            list(pool.map(multiply, itertools.pairwise(lines_each)))
            list(pool.map(look, itertools.pairwise(edges)))
            if report is not None:
                report(block.stop / n, f"{count:,} questions: {block.stop:,} of {n:,} words looked at")
    ahead = own_scores[:, 0] > scores[:, 0, 0]
    back = np.argsort(order)
    return rows[back], np.where(ahead, own_rows[:, 0], -1)[back]


def _unit(space: VectorSpace, known: Spelled, block: slice) -> Float:
    return space.unit_rows(block if known.whole else known.rows[block])


def _renumbered(groups: Ints, used: Ints) -> Ints:
    """The groups by the lines of the product: words that no question asks with become others."""
    places = np.full(int(max(groups.max(initial=0), used.max())) + 1, -1)
    places[used] = np.arange(len(used))
    return np.where(groups >= 0, places[np.maximum(groups, 0)], groups)


def _judged(known: Spelled, asking: Ints, expected: Sequence[Sequence[int]], found: Ints, own: Ints) -> Flags:
    """For each question and each of `OUTCOMES` whether it is true, (q, 8)."""
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
    """The shares of each section, of the kinds and of all."""
    units = _word_pairs(questions, sections)
    kinds = [section.kind for section in questions.sections]

    def score(name: str, kind: str, chosen: Flags) -> Score:
        told = chosen & covered
        low, high = share_interval(right[told, 0], units.of(told))
        shares: dict[str, Any] = {each: share(right[told, place]) for place, each in enumerate(OUTCOMES)}
        shares |= {each: None for each in OUTCOMES[-2:] if each not in rules}
        return Score(name, kind, int(chosen.sum()), int(told.sum()), **shares, low=low, high=high)

    def over(name: str, kind: str) -> Score:
        return score(name, kind, np.isin(sections, [i for i, each in enumerate(kinds) if kind in ("", each)]))

    def rule(name: str) -> Rule:
        told = right[covered, OUTCOMES.index(name)]
        gap = share_gap(right[covered, 0], told, units.of(covered))
        return Rule(name, TITLES[name], share(told).value, gap)

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
    """The two word pairs of each question, whatever their case; a pair belongs to the section that has it first."""
    every = (question for section in questions.sections for question in section.questions)
    keys = [((q.a.lower(), q.b.lower()), (q.c.lower(), q.expected[0].lower())) for q in every]
    return units_of(keys, "word pairs", strata=sections.tolist(), crossed=True)
