"""Vectors of texts, or of their sentences, by an encoder and a pooling.

Texts are encoded in blocks. Each block is pooled before the next is read, so memory use does not grow with the number
of texts. A text that is too long for the model is read in windows that overlap by half. If the pooling is the
mean of the tokens, the cosine of a query with a text is a sum over the query's words. Even so, the vector of each word
depends on the whole query.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz.contextual.encoder import BUILTIN, Encoder, EncoderError, encode, load, versions
from embedviz.contextual.layer_pooling import portions
from embedviz.contextual.pooling import POOLINGS, own_pooling, own_pooling_note, pool
from embedviz.core import builtin
from embedviz.core.hidden import HiddenStates
from embedviz.core.options import Choice, Method, OptionError, check, choose
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, Origin, VectorSpace
from embedviz.core.texts import Passage, ScorePart, Texts, places, sentence_places
from embedviz.corpus import MOST_TEXTS
from embedviz.jobs import cluster
from embedviz.neighbors import similarities
from embedviz.retrieval.snippets import MOST_READ
from embedviz.retrieval.spaces.cache import KeptVector, KeptVectors
from embedviz.retrieval.spaces.summary import BuiltSpace, EncoderSummary, space_of

UNITS = ("text", "sentence")
AT_ONCE = 40_000
"""Number of characters in a block of texts."""
CLUSTER_PAYS = 10
"""A cluster is used for at least this many blocks; for fewer, connecting takes too long (MiniLM: 10 s on two cores)."""
_CACHED = 16  # number of texts whose tokens are cached
OWN = "own"
"""Name that stands for the pooling that the makers of the model use."""
_OTHER = "signs and numbers"
"""Label of the tokens of a query that belong to no word."""
_SPECIAL = "[CLS] and [SEP]"
"""Label of the special tokens of a query, also for models that give these tokens other names."""


def encoder_space(
    texts: Texts,
    *,
    model: str | Path = BUILTIN,
    unit: str = "text",
    pooling: str = OWN,
    report: Report | None = None,
    **options: Any,
) -> BuiltSpace[PooledSpace]:
    """Make a space of texts by an encoder.

    Args:
        model: What `contextual.encoder.load` takes: a folder, or *builtin*.
        unit: Whether a row is a *text* or a *sentence*.
        pooling: A name in `POOLINGS`, or *own*.
        options: Options of the pooling.

    Raises:
        EncoderError: The model cannot be loaded.
        OptionError: The pooling or unit is unknown, an option is out of range, or there are no or too many sentences.
    """
    check(ENCODER, {"unit": unit, "pooling": pooling})
    rows = texts if unit == "text" else by_sentence(texts)
    tell(report, 0.0, "loading the encoder")
    encoder, way = encoder_of(model, unit, pooling, options)
    own, pooling, values = pooling == OWN, way.pooling, way.options
    row = POOLINGS[pooling]
    read = way.read_texts(rows.texts, report, unit, keep=True)
    reading, made_for = _reading(encoder, str(model))
    summary = EncoderSummary(
        encoder.name,
        pooling,
        values,
        unit,
        len(rows),
        encoder.dimensions,
        int((~read.matrix.any(axis=1)).sum()),
        read.pieces,
        reading.limit,
        made_for,
        read.windowed,
        " ".join(filter(None, [own_pooling_note(encoder.pooling) if own else "", encoder.note])),
        read.known,
    )
    parameters = {"texts": texts.name, "method": "encoder", "model": encoder.name, "unit": unit, "pooling": pooling}
    what = f"{texts.name}{', sentences' if unit == 'sentence' else ''}, {row.title} of {encoder.name}"
    origin = Origin(
        "texts", what, "none", parameters | dict(values), encoder.checksum, read.versions, note=summary.meaning
    )
    return BuiltSpace(PooledSpace(space_of(rows, read.matrix, origin), way), summary)


ENCODER = Method(
    "encoder",
    "Encoder",
    encoder_space,
    (
        Choice("unit", UNITS, "text", "One row for each text, or for each of its sentences.", "A row is a"),
        Choice(
            "pooling",
            (OWN, *POOLINGS),
            OWN,
            "How a text’s tokens become one vector; own: as the model’s makers do it.",
            "Pooling",
        ),
    ),
    "A text’s tokens by a language model, in which each has read the others, pooled to one vector. "
    "Two texts can be alike without any word in common.",
    "Reimers and Gurevych 2019",
    long=True,
)


def encoder_of(model: str | Path, unit: str, pooling: str, options: Mapping[str, Any]) -> tuple[Encoder, PooledEncoder]:
    """Return the loaded model, and the encoder of texts that uses it with checked and complete options.

    Raises:
        EncoderError, OptionError: As for `encoder_space`.
    """
    check(ENCODER, {"unit": unit, "pooling": pooling})
    encoder = load(model)
    pooling = own_pooling(encoder.pooling) if pooling == OWN else pooling
    values = check(choose(POOLINGS, pooling, "pooling"), options, range(encoder.depth + 1))
    return encoder, PooledEncoder(str(model), pooling, values)


def by_sentence(texts: Texts) -> Texts:
    """Return the sentences of texts as new texts; a sentence has the group and columns of the text that it is from.

    A sentence without a letter or digit is left out.

    Raises:
        OptionError: There are no sentences, or more than `MOST_TEXTS`.
    """
    found, keys, labels, places = [], [], [], list[int]()
    for place, (key, text) in enumerate(zip(texts.keys, texts.texts, strict=True)):
        number = 0
        for start, end in sentence_places(text, wrapped=True):
            sentence = text[start:end]
            if any(sign.isalnum() for sign in sentence):
                number += 1
                found.append(sentence)
                keys.append(f"{key} · {number}")
                places.append(place)
                labels.append(texts.labels[place] if texts.labels is not None else "")
    if not 0 < len(found) <= MOST_TEXTS:
        raise OptionError(
            f"{texts.name} has {len(found):,} sentences; from 1 to {MOST_TEXTS:,} are encoded. Take whole texts."
        )
    columns = {name: [values[place] for place in places] for name, values in texts.columns.items()}
    return Texts(
        found, keys, labels if texts.labels is not None else None, texts.name, texts.note, columns, texts.group
    )


def _reading(encoder: Encoder, model: str) -> tuple[Encoder, bool]:
    """Return the encoder, and whether its input limit was lowered to the limit that the model's makers configured.

    It is lowered if `sentence_bert_config.json` in the model's folder has a limit that is lower, but at least 8 tokens.
    """
    folder = builtin.model_folder() if model == BUILTIN else Path(model).expanduser()
    try:
        found = json.loads((folder / "sentence_bert_config.json").read_text("utf-8"))["max_seq_length"]
    except (OSError, ValueError, KeyError, TypeError):
        return encoder, False
    if not isinstance(found, int) or not 8 <= found < encoder.limit:
        return encoder, False
    return replace(encoder, limit=found), True


def _layers(depth: int, pooling: str, values: Mapping[str, Any]) -> Sequence[int]:
    """Return the numbers of the layers that a pooling needs; `values` are the options of the pooling."""
    if "layer" in values:
        return (int(values["layer"]),)
    if pooling == "last-4":
        return range(max(1, depth - 3), depth + 1)
    return (0, 1, depth) if pooling == "first-last" else range(depth + 1)


class _Pooled(NamedTuple):
    """Result of encoding texts.

    Attributes:
        matrix: Vectors of the texts, (n, d).
        pieces: Number of tokens.
        windowed: Number of texts that are too long for one window.
        known: Number of texts whose vectors were cached.
        versions: Versions of the libraries.
    """

    matrix: Float
    pieces: int
    windowed: int
    known: int
    versions: Mapping[str, str]


class _Block(NamedTuple):
    """A block of encoded texts: vectors (n, d), numbers of tokens (n,), positions of the texts read in windows."""

    matrix: Float
    counts: Ints
    windowed: frozenset[int]


class _Tokens(NamedTuple):
    """The tokens of one text that are pooled: vectors (t, d), and position of the first character (−1 if special)."""

    vectors: Float
    starts: Ints


@dataclass(frozen=True, eq=False)
class PooledEncoder:
    """An encoder of texts: a model and a pooling of its tokens.

    Attributes:
        model: What `contextual.encoder.load` takes; the model is loaded at the first use.
        pooling: A name in `POOLINGS`.
        options: Options of the pooling.
    """

    model: str
    pooling: str
    options: Mapping[str, Any]

    def hidden(self, texts: Sequence[str]) -> HiddenStates:
        """Return the hidden states of texts in the layers that the pooling needs."""
        encoder = load(self.model)
        values = check(POOLINGS[self.pooling], self.options, range(encoder.depth + 1))
        return encode(_reading(encoder, self.model)[0], texts, layers=_layers(encoder.depth, self.pooling, values))

    def read_texts(
        self, texts: Sequence[str], report: Report | None = None, unit: str = "text", *, keep: bool = False
    ) -> _Pooled:
        """Return the vectors of texts, with the number of tokens and of cached texts; zeros for a text without a token.

        Args:
            unit: What a text is called in the progress: *text* or *sentence*.
            keep: Whether to read vectors from the cache and to store new ones there.
        """
        encoder = load(self.model)
        store = self._store(encoder) if keep else None
        known = store.find(texts) if store is not None else {}
        matrix = np.zeros((len(texts), encoder.dimensions), np.float32)
        for row, stored in known.items():
            matrix[row] = stored.vector
        pieces, windowed = sum(one.tokens for one in known.values()), sum(one.windowed for one in known.values())
        before = f" ({len(known):,} known)" if known else ""
        blocks = [*portions([row for row in range(len(texts)) if row not in known], texts, AT_ONCE)]

        def progress(done: int) -> tuple[float, str]:
            row = blocks[done][0]
            return row / len(texts), f"{encoder.name} reads {row:,} of {len(texts):,} {unit}s{before}"

        for rows, block in zip(blocks, self._read_blocks(texts, blocks, encoder, progress, report), strict=True):
            matrix[rows] = block.matrix
            pieces, windowed = pieces + int(block.counts.sum()), windowed + len(block.windowed)
            if store is not None:
                read = enumerate(zip(rows, block.counts.tolist(), strict=True))
                made = [KeptVector(matrix[row], count, place in block.windowed) for place, (row, count) in read]
                store.put([texts[row] for row in rows], made)
        if store is not None and len(known) < len(texts):
            store.tidy()
        return _Pooled(matrix, pieces, windowed, len(known), versions())

    def _read_blocks(
        self,
        texts: Sequence[str],
        blocks: Sequence[Sequence[int]],
        encoder: Encoder,
        progress: cluster.Progress,
        report: Report | None,
    ) -> Iterator[_Block]:
        """Yield the encoded blocks in order.

        If there are at least `CLUSTER_PAYS` blocks and a cluster is configured, they are encoded on the cluster.
        """
        shards = [([texts[row] for row in rows],) for rows in blocks]
        if cluster.named() and len(blocks) >= CLUSTER_PAYS:
            shared = [(self.model, encoder.checksum, self.pooling, dict(self.options))]
            yield from cluster.map_shards(read_block, shards, shared=shared, progress=progress, report=report)
            return
        for place, shard in enumerate(shards):
            tell(report, *progress(place))
            yield self.read_block(*shard)

    def read_block(self, texts: Sequence[str]) -> _Block:
        """Encode a block of texts: their vectors, their numbers of tokens, and which texts were read in windows.

        The vector of a text without tokens is zeros.
        """
        hidden = self.hidden(texts)
        pooled = pool(hidden, self.pooling, **self.options)
        matrix = np.zeros((len(texts), pooled.dimensions), np.float32)
        matrix[np.asarray(pooled.metadata["sentence"], np.int64)] = pooled.matrix
        return _Block(matrix, np.asarray(hidden.counts, np.int64), frozenset(hidden.windowed))

    def known(self, texts: Sequence[str]) -> frozenset[int]:
        """Return the positions of the texts whose vectors are cached."""
        return frozenset(self._store(load(self.model)).find(texts))

    def _store(self, encoder: Encoder) -> KeptVectors:
        """Return the cache of the vectors of this model and pooling."""
        limit = _reading(encoder, self.model)[0].limit
        options = {name: str(value) for name, value in self.options.items()}
        made_by = {"model": encoder.checksum, "pooling": self.pooling, "options": options, "limit": limit}
        return KeptVectors.of(made_by | {"versions": dict(versions())}, encoder.dimensions)

    @cached_property
    def tokens(self) -> Callable[[str], _Tokens]:
        """Return a function from a text to its pooled tokens; it caches its results for the last `_CACHED` texts."""
        return lru_cache(maxsize=_CACHED)(self._tokens)

    def _tokens(self, text: str) -> _Tokens:
        states = self.hidden([text])
        counted = ~states.special
        if self.options.get("special") != "without":
            counted |= counted.any()  # special tokens are pooled too, unless there is no other token
        starts = np.where(states.special, -1, states.offsets[:, 0])
        return _Tokens(np.asarray(states.layers[0][counted], np.float32), starts[counted])


@dataclass(frozen=True, eq=False)
class PooledSpace:
    """A space with a row for each text, and the encoder for other texts. It has the same methods as `BagSpace`."""

    space: VectorSpace
    encoder: PooledEncoder

    def encode(self, text: str) -> Float:
        """Return the vector of any text, (d,); zeros for a text without a token."""
        found: Float = self.encoder.read_texts([text]).matrix[0]
        return found

    def scores(self, query: str) -> Any:
        """Return the cosine of a query with every row, (n,)."""
        return self.several([query])[0].astype(np.float64)

    def text_parts(self, query: str, row: int) -> list[ScorePart]:
        """Return an empty list: the score is not a sum over the words of the text."""
        return []

    def knows(self, word: str) -> bool:
        """Return True: a model reads every word."""
        return True

    def several(self, queries: Sequence[str]) -> Float:
        """Return the cosines of queries with every row, (m, n)."""
        found = np.asarray(similarities(self.space, self.encoder.read_texts(queries).matrix), np.float32)
        return np.nan_to_num(found, copy=False)

    def parts(self, query: str, row: int) -> list[ScorePart]:
        """Return what each word of a query adds to the cosine with a row; empty unless the pooling is *mean*."""
        if self.encoder.pooling != "mean":
            return []
        tokens = self.encoder.tokens(query)
        length = float(np.linalg.norm(_mean(tokens.vectors))) * len(tokens.vectors)
        each = tokens.vectors @ self.space.unit_rows(slice(row, row + 1))[0] / (length or 1.0)
        added: dict[str, float] = {}
        for word, share in zip(_words_at(query, tokens.starts), each.tolist(), strict=True):
            added[word] = added.get(word, 0.0) + share
        return sorted((ScorePart(word, share) for word, share in added.items()), key=lambda part: -part.share)

    def passages(self, query: str, row: int) -> list[Passage]:
        """Return the sentences of a row's text, the nearest to a query first; empty unless the pooling is *mean*."""
        if self.encoder.pooling != "mean":
            return []
        text = str(self.space.metadata["text"][row])[:MOST_READ]
        tokens, wanted = self.encoder.tokens(text), _mean(self.encoder.tokens(query).vectors)
        found = []
        for start, end in sentence_places(text, wrapped=True):
            inside = tokens.vectors[(tokens.starts >= start) & (tokens.starts < end)]
            if len(inside):
                own = _mean(inside)
                lengths = float(np.linalg.norm(own) * np.linalg.norm(wanted))
                found.append(Passage(start, end, float(own @ wanted) / (lengths or 1.0)))
        return sorted(found, key=lambda passage: -passage.cosine)


