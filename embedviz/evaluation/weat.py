"""The Word Embedding Association Test: do two lists of target words differ in their nearness to two attributes?

Caliskan, Bryson and Narayanan 2017, Science 356. The association of a word is s(w) = mean cos(w, A) − mean cos(w, B).
The effect size is d = (mean of s over X − mean of s over Y) / standard deviation of s over both, with n − 1, as in the
code of sent-bias. It lies between −2 and 2. In the paper, X and Y have equal sizes, and the test compares sums over
equal splits of X and Y together. If a space lacks words, the sizes may differ. The splits then keep both sizes, and
means are compared; for equal sizes this is the same test.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted, cut, joined, listing, number
from embedviz.core.progress import Report, tell
from embedviz.core.space import VectorSpace
from embedviz.core.stats.intervals import LEVEL, inner
from embedviz.core.stats.resampling import Gap, holm, holm_divisors, quantile, tail
from embedviz.evaluation.compared import Difference, difference
from embedviz.evaluation.effect_size import LEAST_SPREAD, effect_limits, effect_reached, effect_size, resampled_effects
from embedviz.evaluation.kind import DASH, SEED, Evaluation, FigureLine, Mistake, Mistakes
from embedviz.evaluation.quantity import Quantity
from embedviz.evaluation.random_lists import DRAWS, associations_of, by_random_lists
from embedviz.evaluation.simpler import SimplerRule
from embedviz.evaluation.splits import Values, share_of, splits
from embedviz.evaluation.words import Covered, as_spelled, covered
from embedviz.testsets import Association, Associations

PERMUTATIONS = 100_000
FEWEST = 8
"""Minimum number of words of each list; with fewer, a result is weak. The paper's shortest lists have eight words."""
CAUTION = "This describes how the training texts use words. It does not describe people."
SIZES = ((0.2, "very small"), (0.5, "small"), (0.8, "medium"), (math.inf, "large"))
"""Upper limits of |d| and the names of the effect sizes below them (Cohen 1988)."""
CONVENTION = "By convention, d = 0.2 is small, 0.5 medium and 0.8 large (Cohen 1988); d lies between −2 and 2."
QUANTITY = Quantity("effect", "Effect size d", "effect size", "target words", share=False)
COVERED, REACHED, ADJUSTED = "words covered", "by chance up to", "p, adjusted"
RANDOM = "random lists, one test (95\u00a0%)"
_FEWEST_SHARED = 4


