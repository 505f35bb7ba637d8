"""The measures of a training from moment to moment, with their baselines: `Moment`, `MeasureCurve`, `Course`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

from embedviz.core.phrases import number, share
from embedviz.core.stats.intervals import wilson
from embedviz.training.trainers import trainer_of


class Coverage(NamedTuple):
    """Tests of the vectors while they learn, and how much of them the words cover.

    Attributes:
        analogies: The title of the set, empty where none of its questions is covered.
        questions: All of the set; `covered`: those whose words are all among the words compared; `drawn`: those asked.
        compared: Among how many of the most frequent words an answer is sought.
        similarity: The title of the pairs, empty where too few are covered.
        pairs, pairs_covered: All of that set, and those whose words have rows.
        chance: What |ρ| of pairs in a random order stays below, 95 times of 100; None where none are asked.
        watched: Words whose neighbors are told, those of them that have a row.
        word_pairs: Different word pairs that the questions drawn consist of; 0 in older records.
    """

    analogies: str = ""
    questions: int = 0
    covered: int = 0
    drawn: int = 0
    compared: int = 0
    similarity: str = ""
    pairs: int = 0
    pairs_covered: int = 0
    chance: float | None = None
    watched: tuple[str, ...] = ()
    word_pairs: int = 0

    @property
    def draws(self) -> int:
        """Independent draws that the questions amount to: each joins two word pairs, which recur in many questions."""
        return max(1, min(self.drawn, self.word_pairs // 2)) if self.word_pairs else self.drawn


class Moment(NamedTuple):
    """State of a training at one moment; None where something was not measured then.

    Attributes:
        epoch: Passes done, with the part of the one under way.
        tokens: Words read so far.
        seconds: Since the first pass began, without what was spent on watching.
        words_per_second: Lately.
        loss: The objective, of an example as `Trainer.unit` names it, as last measured.
        analogies: Share of the questions drawn that 3CosAdd answers right; `third`: that the third word alone does.
        similarity: Spearman's ρ over the covered pairs.
        neighbors: Each watched word's nearest words with their cosines.
        share: Of the variance of the words shown, the part that the moving picture holds.
    """

    epoch: float
    tokens: int
    seconds: float
    words_per_second: float | None = None
    loss: float | None = None
    analogies: float | None = None
    third: float | None = None
    similarity: float | None = None
    neighbors: Mapping[str, Sequence[tuple[str, float]]] | None = None
    share: float | None = None


@dataclass(frozen=True)
class MeasureCurve:
    """A measure at several moments of a training.

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
        """Return what the baseline is, with its value."""
        return f"{self.against} {self.said(value)}".strip()

    def beneath(self, last: float) -> list[tuple[float, float]]:
        """Return the baseline from the first moment to the last; empty where it is not known."""
        if isinstance(self.baseline, Sequence):
            return _finite(self.passes, self.baseline)
        return _finite((0.0, last), (self.baseline, self.baseline)) if self.baseline is not None else []


