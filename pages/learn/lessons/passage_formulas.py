"""The formulas of the lesson “Finding passages”, with enough decimals to compute the written results by hand."""

import math

from embedviz.core.phrases import number
from embedviz.retrieval.passages import TermScore, WorkedCosine, WorkedScore
from pages.learn.pattern.latex import digits_that_give, letters, tex

_MOST_TERMS = 4
"""Greatest number of words whose terms are written in the sum of a score; dots stand for further terms."""


def bm25_sum(score: WorkedScore | None) -> tuple[str, ...]:
    """Return a line of LaTeX: the BM25 score as a sum over the words of the question. Without a score, return ()."""
    if score is None:
        return ()
    shares, whole = [term.share for term in score.terms], len(score.terms) <= _MOST_TERMS
    digits = digits_that_give(shares, lambda *parts: math.fsum(parts)) if whole else 2
    terms = " + ".join(
        rf"\underbrace{{{tex(term.share, digits)}}}_{{\text{{{letters(term.word)}}}}}"
        for term in score.terms[:_MOST_TERMS]
    )
    rest = "" if whole else r" + \dots"
    return (rf"\text{{BM25}} = {terms}{rest} = {tex(score.total)}",)


def bm25_formula(score: WorkedScore, n: int) -> tuple[str, ...]:
    """Return LaTeX: the formula of BM25, and the first term of a text's score, computed; `n` is the number of texts."""
    first = score.terms[0]
    word = rf"\text{{{letters(first.word)}}}"
    idf, saturation = factors(first)
    mean = digits_that_give(
        [score.mean_length],
        lambda long: score._replace(mean_length=long).factor(first.tf),
        len(saturation) - 2,
        least=1,
    )
    length = rf"\tfrac{{{score.length}}}{{{tex(score.mean_length, mean)}}}"
    slow = rf"{score.k1:g}\,({tex(1 - score.b)} + {score.b:g} \cdot {length})"
    times = rf"{first.times} \cdot " if first.times > 1 else ""
    total = tex(first.share) + (rf" + \dots = {tex(score.total)}" if len(score.terms) > 1 else "")
    return (
        r"\text{score} = \sum_w \text{idf}_w \cdot \frac{\text{tf}_w}"
        r"{\text{tf}_w + k_1 (1 - b + b \cdot L / \bar L)},\quad "
        r"\text{idf}_w = \ln\left(1 + \frac{N - \text{df}_w + 0.5}{\text{df}_w + 0.5}\right)",
        rf"\text{{idf}}_{{{word}}} = \ln\left(1 + \frac{{{n} - {first.df} + 0.5}}{{{first.df} + 0.5}}\right) = "
        rf"{idf},\quad \frac{{{first.tf}}}{{{first.tf} + {slow}}} = {saturation}",
        rf"{times}{idf} \cdot {saturation} = {tex(first.share)},\quad "
        rf"\text{{score}} = {total}",
    )


def factors(term: TermScore) -> tuple[str, str]:
    """Return idf and saturation of a term as texts, with enough decimals to multiply them by hand."""
    parts = (term.idf, term.saturation)
    digits = digits_that_give(parts, lambda idf, saturation: term.times * idf * saturation, least=3)
    return number(term.idf, digits), number(term.saturation, digits)


def cosine_formula(cosine: WorkedCosine | None) -> tuple[str, ...]:
    """Return a line of LaTeX: the cosine of the question with a text. Without a cosine, return ()."""
    if cosine is None:
        return ()
    parts = (cosine.dot, cosine.question, cosine.text)
    digits = digits_that_give(parts, lambda dot, one, other: dot / (one * other)) if all(parts[1:]) else 2
    dot, question, text = (tex(part, digits) for part in parts)
    return (
        r"\cos(q, x) = \frac{q \cdot x}{|q|\,|x|} = "
        rf"\frac{{{dot}}}{{{question} \cdot {text}}} = {tex(cosine.cosine)}",
    )
