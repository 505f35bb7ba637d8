"""A trained line classifier: how well it labels unseen lines, and which n-grams fire each of its filters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.phrases import share
from embedviz.core.space import Ints
from embedviz.core.stats.intervals import Share
from embedviz.training.textcnn.network import Lines, Network

FIRED = 5
"""N-grams that are listed for each filter."""
_SOUGHT = 5_000  # lines in which they are looked for
HEADER = ("filter", "width", "label", "held-out lines", "with the label", "share of the label", "n-gram", "activation")
"""Of `LineClassifier.rows`."""
TOP = 10
"""Held-out lines, or a tenth of them where that is more, by which a filter's label is tested."""


class Firing(NamedTuple):
    """An n-gram that fires a filter.

    Attributes:
        ngram: Its words, apart by a blank.
        activation: How strongly it fires it, above 0.
        line: The line of the corpus that it stands in; the first of those where it stands in several.
        label: Of that line.
    """

    ngram: str
    activation: float
    line: int
    label: str


@dataclass(frozen=True)
class Filter:
    """One filter of a network.

    Attributes:
        width: Words that it looks at together.
        weights: How much it adds to each label's score a unit that it fires, less the mean over the labels.
        fired: The n-grams that fire it most, the strongest first; none where nothing does.
        tested: Of the held-out lines that fire it most, how many have the label that it speaks for.
    """

    width: int
    weights: tuple[float, ...]
    fired: tuple[Firing, ...]
    tested: Share

    @property
    def speaks_for(self) -> int:
        """Return the number of the label with the largest weight."""
        return int(np.argmax(self.weights))


@dataclass(frozen=True)
class LineClassifier:
    """A trained network that predicts the labels of lines, tested on held-out lines.

    Attributes:
        labels: Their names, the most frequent first.
        trained: Number of training lines.
        shares: Share of each label among the held-out lines.
        right: Held-out lines with the correct label.
        majority: Held-out lines with the most frequent label of the training lines.
        held_out_loss: The mean cross-entropy of the held-out lines after each epoch, in nats.
        cut: Lines that were not read to their end.
        left_out: Lines without a label, or with one of fewer than five lines.
        filters: All of them.
    """

    labels: tuple[str, ...]
    trained: int
    shares: tuple[float, ...]
    right: Share
    majority: Share
    held_out_loss: tuple[float, ...]
    cut: int
    left_out: int
    filters: tuple[Filter, ...]

    @property
    def meaning(self) -> str:
        """Say the accuracy on held-out lines, with the baseline of the most frequent label."""
        low, high = self.right.interval
        beats = low > self.majority.value
        interval = f"95\u00a0%: {share(low)} to {share(high)}"
        baseline = f"baseline, “{self.labels[0]}” for every line: {share(self.majority.value)}"
        accuracy = f"{share(self.right.value)} of {self.right.of:,} held-out lines get the correct label"
        sentence = f"{accuracy} ({interval}; {baseline})."
        return sentence if beats else f"{sentence} This is not beyond the baseline, so do not read the filters."

    def clearest(self, label: str = "") -> list[Filter]:
        """Return the filters that fire, those whose label is most above its share first.

        Args:
            label: The label to which they add; any where it is empty.
        """
        fired = [one for one in self.filters if one.fired and label in ("", self.labels[one.speaks_for])]
        return sorted(fired, key=lambda one: self.shares[one.speaks_for] - one.tested.value)

    @property
    def found(self) -> str:
        """Say the n-gram of the clearest filter and its test."""
        first = next(iter(self.clearest()), None)
        if first is None:
            return "No filter reacts to any n-gram."
        label = self.labels[first.speaks_for]
        return (
            f"The clearest filter reacts most to “{first.fired[0].ngram}”. Of the {first.tested.of:,} held-out lines "
            f"with the strongest reaction, {share(first.tested.value)} are “{label}” (all lines: "
            f"{share(self.shares[first.speaks_for])})."
        )

    def rows(self) -> list[tuple[object, ...]]:
        """Return a row for each n-gram that fires a filter, as `HEADER` names the columns."""
        return [
            (
                place,
                one.width,
                self.labels[one.speaks_for],
                one.tested.of,
                one.tested.right,
                self.shares[one.speaks_for],
                firing.ngram,
                firing.activation,
            )
            for place, one in enumerate(self.filters, 1)
            for firing in one.fired
        ]

    def table(self) -> list[tuple[str, str, str, str]]:
        """Return the test on held-out lines as a row: name, value, baseline, and what the baseline is."""
        low, high = (share(end) for end in self.right.interval)
        here = f"{share(self.right.value)} of {self.right.of:,} (95\u00a0%: {low} to {high})"
        baseline = share(self.majority.value)
        return [("labels of held-out lines", here, baseline, "the most frequent label for every line")]

    def scores(self) -> dict[str, Any]:
        """Return the test on held-out lines as plain JSON values."""
        low, high = self.right.interval
        counts = {"right": self.right.right, "of": self.right.of, "share": self.right.value}
        return {**counts, "low": low, "high": high, "majority": self.majority.value}

    def card(self) -> dict[str, Any]:
        """Return all fields as plain JSON values."""
        card: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return card

    @classmethod
    def of(cls, card: Mapping[str, Any]) -> LineClassifier:
        """Return the classifier that a card keeps.

        Raises:
            KeyError, TypeError: It keeps something else.
        """
        filters = [
            Filter(one["width"], tuple(one["weights"]), tuple(Firing(*f) for f in one["fired"]), Share(*one["tested"]))
            for one in card["filters"]
        ]
        scores = {name: Share(*card[name]) for name in ("right", "majority")}
        listed = {name: tuple(card[name]) for name in ("labels", "shares", "held_out_loss")}
        return cls(**{**card, **scores, **listed, "filters": tuple(filters)})


