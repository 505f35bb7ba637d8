"""What is drawn over the passes of a training: how it learned, how soon words settle, what the picture holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from embedviz.saying import number, share
from embedviz.studies.film import Film, said
from embedviz.studies.training import WHOLE, Record


class Line(NamedTuple):
    """One run's values over the passes."""

    name: str
    epochs: tuple[float, ...]
    values: tuple[float, ...]


class Chart(NamedTuple):
    """One measure over the passes, of one run or several, with its baseline.

    Attributes:
        about: What is measured, on what.
        unit: *number* or *share*.
        baseline: A value and what it is; None where there is none.
    """

    title: str
    about: str
    unit: str
    baseline: tuple[float, str] | None
    lines: tuple[Line, ...]

    def plain(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        baseline = None if self.baseline is None else {"value": self.baseline[0], "label": self.baseline[1]}
        return {**self._asdict(), "baseline": baseline, "lines": [line._asdict() for line in self.lines]}


def charts(films: Sequence[Film], names: Sequence[str], records: Sequence[Record | None] = ()) -> list[Chart]:
    """What is drawn beside the movie: how the runs learned, where that was recorded, and what the picture holds."""
    first = films[0]
    told = [one for one in records if one is not None]
    made = [
        _recorded("Loss", "Per example", "number", "loss", names, records, _loss_baseline(told)),
        _recorded("Analogies", _asked(told), "share", "analogies", names, records, _third(told)),
        _recorded("Similarity", _pairs(told), "number", "similarity", names, records, _chance(told)),
        Chart(
            "Last neighbors there",
            f"Of a word's {first.k} at the end, those it has; {first.looked:,} words",
            "share",
            (first.chance, f"by chance {share(first.chance)}"),
            tuple(_line(name, one.moments, one.settled) for name, one in zip(names, films, strict=True)),
        ),
        Chart(
            "Variance in the picture",
            "What lies outside moves unseen",
            "share",
            (first.even, f"at random {share(first.even)}"),
            tuple(_line(name, one.moments, one.shares) for name, one in zip(names, films, strict=True)),
        ),
    ]
    return [chart for chart in made if any(line.values for line in chart.lines)]


def _line(name: str, epochs: Any, values: Any) -> Line:
    return Line(name, tuple(map(float, epochs)), tuple(map(float, values)))


def _recorded(
    title: str,
    about: str,
    unit: str,
    field: str,
    names: Sequence[str],
    records: Sequence[Record | None],
    baseline: tuple[float, str] | None,
) -> Chart:
    lines = []
    for name, one in zip(names, records, strict=False):
        moments = [] if one is None else [each for each in one.moments if getattr(each, field) is not None]
        lines.append(_line(name, [each.epoch for each in moments], [getattr(each, field) for each in moments]))
    return Chart(title, about, unit, baseline, tuple(lines))


def _loss_baseline(records: Sequence[Record]) -> tuple[float, str] | None:
    known = {round(one.baseline, 4) for one in records if one.baseline is not None}
    return (known.pop(), "before learning") if len(known) == 1 else None


def _asked(records: Sequence[Record]) -> str:
    asked = [one.asked for one in records if one.asked.drawn]
    return f"{asked[0].drawn:,} questions of {asked[0].analogies}, right" if asked else ""


def _third(records: Sequence[Record]) -> tuple[float, str] | None:
    last = [each.third for one in records for each in one.moments if each.third is not None]
    return (last[-1], f"third word alone {share(last[-1])}") if last else None


def _pairs(records: Sequence[Record]) -> str:
    asked = [one.asked for one in records if one.asked.pairs_covered]
    return f"Spearman's ρ, {asked[0].pairs_covered:,} pairs of {asked[0].similarity}" if asked else ""


def _chance(records: Sequence[Record]) -> tuple[float, str] | None:
    known = [one.asked.chance for one in records if one.asked.chance is not None]
    return (known[0], f"|ρ| by chance below {number(known[0])}") if known else None


def apart(names: Sequence[str]) -> list[str]:
    """Names without the words that all begin with, where something is left of each."""
    split = [name.split() for name in names]
    shared = 0
    while len(names) > 1 and all(len(words) > shared + 1 and words[shared] == split[0][shared] for words in split):
        shared += 1
    return [" ".join(words[shared:]) for words in split]


HEADER = ("run", "pass", "measure", "value")
"""Of the table."""


def table(drawn: Sequence[Chart]) -> Iterator[tuple[str | float, ...]]:
    """Every value that is drawn: the run, the pass, the measure, and the value."""
    for chart in drawn:
        for line in chart.lines:
            for epoch, value in zip(line.epochs, line.values, strict=True):
                yield line.name, epoch, chart.title, value
        if chart.baseline is not None:
            yield "baseline", "", chart.title, chart.baseline[0]


def card(record: Record) -> list[tuple[str, str]]:
    """How a run was made, and how it ended, in words."""
    corpus, speed = record.corpus, record.words_per_second
    ended = "" if record.ended == WHOLE else f", {record.ended}"
    return [
        ("trainer", record.title),
        ("corpus", f"{corpus.name}, {corpus.tokens:,} words"),
        ("passes", f"{said(record.epochs)} of {said(record.planned)}{ended}"),
        ("took", f"{record.seconds:,.1f} s" + (f", {speed:,.0f} words a second" if speed else "")),
        ("repeats", "to the bit" if record.repeats else "not to the bit"),
    ]


def told(record: Record) -> str:
    """The options of a run in a sentence."""
    return f"Set: {', '.join(f'{name} {value}' for name, value in record.options.items())}."
