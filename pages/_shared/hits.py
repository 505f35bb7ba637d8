"""What a query finds by each method, side by side: texts with their passages, each a button that opens it below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.saying import listing, number
from pages._shared.escape import inside, plain

if TYPE_CHECKING:
    from embedviz.search import Hit, Hits, Ranking, Snippet
    from embedviz.texts import Part, Texts

_mount = st.components.v2.component(
    "embedviz.hits",
    js="".join(Path(__file__).with_name(name).read_text("utf-8") for name in ("table.js", "hits.js")),
    css=Path(__file__).with_suffix(".css").read_text("utf-8"),
)
_SHARES = 4  # words with bars under a passage


def hits(found: Hits, texts: Texts, open_text: Callable[[str, int], None], *, key: str, shown: str = "") -> None:
    """Draws the rankings as columns; a text that is clicked goes to `open_text`, with the method it was found by.

    Args:
        found: What is listed.
        texts: What was searched.
        open_text: Called with the method's name and the text's row before the page runs again.
        key: Unique on the page.
        shown: The text that is open below, as `method:row`.
    """

    def chosen() -> None:
        hit = (st.session_state.get(key) or {}).get("hit")
        name, row = (hit.get("by"), hit.get("row")) if isinstance(hit, dict) else (None, None)
        if name in found.rankings and row in found.rankings[name].rows:
            open_text(name, row)

    columns = [_column(one, texts) for one in found.rankings.values()]
    _mount(
        key=key,
        data={"label": "What each method finds", "key": key, "columns": columns, "shown": shown},
        on_hit_change=chosen,
    )


def title_of(texts: Texts, row: int) -> str:
    """What a text is called: its key, behind its group where it has one."""
    key = plain(texts.keys[row], 80)
    return f"{key} · {plain(texts.labels[row], 40)}" if texts.labels is not None else key


def pieces(passage: Snippet) -> list[tuple[str, bool]]:
    """A passage in pieces that are marked or not; together they are its text."""
    made, before = [], 0
    for mark in passage.marks:
        made += [(passage.text[before : mark.start], False), (passage.text[mark.start : mark.end], True)]
        before = mark.end
    made.append((passage.text[before:], False))
    return [(inside(text), marked) for text, marked in made if text]


def _column(one: Ranking, texts: Texts) -> dict[str, Any]:
    beside = f"random text {number(one.chance.median)} (95 %: below {number(one.chance.p95)})"
    tick = one.chance.tick
    ticks = f"; tick {number(tick)}" if tick is not None else ""
    return {
        "name": one.name,
        "title": one.title,
        "note": f"{one.unit.capitalize()}; {beside}{ticks}" if one.hits else "",
        "none": _none(one),
        "tick": tick / one.reach if tick is not None else None,
        "hits": [_hit(one, hit, texts) for hit in one.hits],
    }


def _none(one: Ranking) -> str:
    if one.unknown:
        return f"Finds nothing. Not known to it: {plain(listing(one.unknown), 200)}."
    return "Finds nothing."


def _hit(one: Ranking, hit: Hit, texts: Texts) -> dict[str, Any]:
    title = title_of(texts, hit.row)
    return {
        "row": hit.row,
        "rank": hit.rank,
        "title": title,
        "score": number(hit.score),
        "said": f"{title}: {one.unit} {number(hit.score)}",
        "bar": hit.score / one.reach,
        "about": "" if hit.holds else "Holds none of the query's words.",
        "pieces": pieces(hit.snippet),
        "before": hit.snippet.before,
        "after": hit.snippet.after,
        "words": _shares(hit.telling[:_SHARES], hit.score, one.unit),
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
