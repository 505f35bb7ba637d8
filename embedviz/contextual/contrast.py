"""Contrastive losses with their gradients, and a batch of real sentences to compute them on.

Triplet loss: Schroff, Kalenichenko and Philbin 2015. InfoNCE: van den Oord, Li and Vinyals 2018.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz import corpus
from embedviz.contextual.encoder import BUILTIN, Encoder, load
from embedviz.contextual.layer_pooling import LayerPooling, pool_by_portions
from embedviz.contextual.pooling import own_pooling
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.core.progress import Report
from embedviz.core.stats.softmax import softmax
from embedviz.core.texts import Texts, sentences
from embedviz.geometry.uniformity import Reals, alignment, nonzero_unit_rows, uniformity

LONGEST = 200
"""Maximum characters of a sentence; longer sentences are cut."""
SHORTEST = 20
"""Minimum characters of a sentence; shorter sentences are skipped."""
MOST = 64
"""Maximum pairs of a batch."""


class TripletLoss(NamedTuple):
    """The triplet loss max(0, ‖a − p‖² − ‖a − n‖² + margin), and its gradients.

    Attributes:
        value: The loss.
        positive, negative: Squared distances: anchor to positive, and anchor to negative.
        anchor, toward, away: The gradients with respect to anchor, positive and negative; zeros if the loss is 0.
    """

    value: float
    positive: float
    negative: float
    anchor: Reals
    toward: Reals
    away: Reals


def triplet_loss(anchor: Any, positive: Any, negative: Any, margin: float = 1.0) -> TripletLoss:
    """Return the triplet loss of three vectors, (d,)."""
    a, p, n = (np.asarray(each, np.float64) for each in (anchor, positive, negative))
    near, far = float(((a - p) ** 2).sum()), float(((a - n) ** 2).sum())
    value = max(0.0, near - far + margin)
    active = 2.0 * (value > 0)
    return TripletLoss(value, near, far, active * (n - p), active * (p - a), active * (a - n))


@dataclass(frozen=True, eq=False)
class InfoNCE:
    """InfoNCE, the loss of a batch of N pairs: the mean of −log softmax(s_i / τ)_i over the rows s_i.

    Attributes:
        similarities: s, (N, N). Row i belongs to anchor i, column i to the positive of anchor i. The other columns are
            the negatives of anchor i.
        temperature: τ.
        probabilities: The softmax of each row, (N, N).
    """

    similarities: Reals
    temperature: float
    probabilities: Reals

    def __len__(self) -> int:
        return len(self.similarities)

    @property
    def rows(self) -> Reals:
        """Return the loss of each row, (N,)."""
        logits = self.similarities / self.temperature
        top = logits.max(axis=1)
        return np.asarray(top + np.log(np.exp(logits - top[:, None]).sum(axis=1)) - np.diag(logits))

    @property
    def value(self) -> float:
        """Return the loss of the batch, in nats."""
        return float(self.rows.mean())

    @property
    def most(self) -> float:
        """Return ln N: the loss if all similarities are equal, and the maximum of `bound` (on mutual information)."""
        return math.log(len(self))

    @property
    def bound(self) -> float:
        """Return ln N − loss: in expectation, a lower bound on the mutual information of anchor and positive."""
        return self.most - self.value

    @property
    def right(self) -> int:
        """Return how many anchors are nearer to their own positive than to any negative."""
        return int((self.similarities.argmax(axis=1) == np.arange(len(self))).sum())

    @property
    def gradient(self) -> Reals:
        """Return the gradient with respect to the similarities: (softmax − identity) / (N τ), (N, N)."""
        return np.asarray((self.probabilities - np.eye(len(self))) / (len(self) * self.temperature))


def info_nce(similarities: Any, temperature: float = 0.05) -> InfoNCE:
    """Return the InfoNCE loss of a table of similarities, (N, N), with the positive pairs on the diagonal.

    Raises:
        OptionError: The table is not square, has fewer than two rows, or the temperature is not above 0.
    """
    table = np.asarray(similarities, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise OptionError(f"The similarities have the shape {table.shape}; a square table is needed.")
    if len(table) < 2:
        raise OptionError("A batch of one pair has no negatives, so its loss is always 0. Give two pairs or more.")
    if not temperature > 0:
        raise OptionError(f"The temperature is {temperature:g}; it must be above 0.")
    return InfoNCE(table, float(temperature), np.stack([softmax(row, temperature) for row in table]))


class LayerShape(NamedTuple):
    """Measures of one layer.

    Attributes:
        alignment: Mean squared distance of the two unit vectors of a pair; 0 if the two are equal in each pair.
        uniformity: How evenly the vectors of all sentences are spread; the lower, the more evenly.
        cosine: Mean cosine of the two sentences of a pair.
    """

    layer: int
    alignment: float
    uniformity: float
    cosine: float


@dataclass(frozen=True, eq=False)
class SentenceBatch:
    """A batch of sentence pairs, encoded by a model: each pair is the first two sentences of a text.

    Attributes:
        model, name: Names of the model and of the texts.
        pooling: Name of the pooling: the model's own if it is mean, cls or max; else mean.
        anchors, positives: The first and the second sentence of each of the N pairs.
        similarities: Cosines of all anchors with all positives at the last layer, (N, N).
        layers: Measures of each layer, from layer 0 on.
    """

    model: str
    name: str
    pooling: str
    anchors: tuple[str, ...]
    positives: tuple[str, ...]
    similarities: Reals
    layers: tuple[LayerShape, ...]

    def loss(self, temperature: float) -> InfoNCE:
        """Return the InfoNCE loss of the batch at a temperature."""
        return info_nce(self.similarities, temperature)

    @property
    def note(self) -> str:
        """Describe the pairs, the model and the pooling."""
        return (
            f"{len(self.anchors)} pairs of {self.name}: the first two sentences of a text, without those under "
            f"{SHORTEST} characters; long ones are cut at {LONGEST}. {self.model}, {self.pooling} pooling."
        )

    @property
    def meaning(self) -> str:
        """Say at which layer the pairs are nearest, and at which layer all sentences are spread most evenly."""
        near = min(self.layers, key=lambda one: one.alignment)
        even = min(self.layers, key=lambda one: one.uniformity)
        return (
            f"Alignment is lowest at layer {near.layer} ({number(near.alignment)}), uniformity at layer {even.layer} "
            f"({number(even.uniformity)}). A layer where all sentences are one point has 0 and 0."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows: one row for each layer."""
        return ("layer", "alignment", "uniformity", "mean cosine of pairs"), [tuple(one) for one in self.layers]


