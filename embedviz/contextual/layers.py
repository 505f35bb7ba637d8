"""The layers of a model over the sentences of some texts: how its tokens lie in each, and how alike the layers are.

`MEASURES` has a row for each number, beside what chance and an isotropic space give. Tokens are the model's pieces,
special ones never counted; a *word* here is a piece with letters or digits, as in the papers. A correction is fitted to
one half of the sentences and measured on the other.

Intervals resample texts, since the sentences of one text are alike (sentences, where there are few texts), and words
where the number is a mean over words. Layers are compared on the same texts and words, and a difference is said only
where it holds over all pairs of layers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz import corpus
from embedviz.contextual.encoder import BUILTIN, Encoder, encode, load
from embedviz.core.call import offered
from embedviz.core.hidden import HiddenStates, is_letter
from embedviz.core.options import Method, OptionError, Parameter, choose
from embedviz.core.phrases import layers_in_words, number, share
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Float, Ints, Origin, VectorSpace, lengths
from embedviz.core.stats.intervals import LEVEL, Z
from embedviz.core.texts import Texts, sentences
from embedviz.geometry.comparison import cka
from embedviz.geometry.corrections import MAPS, Fitted, fitted
from embedviz.geometry.isotropy import SLIGHT, Rogue, Striking, directions, moments, participation_ratio
from embedviz.geometry.isotropy.moments import isotropic_spectrum
from embedviz.geometry.isotropy.tokens import (
    Mean,
    agreement_without,
    baseline,
    explainable,
    group_sums,
    intra_similarity,
    self_similarity,
)

SENTENCES = Parameter("sentences", 20, 3_000, 1_200, "How many sentences are drawn from the texts.", "Sentences")
LEAST = 5
"""Occurrences that a word needs for its self-similarity, as in the paper."""
EQUAL = 10
"""Occurrences that are drawn of each word for its explainable variance, which depends on how many there are."""
SHORTEST = 3
"""Words of a sentence."""
FEWEST = 8
"""Sentences that are measured."""
COMPARED = 2_000
"""Tokens by which layers are compared, one a sentence."""
HELD = 2**30
"""Bytes of hidden states that are kept in memory; more are written to a temporary folder."""
_SIGNS = 4  # characters of a token, about
_PAIRS = 20_000
_GROUPS = 200  # of random words
_ROGUES = 5
_STRUCK = (1, 3, 5)
_WHOLE = 0.9  # of its occurrences, in which a piece is a word of its own
_SHARE = 0.5  # of the sentences, to fit a correction to
_TEXTS = 20  # below which sentences are resampled, not texts
_ROUNDING = 1e-7

Doubles = NDArray[np.float64]


class Value(NamedTuple):
    """A number of one layer; what has no meaning is None.

    Attributes:
        low, high: Its 95 % interval, if other texts (and words) were drawn.
        chance: What the same tokens give without what is measured, as the measure says.
        isotropic: What independent normal numbers of the same size give.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    isotropic: float | None = None

    @property
    def against(self) -> float | None:
        """Its baseline: chance where there is one, else the isotropic value."""
        return self.isotropic if self.chance is None else self.chance


@dataclass(frozen=True)
class Measure:
    """One row of `MEASURES`.

    Attributes:
        said: What the number is of, as a sentence begins.
        summary: What it is and how not to misread it.
        against: What its baseline is, in a few words.
        shares: Whether it is a share, said in percent.
    """

    name: str
    title: str
    function: Callable[[_Seen], _Told]
    said: str
    summary: str
    against: str
    source: str = ""
    digits: int = 2
    shares: bool = False

    def say(self, value: float | None) -> str:
        """The value as people read it."""
        return "–" if value is None else share(value) if self.shares else number(value, self.digits)


@dataclass(frozen=True, eq=False)
class Layer:
    """What was measured of one layer.

    Attributes:
        number: 0 is the output of the embeddings.
        values: By the names of `MEASURES`, in their order.
        rogues: The dimensions that add most to the mean cosine of two words.
        striking: What cosines tell without the first 1, 3 and 5 of them; empty where that has no meaning.
        similarity: The self-similarity of each word of `Layers.words`, (w,).
    """

    number: int
    values: dict[str, Value]
    rogues: tuple[Rogue, ...]
    striking: tuple[Striking, ...]
    similarity: Float


TABLE = ("layer", "measure", "value", "low", "high", "chance", "isotropic", "uncorrected")
"""The header of `Layers.table`."""


class Kept(NamedTuple):
    """A word, how often it occurs, and its self-similarity at a layer."""

    word: str
    times: int
    similarity: float


