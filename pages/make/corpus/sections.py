"""Sections of Corpus: the first lines, the words, and the effect of the minimum count."""

import html
from collections.abc import Sequence

import streamlit as st

from embedviz.core.phrases import cut, share
from embedviz.corpus import vocabulary
from embedviz.corpus.preparing import preview
from embedviz.corpus.tokenized import Corpus
from embedviz.corpus.tokenizing import Piece
from pages._shared.app import states
from pages._shared.app.escape import inside, plain
from pages._shared.sources.corpus_making import TOKENIZED

LINES = 3


def as_read(corpus: Corpus, *, narrow: bool) -> None:
    """Show the first lines of the text with their words marked."""
    beginning = corpus.about.get("beginning")
    if not beginning:
        states.note("First line:", cut(" ".join(corpus.line(0)), 400))
        return
    text = "\n".join(_first(beginning[:LINES], *((110, 200) if narrow else (170, 340))))
    tokenizing = {name: value for name, value in corpus.made.items() if name in TOKENIZED}
    st.html("".join(map(_marked, preview(text, corpus.about.get("phrases", ()), **tokenizing))))


def _marked(line: Sequence[Piece]) -> str:
    inner = "".join(
        f"<b>{html.escape(plain(piece.word))}</b>" if piece.word else html.escape(inside(piece.text)) for piece in line
    )
    return f'<p class="ev-read">{inner}</p>'


def _first(lines: Sequence[str], longest: int, most: int) -> list[str]:
    """Return the first lines, each cut to `longest` characters; stop when all together reach `most` characters."""
    excerpt: list[str] = []
    for line in lines:
        excerpt.append(line if len(line) <= longest else f"{line[:longest].rpartition(' ')[0] or line[:longest]} …")
        if sum(map(len, excerpt)) >= most:
            break
    return excerpt


def words(corpus: Corpus, listed: list[vocabulary.WordCount], query: str) -> None:
    """Show the words of a corpus as a table: the most frequent words, or those that contain the searched text."""
    if query and not listed:
        states.note(f"No word of this corpus contains “{plain(query, 60)}”.")
        return
    with st.container(height=360, border=False, key="vocabulary"):
        rows = [(one.word, f"{one.rank:,}", f"{one.times:,}", share(one.share)) for one in listed]
        states.table(("word", "rank", "count", "share"), rows)
    if not query and len(corpus.words) > len(listed):
        states.note(f"Scroll for the first {len(listed):,} of {len(corpus.words):,}. Search above for the others.")
    elif len(listed) == vocabulary.MOST_FOUND:
        states.note(f"At most {len(listed):,} words that contain it are listed.")


def groups(corpus: Corpus) -> str:
    """Return a sentence: how many groups the lines have, and where the groups come from. It is empty without groups."""
    reading = corpus.about.get("reading") or {}
    if corpus.labels is None or not reading.get("groups"):
        return ""
    where = f"the column {plain(reading['group'], 60)}" if reading["group"] else "their source"
    return f"The lines have {reading['groups']:,} groups, by {where}."


def _in_use(effect: vocabulary.MinCountEffect, min_count: int) -> str:
    return f"{effect.min_count:,}{' · chosen' if effect.min_count == min_count else ''}"


def minimum_counts(corpus: Corpus, min_count: int) -> None:
    """Show, for several minimum counts, how many words each would remove."""
    effects = vocabulary.thresholds(corpus, min_count)
    chosen = next(one for one in effects if one.min_count == min_count)
    states.table(
        ("minimum count", "different words kept", "of all", "text removed"),
        [
            (_in_use(one, min_count), f"{one.words:,}", share(one.words_share), share(1 - one.tokens_share))
            for one in effects
        ],
    )
    if not chosen.words:
        return
    with_it = f"With a minimum count of {min_count:,}"
    states.note(
        f"{with_it} every word gets a vector."
        if chosen.words_share == 1
        else f"{with_it}, {share(1 - chosen.words_share)} of the different words get no vector. They are "
        f"{share(1 - chosen.tokens_share)} of the text.",
        "The training uses this minimum count.",
    )
