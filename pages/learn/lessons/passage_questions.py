"""The texts under the figures of Finding passages: formulas, limits and questions."""

from __future__ import annotations

from embedviz.core.phrases import number
from embedviz.core.texts import tokens
from embedviz.retrieval.passages import OPENING, Passages, ProbedCells, TermScore, WorkedCosine, WorkedScore
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import letters, tex
from pages.learn.pattern.lesson import LessonText

LARGE = 1_000_000
"""Texts of the collection that the last question is about."""


def found_text(found: Passages, query: str) -> LessonText:
    """Return the scores of the best texts, worked out, and ask for one part of the BM25 score."""
    score = found.score
    left_out = f"{found.cut:,} more texts are left out here; the page Search reads all." if found.cut else ""
    return LessonText(
        limit="A high score does not mean that a text answers the question, or that it is true. BM25 compares words; "
        "an encoder compares directions, and can miss a rare name that has no meaning of its own.",
        exercise=_no_word(found) if score is None else _term(score, found),
        formula=(*(_bm25(score, found) if score is not None else ()), *_cosine(found.cosine)),
        meaning=found.meaning,
        note=f"{score.symbols if score is not None else ''} {found.hits.certainty} {found.hits.sample}",
        details=f"Of each text the first {OPENING} characters are searched. {left_out} BM25 reads no numbers here: a "
        "word is a run of letters.",
    )


def _bm25(score: WorkedScore, found: Passages) -> tuple[str, ...]:
    """Return the formula of BM25, its greatest term, and its value."""
    first, n = score.terms[0], len(found.keys)
    word = rf"\text{{{letters(first.word)}}}"
    length = rf"\tfrac{{{score.length}}}{{{tex(score.mean_length, 1)}}}"
    slow = rf"{score.k1:g}\,({tex(1 - score.b)} + {score.b:g} \cdot {length})"
    times = rf"{first.times} \cdot " if first.times > 1 else ""
    total = tex(first.share) + (rf" + \dots = {tex(score.total)}" if len(score.terms) > 1 else "")
    return (
        r"\text{score} = \sum_w \text{idf}_w \cdot \frac{\text{tf}_w}"
        r"{\text{tf}_w + k_1 (1 - b + b \cdot L / \bar L)},\quad "
        r"\text{idf}_w = \ln\left(1 + \frac{N - \text{df}_w + 0.5}{\text{df}_w + 0.5}\right)",
        rf"\text{{idf}}_{{{word}}} = \ln\left(1 + \frac{{{n} - {first.df} + 0.5}}{{{first.df} + 0.5}}\right) = "
        rf"{tex(first.idf, 3)},\quad \frac{{{first.tf}}}{{{first.tf} + {slow}}} = {tex(first.saturation, 3)}",
        rf"{times}{tex(first.idf, 3)} \cdot {tex(first.saturation, 3)} = {tex(first.share)},\quad "
        rf"\text{{score}} = {total}",
    )


def _cosine(cosine: WorkedCosine | None) -> tuple[str, ...]:
    if cosine is None:
        return ()
    return (
        r"\cos(q, x) = \frac{q \cdot x}{|q|\,|x|} = "
        rf"\frac{{{tex(cosine.dot)}}}{{{tex(cosine.question)} \cdot {tex(cosine.text)}}} = {tex(cosine.cosine)}",
    )


def _term(score: WorkedScore, found: Passages) -> Exercise:
    """Ask for the second part of the best BM25 score, or for the only one with its word twice as often."""
    term, key = score.terms[0], found.keys[score.row]
    if len(score.terms) > 1:
        term = score.terms[1]
        text = (
            f"The formula above is about “{score.terms[0].word}”. “{term.word}” stands in {term.df:,} of "
            f"{len(found.keys):,} texts, {_times(term.tf)} in {key} and {_times(term.times)} in the "
            f"question. What does it add to the BM25 score of {key}?"
        )
    else:
        tf = 2 * term.tf
        factor = score.factor(tf)
        term = TermScore(term.word, term.times, term.df, tf, term.idf, factor, term.times * term.idf * factor)
        text = f"If {key}, at the same length, held “{term.word}” {_times(tf)}, what would its BM25 score be?"
    times = f"{term.times} × " if term.times > 1 else ""
    return Exercise(
        text,
        term.share,
        f"{times}{number(term.idf, 3)} × {number(term.saturation, 3)} = {number(term.share)}. A word of few texts has "
        "a large idf; each repetition in a text adds less than the one before.",
        "Put df into the idf, and tf into the fraction. The length of the text is the same as above.",
        tolerance=0.02,
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _no_word(found: Passages) -> Exercise:
    """Ask for the BM25 score where no text holds a word of the question."""
    key = found.keys[found.hits.rankings["encoder"].hits[0].row] if found.cosine is not None else found.keys[0]
    return Exercise(
        f"What is the BM25 score of {key}?",
        0.0,
        "It is 0: the sum has no term, because the text holds no word of the question.",
        "Which words of the question does the text hold?",
    )


def prompt_text(found: Passages, by: str, k: int, prompt: str) -> LessonText:
    """Return what stands under the prompt, and ask how many of its texts the other method lists too."""
    other = next(name for name in found.hits.rankings if name != by)
    first = found.hits.first(k).rankings
    shared = len(set(first[by].rows) & set(first[other].rows))
    listed = ", ".join(found.keys[row] for row in first[other].rows) or "none"
    words = len(tokens(prompt))
    return LessonText(
        limit="No model answers here. An answer can be wrong although its passages are right, and it can be right by "
        "chance although the passage is missing.",
        exercise=Exercise(
            f"How many of the texts of this prompt are among the first {k} of {first[other].title} too?",
            float(shared),
            f"{shared}: {first[other].title} lists {listed}.",
            f"Compare the names in brackets with the first {k} of {first[other].title} under “Two methods”.",
        ),
        formula=(
            rf"\text{{prompt}} = \text{{instruction}} + {len(first[by].rows)}\ \text{{texts}} + \text{{question}}"
            rf" = {tex(words, 0)}\ \text{{words}}",
        ),
        meaning="A RAG system sends this text to a language model. Only what the search found can be in its answer "
        "with a source.",
        note=f"Copy it into your own model. It has the first {OPENING} characters of each text. Lewis et al. 2020.",
    )


def database_text(found: ProbedCells) -> LessonText:
    """Return what an exact scan costs, and ask for its cost in a large collection."""
    n, d, least = found.texts, found.dimensions, found.least
    cost = float(LARGE * d)
    return LessonText(
        limit="An index saves comparisons; it does not find better texts than a scan. "
        f"For {n:,} texts no index is needed.",
        exercise=Exercise(
            f"A collection has {LARGE:,} texts with {d:,} numbers each. How many multiplications does an exact scan "
            "need for one question?",
            cost,
            f"{LARGE:,} × {d:,} = {cost:,.0f}. The cost grows with the number of texts.",
            "One dot product needs d multiplications.",
            tolerance=0.005 * cost,
        ),
        formula=(
            rf"\text{{scan}} = n \cdot d = {n} \cdot {d} = {tex(n * d, 0)},\quad "
            rf"\text{{index}} \approx {tex(least.compared, 2)} \cdot n \cdot d = {tex(least.compared * n * d, 0)}",
            rf"\text{{recall}} = \frac{{\text{{exact nearest texts found}}}}{{{found.k}}} = {tex(least.recall, 3)}",
        ),
        meaning=found.meaning,
        note=f"An inverted file: k-means makes {found.cells} cells, and a question is compared with the texts of the "
        f"nearest ones. Each text is the question once; recall is the mean. The centroids count as vectors compared.",
    )
