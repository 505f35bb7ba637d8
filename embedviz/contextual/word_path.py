"""One word of a sentence through the layers: how far it turns, what it is near to, and what its position does."""

from __future__ import annotations

import contextlib
import hashlib
import re
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path as Folder
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.contextual.encoder import BUILTIN, Encoder, beside, encode, load
from embedviz.contextual.occurrences import find
from embedviz.core.call import offered
from embedviz.core.device import cache_folder
from embedviz.core.hidden import HiddenStates, is_letter
from embedviz.core.options import Method, OptionError, Parameter, check, table
from embedviz.core.phrases import counted, layers_in_words, listing, number, share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints
from embedviz.core.stats.copies import fitted_cloud
from embedviz.core.stats.permutation import family
from embedviz.testsets import datasets

LONGEST = 500
"""Characters of a sentence."""
OTHERS = 150
"""Other words, one of each of as many sentences, beside which a word is shown."""
COPIES = 200
"""Structureless copies of other words, by which rows of the input table are near by chance."""
WALKS = 200
_MOST_NEAR = 10
_SHOWN = 80  # characters of a sentence given as an example
_AT_ONCE = 16  # sentences of which all layers are held


class Example(NamedTuple):
    """A sentence to begin with, and which of its words; they are counted from 1."""

    sentence: str
    at: int


EXAMPLES = (
    Example("I sat on the bank of the river.", 5),
    Example("The bank raised its interest rates again.", 2),
    Example("She plays an unforgettable tune on the guitar.", 4),
    Example("The bank on the river bank was robbed at night.", 6),
)


class Word(NamedTuple):
    """What the tokenizer made of a word of the sentence, or a special token.

    Attributes:
        at: Its number among the words, from 1; 0 for a special token, which no path is drawn of.
        start, end: Its characters in the sentence.
        pieces: As the tokenizer writes them.
        unknown: Whether one of them stands for whatever the tokenizer does not know.
    """

    text: str
    at: int
    start: int
    end: int
    pieces: tuple[str, ...]
    unknown: bool = False

    @property
    def cut(self) -> str:
        """The word with a dot wherever the tokenizer cut it."""
        if len(self.pieces) < 2:
            return self.text
        bare = [piece.removeprefix("##").lstrip("Ġ▁") for piece in self.pieces]
        said = "".join(bare).casefold() == self.text.casefold()
        return "·".join(bare) if said else f"{self.text} ({len(self.pieces)} pieces)"


@dataclass(frozen=True)
class Reading:
    """A sentence as a model's tokenizer reads it, special tokens among the words."""

    sentence: str
    model: str
    words: tuple[Word, ...]

    @property
    def choices(self) -> tuple[Word, ...]:
        """The words that a path can be drawn of."""
        return tuple(word for word in self.words if word.at)

    @property
    def usual(self) -> Word:
        """What is shown until another is chosen: the first word known to have senses, else the longest."""
        known = datasets.sense_sentences()
        return next(
            (word for word in self.choices if word.text.casefold() in known),
            max(self.choices, key=lambda word: (sum(map(is_letter, word.text)), -word.at)),
        )

    def find(self, word: int | str | None) -> Word:
        """The word of this number, or the first that is written so.

        Raises:
            OptionError: There is none.
        """
        if word is None:
            return self.usual
        if isinstance(word, str):
            places = find(word, [self.sentence])
            inside = [one for one in self.choices for place in places if place.start <= one.start < place.end]
            if not inside:
                raise OptionError(f"The sentence has no word “{word.strip()}”. It has: {self._listed()}.")
            return inside[0]
        if not 1 <= word <= len(self.choices):
            raise OptionError(f"There is no word {word:,} in the sentence. It has: {self._listed()}.")
        return self.choices[word - 1]

    def _listed(self) -> str:
        return listing([f"{word.at} {word.text}" for word in self.choices])


@dataclass(frozen=True, eq=False)
class Curve:
    """One number of a word at each layer, beside the same of other words.

    Attributes:
        layers: Where it is measured, (m,); a step is counted at the layer that it leads to.
        values: (m,)
        low, high: Between which 95 % of the other words lie, (m,).
        chance: What an unrelated word gives in its place, (m,), or None.
    """

    title: str
    layers: Ints
    values: Float
    low: Float
    high: Float
    chance: Float | None = None


class Near(NamedTuple):
    """A row of the model's input table near to the word's vector.

    Attributes:
        whole: Whether it is a whole word; else it is a piece, a sign or a special token.
        own: Whether it is a piece of the word itself.
        others: For how many of the other words it is listed as well: one that many have says nothing.
    """

    text: str
    cosine: float
    whole: bool
    own: bool
    others: int


