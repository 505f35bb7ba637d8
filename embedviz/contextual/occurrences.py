"""Occurrences of a word in sentences, found by the characters of the word, and their vectors at each layer."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.hidden import HiddenStates, is_letter
from embedviz.core.options import Choice, OptionError
from embedviz.core.space import Float, Ints, Origin, VectorSpace

LONGEST = 200
"""Maximum length of a word, in characters."""
_WITHOUT_BLANKS = re.compile("[぀-ヿ㐀-䶿一-鿿豈-﫿\U00020000-\U0003ffff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""A letter of a script without blanks between words (Han, kana, Thai, Lao, Burmese, Khmer). There, a word may begin or
end anywhere."""

PIECES: dict[str, Callable[[Float], Float]] = {
    "mean": lambda rows: np.asarray(rows.mean(axis=0)),
    "first": lambda rows: rows[0],
    "last": lambda rows: rows[-1],
}
PIECES_OPTION = Choice(
    "pieces",
    tuple(PIECES),
    "mean",
    "Vector of a word of several pieces: their mean, the first, or the last.",
    "Pieces",
)


class Place(NamedTuple):
    """One occurrence of a word: the number of the sentence, and the word's characters `start` to `end` (exclusive)."""

    sentence: int
    start: int
    end: int


def find(word: str, sentences: Sequence[str], *, ignore_case: bool = True) -> list[Place]:
    """Return every place where a whole word occurs.

    A whole word has no letter, digit, underscore or combining mark before or after it: “bank's” and “bank-note” contain
    bank, “banks” does not. Two exceptions: an end of the word that is itself a sign, as in “-note”, and scripts without
    blanks between words. Composed and decomposed accents match.

    Raises:
        OptionError: The word is empty or longer than `LONGEST`.
    """
    bare = word.strip()
    if not bare or len(bare) > LONGEST:
        raise OptionError(f"A word of 1 to {LONGEST} characters is needed; {len(bare):,} were given.")
    forms = {bare, unicodedata.normalize("NFC", bare), unicodedata.normalize("NFD", bare)}
    pattern = re.compile(
        "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)), re.IGNORECASE if ignore_case else 0
    )
    return [
        Place(number, found.start(), found.end())
        for number, sentence in enumerate(sentences)
        for found in pattern.finditer(sentence)
        if _ends(sentence, found.start()) and _ends(sentence, found.end())
    ]