@dataclass(frozen=True, eq=False)
class Layers:
    """What was measured of the layers of a model.

    Attributes:
        model: Its name. `texts`: that of the texts.
        sentences: How many were measured. `drawn_from`: sentences of the texts, repeated ones once. `short`: drawn, but
            left out, as they have fewer than three words.
        tokens: Of the measured sentences. `types`: words among them that occur five times or more.
        words: These, as they are written; a piece that begins no word has a hyphen before it. `counts`: how often.
            `whole`: whether a piece is a word of its own in nine of ten places or more.
        layers: From layer 0 to the last.
        alike: Linear CKA of each layer with each, without its bias by few rows, (K, K); not a number where a layer
            does not vary. `shuffled`: what CKA with this bias gives of shuffled tokens.
        compared: Tokens behind these, one a sentence.
        correction: The title of the correction, empty where there is none; `fitted`: sentences it was fitted to.
        before: The same sentences without it; empty where there is none.
        windowed: Sentences too long for the model, read in windows.
        unit: What intervals resample: *text* or *sentence*; `units`: how many there are.
        errors: For each measure that has intervals the standard error of the difference of each two layers, (K, K).
    """

    model: str
    texts: str
    sentences: int
    drawn_from: int
    short: int
    tokens: int
    words: tuple[str, ...]
    counts: Ints
    whole: NDArray[np.bool_]
    layers: tuple[Layer, ...]
    alike: Doubles
    shuffled: Doubles
    compared: int
    correction: str
    fitted: int
    before: tuple[Layer, ...]
    windowed: int
    unit: str
    units: int
    errors: dict[str, Doubles]
    about: str

    @property
    def depth(self) -> int:
        """The number of the last layer."""
        return self.layers[-1].number

    def curve(self, name: str) -> list[Value]:
        """The values of a measure, layer by layer."""
        choose(MEASURES, name, "measure")
        return [layer.values[name] for layer in self.layers]

    def lowest(self, layer: int, count: int = 8) -> list[Kept]:
        """The whole words whose occurrences are least alike at a layer."""
        return self._ordered(layer)[:count]

    def highest(self, layer: int, count: int = 8) -> list[Kept]:
        """The whole words whose occurrences are most alike at a layer, the first the most."""
        return self._ordered(layer)[::-1][:count]

    def _ordered(self, layer: int) -> list[Kept]:
        found = self.layers[layer].similarity
        rows = [row for row in np.argsort(found, kind="stable").tolist() if self.whole[row]]
        return [Kept(self.words[row], int(self.counts[row]), float(found[row])) for row in rows]

    def meaning(self, name: str) -> str:
        """Where a measure is lowest and highest, beside its baseline there, in sentences."""
        row, values = choose(MEASURES, name, "measure"), self.curve(name)
        known = [(value.value, place) for place, value in enumerate(values) if value.value is not None]
        if not known:
            return "There are too few words or sentences for this measure: draw more of them, or take other texts."
        (low, least), (high, most) = min(known), max(known)
        ends = [
            f"{row.say(value)}; {row.against}: {row.say(values[at].against)}"
            if values[at].against is not None
            else row.say(value)
            for value, at in ((low, least), (high, most))
        ]
        found = f"{row.said} is lowest at layer {least} ({ends[0]}) and highest at layer {most} ({ends[1]})."
        return " ".join(filter(None, [found, self._beyond_said(name, least, most), self._before(row)]))

    def beyond(self, name: str) -> NDArray[np.bool_]:
        """Say which two layers differ in a measure, (K, K): in at most 5 % of samples any two that do not.

        Bonferroni over all pairs of layers; False everywhere where a measure has no intervals.
        """
        from scipy.stats import t

        values = np.array([np.nan if value.value is None else value.value for value in self.curve(name)])
        if name not in self.errors or self.units < 3:
            return np.zeros((len(values), len(values)), np.bool_)
        pairs = len(values) * (len(values) - 1) / 2
        reach = float(t.ppf(1 - LEVEL / (2 * max(1.0, pairs)), self.units - 1))
        return np.asarray(np.abs(values[:, None] - values) > reach * self.errors[name] + _ROUNDING)

    def _beyond_said(self, name: str, least: int, most: int) -> str:
        """Whether the lowest and the highest layer differ beyond chance, and which layers may be as low or high."""
        if name not in self.errors:
            return "How sure the order of the layers is, is not computed."
        apart = self.beyond(name)
        if not apart[least, most]:
            return "That difference may be chance."
        said = []
        for end, word in ((least, "low"), (most, "high")):
            same = [layer.number for at, layer in enumerate(self.layers) if at != end and not apart[at, end]]
            if same:
                layers = layers_in_words(same)
                said.append(f"{layers[:1].upper()}{layers[1:]} may be as {word}.")
        return " ".join(["The difference is beyond chance, over all pairs of layers.", *said])

    def _before(self, row: Measure) -> str:
        known = [value for layer in self.before if (value := layer.values[row.name].value) is not None]
        if not known:
            return ""
        return f"Without the correction, on the same sentences: {row.say(min(known))} to {row.say(max(known))}."

    def table(self) -> list[tuple[Any, ...]]:
        """Every number: layer, measure, value, the ends of its interval, chance, isotropic, and as it was."""
        return [
            (layer.number, name, *value, self.before[at].values[name].value if self.before else None)
            for at, layer in enumerate(self.layers)
            for name, value in layer.values.items()
        ]

    @property
    def kinship(self) -> str:
        """Which neighboring layers are most and least alike, in a sentence."""
        steps = [(float(self.alike[at, at + 1]), at) for at in range(len(self.alike) - 1)]
        steps = [step for step in steps if math.isfinite(step[0])]
        if not steps:
            return "The layers cannot be compared: one of them does not vary."
        (low, least), (high, most) = min(steps), max(steps)
        ends = float(self.alike[0, -1])
        far = f" First and last: {number(ends)}." if math.isfinite(ends) else ""
        return (
            f"From layer to layer the geometry changes most between {least} and {least + 1} ({number(low)}) and least "
            f"between {most} and {most + 1} ({number(high)}); 1 is the same but for rotation, shift and scale, "
            f"unrelated layers 0.{far} How sure the order of these steps is, is not computed."
        )

    @property
    def sample(self) -> str:
        """What was drawn and what was left out, in sentences."""
        said = [
            f"{self.sentences + self.fitted + self.short:,} of {self.drawn_from:,} sentences of {self.texts}, drawn at "
            f"random with a fixed seed."
            if self.sentences + self.fitted + self.short < self.drawn_from
            else f"All {self.drawn_from:,} sentences of {self.texts}."
        ]
        if self.short:
            said.append(f"{self.short:,} with fewer than {SHORTEST} words {_are(self.short)} left out.")
        if self.correction:
            said.append(f"The correction is fitted to {self.fitted:,} of them and measured on the others.")
        said.append(
            f"Measured: {self.sentences:,} sentences, {self.tokens:,} tokens without special ones; {len(self.words):,} "
            f"words (pieces with letters or digits) occur {LEAST} times or more."
        )
        said.append(
            f"Intervals: 95\u00a0%, if other {self.unit}s were drawn ({self.units:,} here)"
            + (", as sentences of one text are alike." if self.unit == "text" else ".")
        )
        if self.windowed:
            are = _are(self.windowed)
            said.append(f"{self.windowed:,} {are} too long for the model and {are} read in overlapping windows.")
        return " ".join(said)

    @property
    def note(self) -> str:
        """The sample, and what to know of the model."""
        return " ".join(filter(None, [self.sample, self.about]))


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


