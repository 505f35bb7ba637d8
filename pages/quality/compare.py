"""Compare: the space in use beside another: which neighbors words keep, and whether a rotation joins the two."""

import streamlit as st

from embedviz.core.call import Call, call
from embedviz.core.options import OptionError, Parameter
from embedviz.core.phrases import listing, share
from embedviz.figures.comparison import overlap_figure
from embedviz.geometry.comparison import Comparison, NeighborChange, Overlap, shared
from pages._shared.app import address, frame, states
from pages._shared.controls import widgets, wordbox
from pages._shared.output import export, figure
from pages._shared.output.wordlist import Row, wordlist
from pages._shared.results import calls, work
from pages._shared.sources import current, spaces

K = Parameter("k", 1, 50, 10, "How many nearest words are compared.", "Nearest")
AMONG = Parameter("among", 0, 5_000, 0, "The first words of the space in use; rarer ones change by noise.", "Words")
KEPT = "kept"
"""What the address calls the bar whose words are listed."""
LISTED = 8


def choose_bar(count: object) -> None:
    """Choose the bar that was clicked; clicked once more, none."""
    address.put(**{KEPT: None if address.get(KEPT) == str(count) else str(count)})


def dominoes(change: NeighborChange, one: str, other: str) -> None:
    """Draw a word's neighbors in three columns: lost, kept, new."""
    states.panel(f"“{change.word}” keeps {share(change.overlap)} of its neighbors", "Nearest first", level=3)
    columns = st.columns(3, gap="medium")
    parts = ((f"Only in {one}", change.lost), ("In both", change.kept), (f"Only in {other}", change.new))
    for number, (column, (title, words)) in enumerate(zip(columns, parts, strict=True)):
        with column:
            rows = [Row(word) for word in words]
            wordlist(title, rows, (title, "", ""), frame.choose_word, key=f"domino-{number}", quiet=True)


def changed(word: str) -> Call:
    """Return what became of one word's neighbors."""
    return call("embedviz.geometry.comparison:changed_word", view.recipe, other.recipe, word, k=k)


def show_changes(kept: Overlap, word: str) -> None:
    """Draw what became of the word's neighbors; without a word, of those of the word that changed most."""
    at = kept.place(word) if word else int(kept.order(among=among)[0]) if len(kept.order(among=among)) else 0
    if at is not None:
        dominoes(kept.change(at), view.name, other.name)
        return
    asked = calls.task("changed", changed(word))
    if asked.running or (asked.job and asked.job.state != "done"):
        work.show(asked, f"Looking for the neighbors of {word}.")
    elif asked.result is not None:
        dominoes(asked.result, view.name, other.name)
    else:
        found = view.find()
        states.state(f"“{word[:80]}” has no direction in both spaces.", "Closest:" if found.suggestions else "")
        states.offers(found.suggestions, frame.choose_word, "unknown")


def comparable() -> bool:
    """Return whether the two spaces have enough words in common."""
    try:
        return bool(shared(view.space, other.space))
    except OptionError:
        return False


view = current.view()
header = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    with st.container(width=300):
        beside = spaces.others(view, "Compare with …", most=1)
    other = beside[0] if beside else None
    ordered = view.space.origin.order != "none"
    if other is not None:
        typed = wordbox.word_search(view, "compare-search", placeholder="A word of both")
        with st.container(width=190):
            k = int(widgets.number(K, view.space, visible=True))
        fewer = min(len(view.space), len(other.space))
        parts = {0: "All words", **{count: f"First {count:,}" for count in (5_000, 1_000) if count < fewer}}
        among = widgets.segments(AMONG, view.space, parts) if len(parts) > 1 and ordered else 0
        if typed is not None:
            address.put(word=typed or None)
            st.rerun()
with header:
    frame.header("Compare", f"{view.shape}, beside {other.name}" if other else view.shape)

if other is None:
    states.state("No other space chosen yet.", "Choose what this one is compared with, or begin with one of these.")
    spaces.offers(view, "compare", lambda one: address.put(**{spaces.ALSO: one}))
    frame.stop()

compared = call("embedviz.geometry.comparison:compare", view.recipe, other.recipe, k=k)
task = calls.task("compare", compared)
found: Comparison | None = task.result
if found is None:
    if task.job is not None and task.job.state == "failed" and not comparable():
        states.state("Too few words are in both spaces.", task.sentence)
        states.note("Words are compared as they are spelled: choose a space of the same language and capitals.")
        spaces.offers(view, "compare", lambda one: address.put(**{spaces.ALSO: one}))
    else:
        work.show(task, f"Comparing {view.name} with {other.name}.")
    frame.stop()

kept = found.overlap
bar = address.whole(KEPT, 0, kept.k, None)
word = view.word.strip()
figure_column, panel = st.columns([2.3, 1], gap="medium")
with figure_column:
    figure.chosen(overlap_figure(kept, view.theme, chosen=bar, phone=view.phone), "overlap-plot", choose_bar)
    states.meaning(kept.meaning)
    listed = "Click a bar to see its words."
    if bar is not None:
        listed = f"{bar} of {kept.k} kept: {listing(kept.keeping(bar), 24) or 'no word'}."
    states.note(kept.baseline, kept.shared.left_out, listed)
    export.export_row(
        key="compare",
        picture="plot:overlap-plot",
        table=kept.table,
        filename=f"compare-{view.name}-{other.name}",
        calls=[compared, *([changed(word)] if word else [])],
        note={
            "title": f"{view.name} beside {other.name}",
            "space": view.size,
            "meaning": kept.meaning,
            "baseline": f"{kept.baseline} {kept.shared.left_out}".strip(),
        },
    )
    show_changes(kept, word)
with panel:
    for title, most, end in (("Changed most", True, "farthest"), ("Changed least", False, "nearest")):
        changes = kept.changed(LISTED, most=most, among=among)
        states.panel(title, f"Share of neighbors kept; of equals, old neighbors now {end} first", level=3)
        rows = [Row(change.word, change.overlap, share(change.overlap)) for change in changes]
        header, key = ("word", "kept", ""), f"changed-{most}"
        wordlist(title, rows, header, frame.choose_word, key=key, tick=kept.chance, quiet=True)
    states.note("Rare words change by noise." if ordered and not among else "")

states.panel("Is one space a rotation of the other?", found.procrustes.sample)
if view.phone:
    states.table(("", "here", "baseline"), [row[:3] for row in found.figures])
    for row in found.figures:
        states.note(f"{row.name}: {row.meaning} Baseline: {row.of_what}.")
else:
    header = ("", "here", "baseline", "what the baseline is", "what it says")
    states.table(header, found.figures, texts=(3, 4))
length = "Before the rotation rows are brought to length one, centered, and brought to length one again."
states.note(length, "Brackets: 95\u00a0% intervals.")
