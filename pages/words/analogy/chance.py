"""What chance gives on the page Analogy: the best match of the same formula with random words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.core.call import Call, call
from embedviz.core.options import OptionError
from embedviz.neighbors.analogy import Analogy
from embedviz.neighbors.analogy_chance import MOST_NUMBERS
from pages._shared.results import calls

if TYPE_CHECKING:
    from pages._shared.sources.current import View


def by_chance(view: View, found: Analogy) -> tuple[str, list[Call]]:
    """Return what random words give, in a sentence, and its call; nothing for a space that is large or tiny."""
    if not found.answers or len(view.space) * view.space.dimensions > MOST_NUMBERS:
        return "", []
    weights = tuple(float(weight) for _, weight in found.formula.terms if weight)
    question = call("embedviz.neighbors.analogy_chance:random_formulas", view.recipe, weights)
    try:
        return calls.result(question).meaning(found.answers[0].score), [question]
    except OptionError:
        return "", []
