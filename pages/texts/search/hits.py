"""The results of each method side by side: texts with passages, each a button that opens the text below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.core.phrases import listing, number
from embedviz.retrieval import COMPARES
from embedviz.retrieval.hits import repeated
from pages._shared.app.component import component
from pages._shared.app.escape import inside, plain

if TYPE_CHECKING:
    from embedviz.core.texts import ScorePart, Texts
    from embedviz.retrieval import Hit, Hits, Ranking, Snippet

_mount = component(__file__, "bars.css")
_SHARES = 4  # number of words with bars under a passage


def hits(
    found: Hits,
    texts: Texts,
    open_text: Callable[[str, int], None],
    *,
    key: str,
    rows: int,
    opened: str = "",
    answers: Mapping[str, str] | None = None,
    answer: int | None = None,
    lecture: bool = False,
) -> None:
    """Draw a column for each ranking; a click on a text calls `open_text` with the method and the row.

    Args:
        found: The rankings.
        texts: The texts that were searched.
        open_text: Called before the page runs again.
        key: Key of the component, unique on the page.
        rows: Number of texts listed in each column.
        opened: The text that is open below, as `method:row`.
        answers: For each method, a line about a worked example's answer; by default a line about random queries.
        answer: Row of the answer of the worked example.
        lecture: Whether to draw large, with short passages.
    """

    def open_clicked() -> None:
        hit = (st.session_state.get(key) or {}).get("hit")
        if not isinstance(hit, dict):
            return
        name, row = hit.get("by"), hit.get("row")
        ranking = found.rankings.get(name) if isinstance(name, str) else None
        if isinstance(row, int) and ranking is not None and row in ranking.rows:
            open_text(ranking.name, row)

    lines = {name: one.verdict for name, one in found.rankings.items()} | dict(answers or {})
    columns = [_column(found, one, texts, rows, lines[one.name], answer) for one in found.rankings.values()]
    front = found.front
    if answer is not None:
        front = next((one.name for one in found.rankings.values() if one.rows[:1] == (answer,)), front)
    _mount(
        key=key,
        data={
            "front": front,
            "label": "Results of each method",
            "key": key,
            "columns": columns,
            "shown": opened,
            "lecture": lecture,
        },
        on_hit_change=open_clicked,
    )


def title_of(texts: Texts, row: int) -> str:
    """Return the key of a text and, if the texts have groups, its group."""
    key = plain(texts.keys[row], 80)
    return f"{key} · {plain(texts.labels[row], 40)}" if texts.labels is not None else key


def pieces(passage: Snippet, *, lines: bool = False) -> list[tuple[str, bool]]:
    """Return the pieces of a passage in order, and for each whether it is marked. `lines`: whether line breaks stay."""
    made, before = [], 0
    for mark in passage.marks:
        made += [(passage.text[before : mark.start], False), (passage.text[mark.start : mark.end], True)]
        before = mark.end
    made.append((passage.text[before:], False))
    return [(inside(text, lines=lines), marked) for text, marked in made if text]


def _column(found: Hits, one: Ranking, texts: Texts, rows: int, answer_line: str, answer: int | None) -> dict[str, Any]:
    tick = one.chance.tick
    best = f"By chance: best of {found.draws} queries of random words"
    chance = f"{best}, {number(tick)} (tick)." if tick is not None else ""
    unknown = plain(listing([f"“{word}”" for word in one.unknown if word not in found.nowhere]), 80)
    listed = one.hits[:rows]
    return {
        "name": one.name,
        "title": one.title,
        "compares": COMPARES[one.name],
        "answer": answer_line,
        "note": f"{chance}{f' Unknown here: {unknown}.' if unknown else ''}".strip() if one.hits else "",
        "none": _none(one),
        "tick": tick / one.reach if tick is not None else None,
        "hits": [
            _hit(one, hit, texts, hit.row == answer, same, found.idle_words(hit))
            for hit, same in zip(listed, repeated(listed, texts.texts), strict=True)
        ],
    }


def _none(one: Ranking) -> str:
    if one.unknown:
        return f"No results. Unknown words: {plain(listing(one.unknown), 200)}."
    return "No results."


def _hit(one: Ranking, hit: Hit, texts: Texts, is_answer: bool, same: str, idle: Sequence[str]) -> dict[str, Any]:
    group = plain(texts.labels[hit.row], 40) if texts.labels is not None else ""
    only = f"shares only {plain(listing([f'“{word}”' for word in idle]), 60)}" if idle else ""
    without = only if hit.holds else "no word of the query in the same form"
    spread = "no single word adds much" if hit.words and not hit.telling else ""
    return {
        "row": hit.row,
        "rank": hit.rank,
        "title": plain(hit.title),
        "score": number(hit.score),
        "said": f"{title_of(texts, hit.row)}: {one.unit} {number(hit.score)}",
        "bar": hit.score / one.reach,
        "about": " · ".join(filter(None, ("the answer" * is_answer, group, without, same, spread))),
        "pieces": pieces(hit.snippet),
        "before": hit.snippet.before,
        "after": hit.snippet.after,
        "words": _shares((hit.telling if hit.words else hit.parts)[:_SHARES], hit.score, one.unit),
    }


def _shares(telling: Sequence[ScorePart], score: float, unit: str) -> list[dict[str, Any]]:
    return [
        {
            "word": plain(part.word, 24),
            "bar": part.share / score,
            "said": f"{plain(part.word, 24)} adds {number(part.share)} of the {unit} {number(score)}",
        }
        for part in telling
    ]