def _ends(sentence: str, place: int) -> bool:
    """Return whether a word may begin or end before character number `place` of a sentence."""
    if not 0 < place < len(sentence):
        return True
    before, after = sentence[place - 1], sentence[place]
    if not is_letter(before) or not is_letter(after):
        return True
    return bool(_WITHOUT_BLANKS.match(before) or _WITHOUT_BLANKS.match(after))


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The occurrences of a word in encoded sentences.

    Attributes:
        places: The n occurrences that have tokens.
        tokens: For each occurrence, the rows of its tokens in the hidden states.
        without: Numbers of the sentences without the word.
        unread: Number of occurrences without a token.
        pieces: How several pieces of a word become one vector: a name of `PIECES`.
        senses: The sense of each sentence; None if unknown.
    """

    word: str
    hidden: HiddenStates
    places: tuple[Place, ...]
    tokens: tuple[Ints, ...]
    without: tuple[int, ...]
    unread: int
    pieces: str
    senses: tuple[str, ...] | None

    def __len__(self) -> int:
        return len(self.places)

    @property
    def positions(self) -> Ints:
        """Return the number of tokens before each occurrence in its sentence, special tokens included, (n,)."""
        starts = self.hidden.bounds[[place.sentence for place in self.places]]
        return np.asarray([numbers[0] for numbers in self.tokens], np.int64) - starts

    def vectors(self, layer: int) -> Float:
        """Return the vector of each occurrence at a layer, (n, d).

        Raises:
            OptionError: There is no such layer, or the hidden states lack this layer.
        """
        states, pool = self.hidden.layer(layer), PIECES[self.pieces]
        rows = [pool(np.asarray(states[numbers], np.float32)) for numbers in self.tokens]
        return np.stack(rows) if rows else np.zeros((0, self.hidden.dimensions), np.float32)

    def space(self, layer: int) -> VectorSpace:
        """Return a space with a row for each occurrence at a layer.

        The columns of the space are word, sentence, sense (if known), layer, position and text.

        Raises:
            OptionError: There is no such layer, or the hidden states lack this layer.
        """
        rows = [place.sentence for place in self.places]
        metadata: dict[str, Any] = {
            "word": [self.hidden.sentences[place.sentence][place.start : place.end] for place in self.places],
            "sentence": np.asarray(rows, np.int64),
            **({} if self.senses is None else {"sense": [self.senses[row] for row in rows]}),
            "layer": np.full(len(rows), layer, np.int64),
            "position": self.positions,
            "text": [self.hidden.sentences[row] for row in rows],
        }
        model = self.hidden.origin
        parameters = {**model.parameters, "word": self.word, "layer": layer, "pieces": self.pieces}
        name = f"“{self.word}”, layer {layer} of {model.name}"
        origin = Origin("occurrences", name, "none", parameters, model.checksum, model.versions, model.note)
        keys = [f"{self.word}#{number}" for number in range(1, len(rows) + 1)]
        return VectorSpace(keys, self.vectors(layer), None, metadata, origin)

    def others(self, layer: int = 0) -> tuple[NDArray[np.int64], Float]:
        """Return for each occurrence the mean vector of the other words in its sentence.

        The mean leaves out special tokens, tokens without a letter or digit, and all tokens of the word itself. An
        occurrence whose sentence has no other word is skipped.

        Returns:
            Numbers of the m occurrences with a mean, (m,), and the means, (m, d).
        """
        states = self.hidden.layer(layer)
        own: dict[int, list[Ints]] = {}
        for place, numbers in zip(self.places, self.tokens, strict=True):
            own.setdefault(place.sentence, []).append(numbers)
        means: dict[int, Float] = {}
        for sentence, targets in own.items():
            span = self.hidden.span(sentence)
            text = self.hidden.sentences[sentence]
            sentences = [
                number
                for number in np.setdiff1d(np.arange(span.start, span.stop), np.concatenate(targets)).tolist()
                if any(map(str.isalnum, text[slice(*self.hidden.offsets[number].tolist())]))
            ]
            if sentences:
                means[sentence] = np.asarray(states[sentences], np.float32).mean(axis=0)
        which = [number for number, place in enumerate(self.places) if place.sentence in means]
        rows = [means[self.places[number].sentence] for number in which]
        return np.asarray(which, np.int64), (
            np.stack(rows) if rows else np.zeros((0, self.hidden.dimensions), np.float32)
        )


def occurrences(
    hidden: HiddenStates,
    word: str,
    *,
    senses: Sequence[str] | None = None,
    pieces: str = "mean",
    ignore_case: bool = True,
) -> Occurrences:
    """Return every occurrence of a word in encoded sentences, with the tokens of each occurrence.

    Args:
        senses: The sense of each sentence, if known.
        pieces: How several pieces of a word become one vector: a name of `PIECES`.

    Raises:
        OptionError: The word or `pieces` is not valid, or the numbers of sentences and senses differ.
    """
    pooling = PIECES_OPTION.check(pieces, None)
    if senses is not None and len(senses) != len(hidden.sentences):
        raise OptionError(
            f"{len(senses):,} senses and {len(hidden.sentences):,} sentences were given. Give one for each sentence."
        )
    every = find(word, hidden.sentences, ignore_case=ignore_case)
    found = [(place, hidden.token_numbers(*place)) for place in every]
    read = [(place, numbers) for place, numbers in found if len(numbers)]
    having = {place.sentence for place in every}
    return Occurrences(
        word.strip(),
        hidden,
        tuple(place for place, _ in read),
        tuple(numbers for _, numbers in read),
        tuple(number for number in range(len(hidden.sentences)) if number not in having),
        len(found) - len(read),
        pooling,
        None if senses is None else tuple(map(str, senses)),
    )