class Nearest(NamedTuple):
    """The rows of the input table nearest to the word at a layer.

    Attributes:
        chance: What the nearest row of a structureless copy reaches: a vector that belongs to no word, drawn from a
            Gaussian cloud with the mean and covariance of other words' vectors. 95 % of copies stay below it at every
            layer.
        others_own: The share of the other words whose own row is the nearest at this layer.
    """

    layer: int
    rows: tuple[Near, ...]
    chance: float
    others_own: float

    @property
    def own(self) -> bool:
        """Whether nothing is nearer than a piece of the word itself."""
        return self.rows[0].own

    @property
    def beyond(self) -> tuple[Near, ...]:
        """The listed rows that are nearer than chance; at most 5 % of copies have such a row at any layer."""
        return tuple(row for row in self.rows if row.cosine > self.chance)


@dataclass(frozen=True, eq=False)
class Plane:
    """The two directions in which the word's layers differ most, and the other words of the sentence on them.

    Attributes:
        points: (L + 1, 2)
        context: Of the other words, (L + 1, w, 2).
        names: Of the other words.
        shares: Of the variance of the word's own layers, that the two directions hold.
        walk: What two directions hold of random walks with steps of the same lengths: low, mean, high.
    """

    points: Float
    context: Float
    names: tuple[str, ...]
    shares: tuple[float, float]
    walk: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Arranged:
    """The word in other arrangements of the sentence.

    Attributes:
        cosines: Of the word's vector there with that in the sentence as it is, (n, L + 1).
        first: The first of these sentences, as an example.
        why: Why there are none.
    """

    name: str
    title: str
    cosines: Float
    first: str = ""
    why: str = ""

    def __len__(self) -> int:
        return len(self.cosines)

    @property
    def mean(self) -> Float:
        """Over the arrangements, (L + 1,)."""
        return np.asarray(self.cosines.mean(axis=0))

    @property
    def band(self) -> tuple[Float, Float]:
        """Between which 95 % of the arrangements lie, (L + 1,) each."""
        low, high = np.percentile(self.cosines, [2.5, 97.5], axis=0)
        return low, high


