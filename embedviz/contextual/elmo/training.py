"""Train ELMo on some texts, and measure its perplexity on held-out sentences after each epoch."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz import corpus
from embedviz.contextual.elmo.model import (
    LAYERS,
    MOST_SIZE,
    MOST_WORDS,
    SPECIAL,
    losses,
    new_network,
    tokenizer_of,
    vocabulary_of,
)
from embedviz.contextual.encoder.windows import padded
from embedviz.contextual.layers.sample import drawn_sentences
from embedviz.core import graphics_card
from embedviz.core.call import offered
from embedviz.core.device import torch_threads
from embedviz.core.options import OptionError, Parameter, checked_settings
from embedviz.core.phrases import counted, number, share
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Ints
from embedviz.core.texts import Texts

FEWEST = 20
"""Different sentences that a training needs."""
HELD_OUT = 10
"""One of so many sentences is held out."""
READ_AGAIN = 200
"""Held-out sentences that the result keeps, as a baseline of cosines."""
_MEASURED = 1_000  # sentences of either kind whose perplexity is measured
_PAYS = 3e12  # operations from which a card is worth it
_RATE = 8.5e9  # multiplications and additions in a second (an estimate)
_START, _STEP = 3.0, 0.015  # seconds to load torch, and of a step whatever its size (estimates)
_SIGNS = 5.5  # characters of a word and a blank, about
_CLIP = 1.0  # the greatest norm of a gradient
_OPTIONS = {
    "sentences": Parameter("sentences", FEWEST, 20_000, 3_000, "Sentences drawn from the texts.", "Sentences"),
    "words": Parameter("words", 10, MOST_WORDS, 5_000, "Most frequent words that have a vector.", "Vocabulary"),
    "min_count": Parameter("min_count", 1, 1_000, 2, "Occurrences of a word of the vocabulary.", "Minimum count"),
    "size": Parameter("size", 4, MOST_SIZE, 64, "Dimensions of one direction.", "Dimensions of a direction"),
    "epochs": Parameter("epochs", 1, 50, 5, "How often each sentence is read.", "Epochs"),
    "batch": Parameter("batch", 1, 256, 32, "Sentences of a batch.", "Batch"),
    "longest": Parameter("longest", 4, 200, 60, "Tokens of a sentence that are read.", "Tokens"),
}


@dataclass(frozen=True)
class ElmoSettings:
    """How ELMo is trained.

    Attributes:
        sentences: Greatest number of sentences that are drawn.
        words: Greatest number of words that have a vector; every other word is `<unk>`.
        size: Dimensions of a token embedding and of each direction.
        longest: Tokens of a sentence that are read, both ends included.
        rate: The learning rate of Adam.
        dropout: The probability that an input of a layer is dropped.
    """

    sentences: int = 3_000
    words: int = 5_000
    min_count: int = 2
    size: int = 64
    epochs: int = 5
    batch: int = 32
    longest: int = 60
    rate: float = 5e-3
    dropout: float = 0.2

    def checked(self, **changes: float) -> ElmoSettings:
        """Return the settings with these changes.

        Raises:
            OptionError: A name is unknown or a value is out of range.
        """
        return checked_settings(self, changes, _OPTIONS, {"rate": (1e-6, 0.1), "dropout": (0.0, 0.9)}, "ELMo")


SETTINGS = ElmoSettings()
"""The settings without changes."""


class EpochPerplexity(NamedTuple):
    """Perplexities after an epoch, without dropout; epoch 0 is before the first step.

    Attributes:
        training: Of sentences trained on, both directions together.
        held_out: Of held-out sentences, both directions together.
        forward, backward: Of held-out sentences, each direction alone.
    """

    epoch: int
    training: float
    held_out: float
    forward: float
    backward: float


@dataclass(frozen=True, eq=False)
class TrainedElmo:
    """A trained ELMo.

    Attributes:
        texts: Name of the texts; `about`: what their source says of them.
        trained_on, held_out, of: Sentences trained on, held-out ones that were measured, different ones of the texts.
        vocabulary: All tokens in their order.
        epochs: Perplexities before the first epoch and after each.
        unigram: Perplexity of the held-out sentences by the relative counts of single tokens.
        unknown: Share of the held-out tokens that are not in the vocabulary.
        sentences: Held-out sentences, at most `READ_AGAIN`.
        weights: Tensors by their names in the network.
        device: The torch device of the training.
    """

    texts: str
    about: str
    settings: ElmoSettings
    seed: int
    trained_on: int
    held_out: int
    of: int
    vocabulary: tuple[str, ...]
    epochs: tuple[EpochPerplexity, ...]
    unigram: float
    unknown: float
    sentences: tuple[str, ...]
    weights: Mapping[str, Any]
    device: str
    seconds: float

    @property
    def meaning(self) -> str:
        """Say the last held-out perplexity, the unigram baseline, and the best epoch if it is another one."""
        last = self.epochs[-1]
        best = min(self.epochs, key=lambda one: one.held_out)
        sentence = (
            f"After {counted(last.epoch, 'epoch')} the held-out perplexity is {number(last.held_out, 1)}; the unigram "
            f"baseline has {number(self.unigram, 1)}."
        )
        if best.epoch == last.epoch:
            return sentence
        return f"{sentence} It was lowest after epoch {best.epoch}: {number(best.held_out, 1)}."

    @property
    def note(self) -> str:
        """Say the sample."""
        return (
            f"Trained on {self.trained_on:,} of {self.of:,} different sentences of {self.texts}; perplexity of "
            f"{self.held_out:,} others. Vocabulary: {len(self.vocabulary):,}; {share(self.unknown)} of the held-out "
            "tokens are <unk>."
        )

    @property
    def method(self) -> str:
        """Say the settings."""
        one = self.settings
        card = "" if self.device == "cpu" else " On a graphics card the last digits may differ from run to run."
        return (
            f"{one.size} dimensions in each direction, batches of {one.batch}, learning rate {one.rate:g} (Adam), "
            f"dropout {one.dropout:g}, seed {self.seed}.{card}"
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows: the perplexities of each epoch, and the unigram baseline."""
        rows = [(*one, self.unigram) for one in self.epochs]
        return (*EpochPerplexity._fields, "unigram"), rows

    def card(self) -> dict[str, Any]:
        """Return the settings and results as plain JSON values."""
        return {
            "texts": self.texts,
            "settings": asdict(self.settings),
            "seed": self.seed,
            "sentences": self.trained_on,
            "perplexity": [one._asdict() for one in self.epochs],
            "unigram": self.unigram,
            "unknown": self.unknown,
            "device": self.device,
        }