@offered("found", "print(found.kinship, found.note)")
def by_layer(
    texts: Texts | str,
    model: Encoder | str = BUILTIN,
    *,
    sentences: int = int(SENTENCES.default),
    correction: str = "",
    device: str = "cpu",
    seed: int = 0,
    report: Report | None = None,
    **options: Any,
) -> Layers:
    """What each layer of a model is like, over sentences drawn from some texts.

    Args:
        texts: Texts, or what `corpus.opened` takes.
        model: What `contextual.encoder.encode` takes.
        sentences: How many are drawn.
        correction: A name of `postprocess.MAPS`, or none.
        options: Of the correction.

    Raises:
        OptionError: Too few sentences, an unknown correction, or an option out of range.
        EncoderError: The model cannot be opened, or cannot take these sentences.
        CorpusError: The texts are not there.
    """
    count = int(SENTENCES.check(sentences, 2**31))
    row = choose(MAPS, correction, "correction") if correction else None
    held = corpus.opened(texts) if isinstance(texts, str) else texts
    tell(report, 0.0, "Dividing the texts into sentences")
    drawn, of, total = _drawn(held, count, seed)
    tell(report, 0.02, "Opening the model")
    encoder = model if isinstance(model, Encoder) else load(model)
    with _encoded(encoder, drawn, device, part(report, 0.05, 0.55)) as hidden:
        return _measured(hidden, encoder, held.name, of, total, row, options, seed, report)


@contextmanager
def _encoded(encoder: Encoder, drawn: Sequence[str], device: str, report: Report | None) -> Iterator[HiddenStates]:
    """Their hidden states; in a folder for the time being, where they would take much memory."""
    size = 4 * (encoder.depth + 1) * encoder.dimensions * sum(map(len, drawn)) // _SIGNS
    with TemporaryDirectory(prefix="embedviz-") as place:
        out = Path(place) / "states" if size > HELD else None
        yield encode(encoder, drawn, device=device, out=out, report=report)


def _measured(
    hidden: HiddenStates,
    encoder: Encoder,
    name: str,
    of: Ints,
    total: int,
    row: Method | None,
    options: dict[str, Any],
    seed: int,
    report: Report | None,
) -> Layers:
    every = _tokens(hidden, of, seed)
    short = len(of) - every.sentences
    needed = FEWEST * (2 if row else 1)
    if every.sentences < needed:
        raise OptionError(
            f"{every.sentences:,} of {total:,} sentences have {SHORTEST} words or more; {needed} are needed to measure "
            "layers. Take more texts."
        )
    fit, kept = _halves(every, seed) if row else (None, every)
    words = _words(hidden, kept)
    steps = len(hidden.kept)
    layers, before, spaces, parts = [], [], [], []
    for at, layer in enumerate(hidden.kept):
        tell(report, 0.55 + 0.4 * at / steps, f"Measuring layer {layer}")
        rows = np.asarray(hidden.layer(layer)[kept.rows], np.float32)
        if row is not None and fit is not None:
            before.append(_layer(layer, rows, kept, words, seed)[0])
            rows = _fitted(hidden, layer, fit, row.name, options).apply(rows)
        measured, each = _layer(layer, rows, kept, words, seed)
        layers.append(measured)
        parts.append(each)
        spaces.append(_space(rows[kept.one_each[:COMPARED]], f"layer {layer}"))
        del rows
    tell(report, 0.95, "Comparing the layers")
    alike, shuffled = _compared(spaces)
    return Layers(
        model=encoder.name,
        texts=name,
        sentences=kept.sentences,
        drawn_from=total,
        short=short,
        tokens=len(kept.rows),
        words=words.names,
        counts=words.counts,
        whole=words.whole,
        layers=tuple(layers),
        alike=alike,
        shuffled=shuffled,
        compared=len(spaces[0]),
        correction=row.title if row else "",
        fitted=0 if fit is None else fit.sentences,
        before=tuple(before),
        windowed=len(hidden.windowed),
        unit="text" if kept.by_text else "sentence",
        units=int(kept.unit.max()) + 1,
        errors=_errors(parts),
        about=encoder.note,
    )


