"""Words of other sentences to compare a word with, and the rows of the input table nearest to a word."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
import zipfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.contextual.encoder import Encoder, cached_per_model, encode
from embedviz.contextual.word_path.result import COPIES, NearestRows, NearRow
from embedviz.contextual.word_path.sentence import word_spans
from embedviz.core.device import cache_folder
from embedviz.core.hidden import is_letter
from embedviz.core.space import Float, Ints
from embedviz.core.stats.copies import fitted_cloud
from embedviz.core.stats.permutation import family
from embedviz.testsets import datasets

OTHERS = 150
"""Number of words with which a word is compared; each of them is from a different built-in sentence."""
MOST_NEAR = 10
"""Maximum number of nearest rows of the input table."""
AT_ONCE = 16
"""Number of sentences encoded together."""


class OtherWords(NamedTuple):
    """The o words with which a word is compared; each of them is from a different built-in sentence.

    Attributes:
        vectors: The words' vectors at each layer, (L + 1, o, d).
        near: For each word the numbers of the nearest rows of the input table, (L + 1, o, MOST_NEAR); None if input
            vectors and hidden states differ in size.
        own: Whether the row nearest to a word is a piece of this word, (L + 1, o).
        copies: Chance: highest cosine of each random vector with a row of the input table, (L + 1, COPIES). The
            vectors are drawn from a Gaussian with the mean and covariance of the words' vectors.
        texts: The words.
        sentences: The sentence of each word.
        words: All words of the sentences, from which replacements are sampled at random.
    """

    vectors: Float
    near: Ints | None
    own: NDArray[np.bool_]
    copies: Float
    texts: tuple[str, ...]
    sentences: tuple[str, ...]
    words: tuple[str, ...]

    def without(self, sentence: str, word: str) -> OtherWords:
        """Return the words for comparison, except `word` and words from `sentence`."""
        each = zip(self.texts, self.sentences, strict=True)
        rows = [
            row
            for row, (text, other_sentence) in enumerate(each)
            if text.casefold() != word.casefold() and other_sentence != sentence
        ]
        return self._replace(
            vectors=self.vectors[:, rows],
            near=None if self.near is None else self.near[:, rows],
            own=self.own[:, rows],
            texts=tuple(self.texts[row] for row in rows),
            sentences=tuple(self.sentences[row] for row in rows),
        )


class _MeasuredWords(NamedTuple):
    """The fields of `OtherWords` that depend on the model."""

    vectors: Float
    near: Ints | None
    own: NDArray[np.bool_]
    copies: Float


@cached_per_model
def other_words(encoder: Encoder) -> OtherWords:
    """Return one random word from each of `OTHERS` built-in sentences (seed 0). The vectors are cached on disk."""
    random = np.random.default_rng(0)
    every = [row.sentence for rows in datasets.sense_sentences().values() for row in rows]
    sentences = tuple(every[row] for row in random.permutation(len(every))[:OTHERS].tolist())
    units = [word_spans(sentence) for sentence in sentences]
    drawn = [each[int(random.integers(len(each)))] for each in units]
    file = cache_folder() / f"path-words-{_fingerprint(encoder, sentences, drawn)}.npz"
    measured = _cached(file, (encoder.depth + 1, len(sentences), encoder.dimensions))
    if measured is None:
        measured = _measured(encoder, sentences, drawn)
        _write(file, measured)
    texts = tuple(text[slice(*unit)] for text, unit in zip(sentences, drawn, strict=True))
    words = tuple(text[slice(*unit)] for text, each in zip(sentences, units, strict=True) for unit in each)
    return OtherWords(*measured, texts, sentences, words)


def _measured(encoder: Encoder, sentences: Sequence[str], drawn: Sequence[tuple[int, int]]) -> _MeasuredWords:
    vectors, pieces = [], []
    for start in range(0, len(sentences), AT_ONCE):
        hidden = encode(encoder, sentences[start : start + AT_ONCE], dtype="float32")  # the cache serves all devices
        for row, unit in enumerate(drawn[start : start + AT_ONCE]):
            numbers = hidden.token_numbers(row, *unit)
            vectors.append(np.asarray(hidden.layers[:, numbers], np.float32).mean(axis=1))
            pieces.append(set(hidden.ids[numbers].tolist()))
    stacked = np.stack(vectors, axis=1)
    near, own, copies = None, np.zeros(stacked.shape[:2], bool), np.zeros((len(stacked), COPIES), np.float32)
    if input_vectors(encoder).shape[1] == stacked.shape[2]:
        near = np.stack([ranked(encoder, rows, MOST_NEAR)[0] for rows in stacked])
        own = np.array(
            [[first in mine for first, mine in zip(rows, pieces, strict=True)] for rows in near[..., 0].tolist()]
        )
        cloud = _copies(stacked, COPIES, np.random.default_rng(0))
        copies = np.stack([similarities(encoder, rows).max(axis=1) for rows in cloud])
    return _MeasuredWords(stacked, near, own, copies)


def _copies(vectors: Float, count: int, random: np.random.Generator) -> Float:
    """Sample random vectors, (L + 1, count, d), from one Gaussian fitted to the words' vectors of all layers."""
    layers, words, d = vectors.shape
    cloud = fitted_cloud(vectors.transpose(1, 0, 2).reshape(words, layers * d))
    return cloud.draw(count, random).reshape(count, layers, d).transpose(1, 0, 2)


