"""A word by its company: the window over a sentence, its pairs, subsampling and the noise distribution."""

from collections.abc import Sequence
from functools import cache, partial

import streamlit as st

from embedviz.core.phrases import share
from embedviz.corpus import teaching
from embedviz.corpus.tokenizing import preview
from embedviz.figures.skipgram import window_figure
from embedviz.training.window_pairs import (
    context_weights,
    keep_probability,
    paper_keep_probability,
    skipgram_pairs,
    window_contexts,
)
from pages._shared.app import address, states
from pages._shared.sources.current import View
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, stepped

SENTENCE = "the king sits on the old throne and the queen reads a book"
MOST_WORDS, MOST_LETTERS, MOST_WINDOW = 24, 300, 10
THRESHOLD = 1e-3
"""The threshold of subsampling that word2vec and gensim use by default."""
EXPONENT = 0.75


def draw(view: View) -> LessonText | None:
    """Draw the window of a word that a slider chooses. The exercise asks for the number of pairs in the sentence."""
    current = address.get("sentence", SENTENCE)[:MOST_LETTERS]
    typed = st.text_input("Sentence", max_chars=MOST_LETTERS, **address.bind("sentence", current))
    words = [piece.word for line in preview(typed) for piece in line if piece.word][:MOST_WORDS]
    if len(words) < 2:
        states.state("Type a sentence of two words or more.", "One word has no company.")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        places = [str(each) for each in range(1, len(words) + 1)]
        place = 1 + slider.slider("Word", "place", places, "2", texts=words)
        window = slider.whole("Window", "window", 1, MOST_WINDOW, 2, width=240)
    along = {"place": range(1, len(words) + 1), "window": range(1, MOST_WINDOW + 1)}
    here, step = {"place": place, "window": window}, partial(_step, view, words)
    moved = stepped(view, "company-window", tuple(words), along, here, step)
    center = words[place - 1]
    pairs = len(list(skipgram_pairs(words, window)))
    return LessonText(
        limit="The window is no grammar: a pair does not say whether a context word stood left or right, near or far.",
        exercise=Exercise(
            f"How many pairs of center and context word does skip-gram draw from these {len(words)} words, at the full "
            "window?",
            float(pairs),
            f"{pairs} pairs: each word with every word at a distance of at most {window}, as far as the sentence "
            f"reaches. CBOW has {len(words)} examples: one for each center, with its contexts together.",
            "Count the pairs at distance 1, then at distance 2, and so on. Each counts twice, once from each side.",
        ),
        steps=moved,
        note=_formula_note(center),
        details=f"In each step the window is drawn from 1 to {window}, so a word at distance d is in it with "
        f"probability ({window} − d + 1) / {window}. {_paper(center)}",
    )


def _step(view: View, words: Sequence[str], place: float, window: float) -> SliderStep:
    """Return the figure of a word's window, with its formulas and what skip-gram and CBOW predict."""
    at, size = int(place) - 1, int(window)
    chart = window_figure(words, at, context_weights(size).tolist(), view.theme, phone=view.phone)
    here = window_contexts(words, size)[at]
    meaning = (
        f"Skip-gram predicts {_all(len(here.context))} from “{here.center}”. CBOW predicts “{here.center}” from the "
        "mean of the input vectors of its window."
    )
    return SliderStep(chart, _formula(here.center), meaning)


def _all(count: int) -> str:
    return "1 word" if count == 1 else f"each of {count} words"


@cache
def _counts() -> tuple[dict[str, int], int]:
    """Return the count of each word of the teaching corpus, and the sum of all counts."""
    counts = dict(teaching.word_counts())
    return counts, sum(counts.values())


def _formula(word: str) -> tuple[str, ...]:
    """Return formulas: the probability that subsampling keeps the word, and the effect of the noise exponent 3/4."""
    counts, total = _counts()
    noise = rf"\left(\frac{{f_1}}{{f_2}}\right)^{{3/4}} = 1000^{{3/4}} = {tex(1000**EXPONENT, 1)}"
    if word not in counts:
        return (noise,)
    share_of = counts[word] / total
    probability = float(keep_probability(share_of, THRESHOLD))
    return (
        rf"P(\text{{keep}}) = \min\left(1, \sqrt{{t/f}} + t/f\right) = {tex(probability, 3)}",
        rf"f = {tex(share_of, 4)},\quad t = {THRESHOLD:g}",
        noise,
    )


def _formula_note(word: str) -> str:
    """Explain f, the share of the word in the teaching corpus, and the noise distribution."""
    counts, _ = _counts()
    noise = (
        f"Last line: as a noise word, a word with 1,000 times the count is drawn {1000**EXPONENT:.0f} times as often."
    )
    if word not in counts:
        return f"“{word}” is not in the teaching corpus, so it has no count there. {noise}"
    return f"f is the share of “{word}” among all tokens of the teaching corpus. {noise}"


def _paper(word: str) -> str:
    """Return a sentence: the probability that the word2vec paper's formula keeps the word. Empty for unknown words."""
    counts, total = _counts()
    if word not in counts:
        return ""
    paper = float(paper_keep_probability(counts[word] / total, THRESHOLD))
    return f"The formula is that of the code; that of the paper keeps {share(paper)}."


LESSON = Lesson("company", "A word by its company", "What does a model see of a word?", 5, WORKBENCH, draw, choice="")
