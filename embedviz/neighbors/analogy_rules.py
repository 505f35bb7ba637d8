"""The rules that answer analogies: 3CosAdd, 3CosMul and PairDirection.

`king - man + woman` asks *man : woman :: king : ?*. In a : b :: c : ?, a is the negative word of the formula, c its
first positive word, and b its second positive word.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from embedviz.core.options import Option
from embedviz.core.space import Float
from embedviz.neighbors.formula import Formula

EPSILON = 1e-6
"""Number that is added to the divisor of 3CosMul: the value of gensim. The paper has 0.001."""
SAME = 1e-6
"""Squared lengths up to this value may be rounding errors, so the vector has no reliable direction."""


class AnalogyQuestion(NamedTuple):
    """The analogy a : b :: c : ?, that is, a is to b as c is to which word."""

    a: str
    b: str
    c: str

    def __str__(self) -> str:
        return f"{self.a} : {self.b} :: {self.c} : ?"


@dataclass(frozen=True)
class AnalogyRule:
    """One row of `ANALOGIES`.

    Attributes:
        function: Returns the scores of all rows, (n,), larger is better. Arguments: the weights of the formula's
            words, (m,), their cosines with all rows, (m, n), and with each other, (m, m).
        missing: Returns a sentence that says why the rule cannot answer a formula; empty if it can.
    """

    name: str
    title: str
    function: Callable[[Float, Float, Float], Float]
    missing: Callable[[Formula], str]
    summary: str
    source: str
    options: tuple[Option, ...] = ()


def three_cos_add(weights: Float, cosines: Float, among: Float) -> Float:
    """Return the cosine of each row with the weighted sum of unit vectors, (n,); NaN if the sum is zero."""
    return cast(Float, weights @ cosines / np.float32(_lengths(weights @ among @ weights)))


def three_cos_mul(weights: Float, cosines: Float, among: Float) -> Float:
    """Return the product of each row's cosines with positive words ÷ the product for the negative words, (n,).

    Each cosine is first mapped to 0 … 1 by (1 + cosine) / 2.
    """
    mapped = (1 + cosines) / 2
    return cast(Float, mapped[weights > 0].prod(axis=0) / (mapped[weights < 0].prod(axis=0) + np.float32(EPSILON)))


def pair_direction(weights: Float, cosines: Float, among: Float) -> Float:
    """Return the cosine of the step from c to each row with the step from a to b, (n,); NaN for a row equal to c."""
    (c, b), (a,) = np.flatnonzero(weights > 0), np.flatnonzero(weights < 0)
    step = _lengths(2 - 2 * cosines[c].astype(np.float64))
    along = (cosines[b] - cosines[a]) - (among[c, b] - among[c, a])
    return cast(Float, (along / step / _lengths(2 - 2 * among[a, b])).astype(np.float32))


def _lengths(squared: Any) -> Any:
    """Return the square roots of squared lengths; NaN for squared lengths up to `SAME`."""
    return np.sqrt(np.where(squared > SAME, squared, np.nan))


def _never(formula: Formula) -> str:
    return ""


def _uneven(formula: Formula) -> str:
    sizes = {abs(weight) for _, weight in formula.terms if weight}
    if not formula.positive:
        return "3CosMul multiplies cosines of positive words, and there is none."
    return "" if len(sizes) == 1 else "3CosMul multiplies cosines, so it cannot use weights."


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
            "The cosine with the sum of the words’ unit vectors.",
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
            "The cosine between the step from c to the word and the step from a to b, whatever their lengths.",
            "Mikolov, Yih and Zweig 2013, named by Levy and Goldberg 2014",
        ),
    )
}


def question(formula: Formula) -> AnalogyQuestion | None:
    """Return the analogy a : b :: c : ? if the formula is c − a + b with equal weights, else None."""
    terms = [term for term in formula.terms if term.weight]
    same = len({abs(weight) for _, weight in terms}) == 1
    if not same or len(formula.positive) != 2 or len(formula.negative) != 1:
        return None
    c, b = formula.positive
    return AnalogyQuestion(formula.negative[0], b, c)