@dataclass(frozen=True, eq=False)
class Path:
    """A word through the layers of a model.

    Attributes:
        word: Which of the sentence.
        own: Cosine with the word's own layer 0.
        steps: Cosine with the layer before.
        norms: Length of the vector.
        nearest: For each layer; empty where rows of the input table have another length than hidden states.
        table: Rows of the input table.
        arranged: Moved, shuffled, replaced.
        others: How many other words it is shown beside.
        again: Cosines with the same word elsewhere in the sentence, (a, L + 1).
        inside: Mean cosine with the different words of the sentence, (L + 1,), or None where there are none.
        note: What a reader should know of the model and of the word.
    """

    reading: Reading
    word: Word
    own: Curve
    steps: Curve
    norms: Curve
    nearest: tuple[Nearest, ...]
    table: int
    plane: Plane
    arranged: tuple[Arranged, ...]
    others: int
    again: Float
    inside: Float | None
    note: str

    @property
    def depth(self) -> int:
        """L, the last layer."""
        return len(self.own.values) - 1

    @property
    def meaning(self) -> str:
        """How far the word turns, beside other words, in two sentences."""
        step, end = int(np.argmin(self.steps.values)), self.own.values[-1]
        unrelated = _chance(self.own)[-1]
        layers = counted(self.depth, "layer")
        return (
            f"After {layers} “{self.word.text}” has a cosine of {number(end)} with its own input vector; "
            f"other words' inputs give {number(unrelated)}. That is {self._beside_others()}. It turns most at the step "
            f"to layer {self.steps.layers[step]}, with a cosine of {number(self.steps.values[step])}."
        )

    def _beside_others(self) -> str:
        low, end, high = self.own.low[-1], self.own.values[-1], self.own.high[-1]
        said = "farther than" if end < low else "less far than" if end > high else "as far as"
        return f"{said} other words turn (cosines {number(low)} to {number(high)})"

    @property
    def baseline(self) -> str:
        """What the bands and dotted lines are."""
        return (
            f"Band: 95\u00a0% of {self.others} other words, one from each of as many sentences of the program. Dotted: "
            "mean cosine of this word with those, at layer 0 or at the layer before."
        )

    @property
    def nearest_meaning(self) -> str:
        """Where the word's own row stops being the nearest, in two sentences."""
        if not self.nearest:
            return "The rows of this model's input table have another length than its hidden states: none is nearest."
        left = [one.layer for one in self.nearest if not one.own]
        kept = self.nearest[-1].others_own
        said = (
            f"At {layers_in_words(left)} a row other than the word's own is the nearest of {self.table:,}."
            if left
            else f"At every layer the word's own row is the nearest of {self.table:,}."
        )
        return f"{said} At the last layer their own row is the nearest for {share(kept)} of {self.others} other words."

    @property
    def nearest_caption(self) -> str:
        """When not to believe the list."""
        weak = [one.layer for one in self.nearest if not one.beyond]
        return (
            "Cosines with the rows as the table has them. The residual stream carries the input along, but later "
            "layers need not keep its directions: believe a row only above chance. Where the table is also the output "
            "table, as in GPT-2, the last layer points to guesses of the next token. Chance: the nearest row of "
            f"vectors that belong to no word, {COPIES} draws from a Gaussian cloud with the mean and covariance of "
            "other words' vectors; 95\u00a0% of them stay below it at every layer."
            + (f" At {layers_in_words(weak)} no row is above it." if weak else "")
        )

    @property
    def shared(self) -> str:
        """Which of the listed rows other words have most; empty where none has any."""
        most = max(
            ((row.others, one.layer, row.text) for one in self.nearest for row in one.rows if not row.own),
            default=(0, 0, ""),
        )
        if not most[0]:
            return ""
        count, layer, text = most
        return (
            f"Most shared: {text}, listed at layer {layer} for {count} of {self.others} other words too; a row that "
            "many have says little."
        )

    @property
    def plane_meaning(self) -> str:
        """What the plane keeps, and what random walks give."""
        low, mean, high = self.plane.walk
        kept = sum(self.plane.shares)
        than = "more than" if kept > high else "less than" if kept < low else "about as much as"
        walks = f"random walks with steps as long hold ({share(mean)}; 95\u00a0%: {share(low)} to {share(high)})"
        return (
            f"The plane holds {share(kept)} of the variance of the word's layers, {than} {walks}. A random walk "
            "looks like a bend too. Other words are only projected on it: read no distance between words here."
        )

    @property
    def arranged_meaning(self) -> str:
        """How much of the last layer is the place, the order, and the other words."""
        made = {one.name: one for one in self.arranged if len(one)}
        if not made:
            return self.arranged[0].why
        parts = []
        for one in made.values():
            low, high = one.band
            parts.append(f"{one.title} {number(one.mean[-1])} ({number(low[-1])} to {number(high[-1])})")
        said = f"Cosine with the vector as it was, at the last layer: {', '.join(parts)}."
        if {"shuffled", "replaced"} <= {*made}:
            (order, orders), (word, words) = ([end[-1] for end in made[name].band] for name in ("shuffled", "replaced"))
            said += (
                " Which words stand beside it changes it more than their order."
                if order > words
                else " The order of the others changes it more than which words they are."
                if orders < word
                else " The bands overlap: order and choice of the other words cannot be told apart here."
            )
        return said

    @property
    def arranged_caption(self) -> str:
        """What was done to the sentence, and how often."""
        made = [one for one in self.arranged if len(one)]
        done = "; ".join(f"{one.title} {_times(len(one))}, as in “{_cut(one.first)}”" for one in made)
        return " ".join(
            [
                *(
                    [f"{done[0].upper()}{done[1:]}. Bands: 95\u00a0% of them. At layer 0 only the position differs."]
                    if made
                    else []
                ),
                *(one.why for one in self.arranged if not len(one) and made),
            ]
        )

    @property
    def again_meaning(self) -> str:
        """Whether the word stands in the sentence again, and how alike the vectors are; empty where it does not."""
        if not len(self.again):
            return ""
        times = _times(len(self.again))
        first, last = (_range(self.again[:, layer]) for layer in (0, -1))
        beside = f"; different words of the sentence: {number(self.inside[-1])}" if self.inside is not None else ""
        return (
            f"“{self.word.text}” stands here {times} more: cosine {first} at layer 0, where only the positions differ, "
            f"{last} at the last{beside}."
        )

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """For each layer a row of `HEADER`."""
        for layer in range(self.depth + 1):
            step = None if layer == 0 else round(float(self.steps.values[layer - 1]), 4)
            near = self.nearest[layer] if self.nearest else None
            first = near.rows[0] if near else None
            cosines = [round(float(one.mean[layer]), 4) if len(one) else None for one in self.arranged]
            yield (
                layer,
                step,
                round(float(self.own.values[layer]), 4),
                round(float(_chance(self.own)[layer]), 4),
                round(float(self.norms.values[layer]), 4),
                *((first.text, round(first.cosine, 4), round(near.chance, 4)) if first and near else (None,) * 3),
                *cosines,
            )


HEADER = (
    "layer",
    "cosine with the layer before",
    "cosine with own input",
    "with other words' inputs",
    "length",
    "nearest input vector",
    "its cosine",
    "chance",
    "moved",
    "shuffled",
    "replaced",
)