@offered("batch", "print(batch.loss(0.05).value, batch.loss(0.05).bound)", "print(batch.table())")
def sentence_batch(
    source: Texts | str | Path = corpus.LEE,
    n: int = 8,
    *,
    model: Encoder | str | Path = BUILTIN,
    report: Report | None = None,
) -> SentenceBatch:
    """Return a batch of at most n pairs: the first two sentences of each text that has two.

    Args:
        source: Texts, or what `corpus.opened` takes.
        model: As `contextual.encoder.load` takes it.

    Raises:
        CorpusError: There are no such texts.
        OptionError: Fewer than two texts begin with two different sentences, or n is not within 2 to `MOST`.
        EncoderError: The model cannot be loaded.
    """
    if not 2 <= n <= MOST:
        raise OptionError(f"n is {n}; a batch has 2 to {MOST} pairs.")
    texts = corpus.opened(source)
    pairs = first_pairs(texts.texts)[:n]
    if len(pairs) < 2:
        raise OptionError(
            f"{len(pairs)} of {len(texts):,} texts begin with two different sentences; two are needed. Choose texts of "
            "several sentences."
        )
    encoder = load(model)
    named = own_pooling(encoder.pooling)
    wanted = tuple(LayerPooling(named, layer) for layer in range(encoder.depth + 1))
    every = [each for pair in zip(*pairs, strict=True) for each in pair]
    found = np.zeros((len(wanted), len(every), encoder.dimensions))
    for portion in pool_by_portions(encoder, every, wanted, report=report):
        for place, pooling in enumerate(wanted):
            found[place, portion.rows] = portion.vectors[pooling]
    shapes = []
    for layer, rows in enumerate(found):
        one, other = rows[: len(pairs)], rows[len(pairs) :]
        near = alignment(one, other)
        shapes.append(LayerShape(layer, near, uniformity(rows), 1 - near / 2))
    unit = nonzero_unit_rows(found[-1])
    anchors, positives = zip(*pairs, strict=True)
    table = unit[: len(pairs)] @ unit[len(pairs) :].T
    return SentenceBatch(encoder.name, texts.name, named, anchors, positives, table, tuple(shapes))


def first_pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the first two sentences of each text, as pairs.

    Sentences under `SHORTEST` characters are skipped; sentences over `LONGEST` are cut. Only the first 4 · `LONGEST`
    characters of a text are searched. A text is left out if these have fewer than two sentences. It is also left out if
    the two are equal, or if one of them is in an earlier pair.
    """
    seen: set[str] = set()
    found = []
    for text in texts:
        both = [one[:LONGEST] for one in sentences(text[: 4 * LONGEST]) if len(one) >= SHORTEST][:2]
        if len({*both} - seen) == 2:
            seen |= {*both}
            found.append((both[0], both[1]))
    return found
