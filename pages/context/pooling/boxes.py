"""The text boxes of two sentences; the address keeps their texts."""

import streamlit as st

from embedviz.core.options import OptionError
from pages._shared.app import address
from pages.context.pooling.examples import EXAMPLES

BOXES = ("one", "two")
"""Names of the sentences in the address."""
LONGEST = 500
"""Greatest number of characters of a sentence in the address."""


def typed() -> tuple[str, str]:
    """Draw the two boxes next to each other, and return their texts.

    Raises:
        OptionError: The address has a sentence that is too long.
    """
    texts = []
    for place, box in zip(st.columns(2), _boxes(), strict=True):
        with place:
            texts.append(_box(*box))
    return texts[0], texts[1]


def _boxes() -> list[tuple[str, str, str]]:
    """Return name, title and text of each box; if the address has no text, use the texts of the first example."""
    first = EXAMPLES[0]
    bare = not {*BOXES} & set(address.names())
    return [
        ("one", "First sentence", first.one if bare else address.get("one")),
        ("two", "Second sentence", first.other if bare else address.get("two")),
    ]


def _box(name: str, title: str, given: str) -> str:
    text = " ".join(given.split())
    if len(text) > LONGEST:
        raise OptionError(
            f"A sentence of this link has {len(text):,} characters; the limit is {LONGEST}. Paste it as a list."
        )
    bound = address.bind_to(name, text, lambda _: address.put(**{one: address.in_widget(one) for one in BOXES}))
    st.text_input(title, max_chars=LONGEST, placeholder=title, label_visibility="collapsed", **bound)
    return text
