"""The panel next to the map: clusters with their words, and a text with its nearest texts."""

import html
from collections.abc import Callable

import streamlit as st

from embedviz.core.phrases import number, share
from embedviz.core.space import VectorSpace
from embedviz.figures.theme import Theme
from embedviz.geometry.clusters import MOST
from embedviz.retrieval.cluster_words import ClusterWord
from embedviz.retrieval.snippets import snippet
from embedviz.retrieval.themes import TextCluster, Themes, nearest_texts
from pages._shared.app import states
from pages._shared.app.escape import plain
from pages._shared.output.wordlist import WordRow, wordlist

LONGEST = 20_000
"""Greatest number of characters of a displayed text."""
_TERMS, _PASSAGE = 4, 100


def clusters(found: Themes, space: VectorSpace, look: Theme | None) -> None:
    """Draw each cluster with size, words and a passage; with the page theme `look`, also its color on the map."""
    if found.themes:
        order = "Most typical first (c-TF-IDF): in many texts of the cluster, in few others"
        states.panel("Clusters and their words", f"Share of texts that have the word. {order}", level=3)
    items = [_cluster(one, place, space, look) for place, one in enumerate(found.themes)]
    if items:
        st.html(f'<ul class="ev-themes">{"".join(items[:MOST])}</ul>')
    if items[MOST:]:
        with st.expander(f"{len(items) - MOST:,} more clusters, grey on the map"):
            st.html(f'<ul class="ev-themes">{"".join(items[MOST:])}</ul>')
    if any(one.mixed for one in found.themes):
        states.note("Mixed: on average, its texts are as near to another cluster as to their own, or nearer.")
    if found.outside:
        states.note(f"In no cluster: {found.outside:,} of {len(found.labels):,} texts, grey on the map.")


def text(
    space: VectorSpace,
    key: str,
    choose: Callable[[str], None],
    close: Callable[[], None],
    *,
    k: int = 8,
    unread: str = "known word",
) -> None:
    """Draw a text and its nearest texts by cosine.

    Args:
        unread: What a text lacks if its row is zeros: “known word” gives “This text has no known word.”
    """
    row = space.index[key]
    content = str(space.metadata["text"][row])
    group = space.metadata.get("group")
    near = nearest_texts(space, key, k)
    states.panel(plain(key, 60), plain(str(group[row]), 60) if group is not None else "", level=3)
    cut = content[:LONGEST]
    st.html(f'<div class="ev-text" tabindex="0" dir="auto">{html.escape(_lines(cut))}</div>')
    if len(content) > LONGEST:
        states.note(f"The first {LONGEST:,} of {len(content):,} characters are shown.")
    st.button("Close", type="tertiary", on_click=close)
    states.panel("Nearest texts", "by cosine in the space, not on the map", level=3)
    if not space.norms[row]:
        states.note(f"This text has no {unread}. Its row is zeros, so it has no nearest texts.")
        return
    reach = max((one.similarity for one in near.neighbors), default=1.0) or 1.0
    rows = [
        WordRow(
            one.word, max(0.0, one.similarity) / max(reach, 1e-9), number(one.similarity), label=_label(space, one.word)
        )
        for one in near.neighbors
    ]
    tick = near.mean / reach if reach > 0 else None
    header = ("text", "cosine")
    wordlist(f"Texts nearest to {key}", rows, header, choose, key="documents-nearest", tick=tick, narrow=True)
    states.note(
        f"Tick: a random text, cosine {number(near.mean)} (90\u00a0% of texts: {number(near.low)} to "
        f"{number(near.high)})."
    )


def _label(space: VectorSpace, key: str) -> str:
    return plain(space.label(space.index[key]), 60)


def _cluster(cluster: TextCluster, place: int, space: VectorSpace, look: Theme | None) -> str:
    swatch = ""
    if look is not None:
        color = look.categorical[place] if place < len(look.categorical) else look.rest
        swatch = f'<i style="background:{color}"></i>'
    about = f"{cluster.size:,} texts" if cluster.size != 1 else "1 text"
    if cluster.mixed:
        about = f"mixed, {about}"
    if cluster.group:
        about += f", {share(cluster.purity)} {plain(cluster.group, 40)} (of all texts: {share(cluster.usual)})"
    rows = "".join(_term(term) for term in cluster.terms[:_TERMS])
    head = "<tr><th>word</th><th>in this cluster</th><th>in all texts</th></tr>"
    words = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>" if rows else ""
    typical = f"“{html.escape(_passage(cluster, space))}”" if cluster.central else ""
    return (
        f"<li>{swatch}<b>{html.escape(plain(cluster.name, 60))}</b> "
        f'<span class="ev-muted">{html.escape(about)}</span><div class="ev-muted">{words}{typical}</div></li>'
    )


def _passage(cluster: TextCluster, space: VectorSpace) -> str:
    """Return, of one passage from each typical text, the passage with the most words that describe the cluster."""
    wanted = {term.word: 1.0 for term in cluster.terms}
    found = [snippet(str(space.metadata["text"][row]), wanted, width=_PASSAGE) for row in cluster.central]
    best = max(found, key=lambda one: len(one.marks))
    cut = plain(f"{'… ' * best.before}{best.text.strip()}{' …' * best.after}", _PASSAGE + 8)
    return cut.replace(" …", "\u00a0…")  # no line of an ellipsis alone


def _term(term: ClusterWord) -> str:
    word, *shares = plain(term.word, 24), share(term.inside), share(term.overall)
    return f"<tr><td>{html.escape(word)}</td>{''.join(f'<td>{one}</td>' for one in shares)}</tr>"


def _lines(content: str) -> str:
    """Return a text without control characters, its line breaks kept."""
    return "\n".join(plain(line) if line.strip() else "" for line in content.split("\n"))
