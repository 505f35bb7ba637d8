"""Lists and tables of the page Compare: words by neighbors kept, one word's neighbors, and the rotation."""

from collections.abc import Callable

import streamlit as st

from embedviz.core.call import Call
from embedviz.core.phrases import share
from embedviz.core.space import VectorSpace
from embedviz.geometry.comparison import CASES, Comparison, NeighborChange, Overlap
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.output.wordlist import WordRow, wordlist
from pages._shared.results import calls, latest, work
from pages._shared.sources import spaces
from pages._shared.sources.current import View
from pages._shared.sources.titles import in_series

LISTED = 6
ROTATION = "rotation"
"""Name in the address: whether the rotation of an example was asked for."""


def are_states(view: View, other: spaces.Other) -> bool:
    """Return whether both spaces are versions of one: they differ in corrections, or their titles only in a number."""
    one, two = view.recipe, other.recipe
    if (one.kind, one.name) == (two.kind, two.name):
        return True
    return bool(in_series({"one": view.name, "other": other.name}))


def most_and_least(view: View, overlap: Overlap, among: int, *, states_of_one: bool) -> None:
    """Draw two lists of words: those that keep the fewest neighbors in another space, and the most.

    Args:
        among: Search only the first `among` words; 0 for all.
        states_of_one: Whether the spaces are states of one space; the titles then speak of change, not of difference.
    """
    titles = ("Changed most", "Changed least")
    if not states_of_one:
        titles = ("Neighbors differ most", "Neighbors agree most")
    noun = view.space.noun
    for title, most in zip(titles, (True, False), strict=True):
        states.panel(title, overlap.listed(among), level=3)
        changes = [one for one in overlap.changed(LISTED, most=most, among=among) if not most or one.overlap < 1]
        if not changes:
            states.note(f"None: each {noun} keeps all of its neighbors.")
            continue
        rows = [
            WordRow(change.word, change.overlap, share(change.overlap), label=_label(view, change.word))
            for change in changes
        ]
        head = (noun, "kept")
        wordlist(title, rows, head, frame.choose_word, key=f"changed-{most}", tick=overlap.chance, quiet=True)


def _label(view: View, word: str) -> str:
    """Return the label of a word; empty if the space in use has no labels."""
    return view.label_or_word(word) if view.labelled else ""


def show_word(
    view: View, other: spaces.Other, overlap: Overlap, word: str, changed: Callable[[str], Call], among: int
) -> None:
    """Draw the neighbors of the word in both spaces; without a word, those of an example.

    Args:
        changed: Returns the call that compares the neighbors of a word which was not among the compared words.
        among: As in `most_and_least`, for the choice of the example.
    """
    at = overlap.place(word) if word else _usual(view, overlap, among)
    if at is not None:
        _neighbors(view, overlap, overlap.change(at), other.name, example=not word)
        return
    task = calls.task("changed", changed(word))
    if task.running or (task.job and task.job.state != "done"):
        work.show(task, f"Searching the neighbors of {word}.")
    elif task.result is not None:
        _neighbors(view, overlap, task.result, other.name)
    else:
        _missing(view, other, word)


def _usual(view: View, overlap: Overlap, among: int) -> int:
    """Return the index, among the compared words, of an example word of the space.

    If none was compared, it is the index of the word whose share of preserved neighbors is nearest to the mean.
    """
    examples = [place for one in view.examples() if (place := overlap.place(one)) is not None]
    usual = sorted(overlap.order(among=among).tolist(), key=lambda at: abs(float(overlap.values[at]) - overlap.mean))
    return int([*examples, *usual, 0][0])


def _missing(view: View, other: spaces.Other, word: str) -> None:
    """Explain that a word is not in both spaces, or that the spaces write it in different cases."""
    spellings = [_spelling(space, word) for space in (view.space, other.space)]
    if all(spellings) and len(set(spellings)) > 1:
        states.state(
            f"“{plain(word, 80)}” differs in case only.",
            f"{view.name} has “{spellings[0]}”, {other.name} has “{spellings[1]}”.",
        )
        st.button("Ignore case", key="ignore-case", on_click=lambda: address.put(case=CASES[1]))
        return
    found = view.find()
    states.state(f"“{word[:80]}” is not a word of both spaces.", "Closest:" if found.suggestions else "")
    states.offers(found.suggestions, frame.choose_word, "unknown")


def _spelling(space: VectorSpace, word: str) -> str:
    """Return a word as a space writes it: as given, else in other upper or lower case; empty if it is not found."""
    if word in space.index:
        return word
    return next((each for each in space.words if each.lower() == word.lower()), "")


def _neighbors(view: View, overlap: Overlap, change: NeighborChange, other: str, *, example: bool = False) -> None:
    """Draw the neighbors of a word in three columns: lost, kept, new. `example` marks the word as an example."""
    label = _label(view, change.word) or change.word
    under = f"Its {overlap.k} nearest among all {len(overlap.shared):,} shared {overlap.shared.noun}s, nearest first"
    begin = "Example: " if example else ""
    states.panel(f"{begin}“{label}” keeps {share(change.overlap)} of its neighbors", under, level=3)
    parts = ((f"Only in {view.name}", change.lost), ("In both", change.kept), (f"Only in {other}", change.new))
    for number, (column, (title, words)) in enumerate(zip(st.columns(3, gap="medium"), parts, strict=True)):
        with column:
            rows = [WordRow(word, label=_label(view, word)) for word in words]
            wordlist(title, rows, (title, ""), frame.choose_word, key=f"domino-{number}", quiet=True)
            states.note("" if rows else "None.")


def rotation(view: View, other: spaces.Other, compared: Call, *, example: bool) -> None:
    """Draw how well a rotation maps one space onto the other, with all measures of the comparison.

    If the page shows an example, draw a button; a click on it starts the test.
    """
    states.panel("Is one space a rotation of the other?", "A rotation keeps all cosines within a space")
    if example and address.get(ROTATION) != "yes":
        st.button("Test the rotation", key="test-rotation", on_click=lambda: address.put(**{ROTATION: "yes"}))
        return
    task = calls.task("rotation", compared)
    drawn = latest.finished(task, compared, f"Rotating {view.name} onto {other.name}.", f"{view.name} and {other.name}")
    if drawn is None:
        return
    found: Comparison = drawn.value
    states.meaning(found.rotated)
    with st.expander(f"All {len(found.figures)} measures of the two spaces"):
        rows = [(row.name, f"{row.meaning} Baseline: {row.of_what}.", row.here, row.baseline) for row in found.figures]
        states.explained(("here", "baseline"), rows)
        states.note(found.procrustes.sample, "Brackets: 95\u00a0% intervals.")
    states.details("Before the rotation, rows are scaled to length one, centered, and scaled to length one again.")
