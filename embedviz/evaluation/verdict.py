"""The quality of a file of vectors: sentences from measures that take seconds, each with its baseline.

The measures are: the rows (zeros, equal rows, lengths), the mean cosine, and the variance of the dimensions. If the
space has enough English words, WordSim-353, SimLex-999 and the Google analogies follow (`grade`). If these tests cannot
grade the space, the rows are compared with random data. The summary begins with the damage.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from embedviz.core.phrases import counted, joined, number, share
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Ints, VectorSpace, unit_rows
from embedviz.core.stats.resampling import drawn_rows
from embedviz.evaluation import EVALUATIONS, evaluate
from embedviz.evaluation.grade import HEADLINES, HOW, Graded, Size, covers_enough, graded, size, sizes
from embedviz.evaluation.uses import uses
from embedviz.geometry.duplicates import ALIKE
from embedviz.geometry.isotropy import LEANING, directions, mean_cosine, mean_cosine_sd
from embedviz.geometry.structure import Structure, structure
from embedviz.neighbors import nearest_lists
from embedviz.testsets import datasets

MOST_WORDS = 100_000
"""Answers to analogies are searched among this many most frequent words."""
OF_TEXTS = "The rows are texts, so the tests of words do not apply."
_LEAST_MISSING = 0.01
_FIRST = 3  # rows that advice gives as examples
_RULING = 5  # a dominant dimension has this many times the mean variance of the others
_SURE = 0.02  # level of the test for dominant dimensions; the stated rate is 5 %
_STRAYING = 100  # a badly scaled row is this many times longer or shorter than the median
_ROWS = 50_000  # the variance of dimensions is computed from at most this many rows
_FEW = 20  # fewest rows for percentiles of the lengths
_PRODUCTS = 20_000_000_000  # most multiplications in the search for nearly equal rows
_MOST_LOOKED_AT = 1_000
_PUBLISHED = {
    "wordsim353": "Published: 0.66 for GloVe from 6 billion tokens, 0.63 for skip-gram (Pennington et al. 2014)",
    "google": "Published: 72\u00a0% for GloVe from 6 billion tokens, 69\u00a0% for skip-gram (Pennington et al. 2014)",
}


@dataclass(frozen=True)
class Finding:
    """One measure of a verdict.

    Attributes:
        name: The name of the measure.
        value: The value; None if the measure has no value.
        baseline: The value of chance, of a simpler rule or of an isotropic space; None without a baseline.
        meant: The name of the baseline, such as *isotropic*.
        sentence: A sentence with the value, its sample and its baseline.
        warning: A sentence for the end of the summary; empty if the value is normal.
        damage: A sentence for the beginning of the summary; empty without damage.
        of: If `value` is a share of rows, the number of rows examined. For the measure *dimensions*, the number of
            dimensions whose share of the variance is `value`. Otherwise 0.
        advice: A sentence that says what to do about the damage; it applies only if there is damage.
    """

    name: str
    value: float | None
    baseline: float | None
    meant: str
    sentence: str
    warning: str = ""
    damage: str = ""
    of: int = 0
    advice: str = ""


@dataclass(frozen=True, eq=False)
class Verdict:
    """The quality of a space.

    Attributes:
        summary: Sentences: damage, the grade, the results of the tests, and warnings.
        findings: The measures, in the order of display.
        tests: Name of the test set → its scores, for test sets of which the space covers enough items for a grade (see
            `covers_enough`).
        graded: The grade over all of `tests`.
        structure: The comparison of the rows with random data; None if the tests show that the vectors have meaning, or
            for fewer than two usable rows.
        untested: A sentence that says why no test applies; empty if there are tests.
    """

    summary: str
    findings: tuple[Finding, ...]
    tests: dict[str, Any]
    graded: Graded
    structure: Structure | None = None
    untested: str = ""

    @property
    def damage(self) -> tuple[str, ...]:
        """Return a sentence on each kind of damage of the rows."""
        return tuple(finding.damage for finding in self.findings if finding.damage)

    @property
    def minor(self) -> tuple[Finding, ...]:
        """Return the findings on rows that were left out, or have no vector, if these are at most 1 % of the rows."""
        names = ("dropped rows", "zero rows")
        return tuple(each for each in self.findings if each.name in names and each.value and not each.damage)

    @property
    def advice(self) -> tuple[str, ...]:
        """Return sentences that say what to do with the file."""
        repairs = [each.advice for each in self.findings if each.advice and (each.damage or each in self.minor)]
        if self.graded.grade == "nothing":
            return (self._mismatch, *repairs)
        if self.graded.grade == "far below":
            repairs.append("Check the file against its source: it may be damaged or little trained.")
        return tuple(repairs) if repairs or self.damage or not self.tests else ("Nothing to repair.",)

    @property
    def _mismatch(self) -> str:
        """Say what is probably wrong with a file whose tests find no meaning: its list of words, or random rows."""
        if self.structure is None:
            return "Check that the list of words belongs to these vectors."
        if self.structure.found:
            return (
                "The rows have a structure that random data lack, so the words may be in the wrong order: check that "
                "the list of words belongs to these vectors."
            )
        return "The rows look like random data: get the file again from its source."

    @property
    def headline(self) -> str:
        """Return the damage, the grade and the warnings: the summary without the results of the tests.

        If there are no tests, return the whole summary.
        """
        if not self.tests:
            return self.summary
        warnings = (finding.warning for finding in self.findings if finding.warning)
        return " ".join([*self.damage, self.grade, *warnings])

    @property
    def grade(self) -> str:
        """Return the grade as text. If the tests cover too few words for a grade, another sentence comes first.

        It says whether the rows differ in structure from random data.
        """
        structure = (self.structure.meaning,) if self.structure and self.graded.grade != "nothing" else ()
        return " ".join([*structure, HEADLINES[self.graded.grade]])

    @property
    def table(self) -> tuple[Size, ...]:
        """Return the result of each test as texts: title, value with interval, rule to beat, built-in result.

        The built-in result is that of the built-in space on the same test.
        """
        return tuple(size(each, self.graded) for each in self.tests.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence or two on each measure, and the rule of the grade if there are tests."""
        return (*(finding.sentence for finding in self.findings), *((HOW,) if self.tests else ()))

    def card(self) -> dict[str, Any]:
        """Return the verdict as plain JSON values."""
        found = self.graded
        names = "grade", "reached", "beyond", "here", "there"
        values = found.grade, dict(found.reached), dict(found.beyond), dict(found.here), dict(found.there)
        compared = self.structure and {"found": self.structure.found, "value": self.structure.value}
        fit = {use.title: {"fit": use.fit, "why": use.why} for use in uses(self.tests, found)}
        rows: dict[str, Any] = {"headline": self.headline, "damage": list(self.damage), "structure": compared}
        rows |= {"sureness": dict(found.drawn), "uses": fit, "advice": list(self.advice)}
        return {**rows, **dict(zip(names, values, strict=True))}

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the summary, then a sentence or two on each measure."""
        return (self.summary, *(finding.sentence for finding in self.findings))

    def __str__(self) -> str:
        return " ".join(self.sentences)


def verdict(
    space: VectorSpace, *, dropped: int = 0, missing: int = 0, seed: int = 0, report: Report | None = None
) -> Verdict:
    """Return the quality of a space. The computation takes seconds, because large spaces are measured in part.

    Analogies use the 100,000 most frequent words; some other measures use random samples. The sentences of the result
    name these limits.

    Args:
        dropped: The number of rows of the file that were left out: unreadable rows and repeated words.
        missing: The number of rows that the file lacks although its header counts them.
        seed: The seed for the samples.
    """
    tell(report, 0.0, "the rows")
    findings = [*_dropped(space, dropped, missing), _zeros(space)]
    if not (finite := np.isfinite(space.norms)).all():
        space = space.take(np.flatnonzero(finite))
    usable = np.flatnonzero(space.norms > 0)
    if len(usable) > 1:
        findings.append(_twice(space, usable))
        tell(report, 0.2, "rows that are nearly equal")
        findings += [
            _nearly(space, usable, seed),
            _lengths(space, usable),
            *_straying(space, usable),
            _leaning(space, usable, seed),
        ]
        findings += [_dimensions(space, usable, seed)] if space.dimensions > 1 else []
    tell(report, 0.4, "testing on English words")
    of_words = space.noun == "word"
    sets = [each for each in datasets.bundled() if len(usable) > 1 and of_words]
    scores = {each.name: evaluate(space, [each], words=_looked_among(space, each.kind))[each.name] for each in sets}
    tests = {name: each for name, each in scores.items() if covers_enough(each)}
    found = graded(space, sets, tests, part(report, 0.7, 1.0, "comparing with the built-in space"))
    tell(report, 1.0, "done")
    findings += [
        _tested(tests[each.name], found.beyond[each.name], _looked_among(space, each.kind))
        for each in sets
        if each.name in tests
    ]
    unexplained = not tests or found.grade in ("too few", "nothing")
    compared = structure(space, seed=seed) if len(usable) > 1 and unexplained else None
    if compared is not None:
        findings.append(Finding("structure", compared.value, compared.chance, "random data", compared.sentence))
    untested = "" if tests else _untested(scores) if of_words else OF_TEXTS
    tested = [HEADLINES[found.grade], sizes(tests, found)] if tests else [untested]
    knows = [compared.meaning if compared and found.grade != "nothing" else "", *tested]
    return Verdict(_summary(findings, knows, len(usable)), tuple(findings), tests, found, compared, untested)


def _looked_among(space: VectorSpace, kind: str) -> int:
    """Return how many of the most frequent words a kind of test searches for answers; 0 for all words."""
    return MOST_WORDS if EVALUATIONS[kind].scanned and len(space) > MOST_WORDS else 0


def _damage(count: int, of: int, what: str) -> str:
    """Return a sentence that says how many rows are damaged; empty if at most 1 % are.

    Args:
        count: The number of damaged rows.
        of: The number of all rows.
        what: The damage, such as *are all zeros*.
    """
    return f"{count:,} of {of:,} rows ({share(count / of)}) {what}." if count > _LEAST_MISSING * of else ""


def _dropped(space: VectorSpace, dropped: int, missing: int) -> list[Finding]:
    if not dropped and not missing:
        return []
    whole = len(space) + dropped + missing
    parts, doing = [], []
    if missing:
        parts.append((missing, "are", "missing", "the file promises them and ends before"))
        doing.append(f"Get the whole file: {counted(missing, 'row')} {'is' if missing == 1 else 'are'} missing.")
    if dropped:
        parts.append((dropped, "were", "left out", "they could not be read, or repeat an earlier word"))
        doing.append(f"Look at the {counted(dropped, 'row')} that {'was' if dropped == 1 else 'were'} left out.")
    sentence = " ".join(f"{_rows(count)} {what}, of {whole:,}: {why}." for count, _, what, why in parts)
    damage = " ".join(filter(None, (_damage(count, whole, f"{be} {what}") for count, be, what, _ in parts)))
    share_of = (dropped + missing) / whole
    advice = " ".join(doing)
    return [Finding("dropped rows", share_of, 0.0, "none", sentence, damage=damage, of=whole, advice=advice)]


def _zeros(space: VectorSpace) -> Finding:
    count, broken = int((space.norms == 0).sum()), int((~np.isfinite(space.norms)).sum())
    sentence = "No row is all zeros."
    if count:
        sentence = f"{_rows(count)} all zeros, of {len(space):,}: a row of zeros has no direction and no neighbors."
    if broken:
        sentence += f" {_rows(broken)} not finite: the file is damaged."
    what = " or ".join([*(["all zeros"] if count else []), *(["not finite"] if broken else [])])
    damage = _damage(count + broken, max(1, len(space)), f"are {what}")
    rows = len(space)
    wrong = np.flatnonzero(~((space.norms > 0) & np.isfinite(space.norms)))
    advice = f"Get a file with a vector for each {space.noun}; for example {_named(space, wrong)} have none."
    share_of = (count + broken) / max(1, rows)
    return Finding("zero rows", share_of, 0.0, "none", sentence, damage=damage, of=rows, advice=advice)


def _twice(space: VectorSpace, usable: Ints) -> Finding:
    """Return the finding on repeated rows: all numbers of such a row equal those of an earlier row."""
    count = len(usable) - len(np.unique(_prints(space)[usable]))
    sentence = (
        f"{_rows(count)} exactly equal to an earlier row, so their {space.noun}s cannot be distinguished."
        if count
        else "No two rows are equal, apart from rows of zeros."
    )
    damage = _damage(count, max(1, len(space)), "are equal to another")
    rows = len(space)
    advice = f"Keep one of each set of equal rows, or get a file in which their {space.noun}s have rows of their own."
    return Finding("equal rows", count / max(1, rows), 0.0, "none", sentence, damage=damage, of=rows, advice=advice)


def _prints(space: VectorSpace) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Return a hash of each row, shape (n,). Equal rows have the same hash; other rows almost certainly do not."""
    factors = np.random.default_rng(0).integers(0, 2**64, space.dimensions, np.uint64) | np.uint64(1)
    prints = np.empty(len(space), np.uint64)
    for rows in space.blocks():
        bits = np.ascontiguousarray(space.matrix[rows]).view(np.uint32)
        prints[rows] = (bits * factors).sum(axis=1, dtype=np.uint64)
    return prints


