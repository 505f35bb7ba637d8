"""How good a space is by its test sets: beside simpler rules, and beside the built-in space on the words of both.

The built-in space (the input words of MiniLM) is one whose figures lie where published word vectors lie. Both spaces
are cut to the words that they share, so that they answer the same questions among the same words: figures of papers
are for other vocabularies, and a small vocabulary makes every question easier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from embedviz.core.builtin import builtin_space
from embedviz.core.phrases import number, share
from embedviz.core.progress import Report
from embedviz.core.space import SpaceError, VectorSpace
from embedviz.core.stats.resampling import drawn_means, quantile
from embedviz.evaluation import AnalogyScores, SimilarityScores, analogies, beyond_baselines, similarity
from embedviz.projection.sampling import most_frequent
from embedviz.testsets import Pairs, Questions

Grade = Literal["untested", "too few", "nothing", "far below", "weaker", "as published", "no reference"]
Tested = AnalogyScores | SimilarityScores

FEWEST_PAIRS, FEWEST_QUESTIONS = 30, 100
"""Covered pairs and questions below which a test says nothing."""
AS_GOOD: Mapping[str, float] = {"analogies": 0.8, "pairs": 0.65}
"""Shares of the built-in space's figures from which a space is called as good as published ones, in both kinds of test.

The published vectors at hand reach 1.00 and .90 (Google News), .92 and .71 (GloVe, 100 dimensions); the built-in space
with noise as large as its signal .60 and .87, with a tenth of its labels shuffled .67 and .71.
"""
SURELY = 0.7
"""Share of the built-in space's analogies that such a space must clearly exceed (95 % interval, word pairs drawn anew).

It keeps out a noisy space with few covered questions, whose share is high by luck.
"""
WEAKER = 0.45
"""Mean of these shares from which a space is called weaker, not far below."""

HEADLINES: Mapping[Grade, str] = {
    "as published": "About as good as published word vectors.",
    "weaker": "It carries meaning, but less than published word vectors.",
    "far below": "It carries some meaning, far less than published word vectors: it may be damaged or little trained.",
    "nothing": "The word tests find nothing in it clearly beyond chance, spelling and frequency.",
    "no reference": "It carries meaning beyond simpler rules; too few of its words are known to say how much.",
    "too few": "Too few words of the tests are here to say how good it is: even a good space would not stand out.",
    "untested": "",
}


HOW = (
    f"About as good as published: {share(AS_GOOD['analogies'])} or more of the built-in space's accuracy in analogies "
    f"and {share(AS_GOOD['pairs'])} of its agreement with people on word pairs, on the words of both, and in analogies "
    f"clearly more than {share(SURELY)}; Google News and GloVe reach that. Less: a mean of {share(WEAKER)} or more; "
    "far less: below that. “Carries meaning” needs a clear "
    "lead over every simpler rule in at least one test, adjusted for the number of tests (Holm)."
)


@dataclass(frozen=True)
class Graded:
    """What the test sets say together.

    Attributes:
        grade: A key of `HEADLINES`.
        beyond: By the name of the test set, whether the space is ahead of every simpler rule, over all sets (Holm).
        reached: The share of the built-in space's figures that this one reaches, in *analogies* and in *pairs*; empty
            without a reference.
        here, there: On the words of both, the figure of this space and of the built-in one, by test set.
    """

    grade: Grade
    beyond: Mapping[str, bool]
    reached: Mapping[str, float]
    here: Mapping[str, float]
    there: Mapping[str, float]


def tells(scores: Tested) -> bool:
    """Whether enough of a set is covered to say anything."""
    if isinstance(scores, AnalogyScores):
        return scores.total.covered >= FEWEST_QUESTIONS
    return scores.spearman is not None and scores.count >= FEWEST_PAIRS


def graded(
    space: VectorSpace, sets: Sequence[Questions | Pairs], tests: Mapping[str, Tested], report: Report | None = None
) -> Graded:
    """Return the grade of a space.

    Args:
        sets: The test sets.
        tests: The space's scores on those of them that cover enough.
    """
    if not tests:
        return Graded("untested", {}, {}, {}, {})
    beyond = beyond_baselines(tests)
    both = _beside(space, [each for each in sets if each.name in tests], report)
    reached = _reached(both)
    here = {name: value for name, pair in both.items() if (value := figure(pair[0])) is not None}
    there = {name: value for name, pair in both.items() if (value := figure(pair[1])) is not None}
    grade: Grade = "no reference"
    if not any(beyond.values()):
        able = not both or any(beyond_baselines({name: other for name, (_, other) in both.items()}).values())
        grade = "nothing" if able else "too few"
    elif reached:
        good = all(value >= AS_GOOD[kind] for kind, value in reached.items())
        mean = float(np.mean(list(reached.values())))
        if not good:
            grade = "weaker" if mean >= WEAKER else "far below"
        elif any(_clearly_above(*pair) for pair in both.values()):
            grade = "as published"
    return Graded(grade, beyond, reached, here, there)


def figure(scores: Tested) -> float | None:
    """The figure of a test: accuracy or ρ."""
    return scores.accuracy if isinstance(scores, AnalogyScores) else scores.spearman


def _beside(
    space: VectorSpace, sets: Sequence[Questions | Pairs], report: Report | None
) -> dict[str, tuple[Tested, Tested]]:
    """Both spaces' scores on the words of both; empty where the built-in space is not installed."""
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
    found: dict[str, tuple[Tested, Tested]] = {}
    same = np.array_equal(cut[0].matrix, cut[1].matrix)  # the built-in space itself
    for each in sets:
        one, *others = (
            analogies(part, each, simpler=False) if isinstance(each, Questions) else similarity(part, each)
            for part in (cut[:1] if same else cut)
        )
        other = others[0] if others else one
        if report is not None:
            report(len(found) / len(sets), "the built-in space on the same words")
        if tells(one) and tells(other):
            found[each.name] = one, other
    return found


