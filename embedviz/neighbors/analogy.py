"""Analogies and other formulas of words: their answers with and without the formula's own words, and baselines.

`king - man + woman` asks *man : woman :: king : ?*. In a : b :: c : ?, a is the negative word of the formula, c its
first positive word, and b its second positive word.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import joined, number
from embedviz.core.space import Float, UnknownWordError, VectorSpace
from embedviz.neighbors import lookup, similarities
from embedviz.neighbors.analogy_rules import ANALOGIES, SAME, AnalogyQuestion, question, three_cos_add
from embedviz.neighbors.analogy_rules import EPSILON as EPSILON
from embedviz.neighbors.analogy_rules import AnalogyRule as AnalogyRule
from embedviz.neighbors.analogy_rules import pair_direction as pair_direction
from embedviz.neighbors.analogy_rules import three_cos_mul as three_cos_mul
from embedviz.neighbors.formula import Formula, parse
from embedviz.neighbors.inflection import spelled_as_forms
from embedviz.neighbors.lists import listed, nearest_rows
from embedviz.neighbors.parallelogram import Parallelogram, parallelogram, unit_vector
from embedviz.neighbors.parallelogram import PlanePoint as PlanePoint
from embedviz.testsets.datasets import Example, analogies

MOST_WORDS = 20
WHY_IT_FAILS = (
    "Why an analogy may fail: the sum stays near the formula’s own words. These are left out, so the answer is often "
    "only a neighbor of one of them."
)
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


class Answer(NamedTuple):
    """A word of a ranking with its rank and its score; larger scores are better."""

    word: str
    score: float
    rank: int


@dataclass(frozen=True)
class AnswerRanking:
    """The best words by one score. The marked word is the expected word or, without it, the answer.

    Attributes:
        name, title: Name and title of the rule that gives the scores. The name of a baseline is *positives*, or its
            single positive word; the title of a baseline contains its words.
        answers: The k best words without the formula's own words, best first.
        unrestricted: The k best words, the formula's own words included.
        place: Rank of the marked word if the formula's words are left out. None if the marked word is one of these
            words, or has no score.
        unrestricted_place: Rank of the marked word, the formula's words included; None if the word has no score.
    """

    name: str
    title: str
    answers: tuple[Answer, ...]
    unrestricted: tuple[Answer, ...]
    place: int | None
    unrestricted_place: int | None


@dataclass(frozen=True)
class Analogy:
    """The answers to a formula.

    Attributes:
        formula: The formula in the space's spelling.
        question: The formula read as an analogy; None if it does not have the form c − a + b.
        expected: The expected word, or None.
        rules: Name of a rule → ranking by this rule, in the order of `ANALOGIES`.
        missing: Name of a rule → sentence that says why the rule gives no ranking.
        positives: Ranking by the sum of the positive words. None if no word is negative, or only one is positive.
        alone: Positive word → ranking by the cosine with this word alone.
        parallelogram: Drawing of the question's words and the answers. None if `question` is None, or if the words
            span no plane.
        among: Pair of words of the formula, in the formula's order → cosine of the two words.
        mean, sd: Mean and standard deviation of the cosines of all other words with the formula's sum.
        compared: Number of other words compared with the sum.
    """

    formula: Formula
    question: AnalogyQuestion | None
    expected: str | None
    rules: Mapping[str, AnswerRanking]
    missing: Mapping[str, str]
    positives: AnswerRanking | None
    alone: Mapping[str, AnswerRanking]
    parallelogram: Parallelogram | None
    among: Mapping[tuple[str, str], float]
    mean: float
    sd: float
    compared: int

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Return the best words by 3CosAdd, without the words of the formula."""
        return self.rules["3cosadd"].answers

    @property
    def answer(self) -> str | None:
        """Return the best word by 3CosAdd; None if the space has no other word."""
        return self.answers[0].word if self.answers else None

    @property
    def marked(self) -> str | None:
        """Return the marked word, whose ranks are given: the expected word, else the answer."""
        return self.expected or self.answer

    @property
    def third(self) -> AnswerRanking | None:
        """Return the best ranking of the answers by one positive word alone; None if no word is positive.

        It is the ranking that gives the marked word (the expected word or, without it, the answer) the best rank. The
        order of a sum does not matter: in `b - a + c`, b or c may be the third word.
        """
        return min(self.alone.values(), key=_place, default=None)

    @property
    def baseline(self) -> AnswerRanking | None:
        """Return the baseline that ranks the marked word best; None if there is no baseline.

        One baseline ranks by the cosine with the third word, the other by the sum of the positive words.
        """
        return min((one for one in (self.third, self.positives) if one is not None), key=_place, default=None)

    @property
    def length(self) -> float:
        """Return the length of the weighted sum of unit vectors, computed from the cosines of the words."""
        weights = self.formula.weights
        squares = sum(weight**2 for weight in weights.values())
        products = sum(weights[one] * weights[other] * cosine for (one, other), cosine in self.among.items())
        return math.sqrt(max(0.0, squares + 2 * products))

    @property
    def own(self) -> dict[str, float]:
        """Return the cosine of each word of the formula with the weighted sum, computed from the words' cosines.

        Words of weight zero are left out.
        """
        weights, length = self.formula.weights, self.length
        found = {word: weight for word, weight in weights.items() if weight}
        for (one, other), cosine in self.among.items():
            found[one] += weights[other] * cosine
            found[other] += weights[one] * cosine
        return {word: product / length for word, product in found.items()} if length else {}

    @property
    def sums(self) -> dict[str, AnswerRanking]:
        """Return the rankings by cosine, as a mapping from title to ranking.

        The first is by the cosine with the whole formula. Up to two baselines follow, if they exist. One ranks by the
        cosine with the sum of the positive words. The other ranks by the cosine with the one positive word that serves
        best.
        """
        rankings = {self.formula.title: self.rules["3cosadd"]}
        if self.positives is not None:
            rankings[self.positives.title] = self.positives
        if self.third is not None and len(self.formula.words) > 1:
            rankings[self.third.title] = self.third
        return rankings

    @property
    def fails(self) -> bool:
        """Return whether the answer is not the expected word.

        The result is False if no word was expected, or if the expected word is in the formula or a row of zeros.
        """
        return self.expected not in (None, *self.formula.words) and (self.rules["3cosadd"].place or 0) > 1

    @property
    def found(self) -> str:
        """Say the answer, and the rank of the expected word; empty if the expected word is a row of zeros."""
        if self.answer is None:
            return "No other word is left to compare with."
        place = self.rules["3cosadd"].place
        if self.expected is None:
            return f"The answer is {self.answer}."
        if self.expected in self.formula.words:
            return f"{self.expected} is a word of the formula, and these are left out. The answer is {self.answer}."
        if place == 1:
            return f"The answer is the expected word, {self.expected}."
        if not place:
            return ""
        chance = f"{ordinal(place)} of {self.compared:,} (a random word: about {ordinal((self.compared + 1) // 2)})"
        what = "formula" if self.question is None else "analogy"
        return f"The {what} fails: the answer is {self.answer}. The expected word, {self.expected}, is {chance}."

    @property
    def form(self) -> str:
        """Say that the answer is spelled like a form of a positive word in the formula, such as *kings* for *king*.

        The text is empty if the answer is spelled otherwise, if it is the expected word, or if the question asks for a
        form (*walk : walked*).
        """
        answer, parsed = self.answer, self.question
        if (
            answer is None
            or answer == self.expected
            or (parsed is not None and any(spelled_as_forms(parsed.a, each) for each in (parsed.b, parsed.c)))
        ):
            return ""
        same = next((word for word in self.formula.positive if spelled_as_forms(word, answer)), None)
        return f"{answer} is spelled like a form of {same}, so it may be no new word." if same else ""

    @property
    def helped(self) -> str:
        """Say the rank of the marked word without the formula's arithmetic, and how the arithmetic changes this rank.

        The text is empty if there is no `baseline`, if the marked word lacks a rank, or if the formula has one word.
        """
        before, place, word = self.baseline, self.rules["3cosadd"].place, self.marked
        if before is None or place is None or before.place is None or len(self.formula.words) == 1:
            return ""
        without, steps = before.place, abs(before.place - place)
        simpler = f"Among words outside the formula, by nearness to {before.title}, {word} is"
        if not steps:
            taken = self.formula.negative
            single = len(taken) == 1 and before is self.positives
            rest = f"subtracting {taken[0]}" if single else "the rest of the formula"
            if place == 1:
                return (
                    f"{simpler} first too, without {rest}. So the answer does not need the arithmetic and is no proof "
                    "of an analogy."
                )
            return f"{simpler} {ordinal(without)} too. {rest[0].upper()}{rest[1:]} does not change its rank."
        already = " already" if 1 < without <= 10 and place < without else ""
        places = f"{_COUNTS[steps] if steps < len(_COUNTS) else f'{steps:,}'} place{'s' if steps > 1 else ''}"
        moved = "raises" if place < without else "lowers"
        return f"{simpler}{already} {ordinal(without)}. The formula {moved} it by {places}."

    @property
    def effect(self) -> str:
        """Say how the arithmetic changed the rank of the expected word, or of the answer if no word is expected.

        The text is empty if `helped` is empty: no baseline, a rank is missing, or the formula has one word.
        """
        before, place, word = self.baseline, self.rules["3cosadd"].place, self.marked
        if not self.helped or before is None or before.place is None or place is None:
            return ""
        if place == before.place:
            return f"Nothing: {word} is {ordinal(place)} with and without it."
        way = "down" if place > before.place else "up"
        far = "" if way == "down" or place == 1 else "; that is not enough"
        return f"It moves {word} {way}, from {ordinal(before.place)} to {ordinal(place)} place{far}."

    @property
    def meaning(self) -> str:
        """Say the answer, whether it is only a form of a word in the formula, and the effect of the arithmetic.

        The effect is the change of the rank of the expected word, or of the answer if no word is expected.
        """
        return " ".join(part for part in (self.found, self.form, self.helped) if part)

    @property
    def reading(self) -> str:
        """Explain how to read the parallelogram, and how far the answer is from the plane of the drawing."""
        drawn = self.parallelogram
        roles = f"Blue: the answer, {self.answer}. Green: the expected word, {self.expected}. " if self.fails else ""
        if drawn is None or self.answer is None or not drawn.answers:
            return roles.strip()
        nearest = drawn.answers[0]
        return (
            f"{roles}The ring is the sum. Of the words outside the formula, the answer has the highest cosine with it. "
            f"{nearest.word} is not in the plane of this drawing: its distance from the plane is "
            f"{number(nearest.off)}. For comparison, {drawn.a.word} and {drawn.c.word} are {number(drawn.base)} apart."
        )

    @property
    def caption(self) -> str:
        """Say the cosine of the answer and, for comparison, the cosine of a random word."""
        random = f"a random word has {number(self.mean)} (sd {number(self.sd)})"
        if not self.answers:
            return f"Cosine with the sum: {random}."
        return f"Cosine of {self.answer} with the sum: {number(self.answers[0].score)}; {random}."

    @property
    def method(self) -> str:
        """Say which words were compared, and how the figure was drawn."""
        exact = f"Exact search over {self.compared:,} words by cosine with the sum, without the formula’s own words."
        if self.parallelogram is None or not self.parallelogram.answers:
            return exact
        parsed = self.question
        plane = f"The figure shows the plane through {parsed.a}, {parsed.c} and {parsed.b}. " if parsed else ""
        return f"{exact} {plane}Grey dots: the next words by cosine with the sum."

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str, str, int, str, float]]]:
        """Return the header and rows of all rankings, without and with the formula's own words, for an export."""
        positives = [self.positives] if self.positives else []
        return ("ranking", "own words", "rank", "word", "score"), (
            (ranking.title, own, answer.rank, answer.word, answer.score)
            for ranking in (*self.rules.values(), *positives, *self.alone.values())
            for own, answers in (("left out", ranking.answers), ("left in", ranking.unrestricted))
            for answer in answers
        )

    @property
    def left_in(self) -> str:
        """Say which word each rule ranks first if the formula's own words are allowed as answers.

        The text is empty if no rule has an answer.
        """
        answers: dict[str, list[str]] = {}
        for rule in self.rules.values():
            if rule.unrestricted:
                answers.setdefault(rule.unrestricted[0].word, []).append(rule.title)
        if not answers:
            return ""
        if len(answers) == 1:
            (word,), words = answers, joined(self.formula.words)
            rules = f"by {joined([*dict.fromkeys(rule.title for rule in self.rules.values())])}"
            if word in self.formula.words:
                return f"If {words} are allowed as answers, {word} is first {rules}."
            return f"Even if {words} are allowed as answers, {word} is first {rules}."
        listed = "; ".join(f"{word} ({', '.join(titles)})" for word, titles in answers.items())
        return f"If the formula’s own words are allowed, these are first: {listed}."


