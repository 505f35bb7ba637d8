"""Analogy questions (a : b :: c : ?): the share of right answers by a space, and by simpler rules.

A question is *covered* if a, b, c and at least one of its right answers have rows. The other questions are left out,
but counted.
"""

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.progress import Report
from embedviz.core.space import Ints, VectorSpace
from embedviz.core.stats.resampling import Units, units_of
from embedviz.evaluation.analogy_scores import ANSWERED, OUTCOMES, Flags, scored, section_score
from embedviz.evaluation.analogy_scores import AnalogyScore as AnalogyScore
from embedviz.evaluation.analogy_scores import AnalogyScores as AnalogyScores
from embedviz.evaluation.kind import Evaluation
from embedviz.evaluation.search import best_answers
from embedviz.evaluation.simpler import by_frequency, spelling_space
from embedviz.evaluation.spelling import CASE, WORDS, ZEROS, Spelled, spelled
from embedviz.testsets import Question, Questions

_SPELLED = 20_000  # spelling alone searches these most frequent words only: an easier task than searching all words


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
    """Return the answers and scores of the space by 3CosAdd, by 3CosMul, and by the word nearest to c.

    The accuracy of 3CosAdd equals that of gensim's `evaluate_word_analogies`: all spellings of a, b and c are excluded
    from the answers, and a right answer counts in any spelling. (If five spellings of the question's own words come
    first, gensim finds no answer; this function searches on.) Of rows with equal scores, the more frequent one is the
    answer. Rows of zeros are ignored.

    Args:
        words: The number of most frequent rows to use; 0 for all. gensim's `restrict_vocab` is 300,000.
        case: *folded* (Paris, PARIS and paris are the same word, with the row of its most frequent form) or *exact*.
        simpler: Whether to answer by spelling alone and by frequency alone, too, as baselines.

    Raises:
        OptionError: There is no such case, or `words` is negative.
    """
    made = _answered(space, questions, case, words=words, simpler=simpler, report=report)
    units = _word_pairs(questions)
    none = section_score("", 0, made.right[:0], units, made.rules)
    found = AnalogyScores(
        space.origin.name,
        questions.name,
        questions.title,
        made.compared,
        (),
        none,
        none,
        none,
        made.covered,
        made.right,
        made.answers,
        units,
        (),
    )
    parts = [(each.name, each.kind) for each in questions.sections]
    return scored(found, parts, _sections(questions), made.covered, made.rules)


class _Answered(NamedTuple):
    """The answers to all questions, before shares are computed from them.

    `rules` has the names of the simpler rules; the other attributes are as in `AnalogyScores`.
    """

    compared: int
    covered: Flags
    right: Flags
    answers: Ints
    rules: list[str]


def _sections(questions: Questions) -> Ints:
    """Return for each question the index of its section in the test set, shape (q,)."""
    return np.repeat(np.arange(len(questions.sections)), [len(each.questions) for each in questions.sections])


def _answered(
    space: VectorSpace,
    questions: Questions,
    case: str,
    *,
    words: int = 0,
    simpler: bool = False,
    report: Report | None = None,
) -> _Answered:
    every = [question for section in questions.sections for question in section.questions]
    question_words = itertools.chain(
        (word for q in every for word in q[:3]), (word for q in every for word in q.expected)
    )
    known = spelled(space, question_words, words=words, case=case)
    asking, covered, expected = _numbered(every, known)
    right = np.zeros((len(every), len(OUTCOMES)), np.bool_)
    answers = np.full(len(every), -1)
    rules = ["third"]
    if covered.any():
        best, own = best_answers(space, known, asking[covered], report)
        at_places = np.flatnonzero(covered)
        right[at_places, : len(ANSWERED)] = _judged(
            known, asking[covered], [expected[at] for at in at_places], best, own
        )
        answers[at_places] = np.where(best[:, 0, 0] >= 0, known.rows[best[:, 0, 0]], -1)
        if simpler:
            rules.append("spelling")
            right[at_places, OUTCOMES.index("spelling")] = _by_spelling(space, known, questions, case)[at_places]
        if simpler and by_frequency(space):
            rules.append("frequency")
            right[at_places, OUTCOMES.index("frequency")] = _most_frequent(
                known, asking, expected, _sections(questions), at_places
            )
    return _Answered(len(known.rows), covered, right, answers, rules)


def _by_spelling(space: VectorSpace, known: Spelled, questions: Questions, case: str) -> Flags:
    """Return for each question whether the answer by spelling alone is right, shape (q,).

    The answer is found by 3CosAdd on the letters of the words instead of their vectors. Only the `_SPELLED` most
    frequent words and the words of the questions can be answers.
    """
    places = np.union1d(np.flatnonzero(known.groups != ZEROS)[:_SPELLED], known.firsts)
    return _spelling_right(tuple(space.words_at(known.rows[places])), questions, case)


