"""Analogies and other formulas of words: what they find, with and without their own words, and what is found anyway.

`king - man + woman` asks *man : woman :: king : ?*: a is its negative word, c its first positive one, b the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import Option, OptionError
from embedviz.core.phrases import number
from embedviz.core.space import Float, UnknownWordError, VectorSpace
from embedviz.neighbors import lookup, similarities
from embedviz.neighbors.formula import Formula, parse
from embedviz.neighbors.lists import listed, nearest_rows
from embedviz.testsets.datasets import Example, analogies

EPSILON = 1e-6
"""Added to the divisor of 3CosMul, as in gensim; the paper says 0.001."""
MOST_WORDS = 20
_SAME = 1e-6  # squared distance of unit vectors below which rounding hides their direction
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


class AnalogyQuestion(NamedTuple):
    """a : b :: c : ?"""

    a: str
    b: str
    c: str

    def __str__(self) -> str:
        return f"{self.a} : {self.b} :: {self.c} : ?"


class Answer(NamedTuple):
    """One row of a ranking; `score` is the rule's own value."""

    word: str
    score: float
    rank: int


@dataclass(frozen=True)
class AnalogyRule:
    """One row of `ANALOGIES`.

    Attributes:
        function: Scores of all rows, (n,), greater is better, from the weights of the formula's words, (m,), their
            cosines with all rows, (m, n), and with each other, (m, m).
        missing: Why the rule has no meaning for a formula, as a sentence; empty where it has one.
    """

    name: str
    title: str
    function: Callable[[Float, Float, Float], Float]
    missing: Callable[[Formula], str]
    summary: str
    source: str
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class AnswerRanking:
    """The best words by one score.

    Attributes:
        name, title: Of the rule, or of the words a baseline is made of.
        answers: In order, the formula's own words left out.
        unrestricted: In order, the formula's own words left in.
        place: The rank of the marked word among the answers; None where it is one of the formula's words.
        unrestricted_place: Its rank with the formula's own words left in; None where it has no score.
    """

    name: str
    title: str
    answers: tuple[Answer, ...]
    unrestricted: tuple[Answer, ...]
    place: int | None
    unrestricted_place: int | None


class PlanePoint(NamedTuple):
    """A word in the plane of a parallelogram, and its distance from that plane."""

    word: str
    x: float
    y: float
    off: float


@dataclass(frozen=True)
class Parallelogram:
    """The plane through a, b and c, seen from above, in the units of the unit vectors that the formula adds.

    Attributes:
        a, b, c: The question's words; a at the origin, c to its right, b above.
        corner: b − a + c, which is constructed and always closes the figure.
        answers: The best words by 3CosAdd, in order; at the end the expected word, where it is not among them.
    """

    a: PlanePoint
    b: PlanePoint
    c: PlanePoint
    corner: PlanePoint
    answers: tuple[PlanePoint, ...]

    @property
    def corners(self) -> tuple[PlanePoint, PlanePoint, PlanePoint, PlanePoint]:
        """a, b, c and the constructed corner."""
        return self.a, self.b, self.c, self.corner

    @property
    def base(self) -> float:
        """The distance from a to c, beside which the others are read."""
        return float(np.hypot(self.c.x - self.a.x, self.c.y - self.a.y))