@offered(
    "found",
    "for one in [*found.rules.values(), *found.alone.values()]:",
    "    print(one.title, *(f'{answer.word} {answer.score:.2f}' for answer in one.answers), sep='  ')",
    "print(found.found, found.helped, found.left_in)",
    command="analogy {space} {formula} -k {k} --expect {expected}",
)
def analogy(space: VectorSpace, formula: Formula | str, k: int = 5, *, expected: str | None = None) -> Analogy:
    """Return the k best words for a formula by each rule and, as baselines, by its positive words alone.

    Args:
        space: The space whose words are ranked.
        formula: A formula, or its text, which is parsed with the words of the space.
        k: Length of each ranking.
        expected: A word whose ranks are given; without it the answer's ranks are given.

    Raises:
        FormulaError: The text is not a formula, or its words cancel out in the space's spelling.
        UnknownWordError: A word has no vector, or `expected` has no row; the error lists the closest spellings.
        OptionError: The formula has more than `MOST_WORDS` words, its sum is zeros, or a word is a row of zeros.
    """
    read = parse(formula, space.index) if isinstance(formula, str) else formula
    own = read.within(space)
    if len(own.terms) > MOST_WORDS:
        raise OptionError(f"The formula has {len(own.terms)} words; at most {MOST_WORDS} are added.")
    wanted = _expected(space, expected) if expected and expected.strip() else None
    terms = [term for term in own.terms if term.weight]
    weights = np.array([weight for _, weight in terms], np.float32)
    units = np.stack([unit_vector(space, word) for word, _ in terms])
    if not float(np.linalg.norm(weights @ units)) > SAME:
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
        positives = ranks.of("positives", own.above_zero.title, by_sum)
    alone = {
        word: ranks.of(word, f"{word} alone", cosine)
        for (word, weight), cosine in zip(terms, cosines, strict=True)
        if weight > 0
    }
    parsed = question(own)
    drawn = None
    if parsed is not None:
        seen = [answer.word for answer in rules["3cosadd"].answers]
        seen += [wanted] if wanted and wanted not in (*seen, *own.words) else []
        drawn = parallelogram(space, parsed, seen)
    mean, sd, compared = ranks.others(three_cos_add(weights, cosines, among))
    names = itertools.combinations(enumerate(word for word, _ in terms), 2)
    two = {(word, other): float(among[row, column]) for (row, word), (column, other) in names}
    return Analogy(own, parsed, wanted, rules, missing, positives, alone, drawn, two, mean, sd, compared)


