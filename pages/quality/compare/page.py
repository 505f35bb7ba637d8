"""Compare: neighbors that words keep from one space to another, and whether a rotation maps one onto the other."""

import streamlit as st

from embedviz.core.call import Call, call
from embedviz.core.options import OptionError, Parameter
from embedviz.core.phrases import listing
from embedviz.figures.comparison import overlap_figure
from embedviz.geometry.comparison import CASES, Overlap, shared
from pages._shared.app import address, frame, states
from pages._shared.controls import popovers, widgets, wordbox
from pages._shared.output import export, figure
from pages._shared.results import calls, latest
from pages._shared.sources import current, space_offers, spaces
from pages.quality.compare import drifting, example, lists

K = Parameter("k", 1, 50, 10, "Number of nearest neighbors compared.", "Neighbors")
FIRST = 1_000
"""Default for the lists of words: they contain only words among the first 1,000 of the space in use."""
CASE = "case"
BAR = "kept"
"""Name in the address of the chosen bar: how many neighbors a word keeps."""


def choose_bar(count: object) -> None:
    """Choose the clicked bar: the words that keep exactly `count` neighbors. A second click clears the choice."""
    address.put(**{BAR: None if address.get(BAR) == str(count) else str(count)})


def compare_with(one: str) -> None:
    """Use the space with this address as the second space."""
    address.put(**{spaces.ALSO: one})


def listed_words(other: spaces.Other) -> int:
    """Draw a control that limits the lists of words to the first shared words; return their number, or 0 for all.

    If there is only one choice, or the space in use has no order, nothing is drawn.
    """
    fewer = min(len(view.space), len(other.space))
    parts = {0: "All compared", **{count: f"First {count:,}" for count in (5_000, FIRST) if count < fewer}}
    if len(parts) == 1 or view.space.origin.order == "none":
        return 0
    about = "The compared words among the first shared words, in the order of the space in use. Rare words change more."
    among = Parameter("among", 0, 5_000, FIRST if FIRST in parts else 0, about, "Words")
    st.caption("Words in the lists")
    return widgets.segments(among, view.space, parts)


view = current.view()
frame.header("Compare", "")
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    worked = None if spaces.chosen_others(view.address) else example.other(view)
    with st.container(width=420):
        chosen = spaces.others(view, "Compare with …", most=1, shared=True, example=worked and str(worked.recipe))
    second = chosen[0] if chosen else worked
    if second is not None:
        typed = wordbox.word_search(view, "compare-search", placeholder=f"A {view.space.noun} in both spaces")
        with popovers.settings("compare"):
            k = int(widgets.number(K, view.space, visible=True))
            among = listed_words(second)
            folded = address.get(CASE) == CASES[1]
            st.toggle("Ignore case", **address.bind(CASE, folded, lambda on: CASES[1] if on else ""))
        if typed is not None:
            address.put(word=typed or None)
            st.rerun()

if second is None:
    states.state("Choose a second space.", "The page shows which neighbors words keep from one space to the other.")
    space_offers.offers(view, "compare", compare_with)
    frame.stop()
other: spaces.Other = second
if not chosen:
    states.note(example.sentence(view, other))
case = {"case": CASES[1]} if folded else {}


def changed(word: str) -> Call:
    """Return the call that compares the neighbors of a word in the two spaces."""
    return call("embedviz.geometry.comparison:changed_word", view.recipe, other.recipe, word, k=k, **case)


def comparable() -> bool:
    """Return whether the two spaces share at least four words with nonzero vectors."""
    try:
        return bool(shared(view.space, other.space, case=CASES[folded]))
    except OptionError:
        return False


compared = call("embedviz.geometry.comparison:overlap", view.recipe, other.recipe, k=k, **case)
task = calls.task("compare", compared)
if task.job is not None and task.job.state == "failed" and not comparable():
    states.state("Too few words are in both spaces.", task.sentence)
    states.note("Choose a space in the same language, or ignore case.")
    if not folded:
        st.button("Ignore case", key="ignore-case", on_click=lambda: address.put(**{CASE: CASES[1]}))
    space_offers.offers(view, "compare", compare_with)
    frame.stop()
drawn = latest.finished(task, compared, f"Comparing {view.name} with {other.name}.", f"{k} nearest neighbors")
if drawn is None:
    frame.stop()
overlap: Overlap = drawn.value
compared, whole = drawn.call, call("embedviz.geometry.comparison:compare", view.recipe, other.recipe, k=k, **case)
bar = address.whole(BAR, 0, overlap.k, None) if address.get(BAR) else None
word = view.word.strip()
figure_column, panel = st.columns([2.3, 1], gap="medium")
with figure_column:
    states.panel(f"How many neighbors do {view.space.noun}s keep?", f"From {view.name} to {other.name}", level=3)
    states.meaning(overlap.meaning)
    figure.chosen(overlap_figure(overlap, view.theme, chosen=bar, phone=view.phone), "overlap-plot", choose_bar)
    picked = f"Click a bar to see its {view.space.noun}s."
    if bar is not None:
        keeping = [view.label_or_word(one) for one in overlap.keeping(bar)] if view.labelled else overlap.keeping(bar)
        picked = f"{bar} of {overlap.k} kept: {listing(keeping, 24) or 'none'}."
    sizes = f"the spaces have {len(view.space):,} and {len(other.space):,}"
    first = overlap.shared.folded or overlap.shared.numbered
    states.note(f"{overlap.sample}; {sizes}.", picked, overlap.shared.labels if first else "")
    states.details(
        overlap.baseline,
        "" if first else overlap.shared.labels,
        overlap.method,
        overlap.shared.left_out,
        overlap.frequent(among),
    )
    export.export_row(
        key="compare",
        picture="plot:overlap-plot",
        table=overlap.table,
        filename=f"compare-{view.name}-{other.name}",
        calls=[compared, whole, *([changed(word)] if word else [])],
        note={
            "title": f"{view.name} and {other.name}",
            "space": view.size,
            "meaning": overlap.meaning,
            "baseline": f"{overlap.baseline} {overlap.shared.labels} {overlap.shared.left_out}".strip(),
        },
    )
    lists.show_word(view, other, overlap, word, changed, among)
with panel:
    lists.most_and_least(view, overlap, among, states_of_one=lists.are_states(view, other))
    ordered = view.space.origin.order != "none"
    states.note(
        "Line: what two unrelated spaces keep.",
        "Rare words change more, because their vectors contain more noise." if ordered and not among else "",
    )

lists.rotation(view, other, whole, example=not chosen)
drifting.section(view, other, overlap)
