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
"""Minimum number of different sentences for a training run."""
HELD_OUT = 10
"""Every tenth sentence is held out."""
READ_AGAIN = 200
"""Maximum number of held-out sentences in the result. Random pairs of their words are the baseline of cosines."""
_MEASURED = 1_000  # maximum number of held-out, and of training sentences, whose perplexity is measured
_PAYS = 3e12  # operations; with more, a graphics card is faster
_RATE = 8.5e9  # multiplications and additions per second (an estimate)
_START, _STEP = 3.0, 0.015  # seconds to load torch, and fixed cost of a step in seconds (estimates)
_SIGNS = 5.5  # characters of a word and a blank (an estimate)
_CLIP = 1.0  # maximum norm of the gradient
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
    """Settings of a training run.

    Attributes:
        sentences: Maximum number of sentences to draw, held-out sentences included.
        words: Maximum number of words in the vocabulary; words outside the vocabulary are read as `<unk>`.
        min_count: Minimum count of a word in the vocabulary.
        size: Dimensions of a token embedding and of each direction.
        epochs: How often each sentence is read.
        batch: Sentences per batch.
        longest: Maximum tokens read of a sentence, `<s>` and `</s>` included.
        rate: The learning rate of Adam.
        dropout: The dropout probability.
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
        """Return the settings with the given changes.

        Raises:
            OptionError: A name is unknown or a value is out of range.
        """
        return checked_settings(self, changes, _OPTIONS, {"rate": (1e-6, 0.1), "dropout": (0.0, 0.9)}, "ELMo")


SETTINGS = ElmoSettings()
"""The default settings."""


class EpochPerplexity(NamedTuple):
    """Perplexities after an epoch, without dropout; epoch 0 is before the first step.

    Attributes:
        training: Perplexity of a sample of the training sentences, both directions together.
        held_out: Perplexity of the held-out sentences, both directions together.
        forward, backward: Perplexity of the held-out sentences, each direction alone.
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
        texts: Name of the texts; `about`: a remark on their source.
        trained_on: Number of training sentences. `held_out`: number of measured held-out sentences. `of`: number of
            different sentences in the texts.
        vocabulary: All tokens in the order of their numbers.
        epochs: Perplexities before the first epoch and after each epoch.
        unigram: Baseline: perplexity of the held-out sentences by a unigram model.
        unknown: Share of the held-out tokens that are not in the vocabulary.
        sentences: Held-out sentences, at most `READ_AGAIN`.
        weights: Read-only arrays, by their names in the network.
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
        """Say the held-out perplexity after the last epoch, and the unigram baseline.

        If an earlier epoch was better, name this epoch and its perplexity too.
        """
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
        """Describe the training and the held-out sentences, and the vocabulary."""
        return (
            f"Trained on {self.trained_on:,} of {self.of:,} different sentences of {self.texts}; perplexity of "
            f"{self.held_out:,} others. Vocabulary: {len(self.vocabulary):,}; {share(self.unknown)} of the held-out "
            "tokens are <unk>."
        )

    @property
    def method(self) -> str:
        """Describe the settings of the training run, and the effect of a graphics card on the results."""
        one = self.settings
        card = "" if self.device == "cpu" else " On a graphics card the last digits may differ from run to run."
        return (
            f"{one.size} dimensions in each direction, batches of {one.batch}, learning rate {one.rate:g} (Adam), "
            f"dropout {one.dropout:g}, seed {self.seed}.{card}"
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and one row per epoch: the perplexities, and the unigram baseline (the same in each row)."""
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
    """Estimated cost of a training run.

    Attributes:
        sentences, trained_on: Number of different sentences in the texts, and of training sentences.
        tokens: Estimated number of tokens read in one epoch; `vocabulary`: size of the vocabulary.
        seconds: Estimated duration on the CPU.
    """

    sentences: int
    trained_on: int
    tokens: int
    vocabulary: int
    seconds: float


def elmo_cost(source: Texts | str | Path = corpus.TEACHING, *, seed: int = 0, **settings: float) -> ElmoCost:
    """Return the estimated cost of a training run.

    Args:
        source, seed, settings: As for `train`.

    Raises:
        CorpusError: There are no such texts.
        OptionError: A setting is out of range.
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
    """Train ELMo on sentences of some texts. Repeated sentences count once, and every tenth sentence is held out.

    The CPU uses one thread: this is fastest for small layers, and repeated trainings are equal to the bit.

    Args:
        source: Texts, or what `corpus.opened` takes.
        seed: Seed of the drawn sentences, their order, the initial weights and the dropout.
        device: As in `device.named_device`.
        settings: Fields of `ElmoSettings`.

    Raises:
        CorpusError: There are no such texts.
        OptionError: There are too few different sentences, no word reaches the minimum count, or a setting is out of
            range.
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
    """Return the perplexity of held-out sentences by a unigram model of the training sentences, with add-one smoothing.

    Every token after `<s>` is predicted, `</s>` included, as in the forward direction.

    Args:
        training, held_out: Token numbers of each sentence, from `<s>` to `</s>`.
        tokens: Size of the vocabulary; `<s>` has probability 0.
    """
    counts = np.bincount(np.concatenate([row[1:] for row in training]), minlength=tokens) + 1.0
    counts[SPECIAL.index("<s>")] = 0
    targets = np.concatenate([row[1:] for row in held_out])
    return float(np.exp(-np.log(counts[targets] / counts.sum()).mean()))


def _drawn(source: Texts | str | Path, chosen: ElmoSettings, seed: int) -> tuple[Texts, list[str], int]:
    """Return the texts, the drawn sentences, and the number of different sentences in the texts."""
    texts = corpus.opened(source)
    drawn, _, total = drawn_sentences(texts, chosen.sentences, seed)
    return texts, drawn, total


def _trained_on(drawn: Sequence[str]) -> list[str]:
    """Return the drawn sentences that are not held out."""
    return [one for place, one in enumerate(drawn) if place % HELD_OUT]


def _operations(tokens: float, chosen: ElmoSettings, words: int) -> float:
    """Estimate the multiplications and additions of a training run.

    A step counts as three forward passes per direction.
    """
    return 6 * chosen.epochs * tokens * chosen.size * (8 * LAYERS * chosen.size + words)


def _numbered(vocabulary: Sequence[str], sentences: Sequence[str], longest: int) -> list[Ints]:
    """Return the token numbers of each sentence, `<s>` to `</s>`; a long sentence keeps its first tokens and `</s>`."""
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
    """Train a network on the torch device `place`; return the perplexities of each epoch and the trained weights."""
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
    """Return the perplexities of training and held-out sentences after an epoch, without dropout."""
    network.eval()
    ahead, back = directions(network, held_out, place)
    both = sum(directions(network, training, place)) / 2
    network.train()
    return EpochPerplexity(epoch, _exp(both), _exp((ahead + back) / 2), _exp(ahead), _exp(back))


def directions(network: Any, rows: Sequence[Ints], place: str = "cpu") -> tuple[float, float]:
    """Return two mean losses of sentences in nats per predicted token: of the forward and of the backward direction.

    Args:
        rows: Token numbers of each sentence, from `<s>` to `</s>`.
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
    """Yield the batches of one epoch, with the sentences in random order."""
    order = random.permutation(len(rows)).tolist()
    for start in range(0, len(order), size):
        yield [rows[place] for place in order[start : start + size]]


def _padded(rows: Sequence[Ints], place: str) -> tuple[Any, Any]:
    """Return the padded token numbers of sentences, and 1 for a token or 0 for padding, both (b, t).

    Both tensors are on the torch device `place`.
    """
    ids, mask = padded(rows, SPECIAL.index("</s>"))
    return ids.to(place), mask.to(place)
