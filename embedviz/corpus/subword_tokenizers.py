"""Compare tokenizers: whole words, WordPiece of the built-in model, and byte-level BPE trained on a given text.

A tokenizer has a fixed vocabulary of pieces, and a model has one vector per piece. WordPiece takes the longest matching
piece, from left to right (Wu et al. 2016). Byte-level BPE begins with the 256 bytes and repeatedly merges the most
frequent pair (Sennrich et al. 2016; Radford et al. 2019), so it can represent any text in any script.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from embedviz.core.builtin import model_folder
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted
from embedviz.corpus.tokenizing import preview

MOST_TEXT = 200_000
"""Maximum number of characters that a tokenizer is trained on; the rest is ignored."""
MOST_SHOWN = 5_000
"""Maximum number of characters of a text to tokenize."""
BYTES = 256
"""Number of pieces that byte-level BPE begins with."""
MOST_PIECES = 20_000
TRAINED = 2_000
"""Minimum size of a vocabulary that is trained; a smaller one is the beginning of a vocabulary of this size."""


class TokenPiece(NamedTuple):
    """A piece of a text.

    Attributes:
        text: The characters of the text that the piece covers. If several pieces make up one character, only the first
            of them has the character.
        piece: The piece as it is written in the vocabulary.
        id: Its number in the vocabulary; None for a word that is not in the vocabulary.
    """

    text: str
    piece: str
    id: int | None


@dataclass(frozen=True)
class TokenizedText:
    """A text cut into pieces by one tokenizer.

    Attributes:
        name: Name of the tokenizer.
        vocabulary: Size of its vocabulary.
        pieces: The pieces, in order.
        unknown: Number of pieces that are not in the vocabulary.
        about: Sentences on the vocabulary.
    """

    name: str
    vocabulary: int
    pieces: tuple[TokenPiece, ...]
    unknown: int
    about: str

    @property
    def meaning(self) -> str:
        """Say how many pieces the text has, and how many of them are not in the vocabulary."""
        verb = "is" if self.unknown == 1 else "are"
        lost = f" {self.unknown:,} of them {verb} not in the vocabulary." if self.unknown else ""
        return f"{self.name}: {counted(len(self.pieces), 'piece')}.{lost}"

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return the header and one row per piece, with its id and the text that it covers."""
        rows = [(one.piece, "" if one.id is None else one.id, one.text) for one in self.pieces]
        return ("piece", "id", "text"), rows


def by_words(text: str, vocabulary: Sequence[str]) -> TokenizedText:
    """Return a text cut into whole words; the id of a word is its position in `vocabulary`, or None.

    Raises:
        OptionError: The text is too long.
    """
    index = {word: number for number, word in enumerate(vocabulary)}
    found = [piece for line in preview(_checked(text)) for piece in line if piece.word]
    pieces = tuple(TokenPiece(one.text, one.word, index.get(one.word)) for one in found)
    unknown = sum(one.id is None for one in pieces)
    about = "Each word is one piece. A word that is not in the vocabulary has no vector."
    return TokenizedText("Words", len(index), pieces, unknown, about)


def by_wordpiece(text: str) -> TokenizedText:
    """Return a text cut by the built-in model's WordPiece tokenizer, without [CLS] and [SEP].

    Raises:
        OptionError: The text is too long.
        SpaceError: The built-in model is not installed.
    """
    tokenizer = _wordpiece()
    pieces, unknown = _pieces(tokenizer, _checked(text), "[UNK]")
    about = "The vocabulary of BERT. ## marks a piece that continues a word."
    return TokenizedText("WordPiece", tokenizer.get_vocab_size(), pieces, unknown, about)


def by_byte_pairs(text: str, training: str, size: int = 1_000) -> TokenizedText:
    """Return a text cut by byte-level BPE with a vocabulary of `size` pieces that is trained on another text.

    Args:
        training: The training text; at most `MOST_TEXT` characters are used.
        size: Size of the vocabulary with the 256 bytes; it is smaller if the training text has no more pairs to merge.

    Raises:
        OptionError: The text is too long, or the size is out of range.
    """
    if not BYTES <= size <= MOST_PIECES:
        raise OptionError(f"The vocabulary has {size:,} pieces. Choose a number from {BYTES} to {MOST_PIECES:,}.")
    tokenizer = _byte_pairs(training[:MOST_TEXT], size)
    pieces, unknown = _pieces(tokenizer, _checked(text), None)
    made = tokenizer.get_vocab_size()
    about = f"{BYTES} bytes and {made - BYTES:,} joined pairs, learned from the text. Ġ stands for a blank."
    return TokenizedText("Byte-level BPE", made, pieces, unknown, about)


def merges(training: str, size: int) -> tuple[str, ...]:
    """Return the pieces that byte-level BPE gets by merging, when it is trained on a text, in the order of merging."""
    vocabulary = _byte_pairs(training[:MOST_TEXT], size).get_vocab()
    ordered = sorted(vocabulary, key=vocabulary.__getitem__)
    return tuple(ordered[BYTES:])


def _checked(text: str) -> str:
    if len(text) > MOST_SHOWN:
        raise OptionError(f"The text has {len(text):,} characters. Give at most {MOST_SHOWN:,}.")
    return text


def _pieces(tokenizer: Any, text: str, unknown: str | None) -> tuple[tuple[TokenPiece, ...], int]:
    """Return the pieces of a text, and the number of pieces equal to `unknown`.

    If several pieces make up one character, only the first of them has the character as its text.
    """
    encoded = tokenizer.encode(text, add_special_tokens=False)
    found, last = [], 0
    for piece, number, (begin, end) in zip(encoded.tokens, encoded.ids, encoded.offsets, strict=True):
        found.append(TokenPiece(text[max(begin, last) : end], piece, number))
        last = max(last, end)
    return tuple(found), sum(one.piece == unknown for one in found)


@lru_cache(1)
def _wordpiece() -> Any:
    """Load the built-in model's tokenizer, with truncation and padding turned off."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@lru_cache(16)
def _byte_pairs(training: str, size: int) -> Any:
    """Return a byte-level BPE tokenizer of this size.

    A small vocabulary is the beginning of a larger one, so the larger one is trained once and cut.
    """
    from tokenizers import Tokenizer, models

    tokenizer = Tokenizer.from_str(_trained(training, max(size, TRAINED)).to_str())
    model = json.loads(tokenizer.to_str())["model"]
    pieces = sorted(model["vocab"], key=model["vocab"].__getitem__)[:size]
    made, merges = set(pieces[:BYTES]), []
    for first, second in map(tuple, model["merges"]):
        if len(made) == len(pieces):
            break
        merges.append((first, second))
        made.add(first + second)
    tokenizer.model = models.BPE({piece: number for number, piece in enumerate(pieces)}, merges)
    return tokenizer


@lru_cache(4)
def _trained(training: str, size: int) -> Any:
    """Train byte-level BPE on a text, up to `size` pieces.

    Pairs are merged only inside words; a blank belongs to the word after the blank.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=alphabet, min_frequency=2, show_progress=False, special_tokens=[]
    )
    tokenizer.train_from_iterator(training.splitlines(keepends=True), trainer)
    return tokenizer
