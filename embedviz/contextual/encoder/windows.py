"""Tokenize sentences, and group their tokens into the windows and batches that a model reads."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from embedviz.contextual.encoder.folder import EncoderError
from embedviz.contextual.encoder.loading import Encoder
from embedviz.core.device import threads
from embedviz.core.hidden import word_numbers
from embedviz.core.space import Ints

TOKENS_AT_ONCE = 1_024
"""Maximum tokens of a batch, padding included: enough for two cores, few enough for their caches."""


class TokenTable(NamedTuple):
    """The tokens of all sentences. Fields as in `HiddenStates`; `kinds` are the segments (token type ids)."""

    bounds: Ints
    tokens: list[str]
    ids: Ints
    offsets: Ints
    words: Ints
    special: Any
    kinds: Ints


def tokenized(encoder: Encoder, sentences: Sequence[str]) -> TokenTable:
    """Return the tokens of the sentences; a sentence without text has no tokens, not even special ones.

    Raises:
        EncoderError: The tokenizer gives a token number for which the model has no input vector.
    """
    backend = encoder.tokenizer.backend_tokenizer
    texts = [sentence.encode("utf-8", "replace").decode("utf-8") for sentence in sentences]  # a lone surrogate
    encoded = backend.encode_batch(texts) if threads() > 1 else [backend.encode(text) for text in texts]
    bounds = np.zeros(len(texts) + 1, np.int64)
    encodings = []
    for number, (text, one) in enumerate(zip(texts, encoded, strict=True)):
        whole = text.strip() and not all(one.special_tokens_mask)
        bounds[number + 1] = bounds[number] + (len(one.ids) if whole else 0)
        if whole:
            encodings.append((text, one))
    ids = np.array([i for _, one in encodings for i in one.ids], np.int64)
    most = encoder.network.get_input_embeddings().num_embeddings
    if len(ids) and ids.max() >= most:
        raise EncoderError(
            f"The tokenizer of {encoder.name} gives token {ids.max():,}; the model has {most:,} input vectors. "
            "The two do not belong together."
        )
    special = np.array([mask for _, one in encodings for mask in one.special_tokens_mask], bool)
    offsets = np.array([pair for _, one in encodings for pair in one.offsets], np.int64).reshape(-1, 2)
    offsets[special] = 0
    words = [_words_of(text, one.offsets, one.special_tokens_mask) for text, one in encodings]
    return TokenTable(
        bounds,
        [token for _, one in encodings for token in one.tokens],
        ids,
        offsets,
        np.concatenate(words) if words else np.zeros(0, np.int64),
        special,
        np.array([kind for _, one in encodings for kind in one.type_ids], np.int64),
    )


def padded(rows: Sequence[Ints], fill: int) -> tuple[Any, Any]:
    """Return token numbers, padded on the right with `fill`, and their mask, as int64 tensors (b, t).

    The mask is 1 for a token, 0 for padding.
    """
    import torch

    ids = np.full((len(rows), max(map(len, rows))), fill, np.int64)
    mask = np.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row)], mask[place, : len(row)] = row, 1
    return torch.from_numpy(ids), torch.from_numpy(mask)


def _words_of(text: str, offsets: Sequence[tuple[int, int]], special: Sequence[int]) -> Ints:
    """Return the number of the word that each token belongs to; −1 for special tokens.

    The first nonblank character of the token decides.
    """
    numbers = word_numbers(text)
    found = np.full(len(offsets), -1, np.int64)
    for place, (start, end) in enumerate(offsets):
        inside = numbers[start:end]
        if not special[place] and (inside >= 0).any():
            found[place] = inside[inside >= 0][0]
    return found


class Window(NamedTuple):
    """Tokens that the model reads as one input. Only the vectors of the kept tokens are used.

    Attributes:
        ids: Token numbers, (t,); `kinds`: their segments.
        places: Positions of the kept tokens in the window, (k,).
        rows: Rows of the kept tokens in the hidden states, (k,).
    """

    ids: Ints
    kinds: Ints
    places: Ints
    rows: Ints


def windows(encoder: Encoder, pieces: TokenTable) -> tuple[list[Window], tuple[int, ...]]:
    """Return the windows of all sentences, and the numbers of the sentences that were split."""
    found, divided = [], []
    for number in range(len(pieces.bounds) - 1):
        start, end = int(pieces.bounds[number]), int(pieces.bounds[number + 1])
        if end == start:
            continue
        if end - start <= encoder.limit:
            every = np.arange(end - start)
            found.append(Window(pieces.ids[start:end], pieces.kinds[start:end], every, start + every))
        else:
            divided.append(number)
            found += _divided(encoder.limit, pieces, start, end)
    return found, tuple(divided)


def _divided(limit: int, pieces: TokenTable, start: int, end: int) -> Iterator[Window]:
    """Yield the windows of a sentence longer than `limit`, each with the special tokens of the model."""
    special = pieces.special[start:end]
    content = np.flatnonzero(~special)
    before, after = int(content[0]), int(len(special) - 1 - content[-1])
    inner = end - start - before - after
    room = limit - before - after
    starts = window_starts(inner, room)
    for at, first in enumerate(starts):
        low, high = most_central(starts, room, at, inner)
        frame = np.concatenate(
            [np.arange(before), before + np.arange(first, first + room), end - start - after + np.arange(after)]
        )
        keep = np.arange(low - first, high - first) + before
        if at == 0:
            keep = np.concatenate([np.arange(before), keep])
        if at == len(starts) - 1:
            keep = np.concatenate([keep, before + room + np.arange(after)])
        yield Window(pieces.ids[start:end][frame], pieces.kinds[start:end][frame], keep, start + frame[keep])


def window_starts(count: int, room: int) -> list[int]:
    """Return the starts of windows of `room` tokens that cover `count` tokens (more than `room`).

    Windows overlap by half or more.
    """
    starts = list(range(0, count - room, max(1, room // 2)))
    return [*starts, count - room]


def most_central(starts: Sequence[int], room: int, at: int, count: int) -> tuple[int, int]:
    """Return the range of tokens to keep from window number `at`: the first token, and the token after the last.

    The range begins and ends in the middle of the overlap with the neighboring window. The first window keeps the start
    of the sentence too, the last window the end.

    Args:
        starts: Position of the first token of each window.
        room: Number of tokens in a window.
        count: Number of tokens of the sentence.
    """
    low = 0 if at == 0 else (starts[at] + starts[at - 1] + room) // 2
    high = count if at == len(starts) - 1 else (starts[at + 1] + starts[at] + room) // 2
    return low, high


def batches(windows: Sequence[Window], most: int = TOKENS_AT_ONCE) -> list[list[int]]:
    """Return the batches as lists of window numbers, longest windows first.

    A batch with more than `most` / 2 tokens has windows of one length only.

    Args:
        most: Maximum tokens of a batch, padding included; a longer window is a batch of its own.
    """
    lengths = [len(window.ids) for window in windows]
    found: list[list[int]] = []
    for number in sorted(range(len(windows)), key=lambda number: -lengths[number]):
        longest = lengths[found[-1][0]] if found else 0
        size = (len(found[-1]) + 1) * longest if found else 0
        if found and (size <= most // 2 or (size <= most and lengths[number] == longest)):
            found[-1].append(number)
        else:
            found.append([number])
    return found