def _drawn(texts: Texts, count: int, seed: int) -> tuple[list[str], Ints, int]:
    """Sentences drawn from all texts, in their order, the text of each, and how many sentences there are.

    Repeated ones count once, in the first text that has them.
    """
    every: dict[str, int] = {}
    for place, text in enumerate(texts.texts):
        for sentence in sentences(text):
            every.setdefault(sentence, place)
    rows = np.sort(np.random.default_rng(seed).permutation(len(every))[:count])
    listed = list(every)
    return [listed[row] for row in rows.tolist()], np.array([*every.values()], np.int64)[rows], len(every)


@dataclass(frozen=True, eq=False)
class _Tokens:
    """Tokens of the sentences that are measured, special ones not among them.

    Attributes:
        rows: Of the hidden states, ascending, (t,).
        sentence: Of each, 0 to `sentences` − 1, (t,).
        wordy: Whether it is of letters or digits, (t,).
        one_each: A word of each sentence, drawn; places among the t, (s,). `any_each`: the same of all tokens.
        text: The text of each sentence, (s,).
    """

    rows: Ints
    sentence: Ints
    wordy: NDArray[np.bool_]
    one_each: Ints
    any_each: Ints
    text: Ints

    @property
    def sentences(self) -> int:
        return len(self.one_each)

    @property
    def by_text(self) -> bool:
        """Whether there are texts enough to resample them."""
        return len(np.unique(self.text)) >= _TEXTS

    @cached_property
    def unit(self) -> Ints:
        """What is resampled of each sentence: its text, or itself, (s,)."""
        found = np.unique(self.text, return_inverse=True)[1] if self.by_text else np.arange(self.sentences)
        return np.asarray(found.reshape(self.sentences), np.int64)

    def only(self, chosen: Ints) -> _Tokens:
        """Those of these sentences, ascending."""
        inside = np.isin(self.sentence, chosen)
        places = np.cumsum(inside) - 1
        return _Tokens(
            self.rows[inside],
            np.searchsorted(chosen, self.sentence[inside]),
            self.wordy[inside],
            places[self.one_each[chosen]],
            places[self.any_each[chosen]],
            self.text[chosen],
        )


def _tokens(hidden: HiddenStates, of: Ints, seed: int) -> _Tokens:
    """The tokens of all sentences of three words or more."""
    sentence = np.repeat(np.arange(len(hidden.sentences)), np.diff(hidden.bounds))
    wordy = np.zeros(len(hidden), bool)
    for at in np.flatnonzero((hidden.words >= 0) & ~hidden.special).tolist():
        start, end = hidden.offsets[at]
        wordy[at] = is_letter(hidden.sentences[sentence[at]][start:end].strip()[:1] or " ")
    enough = np.flatnonzero(np.bincount(sentence[wordy], minlength=len(hidden.sentences)) >= SHORTEST)
    rows = np.flatnonzero(~hidden.special & np.isin(sentence, enough))
    own = np.searchsorted(enough, sentence[rows])
    random = np.random.default_rng([seed, 1])
    order = random.permutation(len(rows))

    def one(among: Ints) -> Ints:
        _, first = np.unique(own[among], return_index=True)
        return np.asarray(among[first], np.int64)

    return _Tokens(rows, own, wordy[rows], one(order[wordy[rows][order]]), one(order), of[enough])


def _halves(every: _Tokens, seed: int) -> tuple[_Tokens, _Tokens]:
    order = np.random.default_rng([seed, 2]).permutation(every.sentences)
    cut = int(_SHARE * len(order))
    return every.only(np.sort(order[:cut])), every.only(np.sort(order[cut:]))


class _Words(NamedTuple):
    """The words that occur often enough: which of the t tokens are of one (places), and of which."""

    names: tuple[str, ...]
    counts: Ints
    whole: NDArray[np.bool_]
    places: Ints
    groups: Ints


def _words(hidden: HiddenStates, kept: _Tokens) -> _Words:
    wordy = np.flatnonzero(kept.wordy)
    ids, first, groups, counts = np.unique(
        hidden.ids[kept.rows[wordy]], return_index=True, return_inverse=True, return_counts=True
    )
    often = np.flatnonzero(counts >= LEAST)
    new = np.full(len(ids), -1, np.int64)
    new[often] = np.arange(len(often))
    inside = new[groups] >= 0
    alone = np.bincount(groups, weights=_alone(hidden)[kept.rows[wordy]], minlength=len(ids)) >= _WHOLE * counts
    names = [_written(hidden, int(kept.rows[wordy[first[kind]]])) for kind in often.tolist()]
    return _Words(tuple(names), counts[often].astype(np.int64), alone[often], wordy[inside], new[groups][inside])