@dataclass(frozen=True)
class Analogy:
    """What a formula finds.

    Attributes:
        formula: In the space's own spelling.
        question: The formula read as an analogy, or None where it has another shape.
        expected: The word that was expected, or None.
        rules: Rule name to its ranking, in the order of `ANALOGIES`.
        missing: Rule name to a sentence: why it has no ranking.
        positives: The ranking by the sum without its negative words; None where that is the formula, or one word.
        alone: Positive word to the ranking by its cosine alone.
        parallelogram: Where the question's words and the answers lie, or None where three words span no plane.
        mean, sd: Of the cosine to the sum, over all other words.
        compared: How many other words were compared with.
    """

    formula: Formula
    question: AnalogyQuestion | None
    expected: str | None
    rules: Mapping[str, AnswerRanking]
    missing: Mapping[str, str]
    positives: AnswerRanking | None
    alone: Mapping[str, AnswerRanking]
    parallelogram: Parallelogram | None
    mean: float
    sd: float
    compared: int

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The best words by 3CosAdd, the formula's own left out."""
        return self.rules["3cosadd"].answers

    @property
    def answer(self) -> str | None:
        """The best word by 3CosAdd, or None where no other word is left."""
        return self.answers[0].word if self.answers else None

    @property
    def marked(self) -> str | None:
        """The word whose places are told: the expected one, else the answer."""
        return self.expected or self.answer

    @property
    def third(self) -> AnswerRanking | None:
        """The ranking by one positive word alone, the one that has the marked word first.

        The order in which a sum is written means nothing: in `b - a + c` either of b and c may be the third word.
        """
        return min(self.alone.values(), key=_place, default=None)

    @property
    def baseline(self) -> AnswerRanking | None:
        """What has the marked word first without the formula: a positive word alone, or the sum of them."""
        return min((one for one in (self.third, self.positives) if one is not None), key=_place, default=None)

    @property
    def sums(self) -> dict[str, AnswerRanking]:
        """Title to ranking: the formula, its positive words without the negative, its third word alone."""
        beside = {self.formula.title: self.rules["3cosadd"]}
        if self.positives is not None:
            beside[self.positives.title] = self.positives
        if self.third is not None and len(self.formula.words) > 1:
            beside[self.third.title] = self.third
        return beside

    @property
    def found(self) -> str:
        """What the formula finds, in a sentence."""
        if self.answer is None:
            return "No other word is left to compare with."
        place = self.rules["3cosadd"].place
        if self.expected is None:
            return f"Nearest to the sum in direction is {self.answer}, the formula's own words left out."
        if self.expected in self.formula.words:
            return f"{self.expected} is a word of the formula, and those are left out: {self.answer} is first."
        if place == 1:
            return f"The sum finds {self.expected}, the formula's own words left out."
        return f"The sum finds {self.answer}; {self.expected} is {ordinal(place)}." if place else ""

    @property
    def helped(self) -> str:
        """Whether the arithmetic changed the place of the marked word, in a sentence or two."""
        before, place, word = self.baseline, self.rules["3cosadd"].place, self.marked
        if before is None or place is None or before.place is None or len(self.formula.words) == 1:
            return ""
        without, steps = before.place, abs(before.place - place)
        way = f"Without the minus ({before.title})" if before is self.positives else "Without arithmetic"
        if not steps:
            return f"{way} {word} is {ordinal(without)} too: the sum changes nothing for it."
        already = "already " if 1 < without <= 10 and place < without else ""
        places = f"{_COUNTS[steps] if steps < len(_COUNTS) else f'{steps:,}'} place{'s' if steps > 1 else ''}"
        moved = "lifts" if place < without else "lowers"
        return f"{way} {word} is {already}{ordinal(without)}. The sum {moved} it by {places}."

    @property
    def meaning(self) -> str:
        """What the figure shows, in a sentence or two."""
        if self.parallelogram is None or self.answer is None:
            return self.found
        closes = "We draw the dotted corner: it always closes."
        return f"{closes} What was found is {self.answer}, the word nearest to it in direction."

    @property
    def caption(self) -> str:
        """The sample, what the cosines stand beside, and how the figure is to be read."""
        beside = (
            f"Exact search over {self.compared:,} words. A random word: {number(self.mean)} (sd {number(self.sd)})."
        )
        if self.parallelogram is None or not self.parallelogram.answers:
            return beside
        drawn, asked = self.parallelogram, self.question
        seen = f"Seen in the plane of {asked.a}, {asked.c} and {asked.b}; " if asked else ""
        first = drawn.answers[0]
        lies = f"{first.word} lies {number(first.off)} off it ({drawn.a.word} to {drawn.c.word}: {number(drawn.base)})."
        return f"{seen}{lies} Grey: the next by cosine to the sum. {beside}"

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str, str, int, str, float]]]:
        """Return header and rows of an export: all rankings, without and with the formula's own words."""
        positives = [self.positives] if self.positives else []
        return ("ranking", "own words", "rank", "word", "score"), (
            (ranking.title, own, answer.rank, answer.word, answer.score)
            for ranking in (*self.rules.values(), *positives, *self.alone.values())
            for own, answers in (("left out", ranking.answers), ("left in", ranking.unrestricted))
            for answer in answers
        )

    @property
    def left_in(self) -> str:
        """What the sum finds with the formula's own words left in, in a sentence."""
        best = self.rules["3cosadd"].unrestricted
        if not best:
            return ""
        own = best[0].word in self.formula.words
        return f"With the formula's own words left in, the answer is {best[0].word}{', one of them' if own else ''}."


def three_cos_add(weights: Float, cosines: Float, among: Float) -> Float:
    """Return the cosine with the sum of the weighted unit vectors; NaN where that sum is nothing."""
    return cast(Float, weights @ cosines / np.float32(_lengths(weights @ among @ weights)))


def three_cos_mul(weights: Float, cosines: Float, among: Float) -> Float:
    """Return the product of the positive words' cosines over that of the negative ones, each mapped to 0 to 1 first."""
    mapped = (1 + cosines) / 2
    return cast(Float, mapped[weights > 0].prod(axis=0) / (mapped[weights < 0].prod(axis=0) + np.float32(EPSILON)))


