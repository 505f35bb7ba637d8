"""What chance gives on the page Analogy: the best match of the same formula with random words."""

from typing import NamedTuple

from embedviz.core.call import Call, call
from embedviz.core.options import OptionError
from embedviz.neighbors.analogy import Analogy
from embedviz.neighbors.analogy_chance import MOST_NUMBERS
from pages._shared.results import calls
from pages._shared.sources.current import View


class ByChance(NamedTuple):
    """A comparison of the answer with random words.

    Attributes:
        doubt: A sentence on why to doubt the answer; empty if there is no doubt.
        meaning: A sentence for the line under the figure.
        calls: The call that computes the comparison.
    """

    doubt: str = ""
    meaning: str = ""
    calls: tuple[Call, ...] = ()


def by_chance(view: View, found: Analogy) -> ByChance:
    """Return the comparison of the answer with random words.

    All fields are empty if the formula has no answer, if the space has more than `MOST_NUMBERS` numbers, or if it has
    too few words for random formulas.
    """
    if not found.answers or len(view.space) * view.space.dimensions > MOST_NUMBERS:
        return ByChance()
    weights = tuple(float(weight) for _, weight in found.formula.terms if weight)
    question = call("embedviz.neighbors.analogy_chance:random_formulas", view.recipe, weights)
    try:
        result, cosine = calls.result(question), found.answers[0].score
    except OptionError:
        return ByChance()
    return ByChance(result.doubt(cosine), result.meaning(cosine), (question,))
