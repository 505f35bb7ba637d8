"""Tokenizing with options: lower case, accents, numbers, punctuation, Chinese and Japanese, and phrases.

With the default options, the words are those of `embedviz.core.texts.tokens`, except that each Chinese or Japanese
character is a word.
"""

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from embedviz.core.options import Choice, Method, Option, Parameter, check
from embedviz.core.texts import LETTERS, marks, sentences, tokens

LONGEST_WORD = 100
"""Maximum number of characters of a word; a longer run of characters is left out."""
NUMBER = "#"
"""The word that replaces every number with the option *one sign*."""
JOINER = "_"
"""The character between the words of a phrase."""
LITTLE_WORDS = frozenset(
    ["a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with", "without"]
)
"""Words that may be between the words of a phrase, in any number, but not at its beginning or end."""
_WORDS: tuple[Option, ...] = (
    Choice(
        "lower",
        ("yes", "no"),
        "yes",
        "Whether The and the are one word. Names lose their capital with it.",
        "Lower case",
    ),
    Choice(
        "accents",
        ("kept", "removed"),
        "kept",
        "Removed: é becomes e in Latin, Greek and Cyrillic letters. Vowel signs of other scripts stay.",
        "Accents",
    ),
    Choice(
        "numbers",
        ("removed", "kept", "one sign"),
        "removed",
        f"Kept: 1999 is a word, and so is mp3. One sign: every number becomes {NUMBER}. Removed: digits part words.",
        "Numbers",
    ),
    Choice(
        "punctuation",
        ("removed", "kept"),
        "removed",
        "Kept: each sign, or run of the same sign, is a word of its own and takes a place in the window.",
        "Punctuation",
    ),
    Choice(
        "han",
        ("signs", "runs"),
        "signs",
        "Chinese and Japanese have no blanks between words. Signs: each character is a word. Runs: what stands between "
        "two punctuation marks is one.",
        "Chinese and Japanese",
    ),
    Choice(
        "unit",
        ("line", "sentence", "paragraph"),
        "line",
        "What a context window never leaves. A row of a table is a line; an empty line ends a paragraph.",
        "A window stays in one",
    ),
)
_PHRASES: tuple[Option, ...] = (
    Choice(
        "phrases",
        ("none", "pairs", "longer"),
        "none",
        "Two words that stand together far more often than chance become one, such as new_york. Longer: twice over, "
        "so that four may. English little words (a, of, the …) between two come along: bank_of_the_west. This reads "
        "the text once or twice more.",
        "Phrases",
    ),
    Parameter(
        "phrase_count",
        1,
        1_000_000,
        5,
        "How often a pair has to stand in the text to become a phrase.",
        "Phrases: least count",
        formula=r"\delta",
    ),
    Parameter(
        "phrase_threshold",
        0.01,
        1_000_000.0,
        10.0,
        "A higher one makes fewer phrases. V: the different words and pairs of words of the text.",
        "Phrases: threshold",
        formula=r"\frac{(n_{ab} - \delta)\,V}{n_a\,n_b} > t",
    ),
)
TOKENIZING: tuple[Option, ...] = (*_WORDS, *_PHRASES)
"""All options of tokenizing."""
METHOD = Method(
    "tokenizing",
    "Words of a text",
    tokens,
    TOKENIZING,
    "What counts as a word, decided before anything is counted.",
    "Mikolov and others 2013 for the phrases.",
    long=True,
)
_HAN = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_HAN_SIGN, _HAN_PARTS = re.compile(f"[{_HAN}]"), re.compile(f"[{_HAN}]|[^{_HAN}]+")
_NO_SIGN = "\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f"
_ACCENT = re.compile("(?<=[\u0041-\u007a\u00aa-\u052f\u1d00-\u1dbf\u1e00-\u1fff])[\u0300-\u036f]+")
_LETTER, _LETTER_ASCII = r"[^\W\d_]", "[A-Za-z]"
_DIGITS = r"\d+(?:[.,]\d+)*"
_NUMBER = re.compile(_DIGITS)


class Piece(NamedTuple):
    """A part of a text as written, and the word that it becomes; the word is empty for blanks and signs left out."""

    text: str
    word: str


