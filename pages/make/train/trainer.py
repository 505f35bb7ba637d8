"""The controls of a trainer, its formulas, and the words that are watched during the training."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from embedviz import training
from embedviz.core.options import Choice, Method, Parameter, Words, split_words
from embedviz.core.phrases import share
from embedviz.corpus.tokenized import Corpus
from pages._shared.app import address, states
from pages._shared.app.escape import escape
from pages._shared.controls import widgets
from pages.make.train import changes

OFTEN = 50
"""How often a word must occur in the text for its neighbors to be meaningful."""
_TELLING = 8  # length above which a formula says more than its name


def front(option: Any, words: Sequence[str], prefix: str, value: Any) -> None:
    """Draw the name and the control of an option in the row of controls; a tap on the name explains the option."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
        widgets.named(option)
        with st.container(width=64 if isinstance(option, Parameter) else 120):
            widgets.control(option, words, prefix + option.name, value, label_visibility="collapsed")


def watched_words(corpus: Corpus, rows: int, option: Words, usual: Sequence[str]) -> list[str]:
    """Draw the box of words to watch; return the typed words that have a row, or, if none has, one usual word.

    Args:
        rows: Number of words in the space: the most frequent words of the corpus.
        usual: Words from which one is chosen if no typed word has a row.
    """
    text = option.check(address.get(option.name))
    widgets.control(option, corpus.words, option.name, text)
    known = [word for word in split_words(text) if corpus.index.get(word, rows) < rows]
    return known or [usual_word(corpus, [word for word in usual if corpus.index.get(word, rows) < rows])]


def usual_word(corpus: Corpus, usual: Sequence[str]) -> str:
    """Return the first of the `usual` words that occurs `OFTEN` times or more, else the first that occurs at all.

    If none occurs, return the word at index 100 of the vocabulary, or the last word of a smaller vocabulary.
    """
    here = [word for word in usual if word in corpus.index]
    often = [word for word in here if corpus.counts[corpus.index[word]] >= OFTEN]
    return next(iter([*often, *here]), corpus.words[min(100, len(corpus.words) - 1)])


def resets(method: Method, prefix: str, usual: Mapping[str, Any]) -> None:
    """Draw two buttons: one sets the settings that are suggested for this corpus, one the defaults of the method."""
    none = {prefix + option.name: None for option in method.options}
    plain = {prefix + option.name: str(option.default) for option in method.options if option.name in usual}
    with st.container(horizontal=True):
        st.button("Suggested settings", key="train-suggested", on_click=address.put, kwargs=none)
        if usual:
            kwargs = {**none, **plain}
            st.button("Default settings", key="train-defaults", on_click=address.put, kwargs=kwargs)


def explained(method: Method, options: Mapping[str, Any], plan: training.Plan | None) -> None:
    """Write what a trainer does, and the formulas of its active options with their values."""
    states.panel(method.title, method.source)
    st.markdown(method.summary)
    if "negative" in options and used("negative", options):
        st.markdown("Each step moves a word toward words that stand near it in the text, and away from random ones.")
        lesson = {"lesson": "step"}
        st.page_link("learn/page.py", label="One step of learning", icon=":material/school:", query_params=lesson)
    if plan is not None and plan.share < 1:
        states.note(f"The {plan.rows:,} words in use are {share(plan.share)} of the text.")
    written: set[str] = set()
    with st.expander("The formulas", key="train-formulas"):
        for option in method.options:
            if option.name not in options or not used(option.name, options):
                continue
            value = options[option.name]
            formula = option.formula_of(str(value)) if isinstance(option, Choice) else getattr(option, "formula", "")
            if len(formula) > _TELLING and formula not in written:
                st.caption(f"{escape(changes.option_label(option))}: **{escape(changes.value_text(value))}**")
                st.markdown(f"${formula}$")
                written.add(formula)


def used(name: str, options: Mapping[str, Any]) -> bool:
    """Return whether an option has an effect.

    The options of negative sampling have no effect if `options` choose hierarchical softmax.
    """
    return name not in ("negative", "ns_exponent") or options.get("objective") != "hierarchical"
