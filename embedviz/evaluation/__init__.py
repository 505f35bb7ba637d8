"""Evaluate a space on test sets. `EVALUATIONS` has one row per kind of test, which is defined in the kind's own file.

`paired` compares two spaces. `on_shared` reduces results to the items that all spaces cover. `among_all` adjusts
several comparisons for their number. Every result holds its coverage of the test set, and the value that chance or a
simpler rule reaches; see `kind`.
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
"""Kind of test set (its `kind`) → its evaluation."""


def beyond_baselines(scores: Mapping[str, Any]) -> dict[str, bool]:
    """Return, by name of the test set, whether the space clearly beats every simpler rule.

    The p-values are adjusted for the number of test sets (Holm). Test sets that do not count in a grade are left out.

    Args:
        scores: Name of the test set → its scores.
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
    """Return the scores of a space as a mapping from test set name to result, in the order of `sets`.

    Args:
        words: The number of most frequent words of the space that analogies and word pairs use; 0 for all.
        simpler: Whether to answer analogies by spelling and by frequency, too, as baselines; this doubles the time.

    Raises:
        OptionError: There is no evaluation for a test set's kind, or a test set cannot be used with this space.
    """
    settings = {"words": words, "simpler": simpler}
    found: dict[str, Any] = {}
    for place, each in enumerate(sets):
        row = choose(EVALUATIONS, each.kind, "evaluation")
        taken = {name: value for name, value in settings.items() if name in row.settings}
        found[each.name] = row.function(space, each, report=step(report, place, len(sets), each.title), **taken)
    return found