def _fingerprint(encoder: Encoder, *values: Any) -> str:
    """Return the cache key: a hash of weights, configuration and tokenizer of the model, and of `values`."""
    parts = (
        encoder.checksum,
        encoder.network.config.to_json_string(),
        encoder.tokenizer.backend_tokenizer.to_str(),
        version("transformers"),
        input_vectors(encoder).shape,
        MOST_NEAR,
        values,
    )
    return hashlib.sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _cached(file: Path, shape: tuple[int, ...]) -> _MeasuredWords | None:
    """Return the words of the cache file; None if it is missing or damaged, or its arrays do not fit `shape`."""
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            found = _MeasuredWords(arrays["vectors"], arrays.get("near"), arrays["own"], arrays["copies"])
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    whole = found.vectors.shape == shape and found.own.shape == shape[:2] and found.copies.shape == (shape[0], COPIES)
    return found if whole and (found.near is None or found.near.shape[:2] == shape[:2]) else None


def _write(file: Path, measured: _MeasuredWords) -> None:
    """Write the cache file atomically; do nothing if the folder is not writable."""
    arrays = {name: array for name, array in measured._asdict().items() if array is not None}
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".path-words-", dir=file.parent) as draft:
            np.savez(Path(draft) / file.name, **arrays)
            (Path(draft) / file.name).replace(file)


def nearest_rows(encoder: Encoder, others: OtherWords, mine: Float, own: Ints, k: int) -> tuple[NearestRows, ...]:
    """Return for each layer the k rows of the input table nearest to a word.

    The result is empty if input vectors and hidden states differ in size.

    Args:
        mine: The vectors of the word, (L + 1, d).
        own: Token ids of the word.
    """
    if others.near is None:
        return ()
    rows, near = ranked(encoder, mine, k)
    best = others.copies.astype(np.float64)
    chance = family(best[:, 0], best[:, 1:]).high
    found = []
    for layer in range(len(mine)):
        listed = tuple(
            NearRow(
                *described(encoder, row, cosine),
                row in own,
                int((others.near[layer, :, :k] == row).any(axis=1).sum()),
            )
            for row, cosine in zip(rows[layer].tolist(), near[layer].tolist(), strict=True)
        )
        found.append(NearestRows(layer, listed, float(chance[layer]), float(others.own[layer].mean())))
    return tuple(found)


def input_vectors(encoder: Encoder) -> Float:
    """Return the input table (token embeddings): one vector for each token of the vocabulary, (V, e)."""
    return np.asarray(encoder.network.get_input_embeddings().weight.detach().numpy())


@cached_per_model
def _lengths(encoder: Encoder) -> Float:
    """Return the lengths of the rows of the input table, (V,)."""
    return np.asarray(np.maximum(np.linalg.norm(input_vectors(encoder), axis=1), 1e-12))


def similarities(encoder: Encoder, vectors: Float) -> Float:
    """Return the cosine of each vector with each row of the input table, (n, V)."""
    return np.asarray((unit(vectors) @ input_vectors(encoder).T) / _lengths(encoder))


def ranked(encoder: Encoder, vectors: Float, k: int) -> tuple[Ints, Float]:
    """Return the k nearest rows of the input table for each vector, nearest first, (n, k), and the cosines, (n, k)."""
    found = similarities(encoder, vectors)
    k = min(k, found.shape[1])
    rows = np.argpartition(-found, k - 1, axis=1)[:, :k]
    rows = np.take_along_axis(rows, np.argsort(-np.take_along_axis(found, rows, 1), axis=1, kind="stable"), 1)
    return rows, np.take_along_axis(found, rows, 1)


def described(encoder: Encoder, row: int, cosine: float) -> tuple[str, float, bool]:
    """Return the text of a row of the input table, the given `cosine`, and whether the text is a whole word."""
    tokenizer = encoder.tokenizer
    token = str(tokenizer.convert_ids_to_tokens(row))
    marked = _marks_beginnings(encoder)
    begins = token.startswith(("Ġ", "▁")) if marked else not token.startswith("##")
    text = (tokenizer.decode([row]).strip() or token) if marked else token
    whole = begins and row not in tokenizer.all_special_ids and all(map(is_letter, text))
    return (text if begins or not marked else f"##{text}"), cosine, whole


@cached_per_model
def _marks_beginnings(encoder: Encoder) -> bool:
    """Return whether the tokenizer marks the beginnings of words (Ġ, ▁) rather than their continuations (##)."""
    return any(token.startswith(("Ġ", "▁")) and len(token) > 2 for token in encoder.tokenizer.get_vocab())


def unit(vectors: Any) -> Any:
    """Return vectors of shape (…, d) scaled to length one; zero vectors stay zero."""
    return np.asarray(vectors) / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def cosines(one: Float, other: Float) -> Float:
    """Return the cosine of each vector of `one`, (…, d), with the vector at the same index of `other`; shape (…,)."""
    return np.asarray((unit(one) * unit(other)).sum(axis=-1))
