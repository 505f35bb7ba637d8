"""Grade a space by its test results, compared with simpler rules and with the built-in space.

The built-in space (the input word vectors of MiniLM) is about as good as published word vectors. Both spaces are cut
to the words that they share, so that both answer the same questions among the same words. Results of papers cannot be
used for a grade: they belong to other vocabularies, and a small vocabulary makes every question easier.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from embedviz.core.builtin import builtin_space
from embedviz.core.phrases import joined, share
from embedviz.core.progress import Report, tell
from embedviz.core.space import SpaceError, VectorSpace
from embedviz.evaluation import AnalogyScores, SimilarityScores, beyond_baselines, evaluate
from embedviz.evaluation.quantity import Grading
from embedviz.projection.sampling import most_frequent
from embedviz.testsets import TestSet

Grade = Literal["untested", "too few", "nothing", "far below", "weaker", "as published", "no reference"]

WEAKER = 0.45
"""The lowest mean ratio of a space's results to the built-in space's for the grade *weaker*.

A space below it is *far below*.
"""

HEADLINES: Mapping[Grade, str] = {
    "as published": "About as good as published word vectors.",
    "weaker": "The vectors carry meaning, but less than published word vectors.",
    "far below": "The vectors carry some meaning, but far less than published word vectors.",
    "nothing": "No meaning found: in no word test are these vectors clearly better than chance, spelling or frequency.",
    "no reference": "The vectors carry meaning beyond simpler rules. Too few of their words are known to say how much.",
    "too few": "Too few words of the English tests are in this space to grade it.",
    "untested": "",
}


STEPS: Mapping[str, str] = {
    "nothing": "no meaning found",
    "far below": "far below published vectors",
    "weaker": "weaker than published vectors",
    "as published": "as good as published vectors",
}
"""Grade → its name on the scale, from the lowest to the highest."""
_CLEAR = 0.95

_ANALOGIES, _PAIRS = (each.quantity.grading or Grading("", 0, 0.0) for each in (AnalogyScores, SimilarityScores))
LIMITS = {each.name: each.good for each in (_ANALOGIES, _PAIRS)}
"""Name of a grading → the part of the built-in space's result that a space must reach for the grade *as published*."""
HOW = (
    f"About as good as published: {share(_ANALOGIES.good)} or more of the built-in space’s accuracy in analogies "
    f"and {share(_PAIRS.good)} of its agreement with people on word pairs, on the words of both, and in analogies "
    f"clearly more than {share(_ANALOGIES.surely)}; Google News and GloVe reach that. Less: a mean of {share(WEAKER)} "
    "or more; far less: below that. “Carries meaning” needs a clear lead over every simpler rule in at least one test, "
    "adjusted for the number of tests (Holm)."
)
"""The rule of the grade, in sentences for the user.

The limits come from these ratios in analogies and in pairs: Google News 1.00 and .90, GloVe (100 dimensions) .92 and
.71. The built-in space with noise as large as its signal reaches .60 and .87; with a tenth of its labels shuffled, .67
and .71.
"""


class ReferenceResults(NamedTuple):
    """The results of this space and of the built-in space on shared words, over all test sets of a grading.

    Attributes:
        here, there: The result of this space and of the built-in space, as text: the mean over the test sets, weighted
            by their numbers of items.
        total: The number of items in all these test sets that both spaces cover.
        counted: What the items are: *questions* or *pairs*.
        titles: The titles of the test sets.
    """

    here: str
    there: str
    total: int
    counted: str
    titles: tuple[str, ...]

    @property
    def over(self) -> str:
        """Return a phrase that names both results, the number of items and the test sets."""
        several = len(self.titles) > 1
        mean = f": the mean of {len(self.titles)} tests, weighted by their {self.counted}" if several else ""
        return (
            f"{self.here} and {self.there} (built-in space, MiniLM input words) are over the {self.total:,} "
            f"{self.counted} of {joined(self.titles)} whose words both spaces have{mean}"
        )


