"""Tests of the vectors during a training run: analogies, similarity of word pairs, and neighbors of watched words.

The rows of all words are looked up once, so that each test costs little more than a matrix product. Answers come from
the `COMPARED` most frequent words. 3CosAdd and its baseline, the word nearest to the third word, are scored as in
`embedviz.evaluation.analogies`.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError
from embedviz.core.space import Float, Ints, VectorSpace, lengths, unit_rows
from embedviz.core.stats.correlation import FEWEST, spearman
from embedviz.evaluation.similarity import by_chance
from embedviz.evaluation.spelling import spelled
from embedviz.neighbors import top
from embedviz.testsets import Question, Questions, RatedPairs
from embedviz.training.measures import Coverage

COMPARED = 30_000
"""Number of most frequent words among which answers and neighbors are searched."""
DRAWN = 1_000
"""Maximum number of analogy questions. If more are covered by the vocabulary, a random sample (seed 0) is tested."""
NEIGHBORS = 10
DIVERGED = (
    "The vectors are no longer finite numbers, so the training ended and nothing is kept. Use a lower learning rate "
    "or fewer epochs."
)
_AT_ONCE = 1_024  # rows per block of cosines, to limit memory


class ExaminationResult(NamedTuple):
    """Results of the tests. An attribute is None if its test was not made.

    Attributes:
        analogies: Share of the questions that 3CosAdd answers correctly.
        third: The same share for the baseline, the word nearest to the third word.
        similarity: Spearman's ρ of the cosines of word pairs with human similarity scores; None also if all cosines
            are equal.
        neighbors: Nearest neighbors of each watched word, with their cosines.
    """

    analogies: float | None
    third: float | None
    similarity: float | None
    neighbors: dict[str, list[tuple[str, float]]] | None


class Examination:
    """The tests of one training run. A call tests the present vectors.

    The rows of all words in the tests are looked up once, when the object is made.

    Args:
        words: The words of the space in the order of its rows, the most frequent first. Only the first `COMPARED` words
            are used.
        watched: Words whose neighbors are reported, if they are among the used words.
        questions: The analogies to test; None: analogies are not tested.
        pairs: Word pairs with human similarity scores; None: similarity is not tested.
    """

    def __init__(
        self, words: Sequence[str], watched: Sequence[str], questions: Questions | None, pairs: RatedPairs | None
    ) -> None:
        self._words = list(words[:COMPARED])
        rows = {word: row for row, word in enumerate(self._words)}
        self._watched = {word: rows[word] for word in dict.fromkeys(watched) if word in rows}
        bare = VectorSpace(self._words, np.ones((len(self._words), 1), np.float32))
        covered = self._look_up(bare, questions)
        self._look_up_pairs(bare, pairs)
        n_pairs, drawn = len(self._people), len(self._asking)
        self.coverage = Coverage(
            analogies=questions.title if questions is not None and drawn else "",
            questions=len(questions) if questions is not None else 0,
            covered=covered,
            drawn=drawn,
            compared=len(self._words),
            similarity=pairs.title if pairs is not None and n_pairs >= FEWEST else "",
            pairs=len(pairs) if pairs is not None else 0,
            pairs_covered=n_pairs,
            chance=by_chance(n_pairs) if n_pairs >= FEWEST else None,
            watched=tuple(self._watched),
            word_pairs=self._word_pairs,
        )

    def __call__(self, matrix: Float) -> ExaminationResult:
        """Return the results of all tests for the present vectors of all words, (n, d).

        Raises:
            OptionError: The vectors are not finite.
        """
        rows = np.asarray(matrix[: len(self._words)], np.float32)
        norms = lengths(rows)
        if not np.isfinite(norms).all():
            raise OptionError(DIVERGED)
        unit = unit_rows(rows, norms)
        add, third = self._analogies(unit) if self.coverage.analogies else (None, None)
        agreed = self._similarity(unit) if self.coverage.similarity else None
        return ExaminationResult(add, third, agreed, self._neighbors(unit) if self._watched else None)

    def _look_up(self, bare: VectorSpace, questions: Questions | None) -> int:
        """Sample the covered questions, look up the rows of their words, and return how many are covered.

        A question is covered if its three given words and at least one answer are among the words.
        """
        every = [q for section in questions.sections for q in section.questions] if questions is not None else []
        known = spelled(bare, itertools.chain.from_iterable(_words_of(question) for question in every))
        numbers = known.numbers
        covered = [
            question
            for question in every
            if min(numbers[question.a], numbers[question.b], numbers[question.c]) >= 0
            and any(numbers[word] >= 0 for word in question.expected)
        ]
        if len(covered) > DRAWN:
            places = np.sort(np.random.default_rng(0).choice(len(covered), DRAWN, replace=False))
            chosen = [covered[place] for place in places.tolist()]
        else:
            chosen = covered
        asking = np.array([[numbers[word] for word in (q.a, q.b, q.c)] for q in chosen], np.int64).reshape(-1, 3)
        self._word_pairs = len({pair for q in chosen for pair in ((q.a, q.b), (q.c, q.expected[0]))})
        used, lines = np.unique(asking, return_inverse=True)
        self._asking: Ints = lines.reshape(-1, 3)
        self._used = known.firsts[used] if len(used) else np.zeros(0, np.int64)
        self._right = [{numbers[word] for word in q.expected} - {-1} for q in chosen]
        self._groups = known.groups
        self._own: Ints = np.array(sorted(_own(asking, known.groups)), np.int64).reshape(-1, 2)
        return len(covered)

    def _look_up_pairs(self, bare: VectorSpace, pairs: RatedPairs | None) -> None:
        """Look up the rows and the human scores of the pairs whose two words are both in the vocabulary."""
        every = pairs.pairs if pairs is not None else ()
        known = spelled(bare, [word for pair in every for word in pair[:2]])
        covered = [pair for pair in every if min(known.numbers[pair.one], known.numbers[pair.other]) >= 0]
        numbers = np.array([[known.numbers[pair.one], known.numbers[pair.other]] for pair in covered], np.int64)
        self._pairs: Ints = known.firsts[numbers] if covered else np.zeros((0, 2), np.int64)
        self._people = np.array([pair.score for pair in covered], np.float64)

    def _analogies(self, unit: Float) -> tuple[float, float]:
        """Return the share of questions that 3CosAdd answers correctly, and the same share for the baseline.

        The baseline always answers with the word nearest to the third word.
        """
        queries, (a, b, c) = unit[self._used], self._asking.T
        empty = np.flatnonzero(~unit.any(axis=1))  # zero vectors are never answers
        best = np.full((2, len(a)), -np.inf, np.float32)
        rows = np.zeros((2, len(a)), np.int64)
        every = np.arange(len(a))
        for first in range(0, len(unit), _AT_ONCE):
            cosines = queries @ unit[first : first + _AT_ONCE].T
            last = first + cosines.shape[1]
            low, high = np.searchsorted(self._own[:, 0], [first, last])
            own_rows, own = self._own[low:high, 0] - first, self._own[low:high, 1]
            third = cosines[c]
            for rule, scores in enumerate((third - cosines[a] + cosines[b], third)):
                scores[own, own_rows] = -np.inf
                scores[:, empty[(empty >= first) & (empty < last)] - first] = -np.inf
                place = scores.argmax(axis=1)
                value = scores[every, place]
                better = value > best[rule]
                best[rule, better], rows[rule, better] = value[better], first + place[better]
        answers = self._groups[rows]
        right = [
            [number in wanted for number, wanted in zip(line, self._right, strict=True)] for line in answers.tolist()
        ]
        add, alone = np.mean(right, axis=1).tolist()
        return add, alone

    def _similarity(self, unit: Float) -> float | None:
        one, other = unit[self._pairs[:, 0]], unit[self._pairs[:, 1]]
        cosines: NDArray[np.float64] = np.einsum("ij,ij->i", one.astype(np.float64), other)
        return spearman(self._people, cosines)

    def _neighbors(self, unit: Float) -> dict[str, list[tuple[str, float]]]:
        found = {}
        for word, row in self._watched.items():
            cosines = unit @ unit[row]
            cosines[row] = -np.inf
            near = top(cosines, min(NEIGHBORS, len(cosines) - 1)).tolist()
            found[word] = [(self._words[place], float(cosines[place])) for place in near]
        return found


def _words_of(question: Question) -> Iterator[str]:
    yield from (question.a, question.b, question.c)
    yield from question.expected


def _own(asking: Ints, groups: Ints) -> Iterator[tuple[int, int]]:
    """Yield (row, question number) for each row that is a spelling of one of the three given words of the question.

    The answer is never one of these rows.

    Args:
        asking: Word numbers of the three given words of each question, (m, 3).
        groups: Word number of each row, (n,); see `Spelled`.
    """
    rows = np.flatnonzero(groups >= 0)
    spelling: dict[int, list[int]] = {}
    for row, number in zip(rows.tolist(), groups[rows].tolist(), strict=True):
        spelling.setdefault(number, []).append(row)
    for question, three in enumerate(asking.tolist()):
        for number in dict.fromkeys(three):
            yield from ((row, question) for row in spelling[number])
