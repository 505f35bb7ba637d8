"""Formulas of words: `king - man + woman`, `0.5*paris + 0.5*london`, `2(a - b)`.

A formula is a sum of words with weights. It is parsed, never evaluated as code:

    sum     = product { ("+" | "-") product }
    product = signed { ["*"] signed | "/" signed }      at most one side of * is a word, the other a number
    signed  = { "-" } ( number | word | "(" sum ")" )

A word without quotation marks begins with none of the signs `+ - * / ( )`, and ends at a blank or a sign. A hyphen or
slash without blanks around it belongs to the word (`x-ray`, `and/or`). If the words of the space are known, the longest
known word wins instead: `king-man+woman` is three words, `c++` is one. Any text between quotation marks is a word:
`"new york"`, `'c++'`. A quotation mark inside is written twice: `"7"" disc"`. A word that is a number needs quotation
marks too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from embedviz.core.space import Float, UnknownWordError, VectorSpace
from embedviz.neighbors import lookup

LONGEST = 2_000
"""Maximum number of characters of a formula."""
DEEPEST = 50
"""Maximum depth of nested parentheses."""
HEAVIEST = 1e6
"""Largest absolute value of a weight."""
_DIGITS = 9  # weights are rounded to so many decimals, which removes rounding errors of their sums
_LONGEST_WORD = 200  # maximum number of characters of a word that is looked up among the known words

_MINUS = "-−–—‒－"
_SIGNS = {**dict.fromkeys(_MINUS, "-"), "+": "+", "＋": "+", "*": "*", "×": "*", "/": "/", "(": "(", ")": ")"}
_GLUE = "-/"  # belongs to a word if there is no blank on either side
_QUOTES = {'"': '"', "'": "'", "“": "”“", "”": "”", "„": "“”", "‘": "’", "«": "»"}
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_PROPORTION = re.compile(r"([^:]+):([^:]+)::([^:]*[^:\s][^:]*?)(?::\s*\??\s*)?")
_QUOTED = re.compile(
    rf"(?<![^\s:{re.escape(''.join(_SIGNS))}])(?:"
    + "|".join(
        rf"{opener}(?:[^{closers}]|{'|'.join(2 * closer for closer in closers)})*[{closers}]"
        for opener, closers in _QUOTES.items()
    )
    + ")"
)
_LIKE_PROPORTION = re.compile(r"::|\s:\s|\sis to\s")
_SAFE = re.compile(rf"[^\s{re.escape(''.join([*_QUOTES, *_SIGNS]))}][^\s{re.escape(''.join(_SIGNS))}]*")


class FormulaError(ValueError):
    """A text is not a formula; the message says what is wrong and where.

    Attributes:
        at: Position of the error in the text, 0 for the first character.
    """

    def __init__(self, sentence: str, at: int = 0) -> None:
        self.at = at
        super().__init__(sentence)


class FormulaTerm(NamedTuple):
    """A word and its weight."""

    word: str
    weight: float


@dataclass(frozen=True)
class Formula:
    """A sum of words with weights.

    Attributes:
        terms: Each word once, in the order of first mention, with the sum of its weights. Not all weights are zero.
    """

    terms: tuple[FormulaTerm, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words in the order of first mention."""
        return tuple(term.word for term in self.terms)

    @property
    def weights(self) -> Mapping[str, float]:
        """Return the weight of each word, in order."""
        return MappingProxyType(dict(self.terms))

    @property
    def positive(self) -> tuple[str, ...]:
        """Return the words with a weight above zero, in order."""
        return tuple(word for word, weight in self.terms if weight > 0)

    @property
    def above_zero(self) -> Formula:
        """Return the formula without words whose weight is zero or negative."""
        return Formula(tuple(term for term in self.terms if term.weight > 0))

    @property
    def negative(self) -> tuple[str, ...]:
        """Return the words with a weight below zero, in order."""
        return tuple(word for word, weight in self.terms if weight < 0)

    @property
    def title(self) -> str:
        """Return the formula for the screen, with true minus signs, without quotation marks. The text may not parse."""
        return self._written("−", " ", str)

    def __str__(self) -> str:
        """Return the formula in its canonical form.

        `parse()` turns it into the same formula, unless a known word looks like a product, such as `2*a`.
        """
        return self._written("-", "*", quoted)

    def _written(self, minus: str, times: str, name: Callable[[str], str]) -> str:
        text = ""
        for word, weight in self.terms:
            sign = (f" {minus} " if weight < 0 else " + ") if text else (minus if weight < 0 else "")
            size = "" if abs(weight) == 1 else f"{np.format_float_positional(abs(weight), trim='-')}{times}"
            text += sign + size + name(word)
        return text

    def replaced(self, word: str, by: str) -> Formula:
        """Return the same formula with `word` replaced by another word.

        Raises:
            FormulaError: All words of the new formula cancel out.
        """
        return _renamed(self, lambda own: by if own == word else own)

    def within(self, space: VectorSpace) -> Formula:
        """Return the same formula in the space's spelling: words that the space lacks are looked up in Unicode NFC.

        Raises:
            UnknownWordError: A word has neither a row nor n-grams; the error lists the closest spellings.
            FormulaError: All words of the new formula cancel out.
        """
        return _renamed(self, lambda word: _own(space, word))

    def in_other_case(self, space: VectorSpace) -> tuple[Formula, str]:
        """Return the formula with some words in another case (`Paris` for `paris`), and a sentence that lists them.

        The sentence is empty if there are none. Only words without a vector are replaced. A word that the space has in
        no other case stays as it is.

        Raises:
            FormulaError: All words of the new formula cancel out.
        """
        found = {word: lookup.find(space, word).in_other_case() for word in self.words}
        return _renamed(self, lambda word: found[word].query or word), lookup.substitutions([*found.values()])

    def vector(self, space: VectorSpace, unit: bool = True) -> Float:
        """Return the weighted sum of the words' vectors, shape (d,).

        Args:
            space: The space of the words.
            unit: Whether each word's vector is first scaled to length 1, as word2vec and gensim do.

        Raises:
            UnknownWordError, FormulaError: As for `within`.
        """
        total = np.zeros(space.dimensions, np.float64)
        for word, weight in self.within(space).terms:
            vector = space.vector(word).astype(np.float64)
            length = float(np.linalg.norm(vector)) if unit else 1.0
            total += weight * vector / (length or 1.0)
        return total.astype(np.float32)