@dataclass(frozen=True, eq=False)
class Effect:
    """The result of one WEAT test in one space.

    Attributes:
        space: The name of the space.
        test: The test.
        x, y, a, b: The covered words of the target lists X, Y and the attribute lists A, B.
        s_x, s_y: s(w) of each target word, as ordered in `x` and `y`; empty if a list has fewer than two words.
        d: The effect size; None if a list has fewer than two words, or all associations are equal.
        low, high: The 95 % interval of d, from target words resampled within each list; None without d.
        p: One-sided p-value: the share of splits with an effect size of at least d; None without d.
        as_far: One-sided p-value in the direction of d; if d is negative, the share of splits with at most d.
        adjusted: Two-sided p-value (twice `as_far`), adjusted for all tests of the test set (Holm); None without d.
        tests: The number of tests of the test set.
        limits: The d that chance may reach, with the sign of d, at the levels 0.05, 0.05 / 2, 0.05 / 3 and so on.
        limit: The one of `limits` that applies after the adjustment: d is beyond it exactly if `adjusted` < 0.05.
        chance: The effect size that only 5 % of the splits reach; None without d.
        splits: The number of splits used.
        exact: Whether all possible splits were used, not a random sample of them.
        random: 95 % of pairs of random lists, as long as X and Y, have a |d| below this; None in a small space.
    """

    space: str
    test: Association
    x: Covered
    y: Covered
    a: Covered
    b: Covered
    s_x: Values
    s_y: Values
    d: float | None
    low: float | None
    high: float | None
    p: float | None
    as_far: float | None
    chance: float | None
    splits: int
    exact: bool
    adjusted: float | None = None
    tests: int = 1
    limits: tuple[float, ...] = ()
    limit: float | None = None
    random: float | None = None
    quantity: ClassVar[Quantity] = QUANTITY
    set_key: ClassVar[tuple[str, ...]] = ("test",)
    lines: ClassVar[tuple[FigureLine, ...]] = ()
    parts: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """Return the name of the test."""
        return self.test.name

    @property
    def title(self) -> str:
        """Return the title of the test: its name."""
        return self.test.name

    @property
    def value(self) -> float | None:
        """Return the effect size."""
        return self.d

    @property
    def cells(self) -> dict[str, str]:
        """Return the cells of this space's row in the results table: column title → text."""
        known = self.d is not None and self.chance is not None and self.p is not None
        x, y, a, b = (f"{len(found.words)}/{len(found.words) + len(found.missing)}" for _, found in self.lists)
        return {
            COVERED: f"{x} and {y}, {a} and {b}",
            "d (95\u00a0%)": QUANTITY.within(self.d or 0.0, self.low, self.high) if known else DASH,
            REACHED: DASH if self.limit is None else number(abs(self.limit)),
            RANDOM: f"between {self.by_chance}" if known and self.random is not None else DASH,
            ADJUSTED: p_text(self.adjusted),
        }

    bounds = property(lambda self: (self.low, self.high), doc="The 95\u00a0% interval of the effect size.")
    count = property(lambda self: len(self.x.words) + len(self.y.words), doc="Covered target words.")
    rules: ClassVar[tuple[SimplerRule, ...]] = ()

    @property
    def by_chance(self) -> str:
        """Return the range of d for 95 % of pairs of random lists, as text; a dash if no lists were sampled."""
        return DASH if self.random is None else f"{number(-self.random)} and {number(self.random)}"

    @property
    def baseline(self) -> tuple[str, float]:
        """Return title and value of the baseline: the effect size that only 5 % of random splits reach."""
        return "5\u00a0% of random splits reach", self.chance or 0.0

    @property
    def sample(self) -> str:
        """Return sentences: how many words of each list are covered, and that the test describes texts, not people."""
        few = " These few words may not represent their list." if self.weak else ""
        return self.coverage if self.d is None else f"{CAUTION} {self.coverage}{few}"

    @property
    def note(self) -> str:
        """Explain the effect size, its interval and p; empty without an effect size."""
        if self.d is None:
            return ""
        how = f"all {self.splits:,} splits" if self.exact else f"{self.splits:,} random splits"
        unequal = len(self.x.words) != len(self.y.words)
        unequal_note = " The lists have different sizes here, so the splits keep their sizes and means are compared."
        return (
            f"{CONVENTION} Its interval comes from resampled words. p is the share of {how} of the target words that "
            "are as extreme. It is doubled, as either direction counts, and adjusted for the number of tests (Holm). "
            "What d may reach by chance is its limit at an adjusted p of 0.05."
            f"{unequal_note if unequal else ''}{self._drawn}"
        )

    def shared_with(self, others: Sequence[Effect]) -> Effect:
        """Return this effect unchanged, since every space is tested on the words that it has."""
        return self

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str, str, float]]]:
        """Return header and rows of the exported table, one row per target word."""
        return ("list", "word", "s"), (
            (name, word, value)
            for (name, found), values in zip(self.lists, (self.s_x.tolist(), self.s_y.tolist()), strict=False)
            for word, value in zip(found.words, values, strict=False)
        )

    def mistakes(self, space: VectorSpace, tests: Associations, part: str, count: int) -> Mistakes:
        """Return all target words with their associations, those nearest to A first and those nearest to B last."""
        ranked = sorted(self.table()[1], key=lambda row: -row[2])
        listed = (Mistake(f"{word}: {number(value)}", as_spelled(space, word)) for _, word, value in ranked)
        about = f"Mean cosine with {cut(self.test.a[0], 30)} minus mean cosine with {cut(self.test.b[0], 30)}"
        missing = [f"Missing from {name}: {listing(found.missing)}." for name, found in self.lists if found.missing]
        return Mistakes("Which words?", about, tuple(listed), " ".join(missing))

    def against(self, other: Effect, seed: int) -> Difference:
        """Return the difference in effect size, this space minus the other, over target words that both cover."""
        count, values = _over_shared(self, other, seed)
        ours, theirs, gap = values or (None, None, None)
        return difference(self, other, (ours, theirs), gap, count)

    @property
    def lists(self) -> tuple[tuple[str, Covered], ...]:
        """Return the name of each list and its covered words."""
        parts = (self.test.x, self.test.y, self.test.a, self.test.b)
        return tuple((part[0], found) for part, found in zip(parts, (self.x, self.y, self.a, self.b), strict=True))

    @property
    def coverage(self) -> str:
        """Return a sentence: how many words of each list the space has."""
        return f"Covered words: {', '.join(f'{name} {found.share}' for name, found in self.lists)}."

    @property
    def weak(self) -> bool:
        """Return whether the space has fewer than `FEWEST` words, or less than half, of one of the lists."""
        return any(len(found.words) < FEWEST or len(found.words) < len(found.missing) for _, found in self.lists)

    @property
    def clear(self) -> bool:
        """Return whether the adjusted p-value is below 0.05 and the interval of the effect size excludes 0."""
        if self.d is None or self.adjusted is None or self.low is None or self.high is None:
            return False
        return self.adjusted < LEVEL and (self.low > 0 or self.high < 0)

    @property
    def interval(self) -> str:
        """Return the effect size with its 95 % interval, as text; empty without an effect size."""
        if self.d is None or self.low is None or self.high is None:
            return ""
        return f"d = {number(self.d)} (95\u00a0%: {number(self.low)} to {number(self.high)})"

    @property
    def meaning(self) -> str:
        """Return sentences: which list of target words is nearer to which attributes, and whether it may be chance."""
        x, y, a, b = (part[0] for part in (self.test.x, self.test.y, self.test.a, self.test.b))
        if self.d is None or self.as_far is None:
            return f"No effect is computed for {x} and {y}: {self._too_few}"
        if not self.clear:
            chance = self.adjusted is None or self.adjusted >= LEVEL
            among = f"the 95\u00a0% interval of d, {number(self.low or 0.0)} to {number(self.high or 0.0)}, includes 0"
            why = "chance may explain it" if chance else among
            return f"No clear difference between {x} and {y}: {why}. {self._reached}"
        nearer, other = (x, y) if self.d >= 0 else (y, x)
        first, second = (self.s_x, self.s_y) if self.d >= 0 else (self.s_y, self.s_x)
        rest = f", words for {other} to {b}" if first.mean() > 0 > second.mean() else f" than words for {other} are"
        near = f"Words for {nearer} are nearer to {a}{rest}."
        return f"{near} This difference is {self.size} and more than chance. {self._reached}"

    @property
    def question(self) -> str:
        """Return the question that the test answers, with the names of its lists."""
        x, y, a, b = (part[0] for part in (self.test.x, self.test.y, self.test.a, self.test.b))
        return f"Words of {x} and words of {y}: which are nearer to {a}, and which to {b}?"

    @property
    def short_p(self) -> str:
        """Return the adjusted p as text, such as p = 0.020 or p < 0.001."""
        return f"p = {p_text(self.adjusted)}".replace("= below", "<").replace(" ", "\u00a0")

    @property
    def size(self) -> str:
        """Return the name of the effect size: *very small*, *small*, *medium* or *large*."""
        return next(name for limit, name in SIZES if abs(self.d or 0.0) < limit)

    @property
    def _reached(self) -> str:
        """Return a sentence: d, its largest possible value, and the d that chance may reach."""
        limit = number(abs(self.limit or 0.0))
        adjusted = f", adjusted for {self.tests} tests" if self.tests > 1 else ""
        return (
            f"d = {number(self.d or 0.0)} of at most 2; by chance, d may reach ±{limit} ({self.short_p}{adjusted})."
            f"{self._splits}"
        )

    @property
    def _splits(self) -> str:
        """Return a sentence (beginning with a blank) if there are too few words for any clear result, else “”."""
        splits = math.comb(self.count, len(self.x.words))
        few = f" With {self.count} words, no result can be clear: they can be split in {splits} ways only."
        return "" if self.clear or 2 / splits < LEVEL else few

    @property
    def _drawn(self) -> str:
        """Return a sentence (beginning with a blank) on the random word lists; empty if no lists were sampled."""
        if self.random is None:
            return ""
        return (
            f" In a single test, 95\u00a0% of {DRAWS:,} pairs of random lists of these sizes have d between "
            f"{self.by_chance}; their words are drawn from the whole space."
        )

    @property
    def fewest(self) -> str:
        """Return how much the space covers of the list with the fewest covered words, such as “7 of 8”."""
        return min((found for _, found in self.lists), key=lambda found: len(found.words)).share

    @property
    def _too_few(self) -> str:
        short = joined([*dict.fromkeys(name for name, found in self.lists if len(found.words) < 2)])
        return (
            f"the space has fewer than two words of {short}." if short else "all its words have the same association."
        )


