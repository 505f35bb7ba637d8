"""Word pairs with people's ratings of similarity: the rank correlation (Spearman's ρ) of cosines and ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.phrases import listing, number
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, VectorSpace
from embedviz.core.stats.correlation import Reals, ranks, spearman
from embedviz.core.stats.intervals import Z
from embedviz.core.stats.resampling import Gap, Units, correlation_interval, likely_means, mean_gap, units_of
from embedviz.evaluation.compared import Difference, difference
from embedviz.evaluation.kind import DASH, Evaluation, FigureLine, Mistake, Mistakes, ahead
from embedviz.evaluation.quantity import Grading, Quantity
from embedviz.evaluation.simpler import (
    TITLES,
    SimplerRule,
    beats,
    by_frequency,
    named,
    rules_card,
    spelling_rows,
    strongest,
    unclear,
    value_of,
)
from embedviz.evaluation.spelling import CASE, WORDS, Spelled, spelled
from embedviz.evaluation.words import as_spelled
from embedviz.testsets import Pair, RatedPairs

QUANTITY = Quantity(
    "spearman",
    "Spearman’s ρ with people’s order",
    "ρ with people",
    "pairs",
    share=False,
    symbol="ρ ",
    grading=Grading("pairs", fewest=30, good=0.65),
)
CHANCE = "chance, at most"
"""Title of the baseline by chance; its value is `by_chance`."""
FEWEST_TO_COMPARE = 5
"""Minimum number of covered pairs for a comparison of two correlations."""


def by_chance(pairs: int) -> float:
    """Return the limit of |ρ| below which 95 % of random orders of n pairs stay: 1.96 ÷ √(n − 1), at most 1."""
    return min(1.0, Z / float(np.sqrt(max(1, pairs - 1))))


class Placed(NamedTuple):
    """A word pair, its cosine, and two ranks from 0 (least similar) to 1: by people's ratings, and by cosine."""

    pair: Pair
    cosine: float
    people: float
    space: float


