"""Corpus: what words a text is made of, before anything learns from it."""

import html
from collections.abc import Sequence

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import Parameter
from embedviz.core.phrases import counted, cut, share
from embedviz.corpus import vocabulary
from embedviz.corpus.preparing import preview
from embedviz.corpus.tokenized import Corpus
from embedviz.corpus.tokenizing import Piece
from embedviz.figures.corpus import lengths_figure, zipf_figure
from pages._shared.app import address, frame, states
from pages._shared.app.escape import inside, plain
from pages._shared.controls import widgets
from pages._shared.output import export, figure
from pages._shared.results import calls, work
from pages._shared.sources import current, tokenized
from pages.make.corpus import ratios

MIN_COUNT = Parameter(
    "min_count",
    1,
    1_000_000,
    5,
    "Words that stand in the text more rarely get no vector: trainers take them out before they learn.",
    "Least count",
)
LINES = 3
LISTED = 100
EXPORTED = 100_000
FIND = "find"


def as_read(found: tokenized.Chosen) -> None:
    """The first lines of the text: words marked as they are read, what is left out muted."""
    corpus = found.corpus
    beginning = corpus.about.get("beginning")
    if not beginning:
        states.note("Its first line: ", cut(" ".join(corpus.line(0)), 400))
        return
    text = "\n".join(_first(beginning[:LINES], *((110, 200) if view.phone else (170, 340))))
    tokenizing = {name: value for name, value in corpus.made.items() if name in tokenized.TOKENIZED}
    st.html("".join(map(_marked, preview(text, corpus.about.get("phrases", ()), **tokenizing))))


def _marked(line: Sequence[Piece]) -> str:
    inner = "".join(
        f"<b>{html.escape(plain(piece.word))}</b>" if piece.word else html.escape(inside(piece.text)) for piece in line
    )
    return f'<p class="ev-read">{inner}</p>'


def _first(lines: Sequence[str], longest: int, most: int) -> list[str]:
    """The first of these lines, each cut after a word, as many as have so many letters together."""
    shown: list[str] = []
    for line in lines:
        shown.append(line if len(line) <= longest else f"{line[:longest].rpartition(' ')[0] or line[:longest]} …")
        if sum(map(len, shown)) >= most:
            break
    return shown


def words(found: tokenized.Chosen, listed: list[vocabulary.Entry], asked: str) -> None:
    """The vocabulary: its first words, or those that were looked for."""
    corpus = found.corpus
    if asked and not listed:
        states.note(f"“{plain(asked, 60)}” stands in no word of this corpus.")
        return
    with st.container(height=360, border=False, key="vocabulary"):
        rows = [(one.word, f"{one.rank:,}", f"{one.times:,}", share(one.share)) for one in listed]
        states.table(("word", "rank", "count", "share"), rows)
    if not asked and len(corpus.words) > len(listed):
        states.note(f"The first {len(listed):,} of {len(corpus.words):,}. The others are found above.")
    elif len(listed) == vocabulary.MOST_FOUND:
        states.note(f"The first {len(listed):,} that contain it.")


def _groups(corpus: Corpus) -> str:
    """How many groups the lines have, and where that is told."""
    reading = corpus.about.get("reading") or {}
    if corpus.labels is None or not reading.get("groups"):
        return ""
    where = f"the column {plain(reading['group'], 60)}" if reading["group"] else "where they come from"
    return f"They have {reading['groups']:,} groups, by {where}."


def _in_use(kept: vocabulary.Kept, min_count: int) -> str:
    return f"{kept.min_count:,}{' · chosen' if kept.min_count == min_count else ''}"


def least_counts(found: tokenized.Chosen, min_count: int) -> None:
    """What each least count throws away."""
    kept = vocabulary.thresholds(found.corpus, min_count)
    chosen = next(one for one in kept if one.min_count == min_count)
    states.table(
        ("least count", "different words kept", "of all", "text thrown away"),
        [
            (_in_use(one, min_count), f"{one.words:,}", share(one.words_share), share(1 - one.tokens_share))
            for one in kept
        ],
    )
    states.note("The least count is chosen above, for this page; Train sets its own.")
    if not chosen.words:
        states.note(f"No word stands {min_count:,} times: nothing would be left to learn from.")
    else:
        states.note(
            f"With {min_count:,}, {share(1 - chosen.words_share)} of the different words get no vector; they are "
            f"{share(1 - chosen.tokens_share)} of the text."
        )


view = current.view()
head = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    tokenized.control()
    how = st.popover("Words", icon=":material/tune:", type="tertiary")
    with st.container(width=250):
        min_count = int(widgets.number(MIN_COUNT, (), visible=True))
    onward = st.container(width="content")
found = tokenized.chosen()
with head:
    frame.header("Corpus", "What words is this text made of?" if found is None else found.size)
with how:
    tokenized.tokenizing(found.corpus if found is not None else None)
if found is None:
    frame.stop()
with onward:
    st.page_link("make/train/page.py", label="Train on it", icon=":material/model_training:")

corpus = found.corpus
states.panel("As it is read", "The first lines; marked is a word, the rest is left out", level=3)
as_read(found)
states.note(corpus.note)
described = call("embedviz.corpus.vocabulary:described", found.given)
task = calls.task("vocabulary", described)
asked = address.get(FIND).strip()[: frame.LONGEST_WORD]
listed = vocabulary.search(corpus, asked) if asked else vocabulary.most_frequent(corpus, LISTED)
numbers: vocabulary.Described | None = task.result

figure_column, panel = st.columns([2.1, 1], gap="medium")
with figure_column:
    if numbers is None:
        work.show(task, "How do counts fall with the rank?")
    else:
        states.panel("How do counts fall with the rank?", "Both scales logarithmic", level=3)
        marked = listed[:1] if asked else ()
        drawn = zipf_figure(numbers, view.theme, min_count=min_count, marked=marked, phone=view.phone)
        figure.plotly(drawn, "corpus-plot")
        states.meaning(numbers.meaning)
        states.note("Blue: this corpus; dotted: its line; gray: typed at random." if view.phone else "", numbers.note)
with panel:
    states.panel("Its words", f"{len(corpus.words):,} different", level=3)
    st.text_input(
        "Find a word",
        placeholder="Find a word, or a part of one",
        label_visibility="collapsed",
        **address.bind(FIND, asked, str.strip),
    )
    words(found, listed, asked)

counts_column, lengths_column = st.columns(2, gap="medium")
with counts_column:
    states.panel("What does the least count throw away?", "", level=3)
    least_counts(found, min_count)
with lengths_column:
    states.panel(
        "How long are its lines?", f"{counted(len(corpus), 'line')}; no window reaches beyond its line", level=3
    )
    if numbers is not None:
        figure.plotly(lengths_figure(numbers.lengths, view.theme), "lengths-plot")
        states.note(numbers.lengths.meaning, _groups(corpus))

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
    note={"title": "How counts fall with the rank", "space": found.size, "baseline": numbers.note if numbers else ""},
)

ratios.section(found)
