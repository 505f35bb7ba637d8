"""The options of tokenizing a text, and the columns of a table."""

import streamlit as st

from embedviz.core.options import Choice, Parameter
from embedviz.corpus.preparing import TOKENIZING
from embedviz.corpus.streaming import READ_AS
from embedviz.corpus.tokenized import Corpus
from pages._shared.app import states, widget_keys
from pages._shared.controls import widgets
from pages._shared.sources import corpus_making
from pages._shared.sources.corpus_making import CORPUS
from pages._shared.sources.text_address import TextAddress


def options(corpus: Corpus | None = None) -> None:
    """Draw the options of tokenizing, and the choice of columns if the text is a table.

    For a corpus that is tokenized already, draw only a sentence: its settings cannot change.

    Args:
        corpus: The opened corpus; without it, the choice of columns is not drawn.

    Raises:
        OptionError: The page's address names no corpus, or an option value that is not allowed.
    """
    named = CORPUS.current()
    if corpus_making.is_ready(named):
        states.note("This corpus was tokenized before; its settings cannot change.")
        return
    if corpus is not None and named.kind != "built-in":
        _columns(named, corpus)
    for option in TOKENIZING:
        if option.name.startswith("phrase_") and named.value("phrases") in ("", "none"):
            continue
        text = named.value(option.name)
        if isinstance(option, Choice):
            value = option.check(text or option.default, ())
            help = widgets.explained(option)
            CORPUS.select(named, option.name, option.label, list(option.listed(())), str(value), help)
        elif isinstance(option, Parameter):
            _number(named, option, option.check(text or option.default, 0))


def _columns(named: TextAddress, corpus: Corpus) -> None:
    """Draw the choice of how a file is read; for a table, also the choices of the columns with texts and groups."""
    reading = corpus.about.get("reading")
    if not reading:
        return
    if reading["format"] in ("table", "json lines", "lines"):
        anyhow = named.with_option("text", "").with_option("group", "")
        CORPUS.select(anyhow, "read_as", "Read as", list(READ_AS), named.value("read_as") or READ_AS[0])
    if reading["columns"]:
        CORPUS.select(named, "text", "Column of texts", list(reading["columns"]), reading["text"])
        CORPUS.select(named, "group", "Column of groups", ["none", *reading["columns"]], reading["group"] or "none")


def _number(named: TextAddress, option: Parameter, value: float) -> None:
    kind = int if isinstance(option.default, int) else float
    st.number_input(
        option.label,
        kind(option.low),
        kind(option.upper(0)),
        help=widgets.explained(option),
        **widget_keys.tie(
            CORPUS.key(option.name),
            kind(value),
            lambda chosen: CORPUS.put(named.with_option(option.name, f"{chosen:g}")),
        ),
    )