def _alone(hidden: HiddenStates) -> NDArray[np.bool_]:
    """Whether a token is a word of its own, not a piece of one, (T,)."""
    sentence = np.repeat(np.arange(len(hidden.sentences)), np.diff(hidden.bounds))
    same = (np.diff(hidden.words) == 0) & (np.diff(sentence) == 0)  # as the token before
    return np.asarray(~np.concatenate([[False], same]) & ~np.concatenate([same, [False]]))


def _written(hidden: HiddenStates, row: int) -> str:
    """A token as its sentence writes it, in the case that the tokenizer keeps."""
    sentence = int(np.searchsorted(hidden.bounds, row, "right")) - 1
    start, end = hidden.offsets[row]
    text = hidden.sentences[sentence][start:end].strip()
    lower = text.lower()
    if hidden.tokens[row].removeprefix("##") == lower:
        text = lower
    inside = row > hidden.bounds[sentence] and bool(hidden.words[row - 1] == hidden.words[row])
    return f"-{text}" if inside else text


@dataclass(frozen=True, eq=False)
class _Seen:
    """A layer as the measures see it: rows of its tokens, (t, d), and which of them are words, by sentence and kind."""

    rows: Float
    kept: _Tokens
    words: _Words
    seed: int

    @cached_property
    def norms(self) -> Float:
        return lengths(self.rows)

    @cached_property
    def unit(self) -> Float:
        return np.asarray(self.rows / np.maximum(self.norms, np.finfo(np.float32).tiny)[:, None], np.float32)

    @property
    def dimensions(self) -> int:
        return int(self.rows.shape[1])

    @cached_property
    def space(self) -> VectorSpace:
        """The words' tokens as a space."""
        return _space(self.rows[self.kept.wordy], "words")

    @cached_property
    def similarity(self) -> Doubles:
        """Of each word, (w,)."""
        places, groups = self.words.places, self.words.groups
        return self_similarity(self.unit[places], groups, len(self.words.names))

    def mean(self, values: Doubles) -> _Estimate | None:
        """The mean of a number for each sentence, (s,); where it is not a number, the sentence is left out."""
        known = np.isfinite(values)
        if not known.any():
            return None
        middle = float(values[known].mean())
        each = np.where(known, values - middle, 0.0) / known.sum()
        return _Estimate(middle, _summed(self.kept.unit, each), np.zeros(0))

    def pairs(self, chosen: Ints) -> _Estimate:
        """The mean cosine of all pairs of these tokens, one a sentence; by the mean of each with the others."""
        rows = self.unit[chosen].astype(np.float64)
        live = (rows**2).sum(axis=1) > 0.5
        value, count = _pairs(self.unit[chosen]).value, int(live.sum())
        each = np.where(live, (rows @ rows.sum(axis=0) - 1) / (count - 1) - value, 0.0)
        return _Estimate(value, _summed(self.kept.unit, 2 * each / count), np.zeros(0))

    @cached_property
    def base(self) -> _Estimate:
        return self.pairs(self.kept.one_each)

    @cached_property
    def mean_similarity(self) -> _Estimate | None:
        """Over words. A word adds by its own similarity, an occurrence by its cosines with the others."""
        known = np.isfinite(self.similarity)
        if not known.any():
            return None
        places, groups = self.words.places, self.words.groups
        middle, count = float(self.similarity[known].mean()), int(known.sum())
        own = np.where(known, self.similarity - middle, 0.0) / count
        rows, sizes = self.unit[places], self.words.counts[groups]
        near = (np.einsum("ij,ij->i", rows, group_sums(rows, groups, len(known))[groups]) - 1) / (sizes - 1)
        shift = np.where(known[groups], own[groups] + 2 * (near - self.similarity[groups]) / count, 0.0) / sizes
        texts = _summed(self.kept.unit[self.kept.sentence[places]], shift, int(self.kept.unit.max()) + 1)
        return _Estimate(middle, texts, own)

    @cached_property
    def intra(self) -> _Estimate | None:
        return self.mean(intra_similarity(self.rows, self.unit, self.kept.sentence, self.kept.sentences))

    @cached_property
    def dealt(self) -> float | None:
        """The same when the tokens are dealt to the sentences anew, as many to each."""
        order = np.random.default_rng([self.seed, 3]).permutation(len(self.rows))
        found = self.mean(intra_similarity(self.rows[order], self.unit[order], self.kept.sentence, self.kept.sentences))
        return None if found is None else found.value

    @cached_property
    def groups(self) -> tuple[Float, Float] | None:
        """Ten occurrences of each word that has as many, (g, 10, d), and ten words of ten sentences, as often."""
        random = np.random.default_rng([self.seed, 4])
        if self.kept.sentences < EQUAL:
            return None
        order = random.permutation(len(self.words.groups))
        ranked = order[np.argsort(self.words.groups[order], kind="stable")]
        starts = np.concatenate([[0], np.cumsum(self.words.counts)[:-1]])[self.words.counts >= EQUAL]
        if not len(starts):
            return None
        own = self.words.places[ranked[starts[:, None] + np.arange(EQUAL)]]
        other = np.stack([random.choice(self.kept.one_each, EQUAL, replace=False) for _ in range(_GROUPS)])
        return self.rows[own], self.rows[other]

    @cached_property
    def rogues(self) -> tuple[Rogue, ...]:
        """The dimensions that add most to the mean cosine of two words, over all pairs."""
        live = np.flatnonzero(self.space.norms > 0)
        if len(live) < 2:
            return ()
        parts = directions(self.space, live).parts
        mean = float(parts.sum())
        clear = mean > SLIGHT and (_value(self.base).low or 0) > 0
        order = np.argsort(-parts, kind="stable")[:_ROGUES].tolist()
        return tuple(Rogue(at, float(parts[at]), float(parts[at]) / mean if clear else None) for at in order)

    @cached_property
    def striking(self) -> tuple[Striking, ...]:
        random = np.random.default_rng([self.seed, 5])
        wordy = np.flatnonzero(self.kept.wordy & (self.norms > 0))
        pairs = random.integers(0, len(wordy), (2, _PAIRS))
        one, other = self.unit[wordy[pairs[:, pairs[0] != pairs[1]]]]
        found = []
        for struck in _STRUCK:
            if struck < self.dimensions and len(self.rogues) >= struck:
                at = np.asarray([rogue.dimension for rogue in self.rogues[:struck]], np.int64)
                value = agreement_without(one, other, at)
                if value is not None:
                    found.append(Striking(struck, value, 1 - struck / self.dimensions))
        return tuple(found)


