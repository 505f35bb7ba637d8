"""What a query finds by each method, side by side: texts with their passages, each a button that opens it below."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.core.phrases import listing, number, shortened
from embedviz.neighbors.analogy import ordinal
from embedviz.retrieval import highlighted, marked
from pages._shared.app import states
from pages._shared.app.component import component
from pages._shared.app.escape import inside, plain
from pages._shared.output.wordlist import Row, wordlist

if TYPE_CHECKING:
    from embedviz.core.options import Method
    from embedviz.core.texts import Part, Passage, Texts
    from embedviz.retrieval import Hit, Hits, Ranking, Snippet

_mount = component(__file__, "bars.css")
MOST_SHOWN = 20_000
"""Characters of a text that are shown whole."""
_SHARES = 4  # words with bars under a passage
_LISTED = 6  # parts of a score that are listed by word
_NEAREST = 3  # sentences


def hits(
    found: Hits, texts: Texts, open_text: Callable[[str, int], None], *, key: str, rows: int, shown: str = ""
) -> None:
    """Draw the rankings as columns; a text that is clicked goes to `open_text`, with the method it was found by.

    Args:
        found: What is listed.
        texts: What was searched.
        open_text: Called with the method's name and the text's row before the page runs again.
        key: Unique on the page.
        rows: How many texts of each ranking are listed.
        shown: The text that is open below, as `method:row`.
    """

    def chosen() -> None:
        hit = (st.session_state.get(key) or {}).get("hit")
        name, row = (hit.get("by"), hit.get("row")) if isinstance(hit, dict) else (None, None)
        if name in found.rankings and row in found.rankings[name].rows:
            open_text(name, row)

    columns = [_column(one, texts, rows) for one in found.rankings.values()]
    _mount(
        key=key,
        data={"label": "What each method finds", "key": key, "columns": columns, "shown": shown},
        on_hit_change=chosen,
    )


def title_of(texts: Texts, row: int) -> str:
    """Say what a text is called: its key, and its group where it has one."""
    key = plain(texts.keys[row], 80)
    return f"{key} · {plain(texts.labels[row], 40)}" if texts.labels is not None else key


def opened_text(shown: Hit, near: Ranking, texts: Texts, method: Method, choose: Callable[[str], None]) -> None:
    """Draw one text whole, what made its score, and the texts nearest to it, which go to `choose`.

    Args:
        shown: What the query gives the text.
        near: The texts nearest to it.
        method: By which both were found.
        choose: Called with the key of a text before the page runs again.
    """
    text = texts.texts[shown.row]
    column, panel = st.columns([1.9, 1], gap="medium")
    with column:
        place = f"{method.title} has it {ordinal(shown.rank)} of {len(texts):,}"
        none = f"No answer by {method.title}: {near.unit} {number(shown.score)}"
        states.panel(title_of(texts, shown.row), place if shown.score > 0 else none, level=3)
        if shown.passages:
            _whole(highlighted(text, shown.passages[0].start, shown.passages[0].end, most=MOST_SHOWN))
        else:
            _whole(marked(text, dict(shown.telling), most=MOST_SHOWN))
        cut = f"The first {MOST_SHOWN:,} of its {len(text):,} characters are shown." if len(text) > MOST_SHOWN else ""
        states.note(cut)
        st.button("Close", on_click=choose, args=("",), key="search-close")
    with panel:
        states.panel("What made the score", f"parts of {near.unit} {number(shown.score)}", level=3)
        _parts("of the query", shown.parts)
        if shown.words and {part.word for part in shown.words} != {part.word for part in shown.parts if part.share}:
            _parts("of the text", shown.words)
        if shown.passages:
            _passages(text, shown.passages)
        states.panel("Nearest texts", f"{method.title}, the whole text as the query", level=3)
        wordlist(
            "Nearest texts",
            [
                Row(texts.keys[hit.row], max(0.0, hit.score) / near.reach, number(hit.score), label=plain(hit.title))
                for hit in near.hits
            ],
            ("text", near.unit, ""),
            choose,
            key="search-near",
            quiet=True,
        )


def _parts(whose: str, parts: Sequence[Part]) -> None:
    """Draw the greatest parts of a score, and the sum of the others, so that all of them sum to it."""
    listed, rest = parts[:_LISTED], parts[_LISTED:]
    rows = [(plain(part.word, 40), number(part.share)) for part in listed]
    if rest:
        rows.append(
            (f"{len(rest):,} other word{'' if len(rest) == 1 else 's'}", number(sum(part.share for part in rest)))
        )
    if rows:
        states.table((f"word {whose}", "adds"), rows)


def _passages(text: str, passages: Sequence[Passage]) -> None:
    """Draw the sentences nearest to the query, each with its own cosine; they do not sum to the text's."""
    rows = [(plain(shortened(text[one.start : one.end])), number(one.cosine)) for one in passages[:_NEAREST]]
    states.table(("nearest sentence", "cosine"), rows)


def _whole(shown: Snippet) -> None:
    body = "".join(
        f"<mark>{html.escape(text)}</mark>" if told else html.escape(text) for text, told in pieces(shown, lines=True)
    )
    st.html(f'<p class="ev-found" dir="auto">{body}</p>')


def pieces(passage: Snippet, *, lines: bool = False) -> list[tuple[str, bool]]:
    """Return a passage in pieces that are marked or not; together they are its text."""
    made, before = [], 0
    for mark in passage.marks:
        made += [(passage.text[before : mark.start], False), (passage.text[mark.start : mark.end], True)]
        before = mark.end
    made.append((passage.text[before:], False))
    return [(inside(text, lines=lines), marked) for text, marked in made if text]


def _column(one: Ranking, texts: Texts, rows: int) -> dict[str, Any]:
    beside = f"random text {number(one.chance.median)} (95\u00a0% below {number(one.chance.p95)})"
    tick = one.chance.tick
    ticks = f", random words {number(tick)} (tick)" if tick is not None else ""
    return {
        "name": one.name,
        "title": one.title,
        "note": f"{one.unit.capitalize()}: {beside}{ticks}" if one.hits else "",
        "none": _none(one),
        "tick": tick / one.reach if tick is not None else None,
        "hits": [_hit(one, hit, texts) for hit in one.hits[:rows]],
    }


def _none(one: Ranking) -> str:
    if one.unknown:
        return f"Finds nothing. Not known to it: {plain(listing(one.unknown), 200)}."
    return "Finds nothing."


def _hit(one: Ranking, hit: Hit, texts: Texts) -> dict[str, Any]:
    group = plain(texts.labels[hit.row], 40) if texts.labels is not None else ""
    without = "" if hit.holds else "none of the query's words"
    return {
        "row": hit.row,
        "rank": hit.rank,
        "title": plain(hit.title),
        "score": number(hit.score),
        "said": f"{title_of(texts, hit.row)}: {one.unit} {number(hit.score)}",
        "bar": hit.score / one.reach,
        "about": " · ".join(part for part in (group, without) if part),
        "pieces": pieces(hit.snippet),
        "before": hit.snippet.before,
        "after": hit.snippet.after,
        "words": _shares((hit.telling or hit.parts)[:_SHARES], hit.score, one.unit),
    }


def _shares(telling: Sequence[Part], score: float, unit: str) -> list[dict[str, Any]]:
    return [
        {
            "word": plain(part.word, 24),
            "bar": part.share / score,
            "said": f"{plain(part.word, 24)} adds {number(part.share)} of the {unit} {number(score)}",
        }
        for part in telling
    ]
