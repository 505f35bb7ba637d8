"""Analogies by the thousand: how often a space answers a : b :: c : ?, and how often c alone would have.

The words of all questions are multiplied with the rows once; each question then adds up three lines of that product.
A question is *covered* where a, b, c and one of its right answers have rows; the others are left out and counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz import device
from embedviz.evaluation.spelling import Spelled, share, spelled
from embedviz.intervals import Share, Z
from embedviz.progress import Report
from embedviz.saying import share as percent
from embedviz.space import Float, Ints, VectorSpace
from embedviz.testsets import Question, Questions

Flags = NDArray[np.bool_]
_HELD = 2_000_000  # cosines held at a time: 8 MB, which a processor's cache can hold
_SHARED_FROM = 500  # questions; fewer are not worth a second thread


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

    @property
    def accuracy(self) -> float:
        """The share of first answers by 3CosAdd that are right."""
        return self.add.value

    def card(self) -> dict[str, Any]:
        """The figures as plain JSON values; shares of nothing are None."""
        low, high = self.add.interval
        values = {
            "accuracy": self.accuracy,
            "low": low,
            "high": high,
            "top5": self.add_five.value,
            "cosmul": self.mul.value,
            "cosmul_top5": self.mul_five.value,
            "unrestricted": self.unrestricted.value,
            "itself": self.itself.value,
            "baseline": self.third.value,
            "baseline_top5": self.third_five.value,
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
        right: For each question and each of `OUTCOMES` whether it is true, shape (q, 8); false where not covered.
        answers: The first answer to each question by 3CosAdd, a row of the space, shape (q,); −1 where there is none.
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

    @property
    def accuracy(self) -> float:
        """The share of the covered questions that 3CosAdd answers right."""
        return self.total.accuracy

    @property
    def outcomes(self) -> NDArray[np.float64]:
        """1 where 3CosAdd is right and 0 where it is wrong; NaN where a question is not covered, shape (q,)."""
        return np.where(self.covered, self.right[:, 0].astype(float), np.nan)

    @property
    def beyond_baseline(self) -> bool:
        """Whether 3CosAdd is right and c alone wrong clearly more often than the other way round (McNemar 1947)."""
        add, third = self.right[self.covered, 0], self.right[self.covered, OUTCOMES.index("third")]
        gained, lost = int((add & ~third).sum()), int((third & ~add).sum())
        return gained - lost > Z * float(np.sqrt(gained + lost))

    def card(self) -> dict[str, Any]:
        """The figures as plain JSON values; shares of nothing are None."""
        return {**self.total.card(), "compared": self.compared, "sections": [each.card() for each in self.sections]}

    @property
    def meaning(self) -> str:
        """What the figures say, in some sentences."""
        total = self.total
        if not total.covered:
            return f"None of the {total.questions:,} questions has all its words here: nothing was tested."
        low, high = total.add.interval
        return (
            f"{percent(total.accuracy)} of the {total.covered:,} covered questions of {total.questions:,} are answered "
            f"right (95\u00a0%: {percent(low)} to {percent(high)}), the question's own words left out; the word "
            f"nearest to the third alone is right in {percent(total.third.value)}. With its own words left in, "
            f"{percent(total.unrestricted.value, fine=True)} are right, and {percent(total.itself.value)} of the "
            f"answers are the third word itself."
        )


OUTCOMES = ("add", "add_five", "mul", "mul_five", "unrestricted", "itself", "third", "third_five")
"""The columns of `AnalogyScores.right`, by the names that `Score` has for their shares."""


def analogies(
    space: VectorSpace,
    questions: Questions,
    *,
    words: int = 0,
    case: str = "folded",
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

    Raises:
        OptionError: There is no such case, or `words` is negative.
    """
    every = [question for section in questions.sections for question in section.questions]
    asked = itertools.chain((word for q in every for word in q[:3]), (word for q in every for word in q.expected))
    known = spelled(space, asked, words=words, case=case)
    asking, covered, expected = _numbered(every, known)
    right = np.zeros((len(every), len(OUTCOMES)), np.bool_)
    answers = np.full(len(every), -1)
    if covered.any():
        found, own = _answered(space, known, asking[covered], report)
        told = np.flatnonzero(covered)
        right[told] = _judged(known, asking[covered], [expected[place] for place in told], found, own)
        answers[told] = np.where(found[:, 0, 0] >= 0, known.rows[found[:, 0, 0]], -1)
    return _scored(space, questions, len(known.rows), covered, right, answers)


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
    space: VectorSpace, questions: Questions, compared: int, covered: Flags, right: Flags, answers: Ints
) -> AnalogyScores:
    """The shares of each section, of the kinds and of all."""
    ends = np.cumsum([0, *(len(section.questions) for section in questions.sections)])
    section_of = np.repeat(np.arange(len(questions.sections)), np.diff(ends))
    kinds = [section.kind for section in questions.sections]

    def score(name: str, kind: str, chosen: Flags) -> Score:
        told = chosen & covered
        shares = [share(right[told, column]) for column in range(len(OUTCOMES))]
        return Score(name, kind, int(chosen.sum()), int(told.sum()), *shares)

    def over(name: str, kind: str) -> Score:
        return score(name, kind, np.isin(section_of, [i for i, each in enumerate(kinds) if kind in ("", each)]))

    sections = (score(each.name, each.kind, section_of == i) for i, each in enumerate(questions.sections))
    return AnalogyScores(
        space.origin.name,
        questions.name,
        questions.title,
        compared,
        tuple(sections),
        over("total", ""),
        over("semantic", "semantic"),
        over("syntactic", "syntactic"),
        covered,
        right,
        answers,
    )
