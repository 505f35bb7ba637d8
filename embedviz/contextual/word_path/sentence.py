"""One sentence as a model's tokenizer reads it, and the word of it that is followed through the layers."""

from __future__ import annotations

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
"""Characters of a sentence."""


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
class TokenizedSentence:
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
        """Return the word of this number, or the first that is written so.

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


def reading(sentence: str, *, model: Encoder | str | Path = BUILTIN, report: Report | None = None) -> TokenizedSentence:
    """Return what the model's tokenizer makes of a sentence.

    Raises:
        OptionError: The sentence is empty, too long, or no token is made of it.
        EncoderError: The model cannot be opened.
    """
    check_length(sentence)
    tell(report, 0.0, "Opening the model")
    encoder = load(model)
    return tokenized(encoder, encode(encoder, [sentence], layers=[0]))


def check_length(sentence: str) -> None:
    """Pass if the sentence has characters, and no more than are read.

    Raises:
        OptionError: It has none, or too many.
    """
    if not sentence.strip():
        raise OptionError("The sentence is empty; a word of it is followed through the layers.")
    if len(sentence) > LONGEST:
        raise OptionError(
            f"The sentence has {len(sentence):,} characters; at most {LONGEST} are read. Take a part of it."
        )


def tokenized(encoder: Encoder, hidden: HiddenStates) -> TokenizedSentence:
    """Return the words of a sentence that was read, with its special tokens.

    Raises:
        OptionError: No token is made of it.
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
        raise OptionError(f"{encoder.name} makes no token of this sentence. Write one with words.")
    return TokenizedSentence(sentence, encoder.name, tuple(words))


def word_spans(sentence: str) -> list[tuple[int, int]]:
    """Return what is moved as one: whatever stands between blanks, without the signs at its ends."""
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
