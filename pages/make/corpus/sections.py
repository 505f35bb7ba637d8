"""The sections of Corpus: the first lines as they are read, the words, and what each least count throws away."""

from __future__ import annotations

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
from pages._shared.sources import tokenized

LINES = 3


def as_read(corpus: Corpus, *, narrow: bool) -> None:
    """Show the first lines of the text: words marked as they are read, what is left out muted."""
    beginning = corpus.about.get("beginning")
    if not beginning:
        states.note("Its first line: ", cut(" ".join(corpus.line(0)), 400))
        return
    text = "\n".join(_first(beginning[:LINES], *((110, 200) if narrow else (170, 340))))
    tokenizing = {name: value for name, value in corpus.made.items() if name in tokenized.TOKENIZED}
    st.html("".join(map(_marked, preview(text, corpus.about.get("phrases", ()), **tokenizing))))


def _marked(line: Sequence[Piece]) -> str:
    inner = "".join(
        f"<b>{html.escape(plain(piece.word))}</b>" if piece.word else html.escape(inside(piece.text)) for piece in line
    )
    return f'<p class="ev-read">{inner}</p>'


def _first(lines: Sequence[str], longest: int, most: int) -> list[str]:
    """Return the first of these lines, each cut after a word, as many as have so many letters together."""
    shown: list[str] = []
    for line in lines:
        shown.append(line if len(line) <= longest else f"{line[:longest].rpartition(' ')[0] or line[:longest]} …")
        if sum(map(len, shown)) >= most:
            break
    return shown


def words(corpus: Corpus, listed: list[vocabulary.Entry], asked: str) -> None:
    """Show the vocabulary: its first words, or those that were looked for."""
    if asked and not listed:
        states.note(f"“{plain(asked, 60)}” stands in no word of this corpus.")
        return
    with st.container(height=360, border=False, key="vocabulary"):
        rows = [(one.word, f"{one.rank:,}", f"{one.times:,}", share(one.share)) for one in listed]
        states.table(("word", "rank", "count", "share"), rows)
    if not asked and len(corpus.words) > len(listed):
        states.note(f"The first {len(listed):,} of {len(corpus.words):,}. The others are found above.")
    elif len(listed) == vocabulary.MOST_FOUND:
        states.note(f"The first {len(listed):,} that contain it.")


def groups(corpus: Corpus) -> str:
    """Say how many groups the lines have, and where that is told."""
    reading = corpus.about.get("reading") or {}
    if corpus.labels is None or not reading.get("groups"):
        return ""
    where = f"the column {plain(reading['group'], 60)}" if reading["group"] else "where they come from"
    return f"They have {reading['groups']:,} groups, by {where}."


def _in_use(kept: vocabulary.Kept, min_count: int) -> str:
    return f"{kept.min_count:,}{' · chosen' if kept.min_count == min_count else ''}"


def least_counts(corpus: Corpus, min_count: int) -> None:
    """Show what each least count throws away."""
    kept = vocabulary.thresholds(corpus, min_count)
    chosen = next(one for one in kept if one.min_count == min_count)
    states.table(
        ("least count", "different words kept", "of all", "text thrown away"),
        [
            (_in_use(one, min_count), f"{one.words:,}", share(one.words_share), share(1 - one.tokens_share))
            for one in kept
        ],
    )
    states.note("The least count is chosen above, for this page; Train sets its own.")
    if not chosen.words:
        states.note(f"No word stands {min_count:,} times: nothing would be left to learn from.")
    else:
        states.note(
            f"With {min_count:,}, {share(1 - chosen.words_share)} of the different words get no vector; they are "
            f"{share(1 - chosen.tokens_share)} of the text."
        )