def parse(text: str, known: Container[str] = ()) -> Formula:
    """Parse a formula.

    Args:
        text: A sum, or a proportion such as `a : b :: c : ?`, which means c - a + b.
        known: The words of a space (`space.index`), which decide whether a sign between letters belongs to a word.

    Raises:
        FormulaError: The text is not a formula.
    """
    if len(text) > LONGEST:
        raise FormulaError(f"The formula has {len(text):,} characters; at most {LONGEST:,} are read.", LONGEST)
    if not text.strip():
        raise FormulaError("The formula is empty. Write words and signs: king - man + woman.")
    if text not in known and (proportion := _proportion(text)):
        a, b, c = proportion
        return parse(f"{c} - {a} + {b}", known)
    reader = _FormulaReader(text, known)
    try:
        value = reader.sum()
    except FormulaError as error:
        if _LIKE_PROPORTION.search(_QUOTED.sub("", text)):
            raise FormulaError("Write an analogy as man : woman :: king : ?, or as king - man + woman.", 0) from error
        raise
    if reader.at < len(text):
        raise FormulaError(f"{reader.place()} a parenthesis is closed that was never opened.", reader.at)
    return _formula(_worded(value, reader, 0), text.strip())


def _proportion(text: str) -> list[str] | None:
    """Return the three words of a proportion a : b :: c, quoted as in a formula; None for any other text."""
    found = _PROPORTION.fullmatch(text)
    if found is None or any(":" in each[0] for each in _QUOTED.finditer(text)):
        return None
    words = [word.strip() for word in found.groups()]
    return [word if _QUOTED.fullmatch(word) else quoted(word) for word in words]


def quoted(word: str) -> str:
    """Return the word as written in a formula: in quotation marks if the parser could misread the word."""
    safe = _SAFE.fullmatch(word) and not _NUMBER.fullmatch(word) and "::" not in word
    return word if safe else '"' + word.replace('"', '""') + '"'


