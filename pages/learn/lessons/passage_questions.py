"""The texts under the figures of the lesson “Finding passages”: limits and questions."""

from embedviz.core.phrases import number
from embedviz.retrieval.passages import OPENING, Passages, TermScore, WorkedScore
from pages.learn.lessons.passage_formulas import bm25_formula, bm25_sum, cosine_formula, factors
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.lesson import LessonText


def found_text(found: Passages) -> LessonText:
    """Return the texts under the two rankings; the exercise asks how many passages are in both."""
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
        formula=(*bm25_sum(found.score), *cosine_formula(found.cosine)),
        meaning=found.meaning,
        note=""
        if found.cosine is None
        else "q: the vector of the question; x: the vector of the encoder’s first text.",
        details=f"{found.hits.certainty} {found.hits.sample} {_searched_part(found)}",
    )


def bm25_text(found: Passages) -> LessonText:
    """Return the texts of the figure: the best text's BM25 score step by step, and an exercise on one of its terms."""
    score = found.score
    return LessonText(
        limit="Scores of two questions cannot be compared: a longer question has more terms in its sum.",
        exercise=_no_word(found) if score is None else _term(score, found),
        formula=() if score is None else bm25_formula(score, len(found.keys)),
        meaning="Each word of the question adds its idf, which is large for a rare word, times a factor that grows "
        "with its count in the text.",
        note="" if score is None else score.symbols,
        details=_searched_part(found),
    )


def _searched_part(found: Passages) -> str:
    """Explain which part of the texts is searched, and what counts as a word."""
    left_out = f"{found.cut:,} more texts are left out here; the page Search reads all." if found.cut else ""
    return (
        f"Of each text the first {OPENING} characters are searched. {left_out} BM25 reads no numbers here: a word is a "
        "run of letters."
    )


def _term(score: WorkedScore, found: Passages) -> Exercise:
    """Return an exercise on the second term of the best text's BM25 score.

    If the score has only one term, ask for the score of a text that holds the word twice as often.
    """
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
    times, (idf, saturation) = f"{term.times} × " if term.times > 1 else "", factors(term)
    return Exercise(
        text,
        term.share,
        f"{times}{idf} × {saturation} = {number(term.share)}. A word of few texts has "
        "a large idf; each repetition in a text adds less than the one before.",
        "Put df into the idf, and tf into the fraction. The length of the text is the same as above.",
        tolerance=0.02,
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _no_word(found: Passages) -> Exercise:
    """Return an exercise on the BM25 score of a text. The score is 0: no text holds a word of the question."""
    key = found.keys[found.hits.rankings["encoder"].hits[0].row] if found.cosine is not None else found.keys[0]
    return Exercise(
        f"What is the BM25 score of {key}?",
        0.0,
        "It is 0: the sum has no term, because the text holds no word of the question.",
        "Which words of the question does the text hold?",
    )