def reading(sentence: str, *, model: Encoder | str | Folder = BUILTIN, report: Report | None = None) -> Reading:
    """What the model's tokenizer makes of a sentence.

    Raises:
        OptionError: The sentence is empty, too long, or no token is made of it.
        EncoderError: The model cannot be opened.
    """
    _checked(sentence)
    tell(report, 0.0, "Opening the model")
    encoder = _opened(model)
    return _read(encoder, encode(encoder, [sentence], layers=[0]))


@offered(
    "found",
    "print(*word_path.HEADER, sep='  ')",
    "for row in found.rows():",
    "    print(*row, sep='  ')",
    "for one in found.nearest:",
    "    print(one.layer, *(f'{row.text} {row.cosine:.2f}' for row in one.rows), sep='  ')",
    "print(found.meaning, found.nearest_meaning, found.plane_meaning, found.arranged_meaning, sep='\\n')",
)
def path(
    sentence: str,
    word: int | str | None = None,
    *,
    model: Encoder | str | Folder = BUILTIN,
    k: int = 5,
    orders: int = 20,
    seed: int = 0,
    report: Report | None = None,
) -> Path:
    """A word of a sentence at every layer, all its pieces pooled by their mean.

    Args:
        sentence: At most `LONGEST` characters.
        word: Its number among the words of the sentence, from 1, or as it is written; `Reading.usual` where it is not
            said.
        model: A folder, `builtin`, or what `load` gives.
        k: How many rows of the input table are listed at each layer.
        orders: How often the word is moved, the others are shuffled, the others are replaced.
        seed: Of these and of the random walks.

    Raises:
        OptionError: The sentence is empty, too long or has no such word, or an option is out of range.
        EncoderError: The model cannot be opened.
    """
    _checked(sentence)
    values = check(PATHS["path"], {"k": k, "orders": orders, "seed": seed})
    tell(report, 0.0, "Opening the model")
    encoder = _opened(model)
    tell(report, 0.4, "Reading the sentence")
    hidden = encode(encoder, [sentence])
    read = _read(encoder, hidden)
    chosen = read.find(word)
    states = np.asarray(hidden.layers, np.float32)
    numbers = {one.at: hidden.token_numbers(0, one.start, one.end) for one in read.choices}
    pieces = {at: hidden.ids[tokens].tolist() for at, tokens in numbers.items()}
    vectors = {at: states[:, tokens].mean(axis=1) for at, tokens in numbers.items()}
    mine = vectors[chosen.at]
    tell(report, 0.45, "Reading other words to compare with")
    others = _others(encoder).without(sentence, chosen.text)
    random = np.random.default_rng(values["seed"])
    nearest = _nearest(encoder, others, mine, hidden.ids[numbers[chosen.at]], values["k"])
    tell(report, 0.8, "Reading the sentence in other arrangements")
    arranged = _arrangements(encoder, sentence, chosen, mine, pieces[chosen.at], values["orders"], random, report)
    again = [at for at in pieces if at != chosen.at and pieces[at] == pieces[chosen.at]]
    different = [at for at in pieces if pieces[at] != pieces[chosen.at]]
    unread = ""
    if chosen.unknown:
        part = "" if set(pieces[chosen.at]) == {encoder.tokenizer.unk_token_id} else "all of "
        unread = (
            f"The tokenizer of {encoder.name} does not know {part}“{chosen.text}”; whatever it does not know has the "
            f"same input vector, {encoder.tokenizer.unk_token}."
        )
    return Path(
        read,
        chosen,
        *_curves(mine, others),
        nearest,
        len(_table(encoder)),
        _plane(mine, {one.at: one.text for one in read.choices if one.at != chosen.at}, vectors, random),
        arranged,
        len(others.texts),
        np.stack([_cosines(mine, vectors[at]) for at in again]) if again else np.zeros((0, len(mine)), np.float32),
        np.mean([_cosines(mine, vectors[at]) for at in different], axis=0) if different else None,
        " ".join(filter(None, [unread, hidden.note, encoder.note])),
    )


def warm(*, report: Report | None = None) -> None:
    """Loads the built-in model and reads the words that others are compared with, by a path."""
    path(*EXAMPLES[0], orders=5, report=report)


PATHS: dict[str, Method] = table(
    Method(
        "path",
        "Path",
        path,
        (
            Parameter("k", 1, _MOST_NEAR, 5, "How many rows of the input table are listed at each layer.", "Nearest"),
            Parameter("orders", 5, 50, 20, "How often the sentence is arranged anew, each way.", "Arrangements"),
            Parameter("seed", 0, 9_999, 0, "Another seed draws other arrangements.", "Seed"),
        ),
        "A word of a sentence at every layer, all its pieces pooled by their mean.",
        long=True,
    )
)