@lru_cache(maxsize=4)  # the same for every correction of a space
def _spelling_right(words: tuple[str, ...], questions: Questions, case: str) -> Flags:
    return _answered(spelling_space(words), questions, case).right[:, 0]


def _most_frequent(
    known: Spelled, asking: Ints, expected: Sequence[Sequence[int]], sections: Ints, at_places: Ints
) -> list[bool]:
    """Return for each covered question whether the simpler rule *frequency* answers it right.

    The rule answers all questions of a section with the same word: the most frequent of all right answers in the
    section. If this word is a, b or c of a question, the rule takes the next most frequent one.

    Args:
        asking: The word numbers of a, b and c of all questions, shape (q, 3).
        expected: The word numbers of the right answers of all questions.
        sections: The index of each question's section, shape (q,).
        at_places: The positions of the covered questions among all questions.
    """
    pools: dict[int, list[int]] = {}
    for section in np.unique(sections[at_places]).tolist():
        inside = at_places[sections[at_places] == section]
        pool = {number for place in inside for number in expected[place]}
        pools[section] = sorted(pool, key=known.firsts.__getitem__)
    found = []
    for place in at_places:
        own = set(asking[place].tolist())
        best = next((number for number in pools[int(sections[place])] if number not in own), -1)
        found.append(best in expected[place])
    return found


def _numbered(every: Sequence[Question], known: Spelled) -> tuple[Ints, Flags, list[list[int]]]:
    """Return for each question the word numbers of a, b and c, whether the question is covered, and the right answers.

    The shapes of the first two are (q, 3) and (q,). The right answers are one list of word numbers per question,
    without words that have no row.
    """
    numbers = known.numbers
    words = itertools.chain.from_iterable((q.a, q.b, q.c) for q in every)
    asking = np.fromiter(map(numbers.__getitem__, words), np.int64, 3 * len(every)).reshape(-1, 3)
    expected = [[numbers[word] for word in q.expected if numbers[word] >= 0] for q in every]
    covered = (asking >= 0).all(axis=1) & np.array([bool(numbers) for numbers in expected], np.bool_)
    return asking, covered, expected


def _judged(known: Spelled, asking: Ints, expected: Sequence[Sequence[int]], found: Ints, own: Ints) -> Flags:
    """Return whether each outcome of `ANSWERED` (columns) is true for each question (rows), shape (q, 8).

    An outcome is, for example, *add*: the first answer of 3CosAdd is right.

    Args:
        asking: The word numbers of a, b and c, shape (q, 3).
        expected: The word numbers of each question's right answers.
        found: The five best answers to each question by each rule, as rows, shape (q, 3, 5).
        own: The row that 3CosAdd ranks first among all rows, if this row spells a, b or c; otherwise −1, shape (q,).
    """
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


@lru_cache(maxsize=4)  # the same for every space
def _word_pairs(questions: Questions) -> Units:
    """Return the word pairs (a, b) and (c, right answer) of each question as `Units` for resampling.

    Pairs are resampled within their section. A pair in several sections belongs to the first of these. Case is ignored.
    """
    every = (question for section in questions.sections for question in section.questions)
    sections = [place for place, section in enumerate(questions.sections) for _ in section.questions]
    keys = [((q.a.lower(), q.b.lower()), (q.c.lower(), q.expected[0].lower())) for q in every]
    return units_of(keys, "word pairs", strata=sections, crossed=True)


ROW = Evaluation(
    "analogies",
    "Analogies",
    analogies,
    (WORDS, CASE),
    "a is to b as c is to …: how often the word nearest to b − a + c is right, compared with the nearest to c alone.",
    "Mikolov et al. 2013; Levy and Goldberg 2014; Linzen 2016",
    long=True,
    question="Does vector arithmetic answer analogies?",
    example="man is to king as woman (the third word) is to …?",
    columns=(
        "covered",
        "3CosAdd (95\u00a0%)",
        "3CosAdd, top five",
        "3CosMul",
        "nearest to the third word",
        "spelling alone",
    ),
    unit="answered right",
    marks="Dot: share right, with its 95\u00a0% interval. Upright tick: the best simpler rule; it differs by "
    "section (touch the dot to see it). ▼: that rule is right more often, and clearly so where the tick is outside the "
    "interval.",
    baseline="best simpler rule",
    settings=("words", "simpler"),
    scanned=True,
)