@dataclass(frozen=True, eq=False)
class SimilarityScores:
    """The agreement of a space's cosines with people's ratings.

    Attributes:
        space: The name of the space.
        name, title: The name and title of the test set.
        pairs: All p pairs, in the order of the test set.
        covered: Whether both words of each pair have rows, shape (p,).
        assembled: Whether both words of each pair have vectors of which one or both are assembled from n-grams, shape
            (p,). Such a pair is not covered.
        cosines: The cosines of pairs whose words have vectors, NaN for the other pairs, shape (p,).
        people: People's ratings of the pairs, on the scale of the test set, shape (p,).
        spearman: ρ over the covered pairs, ties with mean ranks; None for fewer than three pairs or constant values.
        low, high: The 95 % interval of ρ, which allows for words in several pairs; None without ρ.
        chance: The result of `by_chance()` for the number of covered pairs.
        with_assembled: ρ over covered and assembled pairs together; None if no pair is assembled or ρ is undefined.
        rules: The simpler rules, with the difference between the space and each rule; empty for fewer than five covered
            pairs.
        simpler: Name of a simpler rule → the similarity of each covered pair by this rule.
    """

    space: str
    name: str
    title: str
    pairs: tuple[Pair, ...]
    covered: NDArray[np.bool_]
    assembled: NDArray[np.bool_]
    cosines: Reals
    people: Reals
    spearman: float | None
    low: float | None
    high: float | None
    chance: float
    with_assembled: float | None
    rules: tuple[SimplerRule, ...]
    simpler: Mapping[str, Reals]

    quantity: ClassVar[Quantity] = QUANTITY
    set_key: ClassVar[tuple[str, ...]] = ("name", "pairs")
    lines: ClassVar[tuple[FigureLine, ...]] = ()
    parts: ClassVar[tuple[str, ...]] = ()

    @property
    def value(self) -> float | None:
        """Return Spearman's ρ; None if it is not defined."""
        return self.spearman

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """Return the ends of the 95 % interval of ρ; both are None if there is no interval."""
        return self.low, self.high

    @property
    def cells(self) -> dict[str, str]:
        """Return the cells of this space's row in the results table: column title → text."""
        known = self.spearman is not None
        return {
            "covered": f"{self.count:,} of {len(self.pairs):,}",
            "ρ (95\u00a0%)": QUANTITY.within(self.spearman or 0.0, self.low, self.high) if known else DASH,
            "|ρ| by chance below": number(self.chance) if known else DASH,
            "spelling alone": value_of(self.rules, "spelling", number),
            "frequency alone": value_of(self.rules, "frequency", number),
        }

    @property
    def units(self) -> Units:
        """Return the words of each covered pair as the units of intervals.

        Pairs that share a word then do not count as independent.
        """
        return word_units([pair for pair, covered in zip(self.pairs, self.covered, strict=True) if covered])

    @property
    def count(self) -> int:
        """Return the number of covered pairs."""
        return int(self.covered.sum())

    @property
    def itself(self) -> NDArray[np.bool_]:
        """Return whether each pair is the same word twice, such as tiger and tiger in WordSim-353, shape (p,)."""
        return np.array([pair.one.lower() == pair.other.lower() for pair in self.pairs], np.bool_)

    @property
    def beyond_baseline(self) -> bool:
        """Return whether ρ is above its value by chance, and clearly above the ρ of every simpler rule."""
        if self.spearman is None or self.low is None:
            return False
        return self.spearman > self.chance and self.low > 0 and beats(self.rules)

    @property
    def baseline(self) -> tuple[str, float]:
        """Return title and ρ of the strongest baseline: a simpler rule, or chance."""
        return strongest(self.rules, (CHANCE, self.chance))

    @property
    def unbeaten(self) -> list[tuple[str, float]]:
        """Return title and ρ of each baseline (a simpler rule, or chance) that the space does not clearly beat."""
        above = (self.spearman or 0.0) > self.chance and (self.low or 0.0) > 0
        return [*([] if above else [(CHANCE, self.chance)]), *unclear(self.rules)]

    def drawn(self, other: SimilarityScores) -> Reals:
        """Return random values of ρ for this and another space, shape (draws, 2), on the pairs that both cover.

        They are sampled from a normal distribution around the two measured values of ρ. Its variance allows for words
        in several pairs.
        """
        shared = self.covered & other.covered
        people, units = self.people[shared], word_units([self.pairs[at] for at in np.flatnonzero(shared)])
        found = [(spearman(people, one.cosines[shared]) or 0.0, one.cosines[shared]) for one in (self, other)]
        added = likely_means(np.column_stack([_influence(people, cosines) for _, cosines in found]), units)
        return np.asarray(added + np.array([value for value, _ in found]))

    def card(self) -> dict[str, Any]:
        """Return the scores as plain JSON values."""
        return {
            "spearman": self.spearman,
            "low": self.low,
            "high": self.high,
            "pairs": len(self.pairs),
            "covered": self.count,
            "chance": self.chance,
            "assembled": int(self.assembled.sum()),
            "with_assembled": self.with_assembled,
            **rules_card(self.rules, self.beyond_baseline),
        }

    def worst(self, count: int = 10) -> tuple[Placed, ...]:
        """Return at most `count` covered pairs whose ranks by cosine and by people's ratings differ most."""
        scored = np.flatnonzero(self.covered)
        if len(scored) < 2:
            return ()
        people, space = (ranks(values[scored]) / (len(scored) - 1) for values in (self.people, self.cosines))
        order = np.argsort(-np.abs(people - space), kind="stable")[:count]
        return tuple(
            Placed(self.pairs[scored[i]], float(self.cosines[scored[i]]), float(people[i]), float(space[i]))
            for i in order
        )

    def mistakes(self, space: VectorSpace, pairs: RatedPairs, part: str, count: int) -> Mistakes:
        """Return at most `count` covered pairs whose ranks by cosine and by people's ratings differ most."""
        listed = tuple(
            Mistake(
                f"{one.pair.one}, {one.pair.other}: people {100 * one.people:.0f}, space {100 * one.space:.0f}",
                as_spelled(space, one.pair.one),
            )
            for one in self.worst(count)
        )
        few = "" if listed else "At least two covered pairs are needed."
        return Mistakes("Largest disagreements", "Rank among the pairs: 0 least, 100 most similar", listed, few)

    @property
    def meaning(self) -> str:
        """Return two sentences: how well cosines agree with people's ratings, and a comparison with the baselines."""
        return self.sentence(self.beyond_baseline)

    def sentence(self, beyond: bool) -> str:
        """Return the sentences of `meaning`, with the verdict given by `beyond`.

        Args:
            beyond: Whether ρ clearly beats every baseline, adjusted for the number of test sets.
        """
        if self.spearman is None:
            return f"{self.count:,} of the {len(self.pairs):,} pairs have both words here: too few to test."
        rules = f", {named(self.rules, number)}" if self.rules else ""
        baselines = f"the baselines: random order (95\u00a0%: below {number(self.chance)}){rules}"
        return (
            f"Cosines agree with people’s ratings: Spearman’s ρ = {number(self.spearman)}. {ahead(beyond, baselines)}"
        )

    @property
    def sample(self) -> str:
        """Return sentences: the number of covered pairs, and the 95 % interval of ρ."""
        covered = f"Covered: {self.count:,} of {len(self.pairs):,} pairs."
        if self.low is None or self.high is None:
            return covered
        return f"{covered} 95\u00a0% interval of ρ: {number(self.low)} to {number(self.high)}."

    @property
    def note(self) -> str:
        """Explain how ρ is computed, and which pairs the figure leaves out.

        If n-grams give vectors to missing words, give ρ with the pairs of these words too.
        """
        same = [pair.one for pair, one in zip(self.pairs, self.covered & self.itself, strict=True) if one]
        assembled = ""
        if self.with_assembled is not None:
            assembled = f" With pairs assembled from n-grams: ρ {number(self.with_assembled)}."
        alone = f" Not drawn: {listing(same)} with itself, whose cosine is 1." if same else ""
        return (
            "Spearman’s rank correlation over the pairs whose words both have rows. The interval allows for words in "
            f"several pairs.{assembled}{alone}"
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows of the exported table, one row per pair. Pairs that are not covered have no cosine."""
        each = zip(self.pairs, self.cosines.tolist(), self.covered, strict=True)
        return ("word", "other", "people", "cosine"), ((*pair, cosine if known else "") for pair, cosine, known in each)

    def shared_with(self, others: Sequence[SimilarityScores]) -> SimilarityScores:
        """Return the scores of this space on those pairs that it and all other spaces cover."""
        both = np.logical_and.reduce([self.covered, *(other.covered for other in others)])
        simpler = {name: values[both[self.covered]] for name, values in self.simpler.items()}
        value = spearman(self.people[both], self.cosines[both])
        chance = by_chance(int(both.sum()))
        whole = self.with_assembled if both.sum() == self.count else None  # it is the value of all pairs
        found = replace(
            self, covered=both, spearman=value, low=None, high=None, chance=chance, rules=(), with_assembled=whole
        )
        return _judged(replace(found, simpler=simpler))

    def against(self, other: SimilarityScores, seed: int) -> Difference:
        """Return the difference in ρ, this space minus the other, on the pairs that both spaces cover."""
        shared = self.covered & other.covered
        people, ours, theirs = self.people[shared], self.cosines[shared], other.cosines[shared]
        values, gap = (spearman(people, ours), spearman(people, theirs)), None
        if None not in values:
            pairs = [pair for pair, both in zip(self.pairs, shared, strict=True) if both]
            gap = spearman_gap(people, ours, theirs, word_units(pairs))
        return difference(self, other, values, gap, len(people))


@offered("scores", "print(scores.meaning)")
def similarity(
    space: VectorSpace,
    pairs: RatedPairs,
    *,
    words: int = 0,
    case: str = "folded",
    report: Report | None = None,
) -> SimilarityScores:
    """Return the agreement of cosines with people's ratings, over the pairs whose two words have rows.

    Args:
        words: The number of most frequent rows to use; 0 for all.
        case: *folded* (Paris, PARIS and paris are the same word, with the row of its most frequent form) or *exact*.

    Raises:
        OptionError: There is no such case, or `words` is negative.
    """
    pair_words = [word for pair in pairs.pairs for word in pair[:2]]
    known = spelled(space, pair_words, words=words, case=case)
    covered, assembled, cosines = _cosines(space, pairs, known)
    people = np.array([pair.score for pair in pairs.pairs], np.float64)
    tell(report, 0.5, f"{int(covered.sum()):,} of {len(people):,} pairs covered")
    scored = covered | assembled
    found = SimilarityScores(
        space.origin.name,
        pairs.name,
        pairs.title,
        pairs.pairs,
        covered,
        assembled,
        cosines,
        people,
        spearman(people[covered], cosines[covered]),
        None,
        None,
        by_chance(int(covered.sum())),
        spearman(people[scored], cosines[scored]) if assembled.any() else None,
        (),
        {},
    )
    return _judged(replace(found, simpler=_simpler(found, space, known) if found.spearman is not None else {}))


def _judged(found: SimilarityScores) -> SimilarityScores:
    """Return the scores with the interval and the simpler rules filled in."""
    if found.spearman is None:
        return found
    units, people, cosines = found.units, found.people[found.covered], found.cosines[found.covered]
    low, high = correlation_interval(found.spearman, _influence(people, cosines), units)
    rules = []
    for name, values in found.simpler.items():
        if gap := spearman_gap(people, cosines, values, units):
            rules.append(SimplerRule(name, TITLES[name], spearman(people, values) or 0.0, gap))
    return replace(found, low=low, high=high, rules=tuple(rules))


def _simpler(found: SimilarityScores, space: VectorSpace, known: Spelled) -> dict[str, Reals]:
    """Return for each simpler rule the similarity of the covered pairs, shape (m,).

    The rules are *spelling* and, if the frequencies of words are known, *frequency*.
    """
    pairs = [pair for pair, covered in zip(found.pairs, found.covered, strict=True) if covered]
    words = tuple(dict.fromkeys(word for pair in pairs for word in pair[:2]))
    place, letters = {word: at for at, word in enumerate(words)}, spelling_rows(words).astype(np.float64)
    rules = {"spelling": np.array([letters[place[pair.one]] @ letters[place[pair.other]] for pair in pairs])}
    if by_frequency(space):
        ranks = [[known.firsts[known.numbers[word]] for word in pair[:2]] for pair in pairs]
        rules["frequency"] = -np.abs(np.diff(np.log1p(np.array(ranks, np.float64)), axis=1)[:, 0])
    return rules


def _cosines(
    space: VectorSpace, pairs: RatedPairs, known: Spelled
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Reals]:
    """Return three arrays of p values: whether each pair is covered, whether it is assembled, and its cosine.

    A pair is covered if the space has both words. It is assembled if n-grams give vectors to the missing words. The
    cosine is NaN if a word has no vector at all.
    """
    count = len(pairs.pairs)
    covered, assembled, cosines = np.zeros(count, np.bool_), np.zeros(count, np.bool_), np.full(count, np.nan)
    vectors = known.vectors(space)
    for place, pair in enumerate(pairs.pairs):
        numbers = known.numbers[pair.one], known.numbers[pair.other]
        covered[place] = min(numbers) >= 0
        both = [vectors[i] if i >= 0 else _assembled(space, word) for i, word in zip(numbers, pair[:2], strict=True)]
        if both[0] is not None and both[1] is not None:
            assembled[place] = not covered[place]
            cosines[place] = float(np.clip(both[0].astype(np.float64) @ both[1], -1, 1))
    return covered, assembled, cosines


def _assembled(space: VectorSpace, word: str) -> Float | None:
    """Return the unit vector of a word without a row, assembled from n-grams, shape (d,); None if there is none."""
    if not space.assembled(word):
        return None
    vector = space.vector(word)
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length, np.float32) if length > 0 else None


def word_units(pairs: Sequence[Pair]) -> Units:
    """Return the lower-case words of each pair as the units of intervals.

    Pairs that share a word then do not count as independent.
    """
    return units_of([(pair.one.lower(), pair.other.lower()) for pair in pairs], "words")


def spearman_gap(people: Reals, ours: Reals, theirs: Reals, units: Units) -> Gap | None:
    """Return ρ(people, ours) − ρ(people, theirs) over the same pairs, with its 95 % interval and p-value.

    It is None for fewer than five pairs, or if the first ρ is undefined because all values are equal. If the second ρ
    is undefined, it counts as 0.
    """
    one, other = spearman(people, ours), spearman(people, theirs)
    if one is None or len(people) < FEWEST_TO_COMPARE:
        return None
    influence = _influence(people, ours)
    if other is not None:
        influence = influence - _influence(people, theirs)
    return mean_gap(one - (other or 0.0), influence, units)


def _influence(people: Reals, cosines: Reals) -> Reals:
    """Return the influence of each pair on Spearman's ρ, shape (n,): by its ranks, and by its effect on other ranks.

    This is the projection of a U-statistic (Hoeffding 1948): ρ is 12 E[F(X) G(Y)] − 3 with distribution functions F, G.
    """
    one, other = ranks(people), ranks(cosines)
    own = one * other + _above(one, other) + _above(other, one)
    return np.asarray((own - own.mean()) / (one.std() * other.std()))


def _above(ranks_of: Reals, values: Reals) -> Reals:
    """Return for each pair the sum of `values` over all pairs of higher rank, shape (n,).

    The pair itself and other pairs of equal rank count half.
    """
    each, places = np.unique(ranks_of, return_inverse=True)
    sums = np.bincount(places, values, minlength=len(each))
    return np.asarray((sums[::-1].cumsum()[::-1] - sums / 2)[places])


ROW = Evaluation(
    "similarity",
    "Similarity",
    similarity,
    (WORDS, CASE),
    "Whether the cosines of word pairs have the same order as people’s ratings.",
    "Finkelstein et al. 2002; Hill et al. 2015",
    long=True,
    question="Do cosines agree with people’s ratings?",
    columns=("covered", "ρ (95\u00a0%)", "|ρ| by chance below", "spelling alone"),
    settings=("words",),
    marks="Each dot is a pair of words. Diamonds: the eight pairs that are farthest out of order.",
    each_set="Spearman’s ρ with its 95\u00a0% interval",
)
