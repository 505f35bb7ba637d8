"""A sentence as the tokenizer of a model splits it, and the choice of one of its words."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from embedviz.contextual.encoder import BUILTIN, Encoder, encode, load
from embedviz.contextual.occurrences import find
from embedviz.core.hidden import HiddenStates, is_letter
from embedviz.core.options import OptionError
from embedviz.core.phrases import listing
from embedviz.core.progress import Report, tell
from embedviz.testsets import datasets

LONGEST = 500
"""Maximum characters of a sentence."""


class PathExample(NamedTuple):
    """An example sentence, and the number of the word to follow in it, from 1."""

    sentence: str
    at: int


EXAMPLES = (
    PathExample("I sat on the bank of the river.", 5),
    PathExample("The bank raised its interest rates again.", 2),
    PathExample("She plays an unforgettable tune on the guitar.", 4),
    PathExample("The bank on the river bank was robbed at night.", 6),
)


class Word(NamedTuple):
    """A word of the sentence as the tokenizer splits it, or a special token.

    Attributes:
        at: Number of the word in the sentence, from 1; 0 for a special token.
        start, end: Characters of the word in the sentence, `end` exclusive.
        pieces: Pieces of the word as the tokenizer writes them.
        unknown: Whether a piece is the token for unknown text.
    """

    text: str
    at: int
    start: int
    end: int
    pieces: tuple[str, ...]
    unknown: bool = False

    @property
    def cut(self) -> str:
        """Return the word with dots between its pieces, or with their number if they do not spell the word."""
        if len(self.pieces) < 2:
            return self.text
        bare = [piece.removeprefix("##").lstrip("Ġ▁") for piece in self.pieces]
        whole = "".join(bare).casefold() == self.text.casefold()
        return "·".join(bare) if whole else f"{self.text} ({len(self.pieces)} pieces)"


@dataclass(frozen=True)
class TokenizedSentence:
    """A sentence split into words and special tokens by a tokenizer."""

    sentence: str
    model: str
    words: tuple[Word, ...]

    @property
    def choices(self) -> tuple[Word, ...]:
        """Return the words of the sentence, without special tokens."""
        return tuple(word for word in self.words if word.at)

    @property
    def usual(self) -> Word:
        """Return the default word: the first word that has built-in example sentences, else the longest word."""
        known = datasets.sense_sentences()
        return next(
            (word for word in self.choices if word.text.casefold() in known),
            max(self.choices, key=lambda word: (sum(map(is_letter, word.text)), -word.at)),
        )

    def find(self, word: int | str | None) -> Word:
        """Return a word of the sentence: by its number (from 1) or its spelling (the first such word).

        For None, return the default word, `usual`.

        Raises:
            OptionError: There is no such word.
        """
        if word is None:
            return self.usual
        if isinstance(word, str):
            places = find(word, [self.sentence])
            inside = [one for one in self.choices for place in places if place.start <= one.start < place.end]
            if not inside:
                raise OptionError(f"The sentence has no word “{word.strip()}”. Its words are: {self._listed()}.")
            return inside[0]
        if not 1 <= word <= len(self.choices):
            raise OptionError(f"The sentence has no word {word:,}. Its words are: {self._listed()}.")
        return self.choices[word - 1]

    def _listed(self) -> str:
        return listing([f"{word.at} {word.text}" for word in self.choices])


def reading(sentence: str, *, model: Encoder | str | Path = BUILTIN, report: Report | None = None) -> TokenizedSentence:
    """Return a sentence as the tokenizer of a model splits it.

    Raises:
        OptionError: The sentence is empty, too long, or has no token.
        EncoderError: The model cannot be opened.
    """
    check_length(sentence)
    tell(report, 0.0, "Opening the model")
    encoder = load(model)
    return tokenized(encoder, encode(encoder, [sentence], layers=[0]))


def check_length(sentence: str) -> None:
    """Check the length of a sentence.

    Raises:
        OptionError: The sentence is empty or too long.
    """
    if not sentence.strip():
        raise OptionError("The sentence is empty. Type a sentence.")
    if len(sentence) > LONGEST:
        raise OptionError(f"The sentence has {len(sentence):,} characters. Give at most {LONGEST}.")


def tokenized(encoder: Encoder, hidden: HiddenStates) -> TokenizedSentence:
    """Return the words and special tokens of an encoded sentence.

    Raises:
        OptionError: The sentence has no token.
    """
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
        raise OptionError(f"The tokenizer of {encoder.name} gives no token for this sentence. Type one with words.")
    return TokenizedSentence(sentence, encoder.name, tuple(words))


def word_spans(sentence: str) -> list[tuple[int, int]]:
    """Return start and end (exclusive) of each word: text between blanks, without leading and closing punctuation."""
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
