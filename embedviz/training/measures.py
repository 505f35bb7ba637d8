"""The measures of a training run at each moment (`Moment`), as curves with baselines (`TrainingCurve`, `Course`)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

from embedviz.core.phrases import number, share
from embedviz.core.stats.intervals import wilson
from embedviz.training.trainers import trainer_of


class Coverage(NamedTuple):
    """The tests of the vectors during a training run, and how many of their words the vocabulary covers.

    Attributes:
        analogies: Title of the set of analogies; empty if none of its questions is covered.
        questions: Number of questions in the set.
        covered: Number of questions whose given words and at least one answer are among the `compared` words.
        drawn: Number of questions in the test: all covered questions, or a random sample of them.
        compared: Number of most frequent words among which answers are searched.
        similarity: Title of the set of word pairs; empty if the vocabulary covers too few pairs.
        pairs: Number of pairs in the set of word pairs.
        pairs_covered: Number of pairs whose two words are among the `compared` words.
        chance: Value that |ρ| does not reach in 95 % of random orders; None if no pairs are tested.
        watched: The watched words (whose neighbors are recorded) that are among the `compared` words.
        word_pairs: Number of different word pairs in the drawn questions; 0 in older records.
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
        """Return the sample size for the 95 % interval of `Moment.analogies`, the share of right answers.

        It is half the number of word pairs, but at most the number of drawn questions. The number of questions would be
        too high, because a word pair recurs in many questions. Older records have no `word_pairs`; for them, the number
        of questions is returned.
        """
        return max(1, min(self.drawn, self.word_pairs // 2)) if self.word_pairs else self.drawn

    @property
    def question_set(self) -> tuple[str, int, int, int, int]:
        """Return five values that identify the test of analogies: its title and four numbers of `Coverage`.

        The numbers are `questions`, `covered`, `drawn` and `compared`. Two runs can be compared if all five are equal.
        """
        return self.analogies, self.questions, self.covered, self.drawn, self.compared


class Moment(NamedTuple):
    """Measures of a training run at one moment. An attribute is None if the measure was not taken.

    Attributes:
        epoch: Epochs done, including the fraction of the current epoch.
        tokens: Words read so far.
        seconds: Time since the first epoch began, in seconds, without the time of watching.
        words_per_second: Speed over the last seconds.
        loss: The loss per example (`Trainer.unit`), as last measured.
        analogies: Share of the questions that 3CosAdd answers correctly.
        third: The same share for the baseline, the word nearest to the third word.
        similarity: Spearman's ρ of cosines and human similarity scores, over the covered word pairs.
        neighbors: For each watched word, its nearest neighbors with their cosines.
        share: Share of the words' variance that the moving map shows.
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
class TrainingCurve:
    """A measure at several moments of a training run.

    Attributes:
        name: Name of the measure.
        passes: Epochs done at each value, ascending.
        values: A value for each number in `passes`.
        baseline: One baseline for all moments, or one for each; None if unknown.
        against: Name of the baseline.
        formatted: Formats a value as text; `ticks`: Plotly format for the axis.
    """

    name: str
    passes: Sequence[float]
    values: Sequence[float]
    baseline: float | Sequence[float] | None = None
    against: str = ""
    formatted: Callable[[float], str] = number
    ticks: str = ""

    def __post_init__(self) -> None:
        for values in (self.values, *([self.baseline] if isinstance(self.baseline, Sequence) else [])):
            if len(self.passes) != len(values):
                raise ValueError(f"A measure needs a value for each moment: {len(self.passes)} and {len(values)}.")

    @property
    def points(self) -> list[tuple[float, float]]:
        """Return the points of the curve, (epochs, value). Values that are not finite are left out."""
        return _finite(self.passes, self.values)

    def named(self, value: float) -> str:
        """Return the name of the baseline, followed by this value as text."""
        return f"{self.against} {self.formatted(value)}".strip()

    def beneath(self, last: float) -> list[tuple[float, float]]:
        """Return the baseline as points (epochs, value); empty if it is unknown.

        A baseline with a value for each moment has a point for each moment. A constant baseline has two points: at
        epoch 0 and at epoch `last`.

        Args:
            last: Epoch of the last point of a constant baseline.
        """
        if isinstance(self.baseline, Sequence):
            return _finite(self.passes, self.baseline)
        return _finite((0.0, last), (self.baseline, self.baseline)) if self.baseline is not None else []


def measures(moments: Sequence[Moment], coverage: Coverage, baseline: float | None = None) -> dict[str, TrainingCurve]:
    """Return the curves of the measures that were taken at least once: *loss*, *analogies*, *similarity*.

    Args:
        moments: The moments of the training, in order.
        coverage: The tests during the training.
        baseline: The loss before learning. If None, the baseline is the loss measured at epoch 0, if there is one.
    """
    found = {}
    if measured := _fresh([(one.epoch, one.loss) for one in moments if one.loss is not None]):
        fine = 3 if abs(measured[-1][1]) < 0.1 else 2
        beneath = measured[0][1] if baseline is None and measured[0][0] <= 0 else baseline
        passes, values = zip(*measured, strict=True)
        formatted = partial(number, digits=fine)
        found["loss"] = TrainingCurve("loss", passes, values, beneath, "before learning", formatted=formatted)
    if right := [(one.epoch, one.analogies, one.third or 0.0) for one in moments if one.analogies is not None]:
        passes, values, third = zip(*right, strict=True)
        found["analogies"] = TrainingCurve(
            "correct", passes, values, third, "nearest word without arithmetic", formatted=share, ticks=".0%"
        )
    if agreed := [(one.epoch, one.similarity) for one in moments if one.similarity is not None]:
        passes, values = zip(*agreed, strict=True)
        against = "95\u00a0% of random orders: |ρ| below" if coverage.chance is not None else ""
        found["similarity"] = TrainingCurve("ρ", passes, values, coverage.chance, against)
    return found


@dataclass(frozen=True, eq=False)
class Course:
    """The course of a training run: its measures so far, their last values, and what they mean.

    Attributes:
        moments: The moments of the training, in order.
        tested: The tests during the training.
        epochs: Number of epochs done; while the training runs, the planned number.
        baseline: The loss before learning; None if unknown.
        method, options: Name of the trainer in `TRAINERS`, and its options.
        more: Results that only this trainer has, see `Trained.more`; empty until the end.
    """

    moments: Sequence[Moment]
    tested: Coverage
    epochs: float
    baseline: float | None = None
    method: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    HEADER = ("epochs", "words read", "seconds", "loss", "analogies", "nearest to the third word", "similarity")

    @cached_property
    def curves(self) -> dict[str, TrainingCurve]:
        """Return the curves of the measures by name; see `measures`."""
        return measures(self.moments, self.tested, self.baseline)

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """Return a row for each moment, with the columns of `HEADER`. A measure that was not taken is "" there."""
        listed = [
            (one.epoch, one.tokens, one.seconds, one.loss, one.analogies, one.third, one.similarity)
            for one in self.moments
        ]
        return [tuple("" if value is None else value for value in row) for row in listed]

    @property
    def looked(self) -> Moment | None:
        """Return the last moment at which the neighbors of watched words were computed; None if there is none."""
        return next((one for one in reversed(self.moments) if one.neighbors), None)

    @property
    def nearest(self) -> dict[str, list[str]]:
        """Return watched word → its neighbors, nearest first, at the last moment at which neighbors were computed.

        The mapping is empty if there is no such moment.
        """
        found = (self.looked.neighbors if self.looked is not None else None) or {}
        return {word: [near for near, _ in listed] for word, listed in found.items()}

    @property
    def fresh(self) -> bool:
        """Return whether the neighbors are recent enough to be marked on the moving map.

        Recent means: computed after learning began, and at most one epoch ago (a tenth of the training if longer).
        """
        if self.looked is None or not self.looked.epoch:
            return False
        return self.moments[-1].epoch - self.looked.epoch <= max(1.0, 0.1 * self.epochs)

    @property
    def titles(self) -> dict[str, str]:
        """Return the titles of the measures that were taken, by name."""
        named = {"loss": f"Loss{self._unit}", "analogies": "Analogies correct", "similarity": "Similarity ρ"}
        return {name: named[name] for name in self.curves}

    @property
    def _unit(self) -> str:
        unit = trainer_of(self.method).unit
        return f" per {unit}" if unit else ""

    def table(self, *, at: bool = False) -> list[tuple[str, str, str, str]]:
        """Return a row for each measure: title, last value, last baseline, name of the baseline.

        Args:
            at: Whether the title includes the epoch of the last value.
        """
        rows = []
        for name, title in self.titles.items():
            curve = self.curves[name]
            title += f", epoch {curve.passes[-1]:.3g}" if at else ""
            beneath = curve.beneath(0.0)
            now, against = curve.formatted(curve.values[-1]), curve.formatted(beneath[-1][1]) if beneath else ""
            rows.append((title, now, against, curve.against if beneath else ""))
        return rows

    @property
    def coverage(self) -> str:
        """Explain the loss, and say how many items of each test set the vocabulary covers."""
        tested, loss = self.tested, trainer_of(self.method).explains(self.options, self.more)
        parts = [loss] if loss and "loss" in self.curves else []
        if "analogies" in self.curves:
            low, high = (round(each, 6) for each in wilson(self.curves["analogies"].values[-1], tested.draws))
            drawn = f", of which {tested.drawn:,} were drawn" if tested.drawn < tested.covered else ""
            parts.append(
                f"{tested.analogies}: {tested.covered:,} of {tested.questions:,} questions covered{drawn}. Answers "
                f"come from {tested.compared:,} words. The interval (95\u00a0%) is {share(low)} to {share(high)}; "
                "it takes word pairs as independent."
            )
        elif tested.questions:
            parts.append(_uncovered(tested))
        if "similarity" in self.curves:
            parts.append(f"{tested.similarity}: {tested.pairs_covered:,} of {tested.pairs:,} pairs covered.")
            if tested.chance is not None:
                parts.append(f"For 95 of 100 random orders, |ρ| is below {number(tested.chance)}.")
        return " ".join(parts)

    @property
    def meaning(self) -> str:
        """Return a sentence for each measure: its last value and its baseline."""
        parts = []
        if (loss := self.curves.get("loss")) is not None:
            beneath = loss.beneath(0.0)
            against = f"; before learning it was {loss.formatted(beneath[-1][1])}" if beneath else ""
            parts.append(f"The loss is {loss.formatted(loss.values[-1])}{self._unit}{against}.")
        return " ".join([*parts, *self.verdicts()])

    def verdicts(self) -> list[str]:
        """Return a sentence for each test: its last result and its baseline, for analogies with a 95 % interval.

        The interval treats word pairs, not questions, as independent: a question consists of two word pairs, and each
        pair recurs in many questions.
        """
        parts, tested = [], self.tested
        if (right := self.curves.get("analogies")) is not None:
            last, alone = right.values[-1], right.beneath(0.0)[-1][1]
            low, high = (round(each, 6) for each in wilson(last, tested.draws))
            from_low = share(low).removesuffix("\u00a0%")
            interval = f"95\u00a0% interval {from_low} to {share(high)}"
            here = f"{share(last)} of the analogies are right ({interval})."
            baseline = f"a simpler rule, the word nearest to the third word alone, is right in {share(alone)}."
            against = f"A{baseline[1:]}" if low > alone else f"That is not clearly better: {baseline}"
            parts.append(f"{here} {against}")
        elif tested.questions:
            parts.append(_uncovered(tested))
        if (agreed := self.curves.get("similarity")) is not None:
            last, chance = agreed.values[-1], tested.chance
            here = f"Cosines correlate with human similarity scores: ρ = {number(last)}"
            if chance is None:
                parts.append(f"{here}.")
            elif abs(last) > chance:
                parts.append(f"{here} (95\u00a0% of random orders: |ρ| below {number(chance)}).")
            else:
                low_here = f"Cosines do not correlate with human similarity scores: ρ = {number(last)}"
                parts.append(f"{low_here}; 95\u00a0% of random orders have |ρ| below {number(chance)}.")
        return parts


def _uncovered(coverage: Coverage) -> str:
    return f"Analogies: the space covers none of the {coverage.questions:,} questions."


def _fresh(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points (epochs, loss) at which the loss was measured anew. The other moments repeat the last loss."""
    return [one for place, one in enumerate(points) if not place or one[1] != points[place - 1][1]]


def _finite(places: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    return [(place, value) for place, value in zip(places, values, strict=True) if math.isfinite(value)]