def measures(moments: Sequence[Moment], asked: Coverage, baseline: float | None = None) -> dict[str, MeasureCurve]:
    """Return the measures of a training that were taken at least once: *loss*, *analogies*, *similarity*.

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
        found["loss"] = MeasureCurve("loss", passes, values, beneath, "before learning", said=said)
    if right := [(one.epoch, one.analogies, one.third or 0.0) for one in moments if one.analogies is not None]:
        passes, values, third = zip(*right, strict=True)
        found["analogies"] = MeasureCurve(
            "right", passes, values, third, "nearest to the third word", said=share, ticks=".0%"
        )
    if agreed := [(one.epoch, one.similarity) for one in moments if one.similarity is not None]:
        passes, values = zip(*agreed, strict=True)
        against = "|ρ| by chance stays below" if asked.chance is not None else ""
        found["similarity"] = MeasureCurve("ρ", passes, values, asked.chance, against)
    return found


@dataclass(frozen=True, eq=False)
class Course:
    """The course of a training: its measures so far, their last values, and what they mean.

    Attributes:
        moments: Its states, in order.
        asked: What was asked of the words meanwhile.
        epochs: Passes that were made; those that are planned while it runs.
        baseline: The loss before anything is learned, where that is known.
        method, options: A name of `TRAINERS`, and its options.
        more: What the trainer kept, empty until the end.
    """

    moments: Sequence[Moment]
    asked: Coverage
    epochs: float
    baseline: float | None = None
    method: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    HEADER = ("passes", "words read", "seconds", "loss", "analogies", "nearest to the third word", "similarity")

    @cached_property
    def curves(self) -> dict[str, MeasureCurve]:
        """The curves by their measure."""
        return measures(self.moments, self.asked, self.baseline)

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """A row for each moment, as `HEADER` names the columns."""
        listed = [
            (one.epoch, one.tokens, one.seconds, one.loss, one.analogies, one.third, one.similarity)
            for one in self.moments
        ]
        return [tuple("" if value is None else value for value in row) for row in listed]

    @property
    def looked(self) -> Moment | None:
        """The moment at which the nearest of the watched words were last looked for."""
        return next((one for one in reversed(self.moments) if one.neighbors), None)

    @property
    def nearest(self) -> dict[str, list[str]]:
        """Each watched word with its nearest at that moment."""
        found = (self.looked.neighbors if self.looked is not None else None) or {}
        return {word: [near for near, _ in listed] for word, listed in found.items()}

    @property
    def fresh(self) -> bool:
        """Whether that is so recent, and after some learning, that they may be marked among words that move."""
        if self.looked is None or not self.looked.epoch:
            return False
        return self.moments[-1].epoch - self.looked.epoch <= max(1.0, 0.1 * self.epochs)

    @property
    def left(self) -> float | None:
        """Seconds to the end at the pace so far; None until a twentieth is done."""
        last = self.moments[-1] if self.moments else None
        if last is None or not self.epochs or last.epoch < 0.05 * self.epochs:
            return None
        return last.seconds * (self.epochs - last.epoch) / last.epoch

    @property
    def titles(self) -> dict[str, str]:
        """The title of each measure."""
        named = {"loss": f"Loss{self._unit}", "analogies": "Analogies right", "similarity": "Similarity ρ"}
        return {name: named[name] for name in self.curves}

    @property
    def _unit(self) -> str:
        unit = trainer_of(self.method).unit
        return f" a {unit}" if unit else ""

    def table(self, *, at: bool = False) -> list[tuple[str, str, str, str]]:
        """Return what was measured last: its title, its value, its baseline, and what the baseline is.

        Args:
            at: Whether the title says at which pass.
        """
        rows = []
        for name, title in self.titles.items():
            curve = self.curves[name]
            title += f", at pass {curve.passes[-1]:.3g}" if at else ""
            beneath = curve.beneath(0.0)
            now, against = curve.said(curve.values[-1]), curve.said(beneath[-1][1]) if beneath else ""
            rows.append((title, now, against, curve.against if beneath else ""))
        return rows

    @property
    def coverage(self) -> str:
        """The meaning of the loss, and how much of each set is asked, in sentences."""
        asked, loss = self.asked, trainer_of(self.method).explains(self.options, self.more)
        parts = [loss] if loss and "loss" in self.curves else []
        if "analogies" in self.curves:
            low, high = (round(each, 6) for each in wilson(self.curves["analogies"].values[-1], asked.draws))
            drawn = f", {asked.drawn:,} of them drawn" if asked.drawn < asked.covered else ""
            parts.append(
                f"{asked.analogies}: {asked.covered:,} of {asked.questions:,} questions covered{drawn}; an answer is "
                f"sought among {asked.compared:,} words; 95\u00a0%, word pairs as draws: {share(low)} to {share(high)}."
            )
        elif asked.questions:
            parts.append(_uncovered(asked))
        if "similarity" in self.curves:
            parts.append(f"{asked.similarity}: {asked.pairs_covered:,} of {asked.pairs:,} pairs covered.")
            if asked.chance is not None:
                parts.append(f"|ρ| of 95 of 100 random orders stays below {number(asked.chance)}.")
        return " ".join(parts)

    @property
    def meaning(self) -> str:
        """The last value of each measure with its baseline, a sentence each."""
        parts = []
        if (loss := self.curves.get("loss")) is not None:
            beneath = loss.beneath(0.0)
            against = f", from {loss.said(beneath[-1][1])} before learning" if beneath else ""
            parts.append(f"The loss is {loss.said(loss.values[-1])}{self._unit}{against}.")
        return " ".join([*parts, *self.verdicts()])

    def verdicts(self) -> list[str]:
        """Return the last result of each test of the words and its baseline, a sentence each.

        Intervals take word pairs as draws: an analogy question joins two, and each recurs in many questions.
        """
        parts, asked = [], self.asked
        if (right := self.curves.get("analogies")) is not None:
            last, alone = right.values[-1], right.beneath(0.0)[-1][1]
            low, high = (round(each, 6) for each in wilson(last, asked.draws))
            here = f"{share(last)} of the analogies are right (95\u00a0%: {share(low)} to {share(high)})"
            beyond = f"; baseline, nearest to the third word: {share(alone)}."
            parts.append(
                here
                + (
                    beyond
                    if low > alone
                    else f": no better than the baseline, nearest to the third word, {share(alone)}."
                )
            )
        elif asked.questions:
            parts.append(_uncovered(asked))
        if (agreed := self.curves.get("similarity")) is not None:
            last, chance = agreed.values[-1], asked.chance
            here = f"Cosines follow people's scores with ρ = {number(last)}"
            if chance is None:
                parts.append(f"{here}.")
            elif abs(last) > chance:
                parts.append(f"{here}; |ρ| by chance stays below {number(chance)}.")
            else:
                band = f"|ρ| of 95 of 100 random orders stays below {number(chance)}"
                parts.append(f"{here}, no more than chance: {band}.")
        return parts


def _uncovered(asked: Coverage) -> str:
    return f"Analogies: none of the {asked.questions:,} questions is covered."


def _fresh(told: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the moments at which a loss was measured: it is repeated until the next time."""
    return [one for place, one in enumerate(told) if not place or one[1] != told[place - 1][1]]


def _finite(places: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    return [(place, value) for place, value in zip(places, values, strict=True) if math.isfinite(value)]