class ElmoCost(NamedTuple):
    """What a training costs.

    Attributes:
        sentences, trained_on: Different sentences of the texts, and those trained on.
        tokens: Tokens that an epoch reads, about; `vocabulary`: different ones.
        seconds: Duration on the CPU, about.
    """

    sentences: int
    trained_on: int
    tokens: int
    vocabulary: int
    seconds: float


def elmo_cost(source: Texts | str | Path = corpus.TEACHING, *, seed: int = 0, **settings: float) -> ElmoCost:
    """Return what a training costs.

    Args:
        source, seed, settings: As for `train`.

    Raises:
        CorpusError: There are no such texts.
        OptionError: A setting out of range.
    """
    chosen = SETTINGS.checked(**settings)
    _, drawn, total = _drawn(source, chosen, seed)
    training = _trained_on(drawn)
    words = len(vocabulary_of(training, most=chosen.words, minimum=chosen.min_count))
    tokens = int(sum(min(len(one) / _SIGNS + 2, chosen.longest) for one in training))
    steps = chosen.epochs * math.ceil(len(training) / chosen.batch)
    seconds = _START + steps * _STEP + _operations(tokens, chosen, words) / _RATE
    return ElmoCost(total, len(training), tokens, words, seconds)


@offered("trained", "print(trained.meaning)", "for row in trained.table()[1]:", "    print(*row)")
def train(
    source: Texts | str | Path = corpus.TEACHING,
    *,
    seed: int = 0,
    device: str = "auto",
    report: Report | None = None,
    **settings: float,
) -> TrainedElmo:
    """Train ELMo on sentences of some texts. A sentence counts once, and one of ten is held out.

    The CPU computes with one thread, which is the fastest for small layers and repeats itself to the bit.

    Args:
        source: Texts, or what `corpus.opened` takes.
        seed: Of the sentences, the first weights, the order and the dropout.
        device: As in `device.named_device`.
        settings: Fields of `ElmoSettings`.

    Raises:
        CorpusError: There are no such texts.
        OptionError: Too few different sentences, no frequent word, or a setting out of range.
        DeviceError: There is no such device.
    """
    began = time.perf_counter()
    chosen = SETTINGS.checked(**settings)
    texts, drawn, total = _drawn(source, chosen, seed)
    if len(drawn) < FEWEST:
        raise OptionError(
            f"{texts.name} has {counted(len(drawn), 'different sentence')}; ELMo needs {FEWEST} or more: one of "
            f"{HELD_OUT} is held out."
        )
    tell(report, 0.0, "Counting words")
    held_out = drawn[::HELD_OUT]
    training = _trained_on(drawn)
    vocabulary = vocabulary_of(training, most=chosen.words, minimum=chosen.min_count)
    if len(vocabulary) == len(SPECIAL):
        raise OptionError(
            f"No word of {texts.name} occurs {chosen.min_count} times. Choose a smaller minimum count or longer texts."
        )
    rows = [_numbered(vocabulary, each, chosen.longest) for each in (training, held_out[:_MEASURED])]
    work = _operations(sum(map(len, rows[0])), chosen, len(vocabulary))

    def fitted(place: str) -> tuple[tuple[EpochPerplexity, ...], dict[str, Any], str]:
        return *_fit(rows[0], rows[1], len(vocabulary), chosen, seed, place, part(report, 0.02, 1.0)), place

    epochs, weights, place = graphics_card.on_card(fitted, named=device, pays=work >= _PAYS, report=report)
    known = np.concatenate([row[1:-1] for row in rows[1]])
    return TrainedElmo(
        texts.name,
        texts.note,
        chosen,
        seed,
        len(training),
        len(rows[1]),
        total,
        vocabulary,
        epochs,
        unigram_perplexity(rows[0], rows[1], len(vocabulary)),
        float((known == 0).mean()) if len(known) else 0.0,
        tuple(held_out[:READ_AGAIN]),
        weights,
        place,
        time.perf_counter() - began,
    )


