"""The sentence of the page Path, and its words to choose from."""

import html

import streamlit as st

from embedviz.contextual.word_path import EXAMPLES, LONGEST, PathExample, TokenizedSentence
from pages._shared.app import address
from pages._shared.app.escape import escape, plain


def begin(example: PathExample) -> None:
    """Go to an example sentence and its word."""
    address.put(sentence=example.sentence, at=str(example.at))


def offer(key: str) -> None:
    """Draw the example sentences as buttons."""
    with st.container(gap=None, key=f"lines-{key}"):
        for place, one in enumerate(EXAMPLES):
            st.button(escape(one.sentence), key=f"{key}-{place}", type="tertiary", on_click=begin, args=(one,))


def sentence_box(sentence: str) -> None:
    """Draw the text box of the sentence; a new sentence resets the chosen word."""
    tied = address.bind_to(
        "sentence", sentence[:LONGEST], lambda typed: address.put(sentence=typed[: LONGEST + 1], at=None)
    )
    st.text_input("Sentence", placeholder="A sentence", label_visibility="collapsed", **tied)


def chips(read: TokenizedSentence, at: int | None, *, special: bool = True) -> None:
    """Draw the words to choose from, with dots where the tokenizer split them.

    Args:
        at: Number of the chosen word in the sentence, from 1; None for no word.
        special: Whether to draw the special tokens too, in grey.
    """
    first, last = read.choices[0], read.choices[-1]
    begins, ends = read.words.index(first), read.words.index(last)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="path-words"):
        _greyed([word.text for word in read.words[:begins] if special])
        st.pills(
            "Word",
            [word.at for word in read.choices],
            format_func=lambda number: escape(read.choices[number - 1].cut, 60),
            label_visibility="collapsed",
            required=True,
            wrap=True,
            **address.bind("at", at),
        )
        _greyed([word.text for word in read.words[ends + 1 :] if special and not word.at])


def _greyed(tokens: list[str]) -> None:
    if tokens:
        st.html(f'<span class="ev-muted">{html.escape(plain(" ".join(tokens), 80))}</span>', width="content")
