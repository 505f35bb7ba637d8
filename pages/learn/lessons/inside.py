"""Inside a word: three tokenizers side by side on a text, and the n-grams of a word with their buckets."""

import html

import numpy as np
import streamlit as st

from embedviz.core.phrases import counted
from embedviz.core.subwords import Subwords
from embedviz.corpus import teaching
from embedviz.corpus.subword_tokenizers import TokenizedText, by_byte_pairs, by_wordpiece, by_words
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.sources.current import View
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import letters
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

TEXT = "the queen likes chatgpt and embeddings"
MOST_LETTERS, MOST_PIECES = 300, 80
BUCKETS, SHORTEST, LONGEST = 2_000_000, 3, 6
"""Defaults of fastText: number of buckets, length of the shortest n-grams, length of the longest n-grams."""
_STYLE = (
    "display:inline-flex;flex-direction:column;border:1px solid var(--ev-border,rgba(128,128,128,.4));"
    "border-radius:6px;padding:2px 8px;margin:2px;line-height:1.3"
)


def draw(view: View) -> LessonText | None:
    """Draw the pieces of a text by three tokenizers; the exercise asks for the number of n-grams of a word."""
    current = address.get("text", TEXT)[:MOST_LETTERS]
    text = st.text_input("Text, in any script", max_chars=MOST_LETTERS, **address.bind("text", current)).strip()
    if not text:
        states.state("Type some words.", "Any language and any script will do.")
        return None
    size = slider.whole("Pieces of the byte-level BPE", "pieces", 256, 2_000, 500, step=4)
    vocabulary = [word for word, _ in teaching.word_counts()]
    found = [by_words(text, vocabulary), by_wordpiece(text), by_byte_pairs(text, teaching.text(), size)]
    with st.container(key="inside-pieces"):
        for one in found:
            _pieces(one)
    word = max((piece.text for piece in found[0].pieces), key=len, default=text.split()[0])
    grams = Subwords(SHORTEST, LONGEST, np.zeros((1, 1), np.float32))
    texts, hashes = grams.ngrams(word), grams.hashes(word)
    if not texts:
        states.note("Type a longer word to see its n-grams.")
        return None
    first, hashed = texts[0], int(hashes[0])
    return LessonText(
        limit="A piece is no unit of meaning: WordPiece takes the longest piece that fits, and BPE the pairs that it "
        "met most often in its text.",
        exercise=Exercise(
            f"fastText writes < and > around “{word}”. How many n-grams of {SHORTEST} to {LONGEST} characters has it?",
            float(len(texts)),
            f"{len(texts)}: {', '.join(texts[:5])} and so on. With its two signs the word has {len(word) + 2} "
            f"characters. The vector of an unseen word is the mean of the vectors of these n-grams.",
            f"Count for each length n: with its signs the word has {len(word) + 2} characters, so "
            f"{len(word) + 2} − n + 1 places.",
        ),
        formula=(
            rf"\text{{FNV-1a}}(\text{{{letters(first)}}}) = {hashed}",
            rf"{hashed} \bmod {BUCKETS} = {hashed % BUCKETS},\quad (\text{{row of this n-gram}})",
        ),
        meaning=" ".join(one.meaning for one in found),
        note="The number under a piece is its id, the row of its vector. The formula finds the row of an n-gram in "
        "fastText.",
        details=f"{found[2].about} It was trained on the teaching corpus, which has "
        f"{counted(len(vocabulary), 'word')}. {found[1].about} The hash of fastText is 32-bit FNV-1a.",
    )


def _pieces(found: TokenizedText) -> None:
    """Draw the pieces of a text with their ids. HTML in the pieces is shown as text."""
    states.panel(found.name, f"{found.vocabulary:,} pieces in the vocabulary", level=3)
    spans = []
    for one in found.pieces[:MOST_PIECES]:
        number = "no vector" if one.id is None else str(one.id)
        piece = html.escape(plain(one.piece, 40))
        spans.append(f'<span style="{_STYLE}"><b>{piece}</b><small class="ev-muted">{number}</small></span>')
    more = len(found.pieces) - MOST_PIECES
    rest = f'<span class="ev-muted">and {more:,} more</span>' if more > 0 else ""
    st.html(f'<p class="ev-plain" style="max-width:none">{"".join(spans)}{rest}</p>')


LESSON = Lesson("inside", "Inside a word", "What does a model do with a new word?", 5, WORKBENCH, draw, choice="")
