"""The controls of a trainer, what it does, and the words that are watched meanwhile."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from embedviz import training
from embedviz.core.options import Method, Parameter, Words, split_words
from embedviz.core.phrases import share
from embedviz.corpus.tokenized import Corpus
from pages._shared.app import address, states
from pages._shared.app.escape import escape
from pages._shared.controls import widgets
from pages.make.train import runs

OFTEN = 50
"""Times that a word stands in a text whose neighbors are worth a look."""
_TELLING = 8  # signs of a formula that says more than its name


def front(option: Any, words: Sequence[str], prefix: str, value: Any) -> None:
    """Draw the control of an option that stands in the row: its name before it where it is a number."""
    if isinstance(option, Parameter):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
            st.html(f'<span class="ev-muted">{html.escape(runs.option_label(option))}</span>', width="content")
            with st.container(width=100):
                widgets.control(option, words, prefix + option.name, value, label_visibility="collapsed")
    else:
        with st.container(width=130):
            widgets.control(option, words, prefix + option.name, value, label_visibility="collapsed")


def watched_words(corpus: Corpus, rows: int, option: Words, usual: Sequence[str]) -> list[str]:
    """Return the words that are watched, with a box to name others; one that has a row where none is.

    Args:
        rows: Words that are kept, the most frequent.
    """
    asked = option.check(address.get(option.name))
    widgets.control(option, corpus.words, option.name, asked)
    known = [word for word in split_words(asked) if corpus.index.get(word, rows) < rows]
    return known or [usual_word(corpus, [word for word in usual if corpus.index.get(word, rows) < rows])]


def usual_word(corpus: Corpus, usual: Sequence[str]) -> str:
    """Return the first of these words that is frequent in the text, else the first in it, else one of its own."""
    here = [word for word in usual if word in corpus.index]
    often = [word for word in here if corpus.counts[corpus.index[word]] >= OFTEN]
    return next(iter([*often, *here]), corpus.words[min(100, len(corpus.words) - 1)])


def resets(method: Method, prefix: str, usual: Mapping[str, Any]) -> None:
    """Offer two ways back: to what suits a corpus of this size, and to the defaults of the method."""
    none = {prefix + option.name: None for option in method.options}
    plain = {prefix + option.name: str(option.default) for option in method.options if option.name in usual}
    with st.container(horizontal=True):
        st.button("Suggested for this corpus", key="train-suggested", on_click=address.put, kwargs=none)
        if usual:
            kwargs = {**none, **plain}
            st.button("The method's own defaults", key="train-defaults", on_click=address.put, kwargs=kwargs)


def explained(method: Method, options: Mapping[str, Any], plan: training.Plan | None) -> None:
    """Write what a trainer does, and each of its options that has a formula, with its value."""
    states.panel(method.title, method.source)
    st.markdown(method.summary)
    if plan is not None and plan.share < 1:
        kept = f"{plan.rows:,} words are kept; they are {share(plan.share)} of the text."
        states.note(kept)
    with st.container(key="train-formulas", gap="xxsmall"):
        for option in method.options:
            formula = getattr(option, "formula", "")
            if len(formula) > _TELLING and option.name in options:
                st.caption(f"{escape(runs.option_label(option))}: **{escape(runs.value_text(options[option.name]))}**")
                st.markdown(f"${formula}$")
