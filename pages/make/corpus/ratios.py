"""The section of Corpus that compares the contexts of two words."""

from functools import partial
from typing import Any

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import Choice, split_words
from embedviz.core.phrases import share
from embedviz.corpus import ratios as study
from embedviz.corpus.cooccurrence import WEIGHTINGS, Weighting
from embedviz.corpus.ratios import PROBES, WINDOW, Ratio, Ratios
from embedviz.corpus.tokenized import Corpus
from embedviz.figures.ratios import interval_text, ratio_text, ratios_figure
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.controls import popovers, widgets
from pages._shared.output import export, figure
from pages._shared.results import calls, work
from pages._shared.sources import current, tokenized

WEIGHTING = Choice(
    "weighting",
    WEIGHTINGS,
    "flat",
    "Each co-occurrence counts 1, or 1 / distance as in GloVe.",
    "Weight of a co-occurrence",
)
HEADER = ("word", "near one", "near other", "P one", "P other", "ratio", "low", "high", "as far from 1")


def section(chosen: tokenized.ChosenCorpus) -> None:
    """Show how probable context words are near each of two words, and the ratios of these probabilities.

    Raises:
        OptionError: The address holds a value that is not allowed.
    """
    view, corpus = current.view(), chosen.corpus
    if len(corpus.words) < 3:
        states.note("This corpus has too few words to compare the contexts of two words.")
        return
    with st.expander("Which words occur near one word and not near another?", key="corpus-ratios"):
        _compared(chosen, view)


def _compared(chosen: tokenized.ChosenCorpus, view: current.View) -> None:
    """Draw the controls, the ratios of the two words' contexts, and the export row."""
    corpus = chosen.corpus
    words, options = _controls(view, corpus)
    question = call("embedviz.corpus.ratios:ratios", chosen.given, *words, **options)
    task = calls.task("ratios", question)
    found: Ratios | None = task.result
    if found is None:
        work.show(task, f"Comparing the contexts of {plain(words[0], 40)} and {plain(words[1], 40)}.")
        return
    states.meaning(found.meaning)
    wide, side = st.columns([1.2, 1], gap="medium")
    with wide:
        if any(row.ratio is not None for row in found.rows):
            figure.plotly(ratios_figure(found, view.theme, phone=view.phone), "ratios-plot")
    with side:
        _table(found, view.phone)
    states.details(found.note)
    export.export_row(
        key="ratios",
        picture="plot:ratios-plot",
        table=partial(export.csv_text, [_line(row) for row in found.rows], HEADER),
        filename=f"ratios-{found.one}-{found.other}",
        calls=[question],
        note={
            "title": f"{found.one} and {found.other}",
            "space": chosen.size,
            "meaning": found.meaning,
            "baseline": found.note,
        },
    )


def _controls(view: current.View, corpus: Corpus) -> tuple[tuple[str, str, tuple[str, ...]], dict[str, Any]]:
    """Draw the controls; return both words with the context words to compare, and the options of counting."""
    usual = study.suggested(corpus)
    with st.container(horizontal=True, vertical_alignment="center", key="ratio-controls"):
        one, other = (
            _word(name, label, word)
            for name, label, word in zip(("one", "other"), ("Word", "Other word"), usual, strict=True)
        )
        with st.container(width="stretch" if view.phone else 300):
            probes = PROBES.check(address.get(PROBES.name))
            st.text_input(
                PROBES.label,
                placeholder="Words to compare (optional)",
                label_visibility="collapsed",
                max_chars=600,
                **address.bind(PROBES.name, probes),
            )
        with popovers.settings("ratios"):
            st.caption("P(k|i) is the share of word k among all words within the window of word i.")
            st.latex(r"\frac{P(k\mid i)}{P(k\mid j)} = \frac{X_{ik}/X_i}{X_{jk}/X_j}")
            window = int(widgets.number(WINDOW, corpus.words, visible=True))
            weighting: Weighting = "distance" if address.get(WEIGHTING.name) == "distance" else "flat"
            st.selectbox(WEIGHTING.label, WEIGHTINGS, help=WEIGHTING.help, **address.bind(WEIGHTING.name, weighting))
    return (one, other, tuple(split_words(probes))), {"window": window, "weighting": weighting}


def _word(name: str, label: str, usual: str) -> str:
    """Draw the box of one of the two words; return the word that the address holds, by default `usual`."""
    word = address.get(name, usual).strip()[: address.LONGEST_WORD]
    with st.container(width=150):
        st.text_input(
            label,
            label_visibility="collapsed",
            placeholder=label,
            max_chars=address.LONGEST_WORD,
            **address.bind(name, word, str.strip),
        )
    return word


def _table(found: Ratios, narrow: bool) -> None:
    one, other = plain(found.one, 16), plain(found.other, 16)
    header = ("", f"near {one}", f"near {other}", "ratio", "95\u00a0%", "by chance")
    keep = (0, 3, 4, 5) if narrow else range(6)
    rows = [
        (
            plain(row.word, 24),
            share(row.shares[0], fine=True),
            share(row.shares[1], fine=True),
            ratio_text(row),
            interval_text(row),
            "–" if row.beyond is None else share(row.beyond),
        )
        for row in found.rows
    ]
    states.table([header[place] for place in keep], [[row[place] for place in keep] for row in rows])
    states.note("By chance: how often a word with a similar count has a ratio as far from 1.")


def _line(row: Ratio) -> tuple[object, ...]:
    beyond = "" if row.beyond is None else row.beyond
    return row.word, *row.pairs, *row.shares, "" if row.ratio is None else row.ratio, row.low, row.high, beyond