@dataclass(frozen=True)
class Graded:
    """The grade of a space over all test sets.

    Attributes:
        grade: A key of `HEADLINES`.
        beyond: Name of the test set → whether the space clearly beats every simpler rule, adjusted for the number of
            test sets (Holm).
        reached: Name of the grading (*analogies*, *pairs*) → the ratio of this space's result to the built-in space's
            result; empty if the spaces cannot be compared.
        here, there: Name of the test set → the result on shared words: of this space (`here`), and of the built-in
            space (`there`).
        compared: Name of the grading → the results of this space and of the built-in space; `reached` has their ratio.
        drawn: Grade → the share of simulated tests that give this grade. It is empty if every value of `beyond` is
            False, or if the spaces cannot be compared.
    """

    grade: Grade
    beyond: Mapping[str, bool]
    reached: Mapping[str, float]
    here: Mapping[str, float]
    there: Mapping[str, float]
    compared: Mapping[str, ReferenceResults] = field(default_factory=dict)
    drawn: Mapping[str, float] = field(default_factory=dict)

    @property
    def sureness(self) -> str:
        """Return a sentence on how certain the grade is, from simulated tests with other items of the same kind.

        It says in which share of the simulations this grade results, or, if that share is below 95 %, the most frequent
        other grade. If the tests found no meaning, it says instead that the built-in space clearly passes them. Empty
        for the built-in space, and if no tests were simulated.
        """
        if self.grade == "nothing" and self.there:
            return "The tests could have found it: the built-in space is clearly better on the same words."
        if self.grade not in self.drawn or self.grade not in STEPS or self.here == self.there:
            return ""
        same = self.drawn[self.grade]
        if same >= _CLEAR:
            return f"The grade is clear: other test questions of the same kind would give it in {share(same)} of cases."
        others = [name for name in self.drawn if name != self.grade and name in STEPS]
        if not others:
            return ""
        other = max(others, key=self.drawn.__getitem__)
        return (
            "The grade is near a border: other test questions of the same kind would give "
            f"“{STEPS[other]}” in {share(self.drawn[other])} of cases."
        )


def covers_enough(scores: Any) -> bool:
    """Return whether the space covers the minimum number of items that this test set needs for a grade."""
    return scores.value is not None and scores.count >= scores.quantity.grading.fewest


def graded(
    space: VectorSpace, sets: Sequence[TestSet], tests: Mapping[str, Any], report: Report | None = None
) -> Graded:
    """Return the grade of a space.

    Args:
        sets: The test sets.
        tests: Name of the test set → the space's scores, for test sets with at least `Grading.fewest` covered items.
    """
    if not tests:
        return Graded("untested", {}, {}, {}, {})
    beyond = beyond_baselines(tests)
    both = shared_scores(space, [each for each in sets if each.name in tests], report)
    here, there = ({name: pair[place].value for name, pair in both.items()} for place in (0, 1))
    gradings = dict.fromkeys(one.quantity.grading for one, _ in both.values())
    reached = {each.name: value for each in gradings if (value := _reached(both, each)) is not None}
    compared = {each.name: _compared(both, each) for each in gradings if each.name in reached}
    grade: Grade = "no reference"
    if not any(beyond.values()):
        able = not both or any(beyond_baselines({name: other for name, (_, other) in both.items()}).values())
        grade = "nothing" if able else "too few"
    elif reached:
        grade = _compared_grade(reached, surely := _exceeds(both))
        return Graded(grade, beyond, reached, here, there, compared, _drawn_grades(both, list(gradings), surely))
    return Graded(grade, beyond, reached, here, there, compared)


def _exceeds(both: Mapping[str, tuple[Any, Any]]) -> bool:
    """Return whether a space clearly exceeds the required ratio to the built-in space on at least one test set.

    The ratio is `Grading.surely`; test sets without such a ratio do not count. `both` maps the name of a test set to
    the scores of the space and of the built-in space.
    """
    return any(one.exceeds(other, surely) for one, other in both.values() if (surely := one.quantity.grading.surely))


def _compared_grade(reached: Mapping[str, float], surely: bool) -> Grade:
    """Return the grade of a space that beats the simpler rules.

    Args:
        reached: Name of the grading → the space's result divided by the built-in space's result.
        surely: Whether the space is clearly above a required ratio to the built-in space in one test (see `_exceeds`).
            The grade *as published* requires this.
    """
    if not all(value >= LIMITS[name] for name, value in reached.items()):
        return "weaker" if float(np.mean(list(reached.values()))) >= WEAKER else "far below"
    return "as published" if surely else "no reference"


def _drawn_grades(both: Mapping[str, tuple[Any, Any]], gradings: Sequence[Grading], surely: bool) -> dict[str, float]:
    """Return, by grade, the share of simulated repetitions of the tests that give this grade.

    Each repetition has random results for the space and for the built-in space. `surely` is as in `_compared_grade`.
    """
    sums: dict[str, Any] = {}
    for one, other in both.values():
        drawn = one.count * one.drawn(other)
        before = sums.get(one.quantity.grading.name)
        sums[one.quantity.grading.name] = drawn if before is None else before[: len(drawn)] + drawn[: len(before)]
    named = [each.name for each in gradings if each.name in sums]
    draws = min(len(sums[name]) for name in named)
    ratios = {name: np.maximum(0.0, sums[name][:draws, 0]) / np.maximum(sums[name][:draws, 1], 1e-9) for name in named}
    grades = [_compared_grade({name: ratios[name][draw] for name in named}, surely) for draw in range(draws)]
    return {name: grades.count(name) / draws for name in dict.fromkeys(grades)}