def _checked(sentence: str) -> None:
    if not sentence.strip():
        raise OptionError("The sentence is empty; a word of it is followed through the layers.")
    if len(sentence) > LONGEST:
        raise OptionError(
            f"The sentence has {len(sentence):,} characters; at most {LONGEST} are read. Take a part of it."
        )


def _opened(model: Encoder | str | Folder) -> Encoder:
    return model if isinstance(model, Encoder) else load(model)


def _read(encoder: Encoder, hidden: HiddenStates) -> Reading:
    sentence = hidden.sentences[0]
    unknown = encoder.tokenizer.unk_token_id
    words: list[Word] = []
    before = -1
    for token, piece in enumerate(hidden.tokens):
        start, end = hidden.offsets[token].tolist()
        belongs = int(hidden.words[token])
        strange = int(hidden.ids[token]) == unknown and not hidden.special[token]
        if belongs < 0 and not hidden.special[token]:
            continue  # a blank
        if belongs < 0:
            words.append(Word(piece, 0, start, end, (piece,)))
        elif belongs == before:
            last = words[-1]
            end = max(end, last.end)
            words[-1] = last._replace(
                text=sentence[last.start : end], end=end, pieces=(*last.pieces, piece), unknown=last.unknown or strange
            )
        else:
            blank = len(sentence[start:end]) - len(sentence[start:end].lstrip())
            at = 1 + sum(word.at > 0 for word in words)
            words.append(Word(sentence[start + blank : end], at, start + blank, end, (piece,), strange))
        before = belongs
    if not any(word.at for word in words):
        raise OptionError(f"{encoder.name} makes no token of this sentence. Write one with words.")
    return Reading(sentence, encoder.name, tuple(words))


class _Others(NamedTuple):
    """Words of other sentences, o of them.

    Attributes:
        vectors: (L + 1, o, d).
        near: Rows of the input table nearest to each, (L + 1, o, _MOST_NEAR), or None.
        own: Whether the nearest is a piece of their own, (L + 1, o).
        copies: The best cosine of each structureless copy with a row of the input table, (L + 1, COPIES).
        texts: The words.
        sentences: Of which they are.
        words: What replaces the words of a sentence.
    """

    vectors: Float
    near: Ints | None
    own: NDArray[np.bool_]
    copies: Float
    texts: tuple[str, ...]
    sentences: tuple[str, ...]
    words: tuple[str, ...]

    def without(self, sentence: str, word: str) -> _Others:
        """Those that are another word and of another sentence."""
        each = zip(self.texts, self.sentences, strict=True)
        rows = [row for row, (text, said) in enumerate(each) if text.casefold() != word.casefold() and said != sentence]
        return self._replace(
            vectors=self.vectors[:, rows],
            near=None if self.near is None else self.near[:, rows],
            own=self.own[:, rows],
            texts=tuple(self.texts[row] for row in rows),
            sentences=tuple(self.sentences[row] for row in rows),
        )


class _Measured(NamedTuple):
    """What of `_Others` a model gives."""

    vectors: Float
    near: Ints | None
    own: NDArray[np.bool_]
    copies: Float


@beside
def _others(encoder: Encoder) -> _Others:
    """One word drawn from each of some sentences of the program, seed 0; a model reads them once."""
    random = np.random.default_rng(0)
    every = [row.sentence for rows in datasets.sense_sentences().values() for row in rows]
    sentences = tuple(every[row] for row in random.permutation(len(every))[:OTHERS].tolist())
    units = [_units(sentence) for sentence in sentences]
    drawn = [each[int(random.integers(len(each)))] for each in units]
    file = cache_folder() / f"path-words-{_fingerprint(encoder, sentences, drawn)}.npz"
    measured = _kept(file, (encoder.depth + 1, len(sentences), encoder.dimensions))
    if measured is None:
        measured = _measured(encoder, sentences, drawn)
        _keep(file, measured)
    texts = tuple(text[slice(*unit)] for text, unit in zip(sentences, drawn, strict=True))
    words = tuple(text[slice(*unit)] for text, each in zip(sentences, units, strict=True) for unit in each)
    return _Others(*measured, texts, sentences, words)


