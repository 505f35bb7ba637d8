"""Is this file of vectors any good? Some sentences from what can be measured in seconds, each beside its baseline.

What is looked at: the rows themselves (zeros, rows that stand twice, lengths), how alike two random words are, and,
where the space has enough English words, WordSim-353, SimLex-999 and the Google analogies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from embedviz import datasets
from embedviz.evaluation import AnalogyScores, SimilarityScores, evaluate
from embedviz.isotropy import LEANING, directions, mean_cosine, mean_cosine_sd
from embedviz.neighbors import nearest_lists
from embedviz.progress import Report, tell
from embedviz.saying import number, share
from embedviz.space import Ints, VectorSpace

MOST_WORDS = 100_000
"""Analogies are answered among so many of the most frequent words."""
FEWEST_PAIRS, FEWEST_QUESTIONS = 30, 100
"""Covered pairs and questions below which a test says nothing."""
ALIKE = 0.999
"""The cosine above which two rows are called nearly equal."""
_LEAST_MISSING = 0.05
_RULING = 5  # times the variance of a dimension of equal spread
_ROWS = 50_000  # rows that the variance of dimensions is taken from
_FEW = 20  # rows of which the middle nine in ten are no measure
_PRODUCTS = 20_000_000_000  # multiplications spent on nearly equal rows
_MOST_LOOKED_AT = 1_000
_PUBLISHED = {
    "wordsim353": "Published: 0.66 for GloVe from 6 billion tokens, 0.63 for skip-gram (Pennington et al. 2014)",
    "google": "Published: 72\u00a0% for GloVe from 6 billion tokens, 69\u00a0% for skip-gram (Pennington et al. 2014)",
}


@dataclass(frozen=True)
class Finding:
    """One figure of a verdict.

    Attributes:
        name: What was measured, in a word or two.
        value: None where it could not be told.
        baseline: What chance, a simpler rule or an isotropic space would give; None where nothing stands beside it.
        meant: What the baseline is.
        sentence: The figure with its sample and its baseline.
        warning: What the summary says of it; empty where it is as it should be.
    """

    name: str
    value: float | None
    baseline: float | None
    meant: str
    sentence: str
    warning: str = ""


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a look of some seconds says about a space.

    Attributes:
        summary: The short of it, in a sentence or two.
        findings: What it rests on, in order.
        tests: Scores by the name of the test set; empty where there were no words to test with.
    """

    summary: str
    findings: tuple[Finding, ...]
    tests: dict[str, Any]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The summary, then a sentence or two a finding."""
        return (self.summary, *(finding.sentence for finding in self.findings))

    def __str__(self) -> str:
        return " ".join(self.sentences)


def verdict(space: VectorSpace, *, seed: int = 0, report: Report | None = None) -> Verdict:
    """What can be said of a space after a look of some seconds.

    Large spaces are looked at in part: analogies among the 100,000 most frequent words, nearly equal rows from a
    sample. The sentences say so.

    Args:
        seed: Of the words drawn to look for rows that are nearly equal.
    """
    tell(report, 0.0, "the rows")
    findings = [_zeros(space)]
    if not (finite := np.isfinite(space.norms)).all():
        space = space.take(np.flatnonzero(finite))
    kept = np.flatnonzero(space.norms > 0)
    if len(kept) > 1:
        findings.append(_twice(space, kept))
        tell(report, 0.2, "rows that are nearly equal")
        findings += [_nearly(space, kept, seed), _lengths(space, kept), _leaning(space, kept)]
        findings += [_dimensions(space, kept, seed)] if space.dimensions > 1 else []
    tell(report, 0.4, "English words")
    sets = [each for each in datasets.bundled() if len(kept) > 1]
    scores = {each.name: evaluate(space, [each], words=_looked_among(space, each.kind))[each.name] for each in sets}
    tell(report, 1.0, "done")
    tests = {name: each for name, each in scores.items() if _tells(each)}
    findings += [_tested(each) for each in tests.values()]
    return Verdict(_summary(findings, scores, tests, len(kept)), tuple(findings), tests)


def _looked_among(space: VectorSpace, kind: str) -> int:
    return MOST_WORDS if kind == "analogies" and len(space) > MOST_WORDS else 0


def _tells(scores: AnalogyScores | SimilarityScores) -> bool:
    """Whether enough of a set is covered to say anything."""
    if isinstance(scores, AnalogyScores):
        return scores.total.covered >= FEWEST_QUESTIONS
    return scores.spearman is not None and scores.count >= FEWEST_PAIRS


def _coverage(scores: AnalogyScores | SimilarityScores) -> str:
    if isinstance(scores, AnalogyScores):
        return f"{scores.total.covered:,} of {scores.total.questions:,} questions"
    return f"{scores.count:,} of {len(scores.pairs):,} pairs"


def _zeros(space: VectorSpace) -> Finding:
    count, broken = int((space.norms == 0).sum()), int((~np.isfinite(space.norms)).sum())
    told = "No row is all zeros."
    if count:
        told = f"{_rows(count)} all zeros, of {len(space):,}: a row of zeros has no direction and no neighbors."
    if broken:
        told += f" {_rows(broken)} not finite: the file is damaged."
    return Finding("zero rows", (count + broken) / max(1, len(space)), 0.0, "none", told)


def _twice(space: VectorSpace, kept: Ints) -> Finding:
    """Rows that are equal to an earlier one, number by number."""
    count = len(kept) - len(np.unique(_prints(space)[kept]))
    told = (
        f"{_rows(count)} equal to an earlier one, number by number: different words that nothing can tell apart."
        if count
        else "No two rows are equal."
    )
    return Finding("equal rows", count / max(1, len(space)), 0.0, "none", told)


def _prints(space: VectorSpace) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A number for each row, the same for equal rows and, all but surely, different for others, (n,)."""
    factors = np.random.default_rng(0).integers(0, 2**64, space.dimensions, np.uint64) | np.uint64(1)
    prints = np.empty(len(space), np.uint64)
    for rows in space.blocks():
        bits = np.ascontiguousarray(space.matrix[rows]).view(np.uint32)
        prints[rows] = (bits * factors).sum(axis=1, dtype=np.uint64)
    return prints


