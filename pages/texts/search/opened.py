"""One text of the results: the whole text, the parts of its score, and the texts nearest to it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.core.phrases import number, shortened
from embedviz.retrieval import SEARCHES, highlighted, marked
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.output.wordlist import WordRow, wordlist
from pages._shared.results import work
from pages.texts.search.hits import pieces, title_of

if TYPE_CHECKING:
    from embedviz.core.texts import Passage, ScorePart, Texts
    from embedviz.retrieval import Hit, Ranking, Snippet
    from pages.texts.search.encoder_search import EncoderSearch
    from pages.texts.search.indexed import PendingIndex

MOST_SHOWN = 20_000
"""Greatest number of displayed characters of a text."""
_NEAREST = 6  # number of nearest texts
_LISTED = 6  # number of parts of a score that are listed by word
_SENTENCES = 3  # number of nearest sentences


def section(
    index: PendingIndex,
    encoder: EncoderSearch | None,
    query: str,
    method: str,
    row: int,
    texts: Texts,
    constants: Mapping[str, Any],
) -> None:
    """Draw one text, the parts of its score by `method`, and the texts nearest to this text.

    Args:
        constants: Constants of BM25.
    """
    if method == "encoder" and encoder is not None:
        task = encoder.open("search-open", query, row, _NEAREST)
        if task.result is None:
            work.show(task, "The encoder reads the text.")
            return
        hit, near = task.result
    else:
        hit = index.explain(query, method, row, **constants)
        near = index.like(row, method, _NEAREST, **constants)
    title = SEARCHES[method].title
    column, panel = st.columns([1.9, 1], gap="medium")
    with column:
        _text(hit, near.unit, texts, title)
    with panel:
        states.panel("Parts of the score", f"they sum to the {near.unit} {number(hit.score)}", level=3)
        _parts("of the query", hit.parts)
        if hit.words and {part.word for part in hit.words} != {part.word for part in hit.parts if part.share}:
            _parts("of the text", hit.words)
        if hit.passages:
            _sentences(texts.texts[hit.row], hit.passages)
        states.panel("Nearest texts", f"by {title}, with the whole text as the query", level=3)
        wordlist("Nearest texts", _rows(near, texts), ("text", near.unit), _open, key="search-near", quiet=True)


def _open(key: str) -> None:
    address.put(doc=key or None)


def _text(hit: Hit, unit: str, texts: Texts, title: str) -> None:
    text = texts.texts[hit.row]
    rank = f"Rank {hit.rank:,} of {len(texts):,} by {title}"
    none = f"Not found by {title}: {unit} {number(hit.score)}"
    states.panel(title_of(texts, hit.row), rank if hit.score > 0 else none, level=3)
    if hit.passages:
        _whole(highlighted(text, hit.passages[0].start, hit.passages[0].end, most=MOST_SHOWN))
    else:
        _whole(marked(text, dict(hit.telling), most=MOST_SHOWN))
    if len(text) > MOST_SHOWN:
        states.note(f"The first {MOST_SHOWN:,} of {len(text):,} characters are shown.")
    st.button("Close", on_click=_open, args=("",), key="search-close")


def _rows(near: Ranking, texts: Texts) -> list[WordRow]:
    return [
        WordRow(texts.keys[hit.row], max(0.0, hit.score) / near.reach, number(hit.score), label=plain(hit.title))
        for hit in near.hits
    ]


def _parts(whose: str, parts: Sequence[ScorePart]) -> None:
    """Draw the greatest parts of a score, and the sum of its other parts."""
    listed, rest = parts[:_LISTED], parts[_LISTED:]
    rows = [(plain(part.word, 40), number(part.share)) for part in listed]
    if rest:
        rows.append(
            (f"{len(rest):,} other word{'' if len(rest) == 1 else 's'}", number(sum(part.share for part in rest)))
        )
    if rows:
        states.table((f"word {whose}", "adds"), rows)


def _sentences(text: str, passages: Sequence[Passage]) -> None:
    """Draw the sentences nearest to the query. Their cosines do not add up to the cosine of the whole text."""
    rows = [(plain(shortened(text[one.start : one.end])), number(one.cosine)) for one in passages[:_SENTENCES]]
    states.table(("nearest sentence", "cosine"), rows)


def _whole(snippet: Snippet) -> None:
    body = "".join(
        f"<mark>{html.escape(text)}</mark>" if is_marked else html.escape(text)
        for text, is_marked in pieces(snippet, lines=True)
    )
    st.html(f'<p class="ev-found" dir="auto">{body}</p>')