def _measured(encoder: Encoder, sentences: Sequence[str], drawn: Sequence[tuple[int, int]]) -> _Measured:
    vectors, pieces = [], []
    for start in range(0, len(sentences), _AT_ONCE):
        hidden = encode(encoder, sentences[start : start + _AT_ONCE])
        for row, unit in enumerate(drawn[start : start + _AT_ONCE]):
            numbers = hidden.token_numbers(row, *unit)
            vectors.append(np.asarray(hidden.layers[:, numbers], np.float32).mean(axis=1))
            pieces.append(set(hidden.ids[numbers].tolist()))
    stacked = np.stack(vectors, axis=1)
    near, own, copies = None, np.zeros(stacked.shape[:2], bool), np.zeros((len(stacked), COPIES), np.float32)
    if _table(encoder).shape[1] == stacked.shape[2]:
        near = np.stack([_ranked(encoder, rows, _MOST_NEAR)[0] for rows in stacked])
        own = np.array(
            [[first in mine for first, mine in zip(rows, pieces, strict=True)] for rows in near[..., 0].tolist()]
        )
        cloud = _copies(stacked, COPIES, np.random.default_rng(0))
        copies = np.stack([_similar(encoder, rows).max(axis=1) for rows in cloud])
    return _Measured(stacked, near, own, copies)


def _copies(vectors: Float, count: int, random: np.random.Generator) -> Float:
    """Structureless copies of words through the layers, (L + 1, count, d); one cloud for all layers of a word."""
    layers, words, d = vectors.shape
    cloud = fitted_cloud(vectors.transpose(1, 0, 2).reshape(words, layers * d))
    return cloud.draw(count, random).reshape(count, layers, d).transpose(1, 0, 2)


def _fingerprint(encoder: Encoder, *asked: Any) -> str:
    """Of whatever the numbers come from: weights, configuration, tokenizer, the words asked for."""
    parts = (
        encoder.checksum,
        encoder.network.config.to_json_string(),
        encoder.tokenizer.backend_tokenizer.to_str(),
        version("transformers"),
        _table(encoder).shape,
        _MOST_NEAR,
        asked,
    )
    return hashlib.sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _kept(file: Folder, shape: tuple[int, ...]) -> _Measured | None:
    """What `_keep` wrote; None where it is not there or is something else."""
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            found = _Measured(arrays["vectors"], arrays.get("near"), arrays["own"], arrays["copies"])
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    whole = found.vectors.shape == shape and found.own.shape == shape[:2] and found.copies.shape == (shape[0], COPIES)
    return found if whole and (found.near is None or found.near.shape[:2] == shape[:2]) else None


def _keep(file: Folder, measured: _Measured) -> None:
    """Writes it whole or, where the folder cannot be written, not at all."""
    arrays = {name: array for name, array in measured._asdict().items() if array is not None}
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".path-words-", dir=file.parent) as draft:
            np.savez(Folder(draft) / file.name, **arrays)
            (Folder(draft) / file.name).replace(file)


def _table(encoder: Encoder) -> Float:
    """The model's input vectors, one a token of its vocabulary, (V, e)."""
    return np.asarray(encoder.network.get_input_embeddings().weight.detach().numpy())


@beside
def _lengths(encoder: Encoder) -> Float:
    """Of the rows of the input table, (V,)."""
    return np.asarray(np.maximum(np.linalg.norm(_table(encoder), axis=1), 1e-12))


def _similar(encoder: Encoder, vectors: Float) -> Float:
    """Cosines of some vectors with every row of the input table, (n, V)."""
    return np.asarray((_unit(vectors) @ _table(encoder).T) / _lengths(encoder))


def _ranked(encoder: Encoder, vectors: Float, k: int) -> tuple[Ints, Float]:
    """The k nearest rows of each, the nearest first, and their cosines, (n, k) each."""
    cosines = _similar(encoder, vectors)
    k = min(k, cosines.shape[1])
    rows = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    rows = np.take_along_axis(rows, np.argsort(-np.take_along_axis(cosines, rows, 1), axis=1, kind="stable"), 1)
    return rows, np.take_along_axis(cosines, rows, 1)


def _nearest(encoder: Encoder, others: _Others, mine: Float, own: Ints, k: int) -> tuple[Nearest, ...]:
    if others.near is None:
        return ()
    rows, cosines = _ranked(encoder, mine, k)
    best = others.copies.astype(np.float64)
    chance = family(best[:, 0], best[:, 1:]).high
    found = []
    for layer in range(len(mine)):
        listed = tuple(
            Near(*_said(encoder, row, cosine), row in own, int((others.near[layer, :, :k] == row).any(axis=1).sum()))
            for row, cosine in zip(rows[layer].tolist(), cosines[layer].tolist(), strict=True)
        )
        found.append(Nearest(layer, listed, float(chance[layer]), float(others.own[layer].mean())))
    return tuple(found)


def _said(encoder: Encoder, row: int, cosine: float) -> tuple[str, float, bool]:
    """How a row of the input table is called, its cosine, and whether it is a whole word."""
    tokenizer = encoder.tokenizer
    token = str(tokenizer.convert_ids_to_tokens(row))
    marked = _marks_beginnings(encoder)
    begins = token.startswith(("Ġ", "▁")) if marked else not token.startswith("##")
    text = (tokenizer.decode([row]).strip() or token) if marked else token
    whole = begins and row not in tokenizer.all_special_ids and all(map(is_letter, text))
    return (text if begins or not marked else f"##{text}"), cosine, whole


