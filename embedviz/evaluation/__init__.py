"""What a space knows, by test sets: `EVALUATIONS` has a row for each kind.

`paired` compares two spaces, `among_all` adjusts several comparisons for their number.

Every score says how much of the set the space covers and what chance or a simpler rule would reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from embedviz.core.options import Choice, Method, Parameter, choose, table
from embedviz.core.progress import Report, step
from embedviz.core.space import VectorSpace
from embedviz.core.stats.intervals import Share
from embedviz.evaluation.analogies import OUTCOMES, AnalogyScores, Score, analogies
from embedviz.evaluation.compared import Difference, Scores, among_all, paired
from embedviz.evaluation.odd import OddScores, odd_ones
from embedviz.evaluation.purity import Purity, of_column, purity
from embedviz.evaluation.similarity import Placed, SimilarityScores, similarity
from embedviz.evaluation.simpler import all_beaten
from embedviz.evaluation.spelling import CASES
from embedviz.evaluation.weat import AssociationScores, Effect, associations, weat
from embedviz.testsets import TestSet

__all__ = [
    "EVALUATIONS",
    "OUTCOMES",
    "AnalogyScores",
    "AssociationScores",
    "Difference",
    "Effect",
    "OddScores",
    "Placed",
    "Purity",
    "Score",
    "Scores",
    "Share",
    "SimilarityScores",
    "among_all",
    "analogies",
    "associations",
    "beyond_baselines",
    "evaluate",
    "odd_ones",
    "of_column",
    "paired",
    "purity",
    "similarity",
    "weat",
]


_WORDS = Parameter("words", 0, 10_000_000, 0, "Use only so many of the most frequent words.", "Words", "all")
_CASE = Choice(
    "case", tuple(CASES), "folded", "Folded: Paris, PARIS and paris are one word, its most frequent row.", "Case"
)
_SEED = Parameter("seed", 0, 1_000_000, 0, "Another seed draws anew.", "Seed")

EVALUATIONS: dict[str, Method] = table(
    Method(
        "analogies",
        "Analogies",
        analogies,
        (_WORDS, _CASE),
        "a is to b as c is to …: how often the nearest word to b − a + c is right, and the nearest to c alone.",
        "Mikolov et al. 2013; Levy and Goldberg 2014; Linzen 2016",
        long=True,
    ),
    Method(
        "similarity",
        "Similarity",
        similarity,
        (_WORDS, _CASE),
        "Whether the cosines of word pairs lie in the order of people's scores.",
        "Finkelstein et al. 2002; Hill et al. 2015",
        long=True,
    ),
    Method(
        "odd",
        "Odd one out",
        odd_ones,
        (),
        "Of some words the one with the least mean cosine to the others: how often it is the one that does not belong.",
        "gensim, doesnt_match",
        long=True,
    ),
    Method(
        "categories",
        "Categories",
        purity,
        (_SEED,),
        "Whether clusters found without the categories hold words of one category.",
        "Manning, Raghavan and Schütze 2008, section 16.3",
        long=True,
    ),
    Method(
        "weat",
        "Bias (WEAT)",
        associations,
        (_SEED,),
        "Whether two kinds of words lie unlike near to two kinds of attributes, as texts use them: what a corpus says, "
        "no judgement about people.",
        "Caliskan, Bryson and Narayanan 2017",
        long=True,
    ),
)
"""A row for each kind of test set: its `kind` is the row's name."""


def beyond_baselines(scores: Mapping[str, Any]) -> dict[str, bool]:
    """Say for each set whether a space is beyond every simpler rule, adjusted for the number of sets (Holm).

    Args:
        scores: By the name of the set; scores of other kinds are left out.
    """
    tested = {name: each for name, each in scores.items() if isinstance(each, AnalogyScores | SimilarityScores)}
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
    """The scores of a space on each set, by the set's name, in the order given.

    Args:
        words: Use only so many of the most frequent words; 0 for all.
        simpler: Whether analogies are answered by spelling and frequency too, which takes about as long again.

    Raises:
        OptionError: There is no evaluation for a kind of set.
    """
    found: dict[str, Any] = {}
    for place, each in enumerate(sets):
        row = choose(EVALUATIONS, each.kind, "evaluation")
        settings = {"words": words} if any(option.name == "words" for option in row.options) else {}
        settings |= {} if simpler or each.kind != "analogies" else {"simpler": False}
        found[each.name] = row.function(space, each, report=step(report, place, len(sets), each.title), **settings)
    return found
