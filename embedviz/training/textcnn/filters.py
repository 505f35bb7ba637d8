"""A trained line classifier: its accuracy on held-out lines, and the n-grams that activate each of its filters."""

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
"""Maximum number of n-grams that are listed for each filter."""
_SOUGHT = 5_000  # number of lines in which they are searched
HEADER = ("filter", "width", "label", "held-out lines", "with the label", "share of the label", "n-gram", "activation")
"""Column titles of `LineClassifier.rows`."""
TOP = 10
"""Smallest number of held-out lines on which a filter is tested; a tenth of all held-out lines if that is more."""


class Firing(NamedTuple):
    """An n-gram that activates a filter.

    Attributes:
        ngram: The words of the n-gram, joined by spaces.
        activation: The filter's activation, above 0.
        line: Number of a line of the corpus that has the n-gram.
        label: Label of that line.
    """

    ngram: str
    activation: float
    line: int
    label: str


@dataclass(frozen=True)
class Filter:
    """One filter of a network.

    Attributes:
        width: Number of adjacent words that the filter reads.
        weights: For each label, how much the label's score rises per unit of activation. The mean over all labels is
            subtracted.
        fired: The n-grams with the highest activation, the highest first; empty if none activates the filter.
        tested: Test of the filter: among the held-out lines with its highest activation (see `TOP`), the share that
            have the label `speaks_for`.
    """

    width: int
    weights: tuple[float, ...]
    fired: tuple[Firing, ...]
    tested: Share

    @property
    def speaks_for(self) -> int:
        """Return the number of the label with the largest of the `weights`."""
        return int(np.argmax(self.weights))


@dataclass(frozen=True)
class LineClassifier:
    """A trained network that predicts the labels of lines, tested on held-out lines.

    Attributes:
        labels: Names of the labels that are predicted, the most frequent in the corpus first.
        trained: Number of training lines.
        shares: Share of each label among the held-out lines.
        right: Share of held-out lines that get the correct label.
        majority: Baseline: share of held-out lines that have the first of `labels`.
        held_out_loss: Mean cross-entropy of the held-out lines after each epoch, in nats.
        cut: Number of lines that were not read to their end.
        left_out: Number of lines without a label, or with a label of fewer than five lines.
        filters: All filters of the network.
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
        """Say the accuracy on held-out lines, its 95 % interval, and the accuracy of the most frequent label."""
        low, high = self.right.interval
        beats = low > self.majority.value
        interval = f"95\u00a0%: {share(low)} to {share(high)}"
        baseline = f"baseline, “{self.labels[0]}” for every line: {share(self.majority.value)}"
        accuracy = f"{share(self.right.value)} of {self.right.of:,} held-out lines get the correct label"
        sentence = f"{accuracy} ({interval}; {baseline})."
        return sentence if beats else f"{sentence} This is not beyond the baseline, so do not read the filters."

    def clearest(self, label: str = "") -> list[Filter]:
        """Return the filters that are activated by some n-gram, the clearest first.

        They are sorted by a difference: the share in `tested` minus the share of the label `speaks_for` among all
        held-out lines.

        Args:
            label: Return only the filters whose label `speaks_for` has this name; empty for the filters of all labels.
        """
        fired = [one for one in self.filters if one.fired and label in ("", self.labels[one.speaks_for])]
        return sorted(fired, key=lambda one: self.shares[one.speaks_for] - one.tested.value)

    @property
    def found(self) -> str:
        """Say to which n-gram the clearest filter reacts most, and how well the filter predicts its label.

        The measure is the label's share among the held-out lines with the strongest reaction, compared with its share
        among all held-out lines. The clearest filter has the largest difference.
        """
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
        """Return a row for each filter and n-gram that activates it, with the columns of `HEADER`."""
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
        """Return a table with one row, the test on held-out lines: name, value, baseline, what the baseline is."""
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
        """Return all fields as plain JSON values; `of()` restores the classifier from them."""
        card: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return card

    @classmethod
    def of(cls, card: Mapping[str, Any]) -> LineClassifier:
        """Restore a classifier from the plain JSON values that `card()` returned.

        Raises:
            KeyError, TypeError: The card has other fields.
        """
        filters = [
            Filter(one["width"], tuple(one["weights"]), tuple(Firing(*f) for f in one["fired"]), Share(*one["tested"]))
            for one in card["filters"]
        ]
        scores = {name: Share(*card[name]) for name in ("right", "majority")}
        listed = {name: tuple(card[name]) for name in ("labels", "shares", "held_out_loss")}
        return cls(**{**card, **scores, **listed, "filters": tuple(filters)})


Told = LineClassifier
"""The former name of the class, which Python code exported by earlier versions uses."""


def filters_of(
    network: Network, labels: Sequence[str], trained: Lines, held_out: Lines, seen: Any, places: Any, tested: Any
) -> tuple[Filter, ...]:
    """Return each filter with the n-grams of training lines that activate it, and with its test on held-out lines.

    Args:
        seen: Maximum activation of each filter over each training line, (n, filters).
        places: Position of the maximum in the line, (n, filters).
        tested: Maximum activation of each filter over each held-out line, (m, filters).
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