def _nearly(space: VectorSpace, usable: Ints, seed: int) -> Finding:
    most = int(np.clip(_PRODUCTS // max(1, len(space) * space.dimensions), 50, _MOST_LOOKED_AT))
    looked = drawn_rows(usable, most, seed)
    _, near = nearest_lists(space, looked, 1)
    count = int((near[:, 0] > ALIKE).sum())
    noun = space.noun
    sample = f"{len(looked):,} {noun}s drawn at random" if len(looked) < len(usable) else f"all {len(looked):,} {noun}s"
    has = "have" if count > 1 else "has"
    sentence = f"Of {sample} {f'{count:,}' if count else 'none'} {has} another {noun} at a cosine above {ALIKE}."
    damage = _damage(count, len(looked), f"of a sample have another at a cosine above {ALIKE}")
    rows = len(looked)
    advice = "See the list of unusually close rows: which are copies, and which belong together."
    return Finding("nearly equal rows", count / rows, 0.0, "none", sentence, damage=damage, of=rows, advice=advice)


def _lengths(space: VectorSpace, usable: Ints) -> Finding:
    few = len(usable) < _FEW
    ends = (0, 50, 100) if few else (5, 50, 95)
    low, middle, high = (float(value) for value in np.percentile(space.norms[usable], ends))
    if high - low < 1e-3 * middle:
        sentence = f"All rows have the length {number(middle)}, so lengths do not depend on frequency."
    else:
        most = "all" if few else "90\u00a0% of rows"
        sentence = f"Median length {number(middle)}; {most} from {number(low)} to {number(high)}."
    return Finding("length", middle, None, "", sentence)


def _straying(space: VectorSpace, usable: Ints) -> list[Finding]:
    """Return the finding on rows of extreme length, such as rows whose columns were shifted.

    The list holds this one finding; it is empty if there are no such rows.
    """
    lengths = space.norms[usable] / np.median(space.norms[usable])
    count = int(((lengths > _STRAYING) | (lengths < 1 / _STRAYING)).sum())
    if not count:
        return []
    sentence = f"{_rows(count)} over {_STRAYING} times longer or shorter than the median."
    damage = _damage(count, len(usable), f"are over {_STRAYING} times longer or shorter than the median")
    rows, strays = len(usable), usable[(lengths > _STRAYING) | (lengths < 1 / _STRAYING)]
    advice = f"Look at the rows of extreme length, for example {_named(space, strays)}: their numbers may be shifted."
    return [Finding("badly scaled rows", count / rows, 0.0, "none", sentence, damage=damage, of=rows, advice=advice)]


def _leaning(space: VectorSpace, usable: Ints, seed: int) -> Finding:
    """Return the finding on the mean cosine, which says whether the rows share a direction.

    They do if mean and median both exceed a limit: `LEANING`, or three standard deviations if these are greater. A few
    groups of near rows raise the mean, but not the median.
    """
    mean = mean_cosine(directions(space, usable))
    sentence = (
        f"Mean cosine of two {space.noun}s, over all pairs: {number(mean)}. Isotropic space: 0.00, with a standard "
        f"deviation of {number(1 / np.sqrt(space.dimensions))} for one pair."
    )
    limit = max(LEANING, 3 * mean_cosine_sd(len(usable), space.dimensions))
    leaning = mean > limit
    if leaning:
        many = len(usable) > _MOST_LOOKED_AT
        looked = np.random.default_rng(seed).choice(usable, _MOST_LOOKED_AT, replace=False) if many else usable
        unit = unit_rows(np.asarray(space.matrix[looked], np.float32))
        middle = float(np.median((unit @ unit.T)[np.triu_indices(len(unit), 1)]))
        leaning = middle > limit
    if leaning:
        sentence += " The rows share a direction, so compare every cosine with this mean."
    elif mean > limit:
        sentence += f" The median is {number(middle)}: near rows raise the mean, no direction is common to most pairs."
    else:
        sentence += f" A shared direction is named above {number(limit)}."
    warning = (
        f"Two random {space.noun}s already have a cosine of {number(mean)} on average: only what lies above that says "
        "that two are similar."
        if leaning
        else ""
    )
    return Finding("mean cosine", mean, 0.0, "isotropic", sentence, warning)


def _dimensions(space: VectorSpace, usable: Ints, seed: int) -> Finding:
    """Return the finding on the largest dimensions: whether they hold most of the variance and so dominate cosines."""
    looked = drawn_rows(usable, _ROWS, seed)
    rows = np.asarray(space.matrix[looked], np.float64)
    spread = rows.var(axis=0)
    total, even = float(spread.sum()), 1 / space.dimensions
    if not total > 0:
        return Finding("dimensions", 0.0, even, "one of equal spread", "No dimension varies: all rows are equal.")
    shares = np.sort(spread)[::-1] / total
    ruling = ruling_dimensions(shares, len(looked))
    count = ruling or max(1, int(np.count_nonzero(shares > _RULING * even)))
    held = float(shares[:count].sum())
    names = ", ".join(str(place) for place in np.argsort(-spread, kind="stable")[: min(count, 5)].tolist())
    few = f"The largest dimension ({names}) has" if count == 1 else f"{count} dimensions ({names}) have"
    sentence = f"{few} {share(held)} of the variance; with equal variances: {share(count * even)}."
    if ruling:
        sentence += " They dominate most cosines; standardize the space to correct this."
    sample = f" From {_ROWS:,} rows drawn at random." if len(looked) < len(usable) else ""
    damage = f"Badly scaled: {few[0].lower()}{few[1:]} most of the variance." if ruling else ""
    meant, advice = "as many of equal spread", "Standardize the dimensions before you compare cosines."
    return Finding("dimensions", held, count * even, meant, sentence + sample, damage=damage, of=count, advice=advice)


def ruling_dimensions(shares: np.ndarray[Any, np.dtype[np.float64]], n: int) -> int:
    """Return the number of dominant dimensions; 0 if there are none.

    The r largest dimensions are dominant under three conditions. Together they hold over half of the variance. The
    variance of each is over five times the mean variance of the other dimensions. Fewer than 2 % of isotropic Gaussian
    spaces have such dimensions, by the F distribution, adjusted for all values of r and all choices of r dimensions.
    The largest r that is tried is a tenth of the dimensions, at least 1.

    Args:
        shares: Each dimension's share of the variance, sorted from the largest, shape (d,).
        n: The number of rows from which the variance is computed.
    """
    from scipy.special import fdtrc, gammaln

    d = len(shares)
    most, found = min(d - 1, max(1, d // 10)), 0
    for r in range(1, most + 1):
        held, rest = float(shares[:r].sum()), float(shares[r:].mean())
        if held > 0.5 and shares[r - 1] > _RULING * rest:
            choices = gammaln(d + 1) - gammaln(r + 1) - gammaln(d - r + 1)
            by_chance = float(fdtrc(r * (n - 1), (d - r) * (n - 1), held / r / rest)) if rest else 0.0
            if not by_chance or np.log(by_chance) + choices + np.log(most) < np.log(_SURE):
                found = r
    return found


def _tested(scores: Any, beyond: bool, among: int) -> Finding:
    published = f" {_PUBLISHED[scores.name]}; their coverage differs." if scores.name in _PUBLISHED else ""
    title, against = scores.baseline
    part = f" Answers are searched among the {among:,} most frequent words." if among else ""
    sentence = f"{scores.title}: {scores.sentence(beyond)} {scores.note}{part}{published}"
    return Finding(scores.title, scores.value, against, title, sentence)


def _summary(findings: list[Finding], knows: list[str], count: int) -> str:
    """Return the summary: damage, the grade with the results of the tests, and warnings.

    Args:
        knows: The sentences on structure, grade and tests.
        count: The number of rows that are finite and not all zeros.
    """
    if count < 2:
        held = "Only one row is not all zeros" if count else "All rows are zeros or not finite"
        return f"{held}: there is nothing to compare."
    damage, warnings = ([text for each in findings if (text := getattr(each, of))] for of in ("damage", "warning"))
    return " ".join(filter(None, [*damage, *knows, *warnings]))


def _untested(scores: dict[str, Any]) -> str:
    """Return a sentence that says how many items of each test the space covers, and how many are needed."""
    held = "; ".join(
        f"{each.title}: {each.cells['covered']} {each.quantity.counted}, needed {each.quantity.grading.fewest:,}"
        for each in scores.values()
    )
    return f"Not tested: too few English words of the tests are in this space ({held})."


def _named(space: VectorSpace, rows: Ints) -> str:
    """Return the words of the first three of `rows`, quoted, as text."""
    return joined([f"“{space.label(int(row))[:24]}”" for row in rows[:_FIRST]])


def _rows(count: int) -> str:
    return f"{count:,} row{' is' if count == 1 else 's are'}"