def read_block(made_by: tuple[str, str, str, Mapping[str, Any]], texts: Sequence[str]) -> _Block:
    """Encode a block of texts on a worker of a cluster.

    Args:
        made_by: The model, its checksum, the pooling and its options.

    Raises:
        ClusterError: The worker does not have this model at the same path.
    """
    model, checksum, pooling, options = made_by
    try:
        same = load(model).checksum == checksum
    except (EncoderError, OSError):
        same = False
    if not same:
        raise cluster.ClusterError("A worker of the cluster does not have this model at the same path.")
    return PooledEncoder(model, pooling, options).read_block(texts)


def _mean(vectors: Float) -> Any:
    return vectors.mean(axis=0, dtype=np.float64) if len(vectors) else np.zeros(vectors.shape[1])


def _words_at(text: str, starts: Ints) -> list[str]:
    """Return the word at each position in `starts`, in lower case; `_OTHER` between words, `_SPECIAL` at −1."""
    found = [*places(text)]
    begins = np.asarray([token.start for token in found], np.int64)
    listed = []
    for start, place in zip(starts.tolist(), (np.searchsorted(begins, starts, "right") - 1).tolist(), strict=True):
        inside = place >= 0 and start < found[place].end
        listed.append(_SPECIAL if start < 0 else found[place].word if inside else _OTHER)
    return listed
