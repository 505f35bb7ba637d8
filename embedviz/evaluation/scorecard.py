"""The score card of a file of vectors: one verdict, and each measure with its baseline.

It joins the verdict on rows and words (`verdict`), close rows, outliers, isotropy, the cost of smaller vectors, and the
vocabulary. Each part states its own sample. Rules can test the measures (`rules`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import byte_size, number, share
from embedviz.core.progress import Report, part
from embedviz.core.space import VectorSpace
from embedviz.evaluation.grade import size
from embedviz.evaluation.uses import uses
from embedviz.evaluation.verdict import Verdict, verdict
from embedviz.evaluation.vocabulary import Vocabulary, vocabulary
from embedviz.geometry.compression import Compression, compression
from embedviz.geometry.duplicates import ALIKE, NearDuplicates, near_duplicates
from embedviz.geometry.isotropy import Isotropy, isotropy
from embedviz.geometry.outliers import Outliers, outliers

NAMES = {
    "analogies": "accuracy in the Google analogies",
    "wordsim353": "Spearman correlation with WordSim-353",
    "simlex999": "Spearman correlation with SimLex-999",
    "rows": "rows",
    "dimensions": "dimensions of a row",
    "dropped_rows": "share of rows left out or missing",
    "zero_rows": "share of rows of zeros",
    "equal_rows": "share of rows equal to an earlier row",
    "nearly_equal_rows": f"share of rows with another at a cosine above {ALIKE}",
    "close_rows": "share of rows with a neighbor much nearer than the 10th nearest",
    "outliers": "share of rows that are outliers",
    "badly_scaled_rows": "share of rows over 100 times longer or shorter than the median",
    "mean_cosine": "mean cosine of two rows",
    "directions": "how evenly the directions are used",
    "length_frequency": "rank correlation of length and frequency",
    "kept_fp16": "share of neighbors kept as 16-bit numbers",
    "kept_int8": "share of neighbors kept as 8-bit numbers",
    "kept_binary": "share of neighbors kept as 1 bit per dimension",
    "drift_auc": "how well a classifier tells the two files apart, 0.5 by chance; needs --against",
    "drift_p": "p of the drift test; needs --against",
    "neighbors_kept": "share of neighbors that shared words keep; needs --against",
}
"""Name of a measure → its meaning, in the order of the score card: tests first. Rules use these names."""
RENAMED = {"near_duplicates": "close_rows"}
"""Earlier name of a measure → its name now; rules may still use the earlier name."""
_LISTED = 20
MEASURED = "How it was measured"
"""The last heading of the Markdown page."""
_COMPARED = {
    "close_rows": "in random data",
    "outliers": "in random data",
    "mean_cosine": "in an isotropic space",
    "directions": "where all are used equally",
    "length_frequency": "where they are not related",
    "kept_": "by chance",
    "neighbors_": "by chance",
}
"""Part of a measure's name → the meaning of its baseline. Other measures are compared with a file without faults."""
_SHARES = ("kept_", "_rows", "outliers", "directions", "analogies", "neighbors_")