def unigram_perplexity(training: Sequence[Ints], held_out: Sequence[Ints], tokens: int) -> float:
    """Return the perplexity of held-out rows by the counts of single tokens in the training rows, each plus one.

    The rows hold both ends; the tokens after the start are predicted, as by the forward direction.

    Args:
        tokens: Size of the vocabulary; the start is never predicted.
    """
    counts = np.bincount(np.concatenate([row[1:] for row in training]), minlength=tokens) + 1.0
    counts[SPECIAL.index("<s>")] = 0
    targets = np.concatenate([row[1:] for row in held_out])
    return float(np.exp(-np.log(counts[targets] / counts.sum()).mean()))


def _drawn(source: Texts | str | Path, chosen: ElmoSettings, seed: int) -> tuple[Texts, list[str], int]:
    """Return the texts, the drawn sentences, and the number of all different ones."""
    texts = corpus.opened(source)
    drawn, _, total = drawn_sentences(texts, chosen.sentences, seed)
    return texts, drawn, total


def _trained_on(drawn: Sequence[str]) -> list[str]:
    """Return the sentences that are not held out."""
    return [one for place, one in enumerate(drawn) if place % HELD_OUT]


def _operations(tokens: float, chosen: ElmoSettings, words: int) -> float:
    """Return the multiplications and additions of a training, by an estimate: three passes, two directions."""
    return 6 * chosen.epochs * tokens * chosen.size * (8 * LAYERS * chosen.size + words)