@dataclass(frozen=True, eq=False)
class AssociationScores:
    """The results of all WEAT tests of a test set in one space.

    Attributes:
        space: The name of the space.
        name, title: The name and title of the test set.
        effects: The result of each test.
    """

    space: str
    name: str
    title: str
    effects: tuple[Effect, ...]
    quantity: ClassVar[Quantity] = QUANTITY

    @property
    def covered(self) -> int:
        """Return the number of tests with an effect size."""
        return sum(effect.d is not None for effect in self.effects)

    @property
    def untested(self) -> tuple[Effect, ...]:
        """Return the tests without an effect size."""
        return tuple(effect for effect in self.effects if effect.d is None)

    @property
    def side_by_side(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and rows of a table with all tests, as texts."""
        titles = (COVERED, "d (95\u00a0%)", RANDOM, ADJUSTED)
        return ("association", *titles), [
            (each.name, *(each.cells[title] for title in titles)) for each in self.effects
        ]

    @property
    def summary(self) -> str:
        """Return sentences that say how many tests find a clear association; empty unless two tests have a d."""
        if self.covered < 2:
            return ""
        clear = sum(effect.clear for effect in self.effects)
        finds = "find" if clear > 1 else "finds"
        found = f"{clear or 'None'} of {counted(self.covered, 'test')} {finds} a clear association"
        lacking = f" For the other {len(self.untested)}, the space lacks words." if self.untested else ""
        alone = [
            one.name.partition(":")[0]
            for one in self.effects
            if one.as_far is not None and 2 * one.as_far < LEVEL <= (one.adjusted or 0)
        ]
        which = joined(alone or [""]) if len(alone) <= 4 else f"{len(alone)} more"
        among = f"among {self.covered} tests"
        more = f" Tested alone, {which} would be clear (p below 0.05), but not {among}." if alone else ""
        return f"{found}{f', more than chance gives {among}' if clear else ''}.{more}{lacking}"

    @property
    def rule(self) -> str:
        """Return a sentence that defines a “clear” result; empty if fewer than two tests have an effect size d."""
        clear = "Clear: the bar passes the tick (adjusted p below 0.05), and the 95\u00a0% interval of d excludes 0."
        return clear if self.covered > 1 else ""

    @property
    def note(self) -> str:
        """Explain the tick (the effect size that chance may reach), and why a large d may lie within it.

        Empty unless at least two tests have an effect size d.
        """
        if self.covered < 2:
            return ""
        return (
            "The tick comes from exchanging words between the two lists. It is set so that chance makes any of the "
            f"{self.covered} tests clear in at most 5\u00a0% of cases (Holm). Short lists reach a large d by chance, "
            "so their tick is farther right. Random lists are another limit: their words come from the whole space, "
            "and the limit is for one test, not adjusted."
        )

    def card(self) -> dict[str, object]:
        """Return an empty dictionary of JSON values, since the sentences of `meaning` say what each test found."""
        return {}

    @property
    def adjusted(self) -> tuple[float | None, ...]:
        """Return the two-sided p-value of each test, adjusted for the number of tests (Holm 1979)."""
        return tuple(effect.adjusted for effect in self.effects)

    @property
    def meaning(self) -> str:
        """Return sentences on the result of each test."""
        sentences = [effect.meaning for effect in self.effects]
        return " ".join([*sentences, CAUTION] if self.covered else sentences)


def p_text(p: float | None) -> str:
    """Return a p-value as text with two or three decimals, or “below 0.001”; a dash for None."""
    if p is None:
        return DASH
    return f"{p:.2f}" if p >= 0.1 else f"{p:.3f}" if p >= 0.001 else "below 0.001"


@offered("scores", "for effect in scores.effects:", "    print(effect.meaning)")
def weat(
    space: VectorSpace,
    test: Association,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    report: Report | None = None,
) -> Effect:
    """Return the effect size of one test, with its interval and the p-value of a permutation test.

    Args:
        permutations: The number of random splits of the target words. If the words have no more splits than this, all
            splits are used. With random splits, the real lists count as one more split, so that p is never 0.

    Raises:
        OptionError: permutations is out of range.
    """
    if not 100 <= permutations <= 10_000_000:
        raise OptionError(f"permutations is {permutations:,}; it may be from 100 to 10,000,000.")
    return _tested(space, test, permutations, seed, 1, report)


def _tested(
    space: VectorSpace, test: Association, permutations: int, seed: int, tests: int, report: Report | None = None
) -> Effect:
    """Return the result of one of `tests` tests, with `tests` chance limits: at the levels 0.05, 0.05 / 2 and so on."""
    name = space.origin.name
    x, y, a, b = (covered(space, part[1]) for part in (test.x, test.y, test.a, test.b))
    if min(len(found.words) for found in (x, y, a, b)) < 2:
        return Effect(name, test, x, y, a, b, np.zeros(0), np.zeros(0), None, None, None, None, None, None, 0, False)
    s_x, s_y = (associations_of(space, found.rows, a, b) for found in (x, y))
    d = effect_size(s_x, s_y)
    if d is None:
        return Effect(name, test, x, y, a, b, s_x, s_y, None, None, None, None, None, None, 0, False)
    random = np.random.default_rng(seed)
    sums, exact = splits(np.concatenate([s_x, s_y]), len(s_x), permutations, random, report)
    p = share_of(sums >= s_x.sum() - LEAST_SPREAD, exact)
    as_far = p if d >= 0 else share_of(sums <= s_x.sum() + LEAST_SPREAD, exact)
    found = (d, *inner(resampled_effects(s_x, s_y, random)), p, as_far, effect_reached(sums, s_x, s_y, 1 - LEVEL))
    limits = effect_limits(sums, s_x, s_y, d, [LEVEL / divisor for divisor in range(1, tests + 1)], exact=exact)
    drawn = by_random_lists(space, a, b, (len(s_x), len(s_y)), random)
    every = (name, test, x, y, a, b, s_x, s_y, *found, len(sums), exact, min(1.0, 2 * as_far))
    return Effect(*every, random=drawn, limits=limits, limit=limits[0])


def associations(
    space: VectorSpace,
    tests: Associations,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    report: Report | None = None,
) -> AssociationScores:
    """Return the results of all tests of a test set, each as by `weat()`, with adjusted p-values (Holm)."""
    effects = []
    for place, test in enumerate(tests.tests):
        effects.append(_tested(space, test, permutations, seed, len(tests.tests)))
        tell(report, (place + 1) / len(tests.tests), f"{place + 1} of {len(tests.tests)} tests done")
    known = [effect.adjusted for effect in effects if effect.adjusted is not None]
    grown = iter(zip(holm(known), holm_divisors(known, LEVEL), strict=True))
    among = (each if each.adjusted is None else _among(each, *next(grown), len(known)) for each in effects)
    return AssociationScores(space.origin.name, tests.name, tests.title, tuple(among))


def _among(effect: Effect, adjusted: float, divisor: int, tests: int) -> Effect:
    """Return an effect as one of several tests: with the adjusted p-value and the limit at the level 0.05 / divisor."""
    return replace(effect, adjusted=adjusted, tests=tests, limit=effect.limits[divisor - 1])


def _over_shared(one: Effect, other: Effect, seed: int = 0) -> tuple[int, tuple[float, float, Gap] | None]:
    """Return the number of target words that both spaces have, and a comparison of the spaces over these words.

    The comparison holds both effect sizes and their difference; its interval resamples the same words in both spaces.
    It is None if the spaces share fewer than four words of a list, or if a space has no effect size.
    """
    (x_one, x_other), (y_one, y_other) = _shared(one.x.words, other.x.words), _shared(one.y.words, other.y.words)
    count = len(x_one) + len(y_one)
    if one.d is None or other.d is None or min(len(x_one), len(y_one)) < _FEWEST_SHARED:
        return count, None
    ours, theirs = (one.s_x[x_one], one.s_y[y_one]), (other.s_x[x_other], other.s_y[y_other])
    d_one, d_other = effect_size(*ours), effect_size(*theirs)
    if d_one is None or d_other is None:
        return count, None
    drawn = [resampled_effects(*values, np.random.default_rng(seed)) for values in (ours, theirs)]
    error, value = float((drawn[0] - drawn[1]).std()), d_one - d_other
    half = quantile(count - 2) * error
    p = tail(value / error, count - 2) if error > LEAST_SPREAD else 1.0
    return count, (d_one, d_other, Gap(value, value - half, value + half, p))


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[list[int], list[int]]:
    """Return the indices in `one`, and those in `other`, of the words that are in both lists; case is ignored."""
    there = {word.lower(): place for place, word in enumerate(other)}
    pairs = {word.lower(): (place, there[word.lower()]) for place, word in enumerate(one) if word.lower() in there}
    return [here for here, _ in pairs.values()], [there for _, there in pairs.values()]


ROW = Evaluation(
    "weat",
    "Bias (WEAT)",
    associations,
    (SEED,),
    "Whether two kinds of words differ in their distance to two kinds of attributes. This describes texts, not people.",
    "Caliskan, Bryson and Narayanan 2017",
    long=True,
    question="Do two kinds of words have different associations?",
    marks="Each mark is a word. Short upright lines: the means of the two lists. d is the difference of these means, "
    "divided by the standard deviation of all marks. So d can be large where the cosines differ little. p: how often "
    "shuffling the words between the two lists gives so large a d, doubled for both directions and adjusted for the "
    "number of tests. p is about chance. The interval of d is about other words: it comes from resampling both lists.",
    columns=(COVERED, "d (95\u00a0%)", REACHED, ADJUSTED),
    parts="effects",
)
