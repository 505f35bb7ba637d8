"""What is measured of a training from moment to moment, and beside what: the one place that says what a baseline is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from embedviz.core.phrases import counted, number, share
from embedviz.core.stats.intervals import wilson
from embedviz.training.records import PER, Asked, Moment


def explained(method: str, options: Mapping[str, Any]) -> str:
    """What the loss of a trainer is, where it stands before learning, and on what it is measured, in sentences."""
    if PER.get(method) == "guess":
        given = "one word near it" if options.get("architecture") == "skipgram" else "the mean of those around it"
        if options.get("objective") == "hierarchical":
            return f"A guess finds a word of the text in a tree of all words, given {given}; in nats. {_SAME_TEXT}"
        drawn = int(options.get("negative", 5))
        before = f"({drawn} + 1) ln 2 = {number((drawn + 1) * math.log(2))} where nothing is learned"
        told = f"A guess tells a word of the text from {counted(drawn, 'drawn word')}, given {given}"
        return f"{told}; in nats, {before}. {_SAME_TEXT}"
    if method == "glove":
        return f"Half the weighted squared error of ln X, a mean over all pairs of words that met. {_SAME_TEXT}"
    return ""


_SAME_TEXT = "It is measured on the text that is learned, not on one held out."


@dataclass(frozen=True)
class Measure:
    """What was measured at several moments of a training.

    Attributes:
        name: What is measured, in a word or two.
        passes: Passes over the corpus that each value has behind it, ascending.
        values: One for each of `passes`.
        baseline: What it is where nothing was learned, or what a simpler rule reaches at each moment; None where that
            is not known.
        against: What the baseline is.
        unit: Of the values, where they have one.
        said: How a value is said; `ticks`: the same on the axis, as Plotly writes formats.
    """

    name: str
    passes: Sequence[float]
    values: Sequence[float]
    baseline: float | Sequence[float] | None = None
    against: str = ""
    unit: str = ""
    said: Callable[[float], str] = number
    ticks: str = ""

    def __post_init__(self) -> None:
        for values in (self.values, *([self.baseline] if isinstance(self.baseline, Sequence) else [])):
            if len(self.passes) != len(values):
                raise ValueError(f"A measure needs a value for each moment: {len(self.passes)} and {len(values)}.")

    @property
    def told(self) -> list[tuple[float, float]]:
        """The moments and their values, without those that are not finite."""
        return _finite(self.passes, self.values)

    def named(self, value: float) -> str:
        """What the baseline is, with its value."""
        return f"{self.against} {self.said(value)}".strip()

    def beneath(self, last: float) -> list[tuple[float, float]]:
        """The baseline from the first moment to the last; empty where it is not known."""
        if isinstance(self.baseline, Sequence):
            return _finite(self.passes, self.baseline)
        return _finite((0.0, last), (self.baseline, self.baseline)) if self.baseline is not None else []


def measures(moments: Sequence[Moment], asked: Asked, baseline: float | None = None) -> dict[str, Measure]:
    """The measures of a training that were taken at least once: *loss*, *analogies*, *similarity*.

    Args:
        moments: How it stood, in order.
        asked: What was asked of the words meanwhile.
        baseline: What the loss is before anything is learned; where that is not known, its first value.
    """
    found = {}
    if told := _fresh([(one.epoch, one.loss) for one in moments if one.loss is not None]):
        fine = 3 if abs(told[-1][1]) < 0.1 else 2
        beneath = told[0][1] if baseline is None and told[0][0] <= 0 else baseline
        passes, values = zip(*told, strict=True)
        said = partial(number, digits=fine)
        found["loss"] = Measure("loss", passes, values, beneath, "before learning", said=said)
    if right := [(one.epoch, one.analogies, one.third or 0.0) for one in moments if one.analogies is not None]:
        passes, values, third = zip(*right, strict=True)
        found["analogies"] = Measure("right", passes, values, third, "third word alone", said=share, ticks=".0%")
    if agreed := [(one.epoch, one.similarity) for one in moments if one.similarity is not None]:
        passes, values = zip(*agreed, strict=True)
        against = "|ρ| by chance stays below" if asked.chance is not None else ""
        found["similarity"] = Measure("ρ", passes, values, asked.chance, against)
    return found


def verdicts(found: Mapping[str, Measure], asked: Asked) -> list[str]:
    """Say what each test of the words came to at last and its baseline, a sentence each.

    Intervals take word pairs as draws: an analogy question joins two, and each recurs in many questions.
    """
    said = []
    if (right := found.get("analogies")) is not None:
        last, alone = right.values[-1], right.beneath(0.0)[-1][1]
        low, high = (round(each, 6) for each in wilson(last, asked.draws))
        here = f"{share(last)} of the analogies are right (95\u00a0%: {share(low)} to {share(high)})"
        if low > alone:
            said.append(f"{here}; the third word alone: {share(alone)}.")
        else:
            said.append(f"{here}: no better than the third word alone, {share(alone)}.")
    elif asked.questions:
        said.append(f"Analogies: none of the {asked.questions:,} questions is covered.")
    if (agreed := found.get("similarity")) is not None:
        last = agreed.values[-1]
        told = f"Cosines follow people's scores with ρ = {number(last)}"
        if asked.chance is None or abs(last) > asked.chance:
            said.append(
                f"{told}{'' if asked.chance is None else f'; |ρ| by chance stays below {number(asked.chance)}'}."
            )
        else:
            said.append(
                f"{told}, no more than chance: |ρ| of 95 of 100 random orders stays below {number(asked.chance)}."
            )
    return said


def _fresh(told: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The moments at which a loss was measured: until the next time, it is told as it was."""
    return [one for place, one in enumerate(told) if not place or one[1] != told[place - 1][1]]


def _finite(places: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    return [(place, value) for place, value in zip(places, values, strict=True) if math.isfinite(value)]