def _pairs(unit: Float) -> Mean:
    """The mean cosine of all pairs of those that have a direction.

    Raises:
        OptionError: There are not two.
    """
    live = unit[np.einsum("ij,ij->i", unit, unit) > 0.5]
    if len(live) < 2:
        raise OptionError("The vectors of a layer are all zeros: they have no direction to measure.")
    return baseline(live)


class _Estimate(NamedTuple):
    """A number, and what each unit adds to its deviation from the mean over all samples.

    Attributes:
        texts: Of each text or sentence, (u,). `words`: of each word, where words are drawn as well.
    """

    value: float
    texts: Doubles
    words: Doubles

    @property
    def error(self) -> float | None:
        """The standard error: texts and words each add their squares. None where there are too few."""
        parts = [_square(each) for each in (self.texts, self.words) if len(each)]
        return math.sqrt(sum(parts)) if parts and max(len(self.texts), len(self.words)) > 2 else None

    def less(self, other: _Estimate) -> _Estimate:
        """The difference of two numbers of the same texts."""
        words = [each for each in (self.words, -other.words) if len(each)]
        texts = self.texts - other.texts if len(self.texts) and len(other.texts) else np.zeros(0)
        return _Estimate(self.value - other.value, texts, np.concatenate(words) if words else np.zeros(0))


def _summed(groups: Ints, values: Doubles, least: int = 0) -> Doubles:
    """Return the sum of the values of each group, one number for each group from 0."""
    return np.bincount(groups, weights=values, minlength=least).astype(np.float64, copy=False)


def _square(parts: Doubles) -> float:
    """The variance of a sum of independent parts that are centered."""
    return float((parts**2).sum()) * len(parts) / max(1, len(parts) - 1)


class _Told(NamedTuple):
    """What a measure gives: the value, and what is behind its interval."""

    value: Value
    estimate: _Estimate | None = None


_NONE = _Told(Value(None))


def _value(found: _Estimate, chance: float | None = None, isotropic: float | None = None) -> Value:
    error = found.error
    if error is None:
        return Value(found.value, None, None, chance, isotropic)
    return Value(found.value, found.value - Z * error, found.value + Z * error, chance, isotropic)


def _told(found: _Estimate | None, chance: float | None = None, isotropic: float | None = None) -> _Told:
    return _NONE if found is None else _Told(_value(found, chance, isotropic), found)


def _errors(layers: Sequence[dict[str, _Estimate | None]]) -> dict[str, Doubles]:
    """For each measure with intervals the standard error of the difference of each two layers, (K, K)."""
    found = {}
    for name in layers[0]:
        each = [layer[name] for layer in layers]
        if any(one is None or one.error is None for one in each):
            continue
        found[name] = np.array([[_apart(one, other) for other in each] for one in each])
    return found


def _apart(one: Any, other: Any) -> float:
    """The standard error of the difference of two layers, on the same texts and words."""
    return math.sqrt(_square(one.texts - other.texts) + _square(one.words - other.words))


def _layer(
    layer: int, rows: Float, kept: _Tokens, words: _Words, seed: int
) -> tuple[Layer, dict[str, _Estimate | None]]:
    seen = _Seen(rows, kept, words, seed)
    told = {name: row.function(seen) for name, row in MEASURES.items()}
    values = {name: each.value for name, each in told.items()}
    made = Layer(layer, values, seen.rogues, seen.striking, seen.similarity.astype(np.float32))
    return made, {name: each.estimate for name, each in told.items()}


def _space(rows: Float, name: str) -> VectorSpace:
    return VectorSpace([str(row) for row in range(len(rows))], rows, origin=Origin("selection", name))