class Tokenizer:
    """A tokenizer with checked options of `TOKENIZING`; it ignores the options of phrases and units.

    Attributes:
        long: Number of runs of more than `LONGEST_WORD` characters that were left out so far.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.long = 0
        self._lower = options["lower"] == "yes"
        self._bare = options["accents"] == "removed"
        self._sign = options["numbers"] == "one sign"
        self._split = options["han"] == "signs"
        numbers, signs = options["numbers"] != "removed", options["punctuation"] == "kept"
        self._usual = self._lower and not (self._bare or numbers or signs)
        self._pattern = re.compile(_pattern(False, numbers, signs))
        self._ascii = re.compile(_pattern(True, numbers, signs), re.ASCII)

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text, in order."""
        if self._usual:
            found = tokens(text)
        else:
            given = text.lower() if self._lower else text
            pattern = self._pattern_for(given)
            found = _words(pattern, given) if pattern.groups > 1 else pattern.findall(given)
            if self._bare or not given.isascii():
                found = [self._tidy(word) for word in found]
            if self._sign:
                found = [NUMBER if _NUMBER.fullmatch(word) else word for word in found]
        if self._split and not text.isascii() and _HAN_SIGN.search(text):
            found = [part for word in found for part in _HAN_PARTS.findall(word)]
        if found and len(max(found, key=len)) > LONGEST_WORD:
            short = [word for word in found if len(word) <= LONGEST_WORD]
            self.long += len(found) - len(short)
            return short
        return found

    def pieces(self, text: str) -> list[Piece]:
        """Cut the text where words begin and end; the pieces together are the unchanged text."""
        found: list[Piece] = []
        end = 0
        for match in self._pattern_for(text).finditer(text):
            if match[1]:
                begins = match.start(1)
                found += [Piece(text[end:begins], "")] if begins > end else []
                for part in _HAN_PARTS.findall(match[1]) if self._split else [match[1]]:
                    words = self(part)
                    found.append(Piece(part, words[0] if len(words) == 1 else "".join(words)))
                end = match.end(1)
        return [*found, Piece(text[end:], "")] if end < len(text) else found

    def _pattern_for(self, text: str) -> re.Pattern[str]:
        return self._ascii if text.isascii() else self._pattern

    def _tidy(self, word: str) -> str:
        return word if word.isascii() else _bare(word) if self._bare else unicodedata.normalize("NFC", word)


def checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all options in `TOKENIZING`: the given value, else the default.

    Raises:
        OptionError: An option is unknown, or its value is not allowed.
    """
    return check(METHOD, options)


def preview(text: str, joined: Sequence[Container[str]] = (), **tokenizing: Any) -> list[list[Piece]]:
    """Return the lines of a text, each cut into pieces with their words.

    If the unit is *sentence*, the sentences of the text are returned instead of its lines.

    Args:
        joined: The phrases that become one piece each, one collection for each round of joining. A corpus made with the
            same options has the phrases of its first lines in `about["phrases"]`.

    Raises:
        OptionError: As for `checked`.
    """
    options = checked(tokenizing)
    tokenizer = Tokenizer(options)
    units = text.split("\n")
    if options["unit"] == "sentence":
        units = [sentence for line in units for sentence in sentences(line)]
    lines = [tokenizer.pieces(unit) for unit in units]
    for each in joined:
        lines = [_together(line, each) for line in lines]
    return lines


def _pattern(ascii_only: bool, numbers: bool, signs: bool) -> str:
    """Return a regular expression whose first group is a word; the group is empty for a number to be removed.

    Args:
        numbers, signs: Whether numbers, and punctuation signs, are words.
    """
    letter, run = (_LETTER_ASCII, "[A-Za-z]+") if ascii_only else (_LETTER, LETTERS)
    marked = "" if ascii_only else marks()
    if numbers:
        run = "[A-Za-z0-9]++" if ascii_only else rf"[^\W_](?:[^\W_]|[{marked}])*+"
    kinds = [rf"\d++(?:[.,]\d++)*+(?!{letter})"] if numbers else []
    kinds += [rf"{run}(?:['’]{run})*"]
    if signs:
        kinds.append(rf"([^\w\s{marked}{_NO_SIGN}]|_)\2*")
    pattern = f"({'|'.join(kinds)})"
    return f"{_DIGITS}|{pattern}" if signs and not numbers else pattern


def _words(pattern: re.Pattern[str], text: str) -> list[str]:
    """Return the words of a text: the non-empty matches of the first group of `pattern`."""
    return [match[1] for match in pattern.finditer(text) if match[1]]


@lru_cache(2**16)
def _bare(word: str) -> str:
    """Return the word without accents, in composed form (NFC)."""
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", word)))


def _together(line: Sequence[Piece], phrases: Container[str]) -> list[Piece]:
    """Return the line with the words of each phrase in `phrases` joined to one piece, from left to right."""
    found: list[Piece] = []
    held: list[Piece] = []  # pieces that may become a phrase
    for piece in line:
        held.append(piece)
        if piece.word and piece.word not in LITTLE_WORDS:
            whole = JOINER.join(one.word for one in held if one.word)
            if len(held) > 1 and whole in phrases:
                found.append(Piece("".join(one.text for one in held), whole))
                held = []
            else:
                found += held[:-1]
                held = [piece]
        elif not held[0].word or held[0].word in LITTLE_WORDS:
            found += held
            held = []
    return found + held


def phrases_of(lines: Iterable[Sequence[str]], options: Mapping[str, Any]) -> Any:
    """Train gensim's phrase model on lines, in one pass, and return it frozen; `model[line]` joins phrases."""
    from gensim.models.phrases import Phrases

    learned = Phrases(
        lines,
        min_count=int(options["phrase_count"]),
        threshold=float(options["phrase_threshold"]),
        max_vocab_size=5_000_000,
        delimiter=JOINER,
        connector_words=LITTLE_WORDS,
    )
    return learned.freeze()