Told = LineClassifier
"""The name in Python that was exported before."""


def filters_of(
    network: Network, labels: Sequence[str], trained: Lines, held_out: Lines, seen: Any, places: Any, tested: Any
) -> tuple[Filter, ...]:
    """Find what fires each filter among the lines it learned from, and test its label on the held-out ones.

    Args:
        seen, places: The filters' maxima over the lines learned from, (n, filters), and where they lie.
        tested: Their maxima over the held-out lines.
    """
    weights = network.output.weight.detach().numpy().astype(np.float64)  # (labels, filters)
    weights = weights - weights.mean(axis=0)
    of_width = network.filters[0].out_channels
    most = min(len(held_out.numbers), max(TOP, len(held_out.numbers) // 10))
    found = []
    for number in range(weights.shape[1]):
        width = number // of_width + 1
        fired = _fired(trained, labels, seen[:, number], places[:, number], width)
        own = weights[:, number]
        top = np.argsort(-tested[:, number], kind="stable")[:most]
        right = int((held_out.labels[top] == int(np.argmax(own))).sum())
        found.append(Filter(width, tuple(own.tolist()), fired, Share(right, most)))
    return tuple(found)


def _fired(lines: Lines, labels: Sequence[str], maxima: Any, places: Ints, width: int) -> tuple[Firing, ...]:
    found: dict[tuple[int, ...], Firing] = {}
    for line in np.argsort(-maxima, kind="stable")[:_SOUGHT].tolist():
        if maxima[line] <= 0 or len(found) == FIRED:
            break
        first = int(lines.starts[line] + places[line])
        last = min(first + width, int(lines.starts[line] + lines.lengths[line]))
        tokens = tuple(lines.corpus.tokens[first:last].tolist())
        if tokens not in found:
            ngram = " ".join(lines.corpus.words[token] for token in tokens)
            number = int(lines.numbers[line])
            found[tokens] = Firing(ngram, float(maxima[line]), number, labels[int(lines.labels[line])])
    return tuple(found.values())