def _fitted(hidden: HiddenStates, layer: int, fit: _Tokens, name: str, options: dict[str, Any]) -> Fitted:
    rows = np.asarray(hidden.layer(layer)[fit.rows[fit.wordy]], np.float32)
    return fitted(_space(rows, f"layer {layer}"), name, **options)


def _compared(spaces: Sequence[VectorSpace]) -> tuple[Doubles, Doubles]:
    """CKA of each with each: without bias, and as usual of shuffled rows."""
    found = np.full((2, len(spaces), len(spaces)), np.nan)
    for row, one in enumerate(spaces):
        for column in range(row, len(spaces)):
            told = cka(one, spaces[column])
            values = [np.nan if each is None else each for each in (told.debiased, told.shuffled)]
            found[:, row, column] = found[:, column, row] = values
    return found[0], found[1]


def _baseline(seen: _Seen) -> _Told:
    return _told(seen.base, isotropic=0.0)


def _baseline_all(seen: _Seen) -> _Told:
    return _told(seen.pairs(seen.kept.any_each), isotropic=0.0)


def _self(seen: _Seen) -> _Told:
    return _told(seen.mean_similarity, seen.base.value, 0.0)


def _self_adjusted(seen: _Seen) -> _Told:
    found = seen.mean_similarity
    return _NONE if found is None else _told(found.less(seen.base), 0.0, 0.0)


def _intra(seen: _Seen) -> _Told:
    return _told(seen.intra, seen.dealt, _of_unrelated(seen))


def _intra_adjusted(seen: _Seen) -> _Told:
    if seen.intra is None:
        return _NONE
    dealt = None if seen.dealt is None else seen.dealt - seen.base.value
    return _told(seen.intra.less(seen.base), dealt, _of_unrelated(seen))


def _of_unrelated(seen: _Seen) -> float:
    """What unrelated tokens give: 1 ÷ √n for each sentence of n, on average."""
    return float(np.mean(1 / np.sqrt(np.bincount(seen.kept.sentence))))


def _explained(seen: _Seen, *, centered: bool = False, adjusted: bool = False) -> _Told:
    if seen.groups is None:
        return _NONE
    own, other = (_over_words(explainable(each, centered=centered)) for each in seen.groups)
    if own is None or other is None:
        return _NONE
    # the interval is that of other words; layers are not compared by it, since words of one text are alike
    if adjusted:
        return _Told(_value(own.less(other), 0.0, 0.0))
    return _Told(_value(own, other.value, _isotropic_explained(seen.dimensions, centered)))


def _over_words(values: Doubles) -> _Estimate | None:
    """The mean of a number for each word."""
    known = np.isfinite(values)
    if not known.any():
        return None
    middle = float(values[known].mean())
    return _Estimate(middle, np.zeros(0), np.where(known, values - middle, 0.0) / known.sum())


@cache
def _isotropic_explained(dimensions: int, centered: bool) -> float:
    rows = np.random.default_rng(0).standard_normal((_GROUPS, EQUAL, dimensions)).astype(np.float32)
    return float(np.nanmean(explainable(rows, centered=centered)))


def _norm(seen: _Seen) -> _Told:
    return _told(seen.mean(seen.norms[seen.kept.one_each].astype(np.float64)))


def _norm_spread(seen: _Seen) -> _Told:
    """The deviation over the mean; what a sentence adds is its first-order share of both."""
    norms = seen.norms[seen.kept.one_each].astype(np.float64)
    mean, spread = float(norms.mean()), float(norms.std())
    if not mean > 0:
        return _NONE
    ratio, shift = spread / mean, norms - mean
    each = ratio * ((shift**2 - spread**2) / max(2 * spread**2, _ROUNDING) - shift / mean) / len(norms)
    found = _Estimate(ratio, _summed(seen.kept.unit, each), np.zeros(0))
    return _told(found, isotropic=_normal_spread(seen.dimensions))


def _normal_spread(d: int) -> float:
    """Standard deviation ÷ mean of the length of d independent normal numbers."""
    mean = math.sqrt(2) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    return math.sqrt(max(0.0, d - mean**2)) / mean


def _isoscore(seen: _Seen) -> _Told:
    live = np.flatnonzero(seen.space.norms > 0)
    d = seen.dimensions
    if len(live) < 4 or d < 2:
        return _NONE
    ratio = participation_ratio(moments(seen.space, live).spectrum[0])
    if not ratio:
        return _NONE
    return _Told(Value(max(0.0, (ratio - 1) / (d - 1)), isotropic=_isotropic_score(len(live), d)))


@cache
def _isotropic_score(count: int, dimensions: int) -> float:
    return (participation_ratio(isotropic_spectrum(count, dimensions)) - 1) / (dimensions - 1)


def _rogue_share(seen: _Seen) -> _Told:
    found = seen.rogues[0].share if seen.rogues else None
    return _NONE if found is None else _Told(Value(found, isotropic=1 / seen.dimensions))


def _rogue_agreement(seen: _Seen) -> _Told:
    if not seen.striking or seen.striking[0].struck != 1:
        return _NONE
    return _Told(Value(seen.striking[0].agreement, isotropic=seen.striking[0].isotropic))


_PAPER = "Ethayarajh 2019"
_ISOTROPIC = "isotropic"