def _own(space: VectorSpace, word: str) -> str:
    if word in space.index:
        return word
    found = lookup.find(space, word)
    if found.query is None:
        raise UnknownWordError(word, space.origin.name, len(space), found.suggestions)
    return found.query


def _renamed(formula: Formula, name: Callable[[str], str]) -> Formula:
    weights: dict[str, float] = {}
    for word, weight in formula.terms:
        named = name(word)
        weights[named] = weights.get(named, 0.0) + weight
    return _formula(weights, str(formula))


def _formula(weights: Mapping[str, float], text: str) -> Formula:
    terms = tuple(FormulaTerm(word, round(weight, _DIGITS) + 0.0) for word, weight in weights.items())
    for word, weight in terms:
        if not abs(weight) <= HEAVIEST:  # written so that NaN is refused too
            raise FormulaError(f"The weight of {_cut(quoted(word))} is too large; at most {HEAVIEST:,.0f} is read.")
    if not any(weight for _, weight in terms):
        raise FormulaError(f"In “{_cut(text)}” all words cancel out: nothing is left to look for.")
    formula = Formula(terms)
    if len(str(formula)) > LONGEST:
        raise FormulaError(f"Written out, the formula has more than {LONGEST:,} characters.", LONGEST)
    return formula


_Value = float | dict[str, float]