def _reached(both: Mapping[str, tuple[Tested, Tested]]) -> dict[str, float]:
    """Return the share of the other's figures that a space reaches: of analogies, and of all word pairs."""
    found: dict[str, float] = {}
    for one, other in both.values():
        if isinstance(one, AnalogyScores) and isinstance(other, AnalogyScores) and other.accuracy > 0:
            found["analogies"] = max(0.0, one.accuracy) / other.accuracy
    pairs = [
        (one.count * (one.spearman or 0.0), other.count * (other.spearman or 0.0))
        for one, other in both.values()
        if isinstance(one, SimilarityScores) and isinstance(other, SimilarityScores)
    ]
    ours, theirs = (sum(values) for values in zip(*pairs, strict=True)) if pairs else (0.0, 0.0)
    return found | ({"pairs": max(0.0, ours) / theirs} if theirs > 0 else {})


def _clearly_above(one: Tested, other: Tested) -> bool:
    """Whether a space answers clearly more analogies right than `SURELY` of those that the other does."""
    if not isinstance(one, AnalogyScores) or not isinstance(other, AnalogyScores):
        return False
    shared = one.covered & other.covered
    units = one.units.of(shared)
    ahead = one.right[shared, 0] - SURELY * other.right[shared, 0]
    error = float(drawn_means(ahead[:, None], units).std())
    return float(ahead.mean()) > quantile(units.count - 1) * error


class Size(NamedTuple):
    """A test in words: its title, its figure with the 95 % interval, the strongest baseline, the built-in space."""

    title: str
    figure: str
    baseline: str
    reference: str


def size(scores: Tested, found: Graded) -> Size:
    """How much a space knows by one test."""
    said = share if isinstance(scores, AnalogyScores) else number
    of = scores.total if isinstance(scores, AnalogyScores) else scores
    title, reached = scores.baseline
    value = figure(scores) or 0.0
    more = "" if found.beyond[scores.name] else ", which is more" if reached > value else ", which may be as much"
    reference = "not compared"
    if scores.name in found.there:
        here, there = said(found.here[scores.name]), said(found.there[scores.name])
        same = here == said(value)
        reference = f"{there} on the same words" if same else f"{there} on shared words, this one {here}"
    name = "" if isinstance(scores, AnalogyScores) else "ρ "
    shown = f"{name}{said(value)} ({said(of.low or 0.0)} to {said(of.high or 0.0)})"
    return Size(scores.title, shown, f"{title} {said(reached)}{more}", reference)


def sizes(tests: Mapping[str, Tested], found: Graded) -> str:
    """How much a space knows by each test, in sentences."""
    told = (size(each, found) for each in tests.values())
    return " ".join(f"{t.title}: {t.figure}; {t.baseline}; built-in space: {t.reference}." for t in told)
