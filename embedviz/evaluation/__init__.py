"""What a space knows, by test sets: `EVALUATIONS` has a row for each kind of test, in the kind's own file.

`paired` compares two spaces, `on_shared` reduces results to what all spaces cover, `among_all` adjusts several
comparisons for their number. Every result says how much of the set the space covers, and what chance or a simpler rule
would reach; see `kind`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from embedviz.core.options import choose
from embedviz.core.progress import Report, step
from embedviz.core.space import VectorSpace
from embedviz.core.stats.intervals import Share
from embedviz.evaluation.analogies import ROW as ANALOGIES
from embedviz.evaluation.analogies import analogies
from embedviz.evaluation.analogy_scores import OUTCOMES, AnalogyScore, AnalogyScores
from embedviz.evaluation.compared import Difference, among_all, on_shared, paired
from embedviz.evaluation.kind import Evaluation
from embedviz.evaluation.odd import ROW as ODD
from embedviz.evaluation.odd import OddScores, odd_ones
from embedviz.evaluation.purity import ROW as CATEGORIES
from embedviz.evaluation.purity import Purity, of_column, purity
from embedviz.evaluation.similarity import ROW as SIMILARITY
from embedviz.evaluation.similarity import Placed, SimilarityScores, similarity
from embedviz.evaluation.simpler import all_beaten
from embedviz.evaluation.weat import ROW as WEAT
from embedviz.evaluation.weat import AssociationScores, Effect, associations, weat
from embedviz.testsets import TestSet

__all__ = [
    "EVALUATIONS",
    "OUTCOMES",
    "AnalogyScore",
    "AnalogyScores",
    "AssociationScores",
    "Difference",
    "Effect",
    "Evaluation",
    "OddScores",
    "Placed",
    "Purity",
    "Share",
    "SimilarityScores",
    "among_all",
    "analogies",
    "associations",
    "beyond_baselines",
    "evaluate",
    "odd_ones",
    "of_column",
    "on_shared",
    "paired",
    "purity",
    "similarity",
    "weat",
]


EVALUATIONS: dict[str, Evaluation] = {row.name: row for row in (ANALOGIES, SIMILARITY, ODD, CATEGORIES, WEAT)}
"""A row for each kind of test set: its `kind` is the row's name."""


def beyond_baselines(scores: Mapping[str, Any]) -> dict[str, bool]:
    """Return for each set whether a space is beyond every simpler rule, adjusted for the number of sets (Holm).

    Args:
        scores: By the name of the set; scores of kinds that do not count in a grade are left out.
    """
    tested = {name: each for name, each in scores.items() if each.quantity.grading}
    rules = [each.rules if each.beyond_baseline else () for each in tested.values()]
    return dict(zip(tested, all_beaten(rules), strict=True))


def evaluate(
    space: VectorSpace,
    sets: Sequence[TestSet],
    *,
    words: int = 0,
    simpler: bool = True,
    report: Report | None = None,
) -> dict[str, Any]:
    """Return the scores of a space on each set, by the set's name, in the order given.

    Args:
        words: Use only so many of the most frequent words; 0 for all.
        simpler: Whether analogies are answered by spelling and frequency too, which takes about as long again.

    Raises:
        OptionError: There is no evaluation for a kind of set.
    """
    settings = {"words": words, "simpler": simpler}
    found: dict[str, Any] = {}
    for place, each in enumerate(sets):
        row = choose(EVALUATIONS, each.kind, "evaluation")
        taken = {name: value for name, value in settings.items() if name in row.settings}
        found[each.name] = row.function(space, each, report=step(report, place, len(sets), each.title), **taken)
    return found