@beside
def _marks_beginnings(encoder: Encoder) -> bool:
    """Whether the tokenizer marks where a word begins (Ġ, ▁), and not where it goes on (##)."""
    return any(token.startswith(("Ġ", "▁")) and len(token) > 2 for token in encoder.tokenizer.get_vocab())


def _curves(mine: Float, others: _Others) -> tuple[Curve, Curve, Curve]:
    layers = np.arange(len(mine))
    units, unrelated = _unit(mine), _unit(others.vectors)
    own = np.einsum("lod,od->lo", unrelated, unrelated[0])
    steps = np.einsum("lod,lod->lo", unrelated[1:], unrelated[:-1])
    return (
        Curve("own", layers, units @ units[0], *_band(own), (units @ unrelated[0].T).mean(axis=1)),
        Curve(
            "steps",
            layers[1:],
            (units[1:] * units[:-1]).sum(axis=1),
            *_band(steps),
            np.einsum("ld,lod->lo", units[1:], unrelated[:-1]).mean(axis=1),
        ),
        Curve("norms", layers, np.linalg.norm(mine, axis=1), *_band(np.linalg.norm(others.vectors, axis=2))),
    )


def _band(values: Float) -> tuple[Float, Float]:
    low, high = np.percentile(values, [2.5, 97.5], axis=1)
    return low, high


def _plane(mine: Float, names: dict[int, str], vectors: dict[int, Float], random: np.random.Generator) -> Plane:
    middle = mine.mean(axis=0)
    _, held, directions = np.linalg.svd(mine - middle, full_matrices=False)
    across = directions[:2].T
    shares = held**2 / max(float((held**2).sum()), 1e-12)
    points = (mine - middle) @ across
    context = (
        np.stack([(vectors[at] - middle) @ across for at in names], axis=1)
        if names
        else np.zeros((len(mine), 0, 2), np.float32)
    )
    lengths = np.linalg.norm(np.diff(mine, axis=0), axis=1)
    walks = []
    for _ in range(WALKS):
        steps = lengths[:, None] * _unit(random.standard_normal((len(lengths), mine.shape[1])))
        walk = np.concatenate([np.zeros((1, mine.shape[1])), np.cumsum(steps, axis=0)])
        spread = np.linalg.svd(walk - walk.mean(axis=0), compute_uv=False) ** 2
        walks.append(float(spread[:2].sum() / max(float(spread.sum()), 1e-12)))
    low, high = np.percentile(walks, [2.5, 97.5])
    return Plane(
        points,
        context,
        tuple(names.values()),
        (float(shares[0]), float(shares[1]) if len(shares) > 1 else 0.0),
        (float(low), float(np.mean(walks)), float(high)),
    )


class _Sentence(NamedTuple):
    """A sentence in another arrangement, and where the word stands in it."""

    text: str
    start: int
    end: int


def _arrangements(
    encoder: Encoder,
    sentence: str,
    word: Word,
    mine: Float,
    pieces: list[int],
    orders: int,
    random: np.random.Generator,
    report: Report | None,
) -> tuple[Arranged, ...]:
    units, target = _units_with(sentence, word)
    given = (sentence, units, target, word, orders, random)
    made = (
        ("moved", "moved", _moved(*given)),
        ("shuffled", "the others shuffled", _shuffled(*given)),
        ("replaced", "the others replaced", _replaced(*given, _others(encoder).words)),
    )
    vectors = iter(_vectors(encoder, [one for _, _, found in made for one in found], pieces, report))
    arranged = []
    for name, title, found in made:
        read = [(one.text, vector) for one in found if len(vector := next(vectors))]
        cosines = [_cosines(mine, vector) for _, vector in read]
        first, why = (read[0][0], "") if read else ("", _why_none(name, len(units)))
        stacked = np.stack(cosines) if read else np.zeros((0, len(mine)), np.float32)
        arranged.append(Arranged(name, title, stacked, first, why))
    return tuple(arranged)


def _why_none(name: str, units: int) -> str:
    if units < 2:
        return "There is no other word in the sentence: nothing can be moved, shuffled or replaced."
    if name == "shuffled" and units == 2:
        return "With one other word there is no other order to shuffle it into."
    done = {"moved": "Wherever the word is moved", "shuffled": "However the others are shuffled"}.get(name, "Replaced")
    return f"{done}, the sentence reads the same or the tokenizer cuts the word another way."