def _place(ranking: AnswerRanking) -> float:
    return math.inf if ranking.place is None else ranking.place


def examples(space: VectorSpace) -> list[Example]:
    """Return the shipped example formulas whose words are all in this space."""
    return [one for one in analogies() if all(word in space.index for word in parse(one.formula).words)]


class _Ranks:
    """The maker of all rankings for one formula: the best words, and the rank of the marked word in each ranking.

    The marked word is the word whose rank is reported. If none is given, it is the best word of the first ranking.
    """

    def __init__(self, space: VectorSpace, words: Sequence[str], k: int, marked: str | None) -> None:
        self.space, self.words, self.k, self.marked = space, words, k, marked
        self.own = [space.index[word] for word in words if word in space.index]

    def of(self, name: str, title: str, scores: Float) -> AnswerRanking:
        """Return the ranking by the given scores of all rows."""
        answers, unrestricted = (self.listed(scores, without) for without in (self.words, ()))
        if self.marked is None and answers:
            self.marked = answers[0].word
        return AnswerRanking(name, title, answers, unrestricted, self.place(scores, self.own), self.place(scores, []))

    def listed(self, scores: Float, without: Sequence[str]) -> tuple[Answer, ...]:
        """Return the k best words by the given scores of all rows, without the words in `without`."""
        rows = nearest_rows(self.space, scores, without, self.k)
        return tuple(Answer(*neighbor) for neighbor in listed(self.space, scores[rows], rows))

    def place(self, scores: Float, without: Sequence[int]) -> int | None:
        """Return the rank of the marked word if the rows in `without` are left out; None if the word has no rank.

        Of equal scores, the earlier row ranks first.
        """
        row = self.space.index.get(self.marked or "", -1)
        if row < 0 or row in without or not np.isfinite(scores[row]):
            return None
        ahead = scores > scores[row]
        ahead[:row] |= scores[:row] == scores[row]
        ahead[without] = False
        return int(np.count_nonzero(ahead)) + 1

    def others(self, scores: Float) -> tuple[float, float, int]:
        """Return mean, standard deviation and number of the scores of all words outside the formula."""
        rest = np.delete(scores, self.own)
        rest = rest[np.isfinite(rest)]
        return (float(rest.mean()), float(rest.std()), len(rest)) if len(rest) else (0.0, 0.0, 0)


def ordinal(place: int) -> str:
    """Return an ordinal number: first, second, …, tenth, 11th, 22nd."""
    if place <= len(_ORDINALS):
        return _ORDINALS[place - 1]
    ending = "th" if 10 <= place % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place:,}{ending}"


def _expected(space: VectorSpace, word: str) -> str:
    found = lookup.find(space, word)
    if found.word is None:
        raise UnknownWordError(found.typed, space.origin.name, len(space), found.suggestions)
    return found.word