def pair_direction(weights: Float, cosines: Float, among: Float) -> Float:
    """Return the cosine of the step from c to each row with the step from a to b; NaN where there is no step from c."""
    (c, b), (a,) = np.flatnonzero(weights > 0), np.flatnonzero(weights < 0)
    step = _lengths(2 - 2 * cosines[c].astype(np.float64))
    along = (cosines[b] - cosines[a]) - (among[c, b] - among[c, a])
    return cast(Float, (along / step / _lengths(2 - 2 * among[a, b])).astype(np.float32))


def _lengths(squared: Any) -> Any:
    """Return roots of squared lengths; NaN where rounding leaves no direction."""
    return np.sqrt(np.where(squared > _SAME, squared, np.nan))


def _never(formula: Formula) -> str:
    return ""


def _uneven(formula: Formula) -> str:
    sizes = {abs(weight) for _, weight in formula.terms if weight}
    if not formula.positive:
        return "3CosMul multiplies cosines of positive words, and there is none."
    return "" if len(sizes) == 1 else "3CosMul multiplies cosines, so it knows no weights."


def _shapeless(formula: Formula) -> str:
    return "" if question(formula) else "PairDirection compares two steps, so it needs the shape c − a + b."


ANALOGIES: dict[str, AnalogyRule] = {
    rule.name: rule
    for rule in (
        AnalogyRule(
            "3cosadd",
            "3CosAdd",
            three_cos_add,
            _never,
            "The cosine with the sum of the words' unit vectors.",
            "Mikolov, Yih and Zweig 2013",
        ),
        AnalogyRule(
            "3cosmul",
            "3CosMul",
            three_cos_mul,
            _uneven,
            "Cosines multiplied and divided instead of added, so that no single large one decides; each is mapped to "
            "(1 + cosine) / 2, and 0.000001 is added to the divisor.",
            "Levy and Goldberg 2014",
        ),
        AnalogyRule(
            "pairdirection",
            "PairDirection",
            pair_direction,
            _shapeless,
            "The direction of the step from c alone, however far it leads from c.",
            "Mikolov, Yih and Zweig 2013, named by Levy and Goldberg 2014",
        ),
    )
}


def question(formula: Formula) -> AnalogyQuestion | None:
    """Return the formula as a : b :: c : ?, where it is c − a + b with equal weights; else None."""
    terms = [term for term in formula.terms if term.weight]
    same = len({abs(weight) for _, weight in terms}) == 1
    if not same or len(formula.positive) != 2 or len(formula.negative) != 1:
        return None
    c, b = formula.positive
    return AnalogyQuestion(formula.negative[0], b, c)


@offered(
    "found",
    "for one in [*found.rules.values(), *found.alone.values()]:",
    "    print(one.title, *(f'{answer.word} {answer.score:.2f}' for answer in one.answers), sep='  ')",
    "print(found.found, found.helped, found.left_in)",
    command="analogy {space} {formula} -k {k} --expect {expected}",
)
def analogy(space: VectorSpace, formula: Formula | str, k: int = 5, *, expected: str | None = None) -> Analogy:
    """Return the k best words of a formula by each rule, with and without its own words, and by its words alone.

    Args:
        space: Where everything is looked up.
        formula: Read with the space's own words where it is a text.
        k: Length of each ranking.
        expected: A word whose places are told too.

    Raises:
        FormulaError: The text is no formula.
        UnknownWordError: A word has no row; with the closest spellings.
        OptionError: The formula has more than `MOST_WORDS` words, or no direction.
    """
    read = parse(formula, space.index) if isinstance(formula, str) else formula
    own = read.within(space)
    if len(own.terms) > MOST_WORDS:
        raise OptionError(f"The formula has {len(own.terms)} words; at most {MOST_WORDS} are added.")
    wanted = _expected(space, expected) if expected and expected.strip() else None
    terms = [term for term in own.terms if term.weight]
    weights = np.array([weight for _, weight in terms], np.float32)
    units = np.stack([_unit(space, word) for word, _ in terms])
    if not float(np.linalg.norm(weights @ units)) > _SAME:
        raise OptionError(f"The vectors of {own} cancel out: nothing is left to look for.")
    cosines, among = similarities(space, units), units @ units.T
    ranks = _Ranks(space, own.words, k, wanted)
    missing = {name: why for name, rule in ANALOGIES.items() if (why := rule.missing(own))}
    rules: dict[str, AnswerRanking] = {}
    for name, rule in ANALOGIES.items():
        if name not in missing:
            rules[name] = ranks.of(name, rule.title, rule.function(weights, cosines, among))
    up = weights > 0
    positives = None
    if 1 < up.sum() < len(terms):
        by_sum = three_cos_add(weights[up], cosines[up], among[np.ix_(up, up)])
        positives = ranks.of("positives", " + ".join(own.positive), by_sum)
    alone = {
        word: ranks.of(word, f"{word} alone", cosine)
        for (word, weight), cosine in zip(terms, cosines, strict=True)
        if weight > 0
    }
    asked = question(own)
    drawn = None
    if asked is not None:
        seen = [answer.word for answer in rules["3cosadd"].answers]
        seen += [wanted] if wanted and wanted not in (*seen, *own.words) else []
        drawn = parallelogram(space, asked, seen)
    mean, sd, compared = ranks.others(three_cos_add(weights, cosines, among))
    return Analogy(own, asked, wanted, rules, missing, positives, alone, drawn, mean, sd, compared)