def _vectors(encoder: Encoder, sentences: Sequence[_Sentence], pieces: list[int], report: Report | None) -> list[Float]:
    """The word's vectors in each, (L + 1, d); none where the tokenizer makes other pieces of it there."""
    found = []
    for start in range(0, len(sentences), _AT_ONCE):
        tell(report, 0.8 + 0.2 * start / len(sentences), "Reading the sentence in other arrangements")
        chosen = sentences[start : start + _AT_ONCE]
        hidden = encode(encoder, [one.text for one in chosen])
        for row, one in enumerate(chosen):
            numbers = hidden.token_numbers(row, one.start, one.end)
            same = hidden.ids[numbers].tolist() == pieces
            found.append(np.asarray(hidden.layers[:, numbers] if same else [], np.float32))
    return [vectors.mean(axis=1) if len(vectors) else vectors for vectors in found]


def _units(sentence: str) -> list[tuple[int, int]]:
    """What is moved as one: whatever stands between blanks, without the signs at its ends."""
    found = []
    for run in re.finditer(r"\S+", sentence):
        start, end = run.span()
        while start < end and not is_letter(sentence[start]):
            start += 1
        while end > start and not is_letter(sentence[end - 1]):
            end -= 1
        if start < end:
            found.append((start, end))
    return found


def _units_with(sentence: str, word: Word) -> tuple[list[tuple[int, int]], int]:
    """The units of a sentence, and the one that the word is of; a sign that is of none is one of its own."""
    units = _units(sentence)
    if not any(start <= word.start and word.end <= end for start, end in units):
        units = sorted([*units, (word.start, word.end)])
    target = next(row for row, (start, end) in enumerate(units) if start <= word.start and word.end <= end)
    return units, target


def _filled(
    sentence: str, units: Sequence[tuple[int, int]], texts: Sequence[str], target: int, word: Word, own: int
) -> _Sentence:
    """The sentence with these texts in place of its units; the word's own text is in the place `own`."""
    said, at, start = "", 0, 0
    for place, ((low, high), text) in enumerate(zip(units, texts, strict=True)):
        said += sentence[at:low]
        if place == own:
            start = len(said) + word.start - units[target][0]
        said, at = said + text, high
    return _Sentence(said + sentence[at:], start, start + word.end - word.start)


def _moved(
    sentence: str, units: list[tuple[int, int]], target: int, word: Word, orders: int, random: np.random.Generator
) -> list[_Sentence]:
    texts = [sentence[slice(*unit)] for unit in units]
    rest = texts[:target] + texts[target + 1 :]
    places = [place for place in range(len(units)) if place != target]
    if len(places) > orders:
        places = sorted(random.choice(places, orders, replace=False).tolist())
    made = [
        _filled(sentence, units, [*rest[:place], texts[target], *rest[place:]], target, word, place) for place in places
    ]
    return [one for one in made if one.text != sentence]


def _shuffled(
    sentence: str, units: list[tuple[int, int]], target: int, word: Word, orders: int, random: np.random.Generator
) -> list[_Sentence]:
    """As many different orders of the other words as there are, the sentence's own not among them."""
    texts = [sentence[slice(*unit)] for unit in units]
    rest = texts[:target] + texts[target + 1 :]
    found: dict[str, _Sentence] = {}
    for _ in range(4 * orders):
        mixed = [rest[row] for row in random.permutation(len(rest)).tolist()]
        one = _filled(sentence, units, [*mixed[:target], texts[target], *mixed[target:]], target, word, target)
        if one.text != sentence and len(found) < orders:
            found.setdefault(one.text, one)
    return [*found.values()]


def _replaced(
    sentence: str,
    units: list[tuple[int, int]],
    target: int,
    word: Word,
    orders: int,
    random: np.random.Generator,
    words: Sequence[str],
) -> list[_Sentence]:
    if len(units) < 2:
        return []
    own = sentence[slice(*units[target])]
    made = []
    for _ in range(orders):
        texts = [words[row] for row in random.integers(len(words), size=len(units)).tolist()]
        texts[target] = own
        made.append(_filled(sentence, units, texts, target, word, target))
    return made


def _unit(vectors: Any) -> Any:
    return np.asarray(vectors) / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def _cosines(one: Float, other: Float) -> Float:
    return np.asarray((_unit(one) * _unit(other)).sum(axis=-1))


def _chance(curve: Curve) -> Float:
    return np.zeros_like(curve.values) if curve.chance is None else curve.chance


def _cut(sentence: str) -> str:
    return sentence if len(sentence) <= _SHOWN else f"{sentence[:_SHOWN].rstrip()} …"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,}\u00a0times"


def _range(values: Float) -> str:
    low, high = number(values.min()), number(values.max())
    return low if low == high else f"{low} to {high}"
