"""The texts under the figures of Finding passages: formulas, limits and questions."""

from embedviz.core.phrases import number
from embedviz.retrieval.passages import OPENING, Passages, TermScore, WorkedCosine, WorkedScore
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import letters, tex
from pages.learn.pattern.lesson import LessonText

_MOST_TERMS = 4
"""Words of a question whose parts of the score are written."""


def found_text(found: Passages) -> LessonText:
    """Return what stands under the two rankings, and ask how many texts are in both."""
    lists = [[found.keys[row] for row in one.rows] for one in found.hits.rankings.values()]
    both = [key for key in lists[0] if key in lists[1]]
    return LessonText(
        limit="A high score does not mean that a text answers the question, or that it is true.",
        exercise=Exercise(
            "How many texts are in both lists?",
            float(len(both)),
            f"{len(both)}{': ' if both else ''}{', '.join(both)}. BM25 compares words, so it misses an answer in other "
            "words. An encoder compares directions, and can miss a rare name.",
            "Compare the names of the texts on the left with those on the right.",
        ),
        formula=(*_parts(found.score), *_cosine(found.cosine)),
        meaning=found.meaning,
        details=f"{found.hits.certainty} {found.hits.sample} {_read(found)}",
    )


def bm25_text(found: Passages) -> LessonText:
    """Return the score of the best text by BM25, worked out, and ask for one part of it."""
    score = found.score
    return LessonText(
        limit="Scores of two questions cannot be compared: a longer question has more terms in its sum.",
        exercise=_no_word(found) if score is None else _term(score, found),
        formula=() if score is None else _bm25(score, found),
        meaning="Each word of the question adds its idf, which is large for a rare word, times a factor that grows "
        "with its count in the text.",
        note="" if score is None else score.symbols,
        details=_read(found),
    )


def _read(found: Passages) -> str:
    """Say what is searched."""
    left_out = f"{found.cut:,} more texts are left out here; the page Search reads all." if found.cut else ""
    return (
        f"Of each text the first {OPENING} characters are searched. {left_out} BM25 reads no numbers here: a word is a "
        "run of letters."
    )


def _parts(score: WorkedScore | None) -> tuple[str, ...]:
    """Return the BM25 score as a sum over the words."""
    if score is None:
        return ()
    terms = " + ".join(
        rf"\underbrace{{{tex(term.share)}}}_{{\text{{{letters(term.word)}}}}}" for term in score.terms[:_MOST_TERMS]
    )
    rest = r" + \dots" if len(score.terms) > _MOST_TERMS else ""
    return (rf"\text{{BM25}} = {terms}{rest} = {tex(score.total)}",)


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
