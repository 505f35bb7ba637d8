"""`HiddenStates`: the vectors of all tokens of some sentences, at several layers of a model."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError
from embedviz.core.space import Ints, Origin
from embedviz.core.store import (
    FOLDER_FORMAT,
    read_array,
    read_blob,
    read_card,
    read_only,
    whole,
    write_card,
    write_parts,
)

LAYERS = "layers.npy"
"""The file of the layers in a folder of hidden states."""
_COLUMNS = ("bounds", "ids", "offsets", "words", "special")
Kind = TypeVar("Kind", bound=np.generic)
States = NDArray[np.float32] | NDArray[np.float16]


@dataclass(frozen=True, eq=False)
class HiddenStates:
    """The vectors of the T tokens of s sentences, at K layers of a model. There are no padding tokens.

    If the tokenizer finds no token in a sentence, the sentence has no special tokens either.

    Attributes:
        sentences: The s sentences, as texts.
        bounds: The index of each sentence's first token, and T as the last number, shape (s + 1,).
        tokens: The T tokens, as the model's tokenizer writes them.
        ids: Number of each token in the tokenizer's vocabulary, (T,).
        offsets: Start and end of each token in the characters of its sentence, (T, 2); 0, 0 for special tokens.
        words: For each token, the index of its word among the words of the sentence, (T,). It is −1 for special tokens
            and for blanks. A word is a run of letters, digits and marks, or one other character.
        special: Whether the token comes from the model and not from the text, such as [CLS] and [SEP], (T,). `counts`
            leaves these tokens out.
        layers: The vectors of the tokens at each stored layer, (K, T, d) float32, or float16 on request. Layer 0 is the
            output of the embeddings (in BERT the normalised sum of word, position and segment embeddings).
        stored: The layer numbers of the K layers.
        depth: L, the number of the last layer.
        windowed: Indices of the sentences that were too long for the model and were read in overlapping windows.
        origin: Where the states come from.
    """

    sentences: Sequence[str]
    bounds: Ints
    tokens: Sequence[str]
    ids: Ints
    offsets: Ints
    words: Ints
    special: NDArray[np.bool_]
    layers: States
    stored: tuple[int, ...]
    depth: int
    windowed: tuple[int, ...] = ()
    origin: Origin = field(default_factory=lambda: Origin("array", "unnamed"))

    def __post_init__(self) -> None:
        for name in ("bounds", "ids", "offsets", "words", "special", "layers"):
            object.__setattr__(self, name, read_only(getattr(self, name)))
        count = len(self.tokens)
        sizes = {len(self.ids), len(self.offsets), len(self.words), len(self.special), self.layers.shape[1]}
        if sizes != {count} or self.bounds[-1] != count or len(self.bounds) != len(self.sentences) + 1:
            raise OptionError("The tokens, their places and their layers are not as many.")
        if len(self.stored) != len(self.layers) or not set(self.stored) <= set(range(self.depth + 1)):
            raise OptionError("The numbers of the layers do not belong to them.")

    def __len__(self) -> int:
        return len(self.tokens)

    def __repr__(self) -> str:
        layers = " × ".join(map(str, self.layers.shape))
        return f"<HiddenStates {self.origin.name}: {len(self.sentences):,} sentences, {layers}>"

    @property
    def dimensions(self) -> int:
        """Return the number of dimensions of a vector, d."""
        return int(self.layers.shape[2])

    @property
    def counts(self) -> Ints:
        """Count the tokens of each sentence, without special tokens, (s,)."""
        before = np.concatenate([[0], np.cumsum(~self.special)])
        return np.asarray(before[self.bounds[1:]] - before[self.bounds[:-1]], np.int64)

    @property
    def note(self) -> str:
        """Return a note for the user on sentences without tokens and on sentences that are too long for the model.

        The note is empty if there are no such sentences.
        """
        empty = int((self.counts == 0).sum())
        sentences = [f"{_sentences(empty)} no token."] if empty else []
        if self.windowed:
            sentences.append(
                f"{_sentences(len(self.windowed))} more tokens than the model takes at once, and "
                f"{'was' if len(self.windowed) == 1 else 'were'} read in overlapping windows."
            )
        return " ".join(sentences)

    def span(self, sentence: int) -> slice:
        """Return the slice of the T tokens that belong to a sentence."""
        return slice(int(self.bounds[sentence]), int(self.bounds[sentence + 1]))

    def layer(self, number: int) -> States:
        """Return the vectors of all tokens at the layer `number`, (T, d).

        Raises:
            OptionError: There is no such layer, or it is not stored.
        """
        if not 0 <= number <= self.depth:
            raise OptionError(f"layer is {number}; it may be from 0 to {self.depth}.")
        if number not in self.stored:
            raise OptionError(f"Layer {number} is not stored; stored layers: {', '.join(map(str, self.stored))}.")
        found: States = self.layers[self.stored.index(number)]
        return found

    def token_numbers(self, sentence: int, start: int, end: int) -> Ints:
        """Return the indices of the m tokens that overlap characters `start` to `end` of a sentence, (m,).

        Special tokens, such as [CLS], are left out.
        """
        span = self.span(sentence)
        offsets = self.offsets[span]
        inside = (offsets[:, 0] < end) & (offsets[:, 1] > start) & ~self.special[span]
        return np.asarray(span.start + np.flatnonzero(inside), np.int64)


def write_without_layers(folder: Path, hidden: HiddenStates) -> None:
    """Write hidden states to a folder, except the layers. The file of the layers must already be in the folder."""
    columns = {name: getattr(hidden, name) for name in _COLUMNS}
    write_parts(folder, sentences=hidden.sentences, tokens=hidden.tokens, **columns)
    card = {
        "format": FOLDER_FORMAT,
        "kind": "hidden states",
        "kept": hidden.stored,
        "depth": hidden.depth,
        "windowed": hidden.windowed,
        "origin": hidden.origin.card(),
    }
    write_card(folder, card)


def open_states(folder: str | Path) -> HiddenStates:
    """Open hidden states that `encode` wrote to a folder, by memory map.

    Raises:
        SpaceError: The folder holds no hidden states, or its files do not belong together.
    """
    folder = Path(folder)
    with whole(folder, "holds no hidden states that were kept"):
        card = read_card(folder)
        columns: dict[str, Any] = {name: read_array(folder / name) for name in _COLUMNS}
        return HiddenStates(
            sentences=read_blob(folder / "sentences"),
            tokens=read_blob(folder / "tokens"),
            layers=read_array(folder / LAYERS.removesuffix(".npy")),
            stored=tuple(card["kept"]),
            depth=int(card["depth"]),
            windowed=tuple(card["windowed"]),
            origin=Origin(**card["origin"]),
            **columns,
        )


def is_letter(sign: str) -> bool:
    """Return whether a character is part of a word: a letter, a digit, a combining mark, or an underscore."""
    return sign.isalnum() or sign == "_" or unicodedata.category(sign)[0] == "M"


def word_numbers(sentence: str) -> Ints:
    """Return for each character the index of its word in the sentence, (characters,); −1 for blanks.

    A word is a run of characters for which `is_letter()` is true, or one other character.
    """
    found = np.full(len(sentence), -1, np.int64)
    number, before = -1, False
    for place, sign in enumerate(sentence):
        if sign.isspace():
            before = False
            continue
        letter = is_letter(sign)
        number += not (letter and before)
        found[place], before = number, letter
    return found


def _sentences(count: int) -> str:
    return "1 sentence has" if count == 1 else f"{count:,} sentences have"