def to_beat(scores: Any, *, beyond: bool) -> tuple[str, float]:
    """Return title and value of the baseline (a simpler rule, or chance) with which to compare the space.

    - The space clearly beats every baseline (`beyond`): the strongest baseline.
    - It beats every baseline on this test set alone, but not after the adjustment: the rule with the largest p.
    - It does not clearly beat some baselines: the strongest of these.

    Args:
        beyond: Whether the space clearly beats every baseline, adjusted for the number of test sets.
    """
    level: list[tuple[str, float]] = [] if beyond else scores.unbeaten
    if not level and not beyond and scores.rules:  # every rule is beaten in this set, but not after the adjustment
        least = max(scores.rules, key=lambda rule: rule.gap.p)
        level = [(least.title, least.value)]
    title, value = max(level, key=lambda each: each[1], default=scores.baseline)
    return title, value


def shared_scores(space: VectorSpace, sets: Sequence[TestSet], report: Report | None) -> dict[str, tuple[Any, Any]]:
    """Return the scores of a space and of the built-in space on their shared words, by name of the test set.

    Test sets of which either space covers fewer items than a grade requires are left out. The result is empty if the
    built-in space is not installed.
    """
    try:
        reference = builtin_space()
    except SpaceError:
        return {}
    rows: dict[str, int] = {}
    known = {word.upper(): row for row, word in reversed(list(enumerate(reference.words)))}
    frequent = most_frequent(space, n=len(space)).rows
    for row, word in zip(frequent.tolist(), space.words_at(frequent), strict=True):
        if space.norms[row] > 0 and (form := word.upper()) in known:
            rows.setdefault(form, row)
    cut = space.take(list(rows.values())), reference.take([known[form] for form in rows])
    found: dict[str, tuple[Any, Any]] = {}
    same = np.array_equal(cut[0].matrix, cut[1].matrix)  # the built-in space itself
    for each in sets:
        one, *others = (evaluate(part, [each], simpler=False)[each.name] for part in (cut[:1] if same else cut))
        other = others[0] if others else one
        tell(report, len(found) / len(sets), each.title)
        if covers_enough(one) and covers_enough(other):
            found[each.name] = one, other
    return found


def _reached(both: Mapping[str, tuple[Any, Any]], grading: Grading) -> float | None:
    """Return the space's result divided by the built-in space's result, over all test sets of a grading.

    A negative result counts as 0. Return None if the result of the built-in space is not above 0.
    """
    pairs = [pair for pair in both.values() if pair[0].quantity.grading == grading]
    ours, theirs = (sum(pair[place].count * pair[place].value for pair in pairs) for place in (0, 1))
    return max(0.0, ours) / theirs if theirs > 0 else None


def _compared(both: Mapping[str, tuple[Any, Any]], grading: Grading) -> ReferenceResults:
    """Return the results of a space and of the built-in space over all test sets that a grading applies to.

    A grading is a rule by which one kind of test counts in the grade. `both` maps the name of a test set to the scores
    of both spaces.
    """
    pairs = [pair for pair in both.values() if pair[0].quantity.grading == grading]
    quantity, total = pairs[0][0].quantity, sum(one.count for one, _ in pairs)
    means = [sum(pair[place].count * pair[place].value for pair in pairs) / total for place in (0, 1)]
    here, there = (f"{quantity.symbol}{quantity.say(mean)}" for mean in means)
    return ReferenceResults(here, there, total, quantity.counted, tuple(one.title for one, _ in pairs))


class Size(NamedTuple):
    """The result of a test as texts: title, value with its interval, rule to beat, result of the built-in space."""

    title: str
    figure: str
    baseline: str
    reference: str


def size(scores: Any, found: Graded) -> Size:
    """Return the result of one test as texts: title, value with interval, baseline, result of the built-in space.

    Args:
        scores: The scores of the space on the test set.
        found: The grade over all test sets.
    """
    quantity, value, (low, high) = scores.quantity, scores.value or 0.0, scores.bounds
    title, reached = to_beat(scores, beyond=found.beyond[scores.name])
    more = " (not beaten)" if reached > value else " (not clearly beaten)"
    more = "" if found.beyond[scores.name] else more
    reference = "not compared"
    if scores.name in found.there:
        here, there = quantity.say(found.here[scores.name]), quantity.say(found.there[scores.name])
        same = here == quantity.say(value)
        reference = f"{there} on the same words" if same else f"{there} (here {here} on the words of both)"
    text = f"{quantity.symbol}{quantity.say(value)} ({quantity.say(low or 0.0)} to {quantity.say(high or 0.0)})"
    return Size(scores.title, text, f"{title} {quantity.say(reached)}{more}", reference)


def sizes(tests: Mapping[str, Any], found: Graded) -> str:
    """Return one text with a sentence on the result of each test."""
    each = (size(scores, found) for scores in tests.values())
    return " ".join(f"{t.title}: {t.figure}; {t.baseline}; built-in space: {t.reference}." for t in each)