def _numbered(vocabulary: Sequence[str], sentences: Sequence[str], longest: int) -> list[Ints]:
    """Return the token numbers of each sentence with both ends; a long one keeps its first tokens and its end."""
    backend = tokenizer_of(vocabulary).backend_tokenizer
    found = []
    for sentence in sentences:
        ids = backend.encode(sentence.encode("utf-8", "replace").decode("utf-8")).ids
        found.append(np.array(ids if len(ids) <= longest else [*ids[: longest - 1], ids[-1]], np.int64))
    return found


def _fit(
    training: Sequence[Ints],
    held_out: Sequence[Ints],
    tokens: int,
    chosen: ElmoSettings,
    seed: int,
    place: str,
    report: Report | None,
) -> tuple[tuple[EpochPerplexity, ...], dict[str, Any]]:
    """Return the perplexities of each epoch and the trained weights."""
    import torch

    random = np.random.default_rng([seed, 7])
    sample = [training[row] for row in sorted(random.permutation(len(training))[: len(held_out)].tolist())]
    cards = [place] if place.startswith("cuda") else []
    with torch_threads(1), torch.random.fork_rng(devices=cards):
        torch.manual_seed(seed)
        network = new_network(tokens, chosen.size, chosen.dropout).to(place)
        optimizer = torch.optim.Adam(network.parameters(), lr=chosen.rate)
        found = [_measured(network, 0, sample, held_out, place)]
        for epoch in range(1, chosen.epochs + 1):
            every = list(_batches(training, chosen.batch, random))
            for step, batch in enumerate(every):
                done = (epoch - 1 + step / len(every)) / chosen.epochs
                tell(report, done, f"Epoch {epoch} of {chosen.epochs}; held-out perplexity {found[-1].held_out:.1f}")
                ahead, back = losses(network, *_padded(batch, place))
                optimizer.zero_grad()
                ((ahead + back) / 2).backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), _CLIP)
                optimizer.step()
            found.append(_measured(network, epoch, sample, held_out, place))
    weights = {name: each.detach().cpu().numpy().copy() for name, each in network.state_dict().items()}
    for array in weights.values():
        array.flags.writeable = False
    return tuple(found), weights


def _measured(
    network: Any, epoch: int, training: Sequence[Ints], held_out: Sequence[Ints], place: str
) -> EpochPerplexity:
    """Return the perplexities of some rows without dropout."""
    network.eval()
    ahead, back = directions(network, held_out, place)
    both = sum(directions(network, training, place)) / 2
    network.train()
    return EpochPerplexity(epoch, _exp(both), _exp((ahead + back) / 2), _exp(ahead), _exp(back))


def directions(network: Any, rows: Sequence[Ints], place: str = "cpu") -> tuple[float, float]:
    """Return the mean loss of some rows in nats per predicted token, forward and backward.

    Args:
        rows: Token numbers with both ends.
    """
    import torch

    total, count = np.zeros(2), 0
    with torch.inference_mode():
        ordered = sorted(rows, key=len)
        for start in range(0, len(ordered), 32):
            batch = ordered[start : start + 32]
            predicted = sum(len(row) - 1 for row in batch)
            total += predicted * np.array([float(each) for each in losses(network, *_padded(batch, place))])
            count += predicted
    return float(total[0] / count), float(total[1] / count)


def _exp(loss: float) -> float:
    return math.exp(min(loss, 700.0))


def _batches(rows: Sequence[Ints], size: int, random: np.random.Generator) -> Iterator[list[Ints]]:
    """Yield one epoch of batches in random order."""
    order = random.permutation(len(rows)).tolist()
    for start in range(0, len(order), size):
        yield [rows[place] for place in order[start : start + size]]


def _padded(rows: Sequence[Ints], place: str) -> tuple[Any, Any]:
    """Return the token numbers and the mask of some rows, (b, t), where the network is."""
    ids, mask = padded(rows, SPECIAL.index("</s>"))
    return ids.to(place), mask.to(place)
