"""Charts over the epochs of a training run: loss, tests, share of final neighbors found so far, variance on the map."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from embedviz.core.phrases import cut, share
from embedviz.training.comparing import task
from embedviz.training.measures import TrainingCurve
from embedviz.training.records import Record
from embedviz.training.replay import Film


class CurveLine(NamedTuple):
    """The values of a measure in one run, by epoch.

    Attributes:
        place: Position of the run in the list of compared runs, from 0. It decides the color of the line.
        marked: Epoch whose point gets a ring and its value, because the text mentions it; None for no mark.
    """

    name: str
    epochs: tuple[float, ...]
    values: tuple[float, ...]
    place: int = 0
    marked: float | None = None


class Baseline(NamedTuple):
    """A value to compare a measure with: its value before learning or by chance, or the value of a simpler rule.

    Attributes:
        label: Name of the baseline, with its last value.
        epochs, values: One value at each epoch, or a single value, which holds for all epochs.
    """

    label: str
    epochs: tuple[float, ...]
    values: tuple[float, ...]


class CurveChart(NamedTuple):
    """A chart of one measure by epoch, with a line for each run that was measured by the same test, and baselines.

    Attributes:
        title: The measure, followed by the names of the runs if the chart does not show all runs.
        about: What is measured, and on which sample.
        unit: *number* or *share*.
        baselines: One baseline that holds for all lines, or one for each line; empty if none is known.
        dots: Whether to draw dots without lines, because the measure was taken at few moments.
    """

    title: str
    about: str
    unit: str
    baselines: tuple[Baseline, ...]
    lines: tuple[CurveLine, ...]
    dots: bool = False

    def plain(self) -> dict[str, Any]:
        """Return the chart as plain JSON values."""
        return {
            **self._asdict(),
            "baselines": [one._asdict() for one in self.baselines],
            "lines": [one._asdict() for one in self.lines],
        }


class _RunCurve(NamedTuple):
    """The line of one run for one measure, before the runs are grouped into charts.

    Attributes:
        about: What is measured, and on which sample.
        test: What was tested, such as title and size of a test set. Runs with an equal `test` are in the same chart.
    """

    line: CurveLine
    baseline: Baseline | None
    about: str
    test: Any


def charts(films: Sequence[Film], names: Sequence[str], records: Sequence[Record | None] = ()) -> list[CurveChart]:
    """Return the charts of one or more recordings.

    Two charts come from the recordings: the share of its final neighbors that a word has already, and the share of the
    variance that the map shows. Loss, analogies and similarity come from the records.
    Runs whose values cannot be compared, because they were tested differently, get separate charts. The titles of such
    charts name the runs.

    Args:
        films: Recording of each run.
        names: Name of each run, in the order of `films`.
        records: Record of each run, in the same order; None in place of a record that is missing.
    """
    found: dict[str, list[_RunCurve]] = {title: [] for title in _UNITS}
    for place, (name, record) in enumerate(zip(names, records, strict=False)):
        if record is None:
            continue
        for measure, curve in record.course.curves.items():
            if points := curve.points:
                title, about, test = _recorded(measure, record)
                epochs, values = zip(*points, strict=True)
                line = _line(name, epochs, values, place)
                found[title].append(_RunCurve(line, _baseline(curve), about, test))
    for place, (name, one) in enumerate(zip(names, films, strict=True)):
        line = _line(name, one.moments, one.settled, place)._replace(marked=one.halfway if len(films) == 1 else None)
        beneath = Baseline(f"{one.k} random words {share(one.chance)}", (0.0,), (one.chance,))
        about = f"Share of its final {one.k} neighbors that a word has already: 100\u00a0% at the end. {one.counted}"
        found["Final neighbors"].append(_RunCurve(line, beneath, about, (one.k, one.looked, one.chance)))
        line = _line(name, one.moments, one.shares, place)
        beneath = Baseline(f"random vectors {share(one.even)}", (0.0,), (one.even,))
        found["Variance on the map"].append(
            _RunCurve(line, beneath, "Share of all variance that this map shows", one.even)
        )
    return [chart for title, drawn in found.items() for chart in _charts(title, drawn, len(names))]


_UNITS = {
    "Loss": "number",
    "Analogies": "share",
    "Similarity": "number",
    "Final neighbors": "share",
    "Variance on the map": "share",
}
_TESTED = {"Analogies", "Similarity"}
"""Measures that are taken at few moments. The others are taken at every moment."""


def _charts(title: str, drawn: Sequence[_RunCurve], runs: int) -> Iterator[CurveChart]:
    """Yield the charts of one measure: a chart for each group of runs with an equal `test`."""
    groups: dict[Any, list[_RunCurve]] = {}
    for one in drawn:
        groups.setdefault(one.test, []).append(one)
    for group in groups.values():
        lines = tuple(one.line for one in group)
        named = title if len(group) == runs else f"{title} · {' · '.join(cut(line.name, 24) for line in lines)}"
        yield CurveChart(named, group[0].about, _UNITS[title], _baselines(group), lines, title in _TESTED)


def _baselines(group: Sequence[_RunCurve]) -> tuple[Baseline, ...]:
    """Return the baselines of a chart: a single one if it is the same for all runs.

    Otherwise return one for each run that has a baseline, labelled with the name of the run.
    """
    if len({one.baseline for one in group}) == 1:
        return () if group[0].baseline is None else (group[0].baseline,)
    return tuple(
        one.baseline._replace(label=f"{cut(one.line.name, 24)}: {one.baseline.label}")
        for one in group
        if one.baseline is not None
    )


def _line(name: str, epochs: Any, values: Any, place: int) -> CurveLine:
    return CurveLine(name, tuple(map(float, epochs)), tuple(map(float, values)), place)


def _baseline(curve: TrainingCurve) -> Baseline | None:
    beneath = curve.beneath(0.0)
    if not beneath:
        return None
    if not isinstance(curve.baseline, Sequence):
        beneath = beneath[:1]
    epochs, values = zip(*beneath, strict=True)
    return Baseline(curve.named(values[-1]), epochs, values)


def _recorded(measure: str, record: Record) -> tuple[str, str, Any]:
    """Return the title and the description of a measure, and what was tested.

    Runs with an equal third item are drawn in the same chart.
    """
    coverage = record.coverage
    if measure == "loss":
        unit = record.trainer.unit
        return (
            "Loss",
            f"Mean per {unit}; lower is better" if unit else "Lower is better",
            task(record.method, record.corpus.checksum, record.options),
        )
    if measure == "analogies":
        about = (
            f"Dots: share correct of {coverage.drawn:,} questions of {coverage.analogies}. Dashes: without arithmetic, "
            "the answer is the word nearest to the third word"
        )
        return "Analogies", about, coverage.question_set
    about = f"Spearman’s ρ, {coverage.pairs_covered:,} pairs of {coverage.similarity}"
    return "Similarity", about, (coverage.similarity, coverage.pairs, coverage.pairs_covered)


def alone(drawn: Sequence[CurveChart], runs: int) -> bool:
    """Return whether a chart has fewer than `runs` lines, and so leaves out a run."""
    return any(len(chart.lines) < runs for chart in drawn)


def apart(names: Sequence[str]) -> list[str]:
    """Return the names without their common first words; at least one word of each name stays.

    For example “window 2” and “window 5” become “2” and “5”.
    """
    split = [name.split() for name in names]
    shared = 0
    while len(names) > 1 and all(len(words) > shared + 1 and words[shared] == split[0][shared] for words in split):
        shared += 1
    return [" ".join(words[shared:]) for words in split]


HEADER = ("run", "epoch", "measure", "value")
"""Column titles of `table`."""


def table(drawn: Sequence[CurveChart]) -> Iterator[tuple[str | float, ...]]:
    """Yield a row for every value in the charts, including the baselines: run, epoch, measure, value."""
    for chart in drawn:
        for line in chart.lines:
            for epoch, value in zip(line.epochs, line.values, strict=True):
                yield line.name, epoch, chart.title, value
        for one in chart.baselines:
            for epoch, value in zip(one.epochs, one.values, strict=True):
                yield f"baseline: {one.label}", epoch if len(one.values) > 1 else "", chart.title, value