def _nearly(space: VectorSpace, kept: Ints, seed: int) -> Finding:
    most = int(np.clip(_PRODUCTS // max(1, len(space) * space.dimensions), 50, _MOST_LOOKED_AT))
    looked = kept if len(kept) <= most else np.sort(np.random.default_rng(seed).choice(kept, most, replace=False))
    _, near = nearest_lists(space, looked, 1)
    count = int((near[:, 0] > ALIKE).sum())
    sample = f"all {len(looked):,} words" if len(looked) == len(kept) else f"{len(looked):,} words drawn at random"
    has = "have" if count > 1 else "has"
    told = f"Of {sample} {f'{count:,}' if count else 'none'} {has} another word at a cosine above {ALIKE}."
    return Finding("nearly equal rows", count / len(looked), 0.0, "none", told)


def _lengths(space: VectorSpace, kept: Ints) -> Finding:
    few = len(kept) < _FEW
    ends = (0, 50, 100) if few else (5, 50, 95)
    low, middle, high = (float(value) for value in np.percentile(space.norms[kept], ends))
    if high - low < 1e-3 * middle:
        told = f"All rows have the length {number(middle)}: lengths say nothing of frequency."
    else:
        most = "all" if few else "nine in ten"
        told = f"Lengths: {number(middle)} in the middle, {most} from {number(low)} to {number(high)}."
    return Finding("length", middle, None, "", told)


def _leaning(space: VectorSpace, kept: Ints) -> Finding:
    mean = mean_cosine(directions(space, kept))
    told = (
        f"Two different words have a mean cosine of {number(mean)}, over all pairs; in an isotropic space it is 0.00, "
        f"and single pairs stray by {number(1 / np.sqrt(space.dimensions))} (standard deviation)."
    )
    leaning = mean > max(LEANING, 3 * mean_cosine_sd(len(kept), space.dimensions))
    if leaning:
        told += " The rows lean one way, so that a cosine says little until it is held against this one."
    warning = f"The rows lean one way: mean cosine {number(mean)}." if leaning else ""
    return Finding("mean cosine", mean, 0.0, "isotropic", told, warning)


def _dimensions(space: VectorSpace, kept: Ints, seed: int) -> Finding:
    """Whether a few dimensions hold most of the variance, so that they alone decide lengths and cosines."""
    many = len(kept) > _ROWS
    looked = np.sort(np.random.default_rng(seed).choice(kept, _ROWS, replace=False)) if many else kept
    rows = np.asarray(space.matrix[looked], np.float64)
    spread = rows.var(axis=0)
    total, even = float(spread.sum()), 1 / space.dimensions
    if not total > 0:
        return Finding("dimensions", 0.0, even, "one of equal spread", "No dimension varies: all rows are equal.")
    shares = np.sort(spread)[::-1] / total
    ruling = max(1, int(np.count_nonzero(shares > _RULING * even)))
    held = float(shares[:ruling].sum())
    names = ", ".join(str(place) for place in np.argsort(-spread, kind="stable")[: min(ruling, 5)].tolist())
    few = f"The greatest dimension ({names}) holds" if ruling == 1 else f"{ruling} dimensions ({names}) hold"
    told = f"{few} {share(held)} of the variance; of equal ones {'it' if ruling == 1 else 'they'} would hold "
    told += f"{share(ruling * even)}."
    rule = held > 0.5 and ruling <= max(1, space.dimensions // 10)
    warning = f"{few} most of the variance." if rule else ""
    if rule:
        told += " They decide most cosines; standardizing takes that from them."
    sample = f" From {_ROWS:,} rows drawn at random." if many else ""
    return Finding("dimensions", held, ruling * even, "as many of equal spread", told + sample, warning)


def _tested(scores: AnalogyScores | SimilarityScores) -> Finding:
    published = f" {_PUBLISHED[scores.name]}; their coverage differs." if scores.name in _PUBLISHED else ""
    if isinstance(scores, SimilarityScores):
        told = f"{scores.title}: {scores.meaning}{published}"
        return Finding(scores.title, scores.spearman, scores.chance, "|ρ| of 95 of 100 random orders stays below", told)
    among = (
        f" Answers were sought among the {scores.compared:,} most frequent words."
        if scores.compared == MOST_WORDS
        else ""
    )
    told = f"{scores.title}: {scores.meaning}{among}{published}"
    return Finding(scores.title, scores.accuracy, scores.total.third.value, "the third word alone", told)


def _summary(findings: list[Finding], scores: dict[str, Any], tests: dict[str, Any], kept: int) -> str:
    """What the figures allow to say first."""
    if kept < 2:
        held = "One row has" if kept else "No row has"
        return f"{held} a direction: there is nothing to compare, so that nothing can be said of this space."
    faults = [f for f in findings if f.name in _FAULTS and f.value is not None and f.value > _LEAST_MISSING]
    fault = "".join(f" {share(each.value or 0.0)} of the rows looked at are {_FAULTS[each.name]}." for each in faults)
    return " ".join([f"{_knows(scores, tests)}{fault}", *(each.warning for each in findings if each.warning)])


_FAULTS = {
    "zero rows": "all zeros or not finite",
    "equal rows": "equal to another",
    "nearly equal rows": "nearly equal to another",
}


def _knows(scores: dict[str, Any], tests: dict[str, Any]) -> str:
    """What the tests say together."""
    if not tests:
        held = ", ".join(f"{each.title} {_coverage(each)}" for each in scores.values())
        return (
            f"Not tested: too few English words of the tests are here ({held}). What follows is about the rows alone."
        )
    beyond = [each.title for each in tests.values() if each.beyond_baseline]
    within = [each.title for each in tests.values() if not each.beyond_baseline]
    if not within:
        return f"Its directions carry meaning, beyond chance and beyond simpler rules: {', '.join(beyond)}."
    if not beyond:
        return f"Not shown to carry meaning, beyond chance or a simpler rule: {', '.join(within)}."
    return f"Beyond chance and simpler rules: {', '.join(beyond)}; not clearly so: {', '.join(within)}."


def _rows(count: int) -> str:
    return f"{count:,} row{' is' if count == 1 else 's are'}"
