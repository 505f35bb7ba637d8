"""What stands beside a map of texts: the clusters in words, the groups that are known, and a text with its nearest."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping

import streamlit as st

from embedviz.core.phrases import number, share
from embedviz.core.space import VectorSpace
from embedviz.figures.theme import Theme as Look
from embedviz.geometry.clusters import MOST
from embedviz.retrieval.themes import GroupScores, Term, Theme, Themes, group_table, nearest_texts
from pages._shared.app import states
from pages._shared.app.escape import plain
from pages._shared.output.wordlist import Row, wordlist

LONGEST = 20_000
"""Letters of a text that are shown."""
_TERMS = 5


def clusters(found: Themes, look: Look) -> None:
    """Draw the clusters, each with its size and its words."""
    if found.themes:
        states.panel("Clusters and their words", "Share of the cluster's texts with the word (of all texts)", level=3)
    shown = [_cluster(theme, place, look) for place, theme in enumerate(found.themes)]
    if shown:
        st.html(f'<ul class="ev-themes">{"".join(shown[:MOST])}</ul>')
    if shown[MOST:]:
        with st.expander(f"{len(shown) - MOST:,} more, grey on the map"):
            st.html(f'<ul class="ev-themes">{"".join(shown[MOST:])}</ul>')
    if found.outside:
        states.note(f"In no cluster: {found.outside:,} of {len(found.labels):,} texts, grey on the map.")


def groups(found: Themes | None, scores: Mapping[str, GroupScores], here: str) -> None:
    """Draw how far near texts and clusters are the groups that are known, each beside chance.

    Args:
        found: The clusters, where they are there.
        scores: Method to its scores, of the methods that were looked at for these texts.
        here: The method that is shown.
    """
    one = scores[here]
    states.panel("Are the groups there?", f"{one.groups:,} groups; {one.sample:,} of {one.texts:,} texts looked at", 3)
    states.table(*group_table(scores), strong=1)
    if found is not None and found.agreement is not None:
        states.table(*found.agreement.table(), strong=1)
    states.note(
        f"Always the largest group: {share(one.largest)}. ±: 95\u00a0% interval, in points.",
        "Search asks something else: how many of the first ten are of the group, or whether words find their text.",
    )


def text(
    space: VectorSpace,
    key: str,
    choose: Callable[[str], None],
    close: Callable[[], None],
    *,
    k: int = 8,
    lacks: str = "known word",
) -> None:
    """Draw a text and its nearest by cosine; `lacks` says what a text whose row is zeros has none of."""
    row = space.index[key]
    said = str(space.metadata["text"][row])
    group = space.metadata.get("group")
    near = nearest_texts(space, key, k)
    states.panel(plain(key, 60), plain(str(group[row]), 60) if group is not None else "", level=3)
    cut = said[:LONGEST]
    st.html(f'<div class="ev-text" tabindex="0" dir="auto">{html.escape(_lines(cut))}</div>')
    if len(said) > LONGEST:
        states.note(f"The first {LONGEST:,} of {len(said):,} letters.")
    st.button("Close the text", type="tertiary", on_click=close)
    states.panel("Nearest texts", "Cosine in the space, not as drawn", level=3)
    if not space.norms[row]:
        states.note(f"This text has no {lacks}: its row is zeros, and nothing is near.")
        return
    reach = max((one.similarity for one in near.neighbors), default=1.0) or 1.0
    rows = [
        Row(
            one.word, max(0.0, one.similarity) / max(reach, 1e-9), number(one.similarity), label=_label(space, one.word)
        )
        for one in near.neighbors
    ]
    tick = near.mean / reach if reach > 0 else None
    header = ("text", "cosine", "")
    wordlist(f"Texts nearest to {key}", rows, header, choose, key="documents-nearest", tick=tick, narrow=True)
    states.note(
        f"A text drawn at random: {number(near.mean)} (the tick; 90\u00a0%: {number(near.low)} to {number(near.high)})."
    )


def _label(space: VectorSpace, key: str) -> str:
    return plain(space.label(space.index[key]), 60)


def _cluster(theme: Theme, place: int, look: Look) -> str:
    color = look.categorical[place] if place < len(look.categorical) else look.rest
    about = f"{theme.size:,} texts" if theme.size != 1 else "1 text"
    if theme.group:
        about += f", {share(theme.purity)} {plain(theme.group, 40)}"
    words = ", ".join(_term(term) for term in theme.terms[:_TERMS])
    return (
        f'<li><i style="background:{color}"></i><b>{html.escape(plain(theme.name, 60))}</b> '
        f'<span class="ev-muted">{html.escape(about)}<br>{html.escape(words)}</span></li>'
    )


def _term(term: Term) -> str:
    return f"{plain(term.word, 24)} {share(term.inside)} ({share(term.overall)})"


def _lines(said: str) -> str:
    """Return a text with its lines, without control characters."""
    return "\n".join(plain(line) if line.strip() else "" for line in said.split("\n"))
