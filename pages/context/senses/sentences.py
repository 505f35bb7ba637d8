"""The choice of sentences on the page Senses, and the clusters of sentences without labels."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.options import OptionError
from embedviz.core.phrases import listing
from embedviz.testsets import datasets
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape, plain
from pages._shared.sources import corpora, uploads
from pages.context.senses import sources

if TYPE_CHECKING:
    from embedviz.contextual.senses import Clustered, Senses
    from embedviz.figures.theme import Theme

LONGEST_SHOWN = 20_000
_REFUSED = "sentences:refused"


def control(word: str) -> str:
    """Draw the choice of sentences; return the kind in use, a name of `SOURCES`.

    Raises:
        OptionError: The address names a kind that is not in `SOURCES`.
    """
    kind = sources.kind_of(word)
    with st.popover("Sentences", key="senses-sentences", icon=":material/edit_note:", type="tertiary"):
        names = sources.SOURCES
        st.segmented_control(
            "Sentences", list(names), format_func=names.__getitem__, required=True, **address.bind("from", kind)
        )
        if kind == "known":
            _built_in()
        elif kind == "own":
            _own()
        else:
            states.note("All sentences of the texts in use with this word, each once. They have no sense labels.")
    if kind == "texts":
        corpora.control()
    return kind


def clusters(found: Senses, clustered: Clustered, theme: Theme) -> None:
    """Draw each cluster in its color, with the sentences nearest to its center."""
    parts = []
    for color, (at, cluster) in zip(theme.categorical, enumerate(clustered.clusters, 1), strict=False):
        lines = "".join(f"<br>{html.escape(plain(found.occurrences[one].snippet))}" for one in cluster.central)
        if cluster.size:
            parts.append(
                f'<li><i style="background:{color}"></i><b>Cluster {at}</b> '
                f'<span class="ev-muted">{cluster.size:,}</span><span class="ev-small">{lines}</span></li>'
            )
    st.html(f'<ul class="ev-themes">{"".join(parts)}</ul>')


def examples() -> None:
    """Offer the words with built-in sentences, each with its senses and an example sentence."""
    states.panel("Words with built-in sentences", "labeled by sense")
    for word, rows in datasets.sense_sentences().items():
        senses = listing([f"{size} {sense}" for sense, size in sources.known(word).items()])
        with st.container(horizontal=True, vertical_alignment="center", key=f"example-{word}"):
            st.button(word, key=f"offer-start-{word}", on_click=sources.choose, args=(word,), width=110)
            states.entry(senses, f"“{rows[0].sentence}”")


def too_few(found: Senses) -> None:
    """Explain that one occurrence cannot be compared, and offer the words with built-in sentences."""
    states.state(
        "Too few sentences.",
        "One occurrence has no other to be compared with. Give more sentences, or choose a word below.",
    )
    states.note(found.sample)
    examples()


def _built_in() -> None:
    """Describe the built-in sentences and offer their words."""
    words = list(datasets.sense_sentences())
    states.note(
        f"At least 20 sentences of each sense, written for this program, with {listing(words)}. The senses have equal "
        "sentence lengths and equal word positions, so layer 0 cannot separate them."
    )
    states.offers(words, sources.choose, "written")


def _own() -> None:
    """Draw the box for pasted sentences, and the choice of a file."""
    text = "" if address.get("file") else _pasted_here()
    short = len(text) <= LONGEST_SHOWN
    st.text_area(
        "One sentence per line. Optional label first: money: I went to the bank.",
        height=180,
        **address.bind_to("sentences", text if short else "", frame.safely(sources.put)),
    )
    if not short:
        st.caption(f"{len(text.splitlines()):,} lines are in use. Newly pasted sentences replace them.")
    st.file_uploader("Or a file: lines, or the columns sense and sentence", key="sentences:file", on_change=_take)
    if refused := st.session_state.get(_REFUSED):
        st.error(escape(refused))
    states.note("A score needs 8 sentences of each sense. No text leaves the computer that runs this program.")


def _pasted_here() -> str:
    try:
        return sources.pasted()
    except OptionError:
        return ""


def _take() -> None:
    """Receive the chosen file of sentences, and write its token into the page's address.

    If the file is refused, store the reason for the popover.
    """
    if token := uploads.taken("sentences:file", _REFUSED):
        address.put(file=token, sentences=None, pasted=None, row=None, **{"from": "own"})
