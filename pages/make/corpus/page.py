"""Corpus: the words of a text, before training."""

from dataclasses import replace

import streamlit as st

from embedviz import training
from embedviz.core.call import call
from embedviz.core.options import Parameter
from embedviz.core.phrases import counted
from embedviz.corpus import vocabulary
from embedviz.figures.corpus import lengths_figure, zipf_figure
from pages._shared.app import address, frame, states
from pages._shared.controls import widgets
from pages._shared.output import export, figure
from pages._shared.results import calls, work
from pages._shared.sources import current, steps, tokenized
from pages.make.corpus import ratios, sections, tokenizing

MIN_COUNT = Parameter(steps.MIN_COUNT, 1, 1_000_000, 5, "Rarer words get no vector in training.", "Minimum count")
LISTED = 100
EXPORTED = 100_000
FIND = "find"


view = current.view()
head = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    how = st.popover("Tokenizing", key="tokenizing", icon=":material/tune:", type="tertiary")
    counting = st.container(width=250)
    onward = st.container(width="content")
found = tokenized.chosen()
with head:
    frame.header("Train", "")
with how:
    tokenizing.options(found.corpus if found is not None else None)
if found is None:
    frame.stop()
corpus = found.corpus
with counting:
    usual = training.suggested(corpus, steps.trainer()).get(MIN_COUNT.name, MIN_COUNT.default)
    min_count = int(widgets.number(replace(MIN_COUNT, default=usual), (), visible=True))
with onward:
    if st.button("Next: Train", type="primary", icon=":material/arrow_forward:"):
        address.go("make/train/page.py", steps.carried(steps.TRAIN))

states.panel("Which words get a vector?", found.about, level=3)
states.meaning(vocabulary.learned(corpus, min_count))
states.panel("First lines", "Words are marked; the rest is left out", level=3)
sections.as_read(corpus, narrow=view.phone)
states.note(corpus.note)
described = call("embedviz.corpus.vocabulary:described", found.given)
task = calls.task("vocabulary", described)
query = address.get(FIND).strip()[: address.LONGEST_WORD]
listed = vocabulary.search(corpus, query) if query else vocabulary.most_frequent(corpus, LISTED)
numbers: vocabulary.Described | None = task.result

figure_column, panel = st.columns([2.1, 1], gap="medium")
with figure_column:
    if numbers is None:
        work.show(task, "Computing word frequencies.")
    else:
        states.panel("How does frequency fall with rank?", "Both scales are logarithmic", level=3)
        states.meaning(numbers.meaning)
        marked = listed[:1] if query else ()
        drawn = zipf_figure(numbers, view.theme, min_count=min_count, marked=marked, phone=view.phone)
        figure.plotly(drawn, "corpus-plot")
        states.note("Blue: this corpus; dotted: fitted line; gray: random letters." if view.phone else "")
        states.details(numbers.note)
with panel:
    states.panel("Words", f"{len(corpus.words):,} different", level=3)
    st.text_input(
        "Find a word",
        placeholder="Find a word or part of a word",
        label_visibility="collapsed",
        **address.bind(FIND, query, str.strip),
    )
    sections.words(corpus, listed, query)

with st.expander("What does the minimum count remove?", key="corpus-counts"):
    sections.minimum_counts(corpus, min_count)
with st.expander("How long are the lines?", key="corpus-lengths"):
    states.note(f"{counted(len(corpus), 'line')}. A window stays within a line.")
    if numbers is not None:
        figure.plotly(lengths_figure(numbers.lengths, view.theme), "lengths-plot")
        states.note(numbers.lengths.meaning, sections.groups(corpus))

export.export_row(
    key="corpus",
    picture="plot:corpus-plot" if numbers is not None else None,
    table=lambda: export.csv_text(vocabulary.most_frequent(corpus, EXPORTED), ("rank", "word", "count", "share")),
    filename=f"corpus-{corpus.name}",
    calls=[
        described,
        call("embedviz.corpus.vocabulary:thresholds", found.given, min_count),
        call("embedviz.corpus.vocabulary:most_frequent", found.given, 10),
    ],
    note={"title": "Word frequency by rank", "space": found.size, "baseline": numbers.note if numbers else ""},
)

ratios.section(found)