@dataclass(frozen=True, eq=False)
class Scorecard:
    """All parts of a check of a space. A part is None if the space has too few rows for this part.

    Attributes:
        name: The name of the space.
        rows, dimensions: The size of the space.
        duplicates: The close rows.
    """

    name: str
    rows: int
    dimensions: int
    verdict: Verdict
    duplicates: NearDuplicates | None
    outliers: Outliers | None
    isotropy: Isotropy | None
    compression: Compression | None
    vocabulary: Vocabulary

    @classmethod
    def of(cls, space: VectorSpace, **parts: Any) -> Scorecard:
        """Assemble the score card of a space from its parts; `parts` maps the name of a field to its value."""
        return cls(space.origin.name, len(space), space.dimensions, **parts)

    @property
    def measures(self) -> dict[str, float | None]:
        """Return the value of each measure, by name; None for a measure that does not apply or needs a second file."""
        found: dict[str, float | None] = dict.fromkeys(NAMES)
        found |= {"dropped_rows": 0.0, "badly_scaled_rows": 0.0}
        for finding in self.verdict.findings:
            if (name := finding.name.replace(" ", "_")) in NAMES:
                found[name] = finding.value
        found |= {name: each.value for name, each in self.verdict.tests.items()}
        found["analogies"] = found.pop("google", None)
        found |= {"rows": float(self.rows), "dimensions": float(self.dimensions)}
        if self.duplicates is not None:
            found["close_rows"] = self.duplicates.tested.value
        if self.outliers is not None:
            found["outliers"] = self.outliers.tested.value
        if self.isotropy is not None:
            used = self.isotropy.measures["participation_ratio"]
            found["directions"] = used.value / used.isotropic if used.value and used.isotropic else None
            found["length_frequency"] = self.isotropy.value("length_frequency")
        if self.compression is not None:
            found |= {f"kept_{form.name}": form.preserved for form in self.compression.forms}
        return {name: value for name, value in found.items() if name in NAMES}

    @property
    def baselines(self) -> dict[str, float | None]:
        """Return the baseline of each measure, by name, such as the value by chance; None for no baseline."""
        found: dict[str, float | None] = dict.fromkeys(NAMES)
        found |= dict.fromkeys(("dropped_rows", "badly_scaled_rows", "close_rows", "outliers"), 0.0)
        found |= {each.name.replace(" ", "_"): each.baseline for each in self.verdict.findings}
        found |= {name: each.baseline[1] for name, each in self.verdict.tests.items()}
        found |= {"analogies": found.pop("google", None), "dimensions": None}
        if self.isotropy is not None:
            found |= {"directions": 1.0, "length_frequency": self.isotropy.measures["length_frequency"].isotropic}
        if self.compression is not None:
            found |= {f"kept_{form.name}": self.compression.chance for form in self.compression.forms}
        return {name: value for name, value in found.items() if name in NAMES}

    @property
    def problems(self) -> tuple[str, ...]:
        """Return sentences on the problems found in the rows: damage, close rows, outliers, a shared direction."""
        found = [*self.verdict.damage]
        if self.duplicates is not None and self.duplicates.found:
            found.append(f"Are there duplicates? {self.duplicates.meaning}")
        if self.outliers is not None and self.outliers.found:
            found.append(f"Are there outliers? {self.outliers.meaning}")
        found += [each.warning for each in self.verdict.findings if each.warning]
        return tuple(found)

    @property
    def meaning(self) -> str:
        """Return sentences on the grade of the space and on damaged rows, such as rows of zeros.

        If no test could be computed, return the headline of the verdict.
        """
        if not self.verdict.tests:
            return self.verdict.headline
        few = " ".join(each.sentence for each in self.verdict.minor)
        fine = few or ("" if self.verdict.graded.grade == "nothing" else "No row is damaged.")
        damage = f"Damaged: {' '.join(self.verdict.damage)}" if self.verdict.damage else fine
        return f"{self.verdict.grade} {damage}".strip()

    @property
    def fit(self) -> tuple[str, ...]:
        """Return texts: how sure the grade is, what the vectors are good for, and what to do with the file."""
        fits = [
            f"{use.title.capitalize()}: {use.fit} ({use.why})." for use in uses(self.verdict.tests, self.verdict.graded)
        ]
        return tuple(filter(None, [self.verdict.graded.sureness, *fits, *self.verdict.advice]))

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows of a table: name, value, baseline and meaning of each measure that has a value."""
        baselines = self.baselines
        return ("measure", "value", "baseline", "what it is"), (
            (name, value_text(name, value), value_text(name, baselines[name]), NAMES[name])
            for name, value in self.measures.items()
            if value is not None
        )

    def _compared(self) -> Iterator[tuple[str, str, str]]:
        """Yield for each measure three texts: its meaning, its value, and its baseline with the baseline's meaning."""
        tested = {name.replace("google", "analogies"): each for name, each in self.verdict.tests.items()}
        for name, value, baseline, what in self.table()[1]:
            if name in tested:
                result = size(tested[name], self.verdict.graded)
                yield NAMES[name], result.figure, result.baseline
            elif name not in ("rows", "dimensions"):
                kind = next((each for part, each in _COMPARED.items() if part in str(name)), "in a sound file")
                yield str(what), str(value), f"{baseline} {kind}"

    def card(self) -> dict[str, Any]:
        """Return all parts as plain JSON values."""
        parts = {
            "close_rows": self.duplicates,
            "outliers": self.outliers,
            "isotropy": self.isotropy,
            "compression": self.compression,
            "vocabulary": self.vocabulary,
        }
        return {
            "name": self.name,
            "rows": self.rows,
            "dimensions": self.dimensions,
            "measures": self.measures,
            "baselines": self.baselines,
            "problems": list(self.problems),
            "rows_and_words": self.verdict.card(),
            **{name: None if found is None else found.card() for name, found in parts.items()},
        }

    def markdown(self, more: tuple[str, ...] = ()) -> str:
        """Return the score card as a Markdown page that can be printed.

        Args:
            more: Further sentences for the list under the verdict.
        """
        lines = [f"# Check of {plain(self.name)}", "", f"**{plain(self.meaning)}**", ""]
        lines += [f"{self.rows:,} rows × {self.dimensions:,} dimensions. {plain(self.vocabulary.meaning)}", ""]
        warnings = [each.warning for each in self.verdict.findings if each.warning]
        lines += [f"- {plain(each)}" for each in (*self.fit, *more, *warnings)] + [""]
        lines += _table(("measure", "value", "compare with"), self._compared())
        if self.compression is not None:
            lines += ["", "## What smaller vectors cost", "", plain(self.compression.meaning), ""]
            forms = (
                (f.title, byte_size(f.bytes), share(f.preserved), f"± {100 * (f.high - f.low) / 2:.1f} points")
                for f in self.compression.by_bytes
            )
            lines += _table(("form", "size", "neighbors kept", "95\u00a0% interval"), forms)
        for title, found in (("Are there duplicates?", self.duplicates), ("Are there outliers?", self.outliers)):
            if found is not None:
                lines += ["", f"## {title}", "", plain(found.meaning), ""]
            if found is not None and found.found:
                head, listed = found.table()
                digits = 3 if found is self.duplicates else 2  # cosines close to 1
                rows = list(listed)
                lines += _table(head, [[_cell(each, digits) for each in row] for row in rows[:_LISTED]])
                lines += ["", f"{_part(rows)}{plain(found.legend)}"]
        notes = [each.note for each in (self.duplicates, self.outliers, self.isotropy, self.compression) if each]
        lines += ["", f"## {MEASURED}", "", *(f"- {plain(note)}" for note in (*self.verdict.notes, *notes))]
        return "\n".join(lines) + "\n"


