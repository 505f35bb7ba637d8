"""List analogy questions that a space answered wrong."""

from typing import NamedTuple

import numpy as np

from embedviz.core.space import Ints, VectorSpace
from embedviz.evaluation.spelling import spelled
from embedviz.neighbors.formula import Formula, FormulaTerm
from embedviz.testsets import Question, Questions


class Missed(NamedTuple):
    """A question with a wrong answer. All words but those of `question` are in the spelling of the space.

    Attributes:
        question: The question as in the test set.
        a, b, c: The three given words of the question.
        expected: The first of the right answers that has a row in the space.
        answered: The wrong answer, by 3CosAdd.
        formula: c − a + b as text that `embedviz.neighbors.formula` reads.
    """

    question: Question
    a: str
    b: str
    c: str
    expected: str
    answered: str
    formula: str

    @property
    def text(self) -> str:
        """Return the question as one line of text, with the wrong answer and the right one."""
        return f"{self.a} → {self.b}, {self.c} → {self.answered} (right: {self.expected})"


def missed(
    space: VectorSpace, questions: Questions, answers: Ints, wrong: Ints, *, section: str = "", count: int = 12
) -> tuple[Missed, ...]:
    """Return at most `count` wrongly answered questions, evenly spread over one section or over the test set.

    Args:
        answers: The row of 3CosAdd's answer to each question, shape (q,).
        wrong: The positions, in the test set, of the questions that were answered wrong.
        section: The name of a section; empty for all.
    """
    every = [(each.name, question) for each in questions.sections for question in each.questions]
    inside = np.array([place for place in wrong if section in ("", every[place][0])], np.int64)
    places = inside[np.unique(np.linspace(0, len(inside) - 1, min(count, len(inside))).astype(int))]
    chosen = [every[place][1] for place in places]
    known = spelled(space, [word for question in chosen for word in (*question[:3], *question.expected)])

    def own(word: str) -> str:
        number = known.number(word)
        return "" if number < 0 else space.words[int(known.rows[known.firsts[number]])]

    found = []
    for place, question in zip(places, chosen, strict=True):
        a, b, c = (own(word) for word in question[:3])
        right = [word for word in map(own, question.expected) if word]
        if len({a, b, c}) == 3 and right:
            formula = str(Formula((FormulaTerm(c, 1.0), FormulaTerm(a, -1.0), FormulaTerm(b, 1.0))))
            answered = space.words[int(answers[place])]
            found.append(Missed(question, a, b, c, right[0], answered, formula))
    return tuple(found)