def _place(ranking: AnswerRanking) -> float:
    return math.inf if ranking.place is None else ranking.place


def examples(space: VectorSpace) -> list[Example]:
    """Return the formulas of the shelf whose words this space has all."""
    return [one for one in analogies() if all(word in space.index for word in parse(one.formula).words)]


class _Ranks:
    """Makes rankings; the first one, by the sum, settles which word is marked where none was expected."""

    def __init__(self, space: VectorSpace, words: Sequence[str], k: int, marked: str | None) -> None:
        self.space, self.words, self.k, self.marked = space, words, k, marked
        self.own = [space.index[word] for word in words if word in space.index]

    def of(self, name: str, title: str, scores: Float) -> AnswerRanking:
        """Return the ranking by these scores."""
        answers, unrestricted = (self.listed(scores, without) for without in (self.words, ()))
        if self.marked is None and answers:
            self.marked = answers[0].word
        return AnswerRanking(name, title, answers, unrestricted, self.place(scores, self.own), self.place(scores, []))

    def listed(self, scores: Float, without: Sequence[str]) -> tuple[Answer, ...]:
        """Return the best words by these scores."""
        rows = nearest_rows(self.space, scores, without, self.k)
        return tuple(Answer(*neighbor) for neighbor in listed(self.space, scores, rows))

    def place(self, scores: Float, without: Sequence[int]) -> int | None:
        """Return the rank of the marked word; among equals the earlier row comes first."""
        row = self.space.index.get(self.marked or "", -1)
        if row < 0 or row in without or not np.isfinite(scores[row]):
            return None
        ahead = scores > scores[row]
        ahead[:row] |= scores[:row] == scores[row]
        ahead[without] = False
        return int(np.count_nonzero(ahead)) + 1

    def others(self, scores: Float) -> tuple[float, float, int]:
        """Return mean, standard deviation and number of the scores of all words but the formula's own."""
        rest = np.delete(scores, self.own)
        rest = rest[np.isfinite(rest)]
        return (float(rest.mean()), float(rest.std()), len(rest)) if len(rest) else (0.0, 0.0, 0)


def parallelogram(space: VectorSpace, asked: AnalogyQuestion, answers: Sequence[str]) -> Parallelogram | None:
    """Return the plane through the question's words with the places of the answers; None where they span none."""
    origin, b, c = (_unit(space, word) for word in asked)
    right = c - origin
    up = b - origin
    width = float(np.linalg.norm(right))
    if width < 1e-3:
        return None
    right = right / width
    up = up - (up @ right) * right
    height = float(np.linalg.norm(up))
    if height < 1e-3:
        return None
    up = up / height

    def place(word: str, vector: Any) -> PlanePoint:
        step = vector - origin
        x, y = float(step @ right), float(step @ up)
        return PlanePoint(word, x, y, float(np.linalg.norm(step - x * right - y * up)))

    corner = place(f"{asked.c} − {asked.a} + {asked.b}", c - origin + b)
    drawn = tuple(place(word, _unit(space, word)) for word in answers)
    return Parallelogram(place(asked.a, origin), place(asked.b, b), place(asked.c, c), corner, drawn)


def ordinal(place: int) -> str:
    """Return first, second, …, tenth, 11th, 22nd."""
    if place <= len(_ORDINALS):
        return _ORDINALS[place - 1]
    ending = "th" if 10 <= place % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place:,}{ending}"


def _expected(space: VectorSpace, word: str) -> str:
    found = lookup.find(space, word)
    if found.word is None:
        raise UnknownWordError(found.asked, space.origin.name, len(space), found.suggestions)
    return found.word


def _unit(space: VectorSpace, word: str) -> Float:
    """Return the word's vector at length one, (d,), float64 so that differences keep their digits.

    Raises:
        OptionError: It is a row of zeros.
    """
    vector = space.vector(word).astype(np.float64)
    length = float(np.linalg.norm(vector))
    if not length:
        raise OptionError(f"“{word}” is a row of zeros and has no direction.")
    return cast(Float, vector / length)
