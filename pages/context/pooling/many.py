"""A list of sentences: the cosines of all pairs by one pooling."""

import streamlit as st

from embedviz.contextual import pooled
from embedviz.contextual.encoder import BUILTIN_NOTE
from embedviz.contextual.layer_pooling import LayerPooling
from embedviz.contextual.pooled import MIX, MOST_COMPARED, WEIGHT
from embedviz.core import limits
from embedviz.core.call import call
from embedviz.core.pasted import words_of
from embedviz.testsets import datasets
from pages._shared.app import address, frame, lists, states
from pages._shared.controls import widgets
from pages._shared.output import matrix
from pages._shared.results import calls, work
from pages.context.pooling.setup import RANDOM, PoolingSetup

LISTED = "sentences"
"""The name of a pasted list in the address."""


def pasted() -> list[str]:
    """Draw a box for pasting sentences; return the sentences in use.

    Raises:
        OptionError: The address names a stored list that no longer exists.
    """
    token = address.get(lists.NAME)
    text = lists.unmarked(lists.marked(token)) if token else address.get(LISTED)
    sentences = words_of(text) if text else _usual()
    whole_text = "\n".join(sentences)
    whole = len(whole_text) <= widgets.LONGEST_SHOWN

    def write(typed: str) -> None:
        lines = [line.strip() for line in typed.splitlines()]
        address.put(**lists.reference(LISTED, list(dict.fromkeys(line for line in lines if line))))

    with st.popover(
        f"Sentences ({len(sentences):,})", key="pooling-sentences", icon=":material/edit_note:", type="tertiary"
    ):
        st.text_area(
            "One sentence per line",
            height=280,
            width=520,
            max_chars=limits.PASTED_TEXT,
            **address.bind_to(LISTED, whole_text if whole else "", frame.safely(write)),
        )
        if not whole:
            st.caption(f"A list of {len(sentences):,} sentences is in use. A newly pasted list replaces it.")
    return sentences


def _usual() -> list[str]:
    """Return the sentences of the first seven built-in pairs."""
    return [text for pair in datasets.sentence_pairs()[:7] for text in pair[:2]]


def matrix_of(setup: PoolingSetup, sentences: list[str], chosen: LayerPooling) -> None:
    """Draw the cosines of all pairs of sentences, of the first `MOST_COMPARED` in the list.

    Raises:
        OptionError: The address has weights of a scalar mix that are not valid.
    """
    reading = setup.call("pooled:compared", sentences[: MOST_COMPARED + 1])
    task = calls.task("pooling-list", reading, private=True)
    drawn = calls.task(RANDOM, setup.random)
    if task.result is None or drawn.result is None:
        waiting = (task, "Reading the sentences.") if task.result is None else (drawn, "Reading random sentences.")
        work.show(*waiting)
        return
    found, random = task.result, drawn.result
    parts = address.get("weights").replace(",", " ").split() if chosen.name == MIX else []
    weights = [WEIGHT.check(text, len(parts)) for text in parts]
    pooled_matrix = pooled.matrix(found, random, chosen, weights)
    states.panel(f"Which of these {len(found)} sentences are alike?", level=3)
    more = len(sentences) - MOST_COMPARED
    matrix.draw(
        setup.view,
        pooled_matrix,
        f"{chosen.title}.",
        f"The first {MOST_COMPARED} of {len(sentences):,} sentences are shown." if more > 0 else "",
        f"{len(found.left_out):,} sentences without a token are left out." if found.left_out else "",
        details=[found.note.replace(BUILTIN_NOTE, "").strip()],
        calls=[call("embedviz.contextual.pooled:matrix", reading, setup.random, chosen, weights)],
        title=f"{chosen.title}: {len(found)} sentences",
        of=setup.card.size,
    )
