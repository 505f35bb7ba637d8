"""The effect of a correction on a space: on the shape of held-out rows, on neighbors, and on test results."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError, choose
from embedviz.core.phrases import counted, joined, listing, share
from embedviz.core.progress import Report, part, step
from embedviz.core.space import VectorSpace
from embedviz.evaluation import Difference, among_all, evaluate, paired
from embedviz.geometry.comparison import Overlap, overlap
from embedviz.geometry.corrections import MAPS, corrected
from embedviz.geometry.isotropy import Isotropy, isotropy
from embedviz.testsets import datasets

MOST_WORDS = 100_000
"""Answers to analogies are searched among this many most frequent words."""
_COUNTED = 30  # fewest shared items of a test; with fewer it is left out


@dataclass(frozen=True, eq=False)
class CorrectionOutcome:
    """A space before and after a correction.

    Attributes:
        title: The title of the correction.
        fitted: The number of rows to which the correction was fitted for `before` and `after`: half of the rows.
        before, after: The isotropy of the held-out rows (the other half) before and after the correction.
        overlap: The share of nearest neighbors that words keep when the space is corrected. For `overlap` and `tests`,
            the correction is fitted to all rows, as in normal use.
        tests: For each test set of which both spaces cover at least 30 items, the result after the correction minus the
            result before. The p-values are adjusted for the number of test sets (Holm).
    """

    title: str
    fitted: int
    before: Isotropy
    after: Isotropy
    overlap: Overlap
    tests: tuple[Difference, ...]

    @property
    def kept(self) -> Overlap:
        """Return `overlap`, under the name that Python code exported by earlier versions uses."""
        return self.overlap

    @property
    def meaning(self) -> str:
        """Return sentences: on which tests the space gets clearly better or worse, or shows no clear difference."""
        if not self.tests:
            return "No test has enough words of this space to show whether the correction helps."
        better = [f"{one.title} ({one.size})" for one in self.tests if one.beyond_chance and (one.value or 0) > 0]
        worse = [f"{one.title} ({one.size})" for one in self.tests if one.beyond_chance and (one.value or 0) < 0]
        same = [one.title for one in self.tests if not one.beyond_chance]
        alone = [
            f"{one.title} would be clearly {'better' if (one.value or 0) > 0 else 'worse'}"
            for one in self.tests
            if not one.beyond_chance and one.clear_alone
        ]
        parts = [
            f"Clearly better: {listing(better)}." if better else "",
            f"Clearly worse: {listing(worse)}." if worse else "",
            f"No clear difference: {listing(same)}." if same else "",
            f"Tested alone, {joined(alone)}, but not among {len(self.tests)} tests." if alone else "",
        ]
        return " ".join(part for part in parts if part)

    @property
    def verdict(self) -> str:
        """Return sentences: whether the correction helps, the test results, and the share of neighbors kept."""
        one, other = share(self.overlap.mean), share(self.overlap.chance)
        neighbors = f"Words keep {one} of their {self.overlap.k} nearest neighbors; two unrelated spaces: {other}."
        return f"{self.answer} {self.meaning} {neighbors}".strip()

    @property
    def answer(self) -> str:
        """Return a short answer to whether the correction helps, such as *Yes.*; empty without tests."""
        better, worse = (
            sum(one.beyond_chance and sign * (one.value or 0) > 0 for one in self.tests) for sign in (1, -1)
        )
        if better and worse:
            return "In part."
        if 0 < better < len(self.tests):
            return f"In {better} of {len(self.tests)} tests."
        return "Yes." if better else "No." if worse else "Not clearly." if self.tests else ""

    @property
    def directions(self) -> str:
        """Return sentences: the number of equally strong directions and the mean cosine, after and before."""
        used = [
            f"{one.value('participation_ratio') or 0:,.0f} of {one.dimensions:,}" for one in (self.after, self.before)
        ]
        isotropic = f"{self.after.measures['participation_ratio'].isotropic or 0:,.0f}"
        return f"Equally strong directions: {used[0]}, before {used[1]} (isotropic: {isotropic}). {self.leaning}"

    @property
    def leaning(self) -> str:
        """Return a sentence: the mean cosine of two rows after the correction and before it."""
        after, before = (one.measures["mean_cosine"].texts[0] for one in (self.after, self.before))
        return f"Mean cosine of two rows: {after}, before {before} (isotropic: 0)."

    def card(self) -> dict[str, Any]:
        """Return the effect of the correction as plain JSON values; the isotropy after the correction is left out."""
        return {
            "fitted": self.fitted,
            "before": self.before.values,
            "neighbors_kept": {"k": self.overlap.k, "value": self.overlap.mean, "chance": self.overlap.chance},
            "tests": [test.card() for test in self.tests],
            "verdict": self.verdict,
        }

    @property
    def sample(self) -> str:
        """Return sentences: the number of held-out rows, and that fewer rows show fewer directions."""
        return (
            f"Measured on the {self.after.rows:,} rows to which the correction was not fitted. With fewer "
            "rows, even an isotropic space uses fewer directions."
        )

    @property
    def note(self) -> str:
        """Explain how the effect was measured."""
        return (
            f"Shape: the correction is fitted to {self.fitted:,} random rows and measured on the other "
            f"{self.after.rows:,}. Neighbors and tests: it is fitted to all rows, as in the corrected space. "
            f"Intervals: 95\u00a0%, paired. “Clearly” is adjusted for {counted(len(self.tests), 'test')} (Holm)."
        )


@offered(
    "done",
    "for name, one in done.after.measures.items():",
    "    print(one.measure.title, done.before.measures[name].texts[0], *one.texts, sep='  ')",
    "print(done.overlap.meaning, done.meaning)",
    "for test in done.tests:",
    "    print(test.meaning)",
    command="isotropy {space} --correction {correction} --seed {seed} --set {options}",
)
def outcome(
    space: VectorSpace, correction: str, *, seed: int = 0, report: Report | None = None, **options: Any
) -> CorrectionOutcome:
    """Return the effect of a correction on a space.

    For the shape of the rows, the correction is fitted to a random half of the rows and tested on the other half.

    Args:
        correction: A key of `MAPS`.
        seed: The seed for the two halves and all samples.
        options: The options of the correction.

    Raises:
        OptionError: The correction is unknown, an option is out of range, or fewer than 8 rows are not zero.
    """
    row = choose(MAPS, correction, "correction")
    live = np.flatnonzero(space.norms > 0)
    if len(live) < 8:
        raise OptionError(f"{len(live)} rows have a direction; a correction is tested on eight or more.")
    drawn = np.random.default_rng(seed).permutation(live)
    fit, rest = np.sort(drawn[: len(live) // 2]), np.sort(drawn[len(live) // 2 :])
    before = isotropy(space, rows=rest, seed=seed, report=part(report, 0.0, 0.3, "as it is"))
    half = corrected(space, correction, rows=fit, **options)
    after = isotropy(half, rows=rest, seed=seed, report=part(report, 0.3, 0.6, "corrected"))
    del half
    whole = corrected(space, correction, **options)
    neighbors = overlap(space, whole, seed=seed, report=part(report, 0.6, 0.8, "neighbors"))
    tests = differences_on_tests(space, whole, seed=seed, report=part(report, 0.8, 1.0, "tests"))
    return CorrectionOutcome(row.title, len(fit), before, after, neighbors, tests)


def differences_on_tests(
    space: VectorSpace, whole: VectorSpace, *, seed: int = 0, report: Report | None = None
) -> tuple[Difference, ...]:
    """Return for each test set the result after a correction minus the result before.

    The p-values are adjusted for the number of test sets (Holm). A test set is left out if fewer than 30 of its items
    are covered by both spaces.

    Args:
        space: The uncorrected space.
        whole: The corrected space.
        seed: As for `paired`; the built-in test sets, which are used here, do not need it.
    """
    words = MOST_WORDS if len(space) > MOST_WORDS else 0
    sets = datasets.bundled()
    scores = [
        evaluate(one, sets, words=words, simpler=False, report=step(report, at, 2))
        for at, one in enumerate((whole, space))
    ]
    found = [paired(scores[0][each.name], scores[1][each.name], seed=seed) for each in sets]
    return among_all([one for one in found if one.both_cover >= _COUNTED])