def value_text(name: str, value: float | None) -> str:
    """Return the value of a measure as text; a dash for None."""
    if value is None:
        return "–"
    if name in ("rows", "dimensions"):
        return f"{value:,.0f}"
    return share(value) if any(part in name for part in _SHARES) and 0 <= value <= 1 else number(value)


def plain(text: str) -> str:
    """Return an untrusted text as one line of Markdown, with special characters escaped."""
    flat = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in flat)


def _part(rows: list[Any]) -> str:
    return f"The first {_LISTED} of {len(rows):,}. " if len(rows) > _LISTED else ""


def _cell(value: object, digits: int) -> str:
    return number(value, digits) if isinstance(value, float) else str(value)


def _table(header: tuple[str, ...], rows: Any) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [f"| {' | '.join(header)} |", f"|{' --- |' * len(header)}"]
    return lines + [f"| {' | '.join(plain(str(cell)) for cell in row)} |" for row in rows]


@offered("found", "print(found.meaning)", "print(found.markdown())", command="check {space} --seed {seed}")
def scorecard(
    space: VectorSpace, *, dropped: int = 0, missing: int = 0, seed: int = 0, report: Report | None = None
) -> Scorecard:
    """Return the score card of a space; each of its parts states whether a sample of the rows was measured.

    Args:
        dropped: The number of rows of the file that were left out: unreadable rows and repeated words.
        missing: The number of rows that the file lacks although its header counts them.
        seed: The seed for the samples.
    """
    lost = {"dropped": dropped, "missing": missing}
    checked = verdict(space, **lost, seed=seed, report=part(report, 0.0, 0.4, "rows and words"))

    def measured(function: Any, low: float, high: float, what: str) -> Any:
        try:
            return function(space, seed=seed, report=part(report, low, high, what))
        except OptionError:
            return None  # too few rows

    return Scorecard.of(
        space,
        verdict=checked,
        duplicates=measured(near_duplicates, 0.4, 0.55, "close rows"),
        outliers=measured(outliers, 0.55, 0.7, "outliers"),
        isotropy=measured(isotropy, 0.7, 0.8, "isotropy"),
        compression=measured(compression, 0.8, 1.0, "smaller vectors"),
        vocabulary=vocabulary(space, seed=seed),
    )