MEASURES: dict[str, Measure] = {
    row.name: row
    for row in (
        Measure(
            "baseline",
            "Anisotropy baseline",
            _baseline,
            "The mean cosine of two words from different sentences",
            "One word drawn from each sentence, all pairs of them. What is above 0 any two words share on average; "
            "hold cosines of this layer against it.",
            _ISOTROPIC,
            _PAPER,
            digits=3,
        ),
        Measure(
            "baseline_all",
            "Baseline with punctuation",
            _baseline_all,
            "The mean cosine of two tokens from different sentences, punctuation among them,",
            "The same of all tokens but special ones, as the published curves have it.",
            _ISOTROPIC,
            _PAPER,
            digits=3,
        ),
        Measure(
            "self_similarity",
            "Self-similarity",
            _self,
            "The mean cosine of two occurrences of a word",
            f"Mean over words that occur {LEAST} times or more, all pairs of each. Where positions are added to "
            "the input, as in BERT, they alone keep it below 1 at layer 0.",
            "two random words",
            _PAPER,
        ),
        Measure(
            "self_similarity_adjusted",
            "Self-similarity, adjusted",
            _self_adjusted,
            "The mean cosine of two occurrences of a word, less the baseline,",
            "Self-similarity minus the layer's baseline: how much a word has of its own.",
            "two random words",
            _PAPER,
        ),
        Measure(
            "intra",
            "Intra-sentence similarity",
            _intra,
            "The mean cosine of a token with the mean of its sentence",
            "Each token is a part of that mean, so that tokens dealt to sentences at random have much of it too.",
            "tokens dealt anew",
            _PAPER,
        ),
        Measure(
            "intra_adjusted",
            "Intra-sentence similarity, adjusted",
            _intra_adjusted,
            "The mean cosine of a token with the mean of its sentence, less the baseline,",
            "Minus the layer's baseline, as in the paper. That leaves in what a token adds to its own mean: hold it "
            "against tokens dealt anew.",
            "tokens dealt anew",
            _PAPER,
        ),
        Measure(
            "explained",
            "Explainable variance",
            _explained,
            f"The share of the squared lengths of {EQUAL} occurrences of a word that one direction holds",
            f"σ₁² ÷ Σ σᵢ² of the occurrences as they are (MEV), {EQUAL} drawn of each word, since it depends on how "
            "many. Near the self-similarity; the paper's printed figures are of another quantity.",
            f"{EQUAL} random words",
            _PAPER,
            shares=True,
        ),
        Measure(
            "explained_adjusted",
            "Explainable variance, adjusted",
            lambda seen: _explained(seen, adjusted=True),
            f"The share of the squared lengths of {EQUAL} occurrences of a word that one direction holds, less that of "
            "random words,",
            f"Minus the same ratio of {EQUAL} random words.",
            "random words",
            _PAPER,
        ),
        Measure(
            "explained_centered",
            "Explainable variance, centered",
            lambda seen: _explained(seen, centered=True),
            f"The first component's share of the variance of {EQUAL} occurrences of a word",
            f"The same about the occurrences' mean, as PCA has it: never below 1 ÷ {EQUAL - 1}.",
            f"{EQUAL} random words",
            shares=True,
        ),
        Measure(
            "norm",
            "Mean length",
            _norm,
            "The mean length of a word's vector",
            "Of one word a sentence, as for the baseline. It has no chance value: the scale of a layer is free.",
            "",
        ),
        Measure(
            "norm_spread",
            "Spread of lengths",
            _norm_spread,
            "The spread of lengths",
            "Standard deviation ÷ mean of the same lengths.",
            _ISOTROPIC,
            shares=True,
        ),
        Measure(
            "isoscore",
            "IsoScore",
            _isoscore,
            "IsoScore",
            "0: all variance in one direction, 1: the same in all. It leaves the mean out, and so cannot see a cone.",
            _ISOTROPIC,
            "Rudman et al. 2022",
        ),
        Measure(
            "rogue_share",
            "Top dimension",
            _rogue_share,
            "The top dimension's share of the mean cosine of two words",
            "The greatest share of a single dimension in the mean cosine; none is given where that is next to nothing.",
            "if all added alike",
            "Timkey and van Schijndel 2021",
            shares=True,
        ),
        Measure(
            "rogue_agreement",
            "Cosines without it",
            _rogue_agreement,
            "The agreement of cosines without the top dimension with those of all",
            f"r² over {_PAIRS:,} random pairs of words: how little one dimension rules the cosines.",
            "isotropic, 1 − 1 ÷ d",
            "Timkey and van Schijndel 2021",
        ),
    )
}


class Curve(NamedTuple):
    """One measure from layer to layer: the number of each layer, its value, and what they mean."""

    layers: tuple[int, ...]
    values: tuple[Value, ...]
    meaning: str


@offered(
    "curve",
    "for layer, value in zip(curve.layers, curve.values):",
    "    print(layer, value.value, value.low, value.high, value.against)",
    "print(curve.meaning)",
)
def curve(found: Layers, measure: str) -> Curve:
    """Return one of `MEASURES` from layer to layer.

    Raises:
        OptionError: There is no such measure.
    """
    numbers = tuple(layer.number for layer in found.layers)
    return Curve(numbers, tuple(found.curve(measure)), found.meaning(measure))