class _FormulaReader:
    """A recursive descent parser; `at` is the position of the next character that is not blank."""

    def __init__(self, text: str, known: Container[str]) -> None:
        self.text, self.known, self.depth = text, known, 0
        self.at = 0
        self.skip()

    def skip(self) -> None:
        """Skip blanks."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    @property
    def sign(self) -> str:
        """Return the sign at the current position; empty if there is none."""
        return _SIGNS.get(self.text[self.at], "") if self.at < len(self.text) else ""

    def take(self) -> None:
        """Skip one sign and the blanks after it."""
        self.at += 1
        self.skip()

    def place(self) -> str:
        """Return the current position as the beginning of a sentence, such as *After “king”*."""
        before = self.text[: self.at].strip()
        return f"After “{before if len(before) <= 24 else '…' + before[-23:]}”" if before else "At the beginning"

    def sum(self) -> _Value:
        """Parse products with + or - between them."""
        start = self.at
        total = self.product()
        while self.sign in ("+", "-"):
            minus = self.sign == "-"
            self.take()
            total = self.added(total, self.product(), -1.0 if minus else 1.0, start)
        return total

    def added(self, left: _Value, right: _Value, factor: float, start: int) -> _Value:
        """Return left + factor · right: two numbers, or two sums of words.

        Raises:
            FormulaError: One value is a number and the other a sum of words.
        """
        if isinstance(left, float) and isinstance(right, float):
            return left + factor * right
        total = _worded(left, self, start)
        for word, weight in _worded(right, self, start).items():
            total[word] = total.get(word, 0.0) + factor * weight
        return total

    def product(self) -> _Value:
        """Parse a product of numbers and at most one word or one parenthesis with words."""
        value = self.signed()
        while self.at < len(self.text) and self.sign not in ("+", "-", ")"):
            start, sign = self.at, self.sign
            if sign in ("*", "/"):
                self.take()
            elif not isinstance(value, float):
                sentence = f"{self.place()} a sign is missing: + or -. Words with blanks need quotation marks."
                raise FormulaError(sentence, self.at)
            right = self.signed()
            if sign == "/":
                if not isinstance(right, float) or not right:
                    raise FormulaError(f"{self.place()}: only a number other than 0 can divide.", start)
                right = 1 / right
            value = self.multiplied(value, right, start)
        return value

    def multiplied(self, left: _Value, right: _Value, start: int) -> _Value:
        """Return the product of two values, at least one of which is a number."""
        if isinstance(left, float):
            left, right = right, left
        if not isinstance(right, float):
            raise FormulaError(f"{self.place()}: two words cannot be multiplied, only a number and a word.", start)
        if isinstance(left, float):
            return left * right
        return {word: weight * right for word, weight in left.items()}

    def signed(self) -> _Value:
        """Parse a number, word or parenthesis with any number of minus signs before it."""
        factor = 1.0
        while self.sign == "-":
            factor = -factor
            self.take()
        value = self.atom()
        return value if factor > 0 else self.multiplied(value, factor, self.at)

    def atom(self) -> _Value:
        """Parse a number, a word, or a sum in parentheses."""
        if self.sign == "(":
            return self.inside()
        if self.at >= len(self.text) or self.sign:
            raise FormulaError(f"{self.place()} a word is missing.", self.at)
        if self.text[self.at] in _QUOTES:
            return {self.between_quotes(): 1.0}
        end = self.known_end()
        number = _NUMBER.match(self.text, self.at)
        if end is None and number and self.ends(number.end()):
            return self.weight(number)
        return {self.passed(end or self.bare_end()): 1.0}

    def inside(self) -> _Value:
        """Parse a sum in parentheses."""
        if self.depth == DEEPEST:
            raise FormulaError(f"{self.place()}: at most {DEEPEST} parentheses are read inside each other.", self.at)
        opened = self.at
        self.depth += 1
        self.take()
        value = self.sum()
        if self.sign != ")":
            raise FormulaError(f"The parenthesis before “{_cut(self.text[opened + 1 :])}” is not closed.", opened)
        self.depth -= 1
        self.take()
        return value

    def weight(self, number: re.Match[str]) -> float:
        """Return the value of a number at the current position, and move past it."""
        value = float(self.passed(number.end()))
        if value > HEAVIEST:
            raise FormulaError(f"{self.place()}: a weight may be at most {HEAVIEST:,.0f}.", number.start())
        return value

    def between_quotes(self) -> str:
        """Return the word in quotation marks at the current position; a doubled mark inside the word stands for one."""
        opened, closers, word = self.at, _QUOTES[self.text[self.at]], ""
        at = opened + 1
        while at < len(self.text):
            letter = self.text[at]
            if letter in closers:
                if self.text[at + 1 : at + 2] != letter:
                    break
                at += 1
            word += letter
            at += 1
        else:
            rest = _cut(self.text[opened + 1 :])
            raise FormulaError(f"The quotation mark before “{rest}” is not closed.", opened)
        if not word.strip():
            raise FormulaError(f"{self.place()} a word is missing between the quotation marks.", opened)
        self.passed(at + 1)
        return word

    def known_end(self) -> int | None:
        """Return the end of the longest known word that begins at the current position; None if there is none.

        A blank, a sign or the end of the text must follow the word.
        """
        limit = self.at
        while limit < self.at + _LONGEST_WORD and not self.parted(limit):
            limit += 1
        for end in range(limit, self.at, -1):
            word = self.text[self.at : end]
            if self.ends(end) and word in self.known and not _NUMBER.fullmatch(word):
                return end
        return None

    def bare_end(self) -> int:
        """Return the end of the word at the current position: the next blank, sign or end of the text.

        A `-` or `/` without a blank on either side belongs to the word. Known words are not searched.
        """
        at = self.at + 1
        while not self.ends(at) or (self.text[at : at + 1] in _GLUE and not self.ends(at + 1)):
            at += 1
        return at

    def ends(self, at: int) -> bool:
        """Return whether a blank, a sign or the end of the text is at this position, so that a word may end there."""
        return at >= len(self.text) or self.text[at].isspace() or self.text[at] in _SIGNS

    def parted(self, at: int) -> bool:
        """Return whether a blank, a parenthesis or the end of the text is at this position: a word must end there."""
        return self.ends(at) and (at >= len(self.text) or _SIGNS.get(self.text[at], "(") in "()")

    def passed(self, end: int) -> str:
        """Return the text from the current position to `end`, and move past it."""
        text = self.text[self.at : end]
        self.at = end
        self.skip()
        return text


def _worded(value: _Value, reader: _FormulaReader, start: int) -> dict[str, float]:
    if not isinstance(value, float):
        return dict(value)
    sentence = f"{reader.place()}: a number stands without a word. A word that is a number needs quotation marks."
    raise FormulaError(sentence, start)


def _cut(text: str) -> str:
    return text if len(text) <= 24 else text[:23] + "…"
