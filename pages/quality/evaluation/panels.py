"""Tables of the page Evaluation: spaces, tests and sets."""

from collections.abc import Sequence

import streamlit as st

from embedviz.evaluation import EVALUATIONS, AnalogyScores, Difference, Evaluation, on_shared
from embedviz.evaluation.kind import Scores
from embedviz.testsets import Associations
from pages._shared.app import states
from pages._shared.app.escape import plain
from pages._shared.results import work
from pages._shared.sources.spaces import Other
from pages.quality.evaluation.testsets import ChosenSet


def shared_scores(
    looked: Sequence[Other], chosen: ChosenSet, place: int, scores: Sequence[Scores | None]
) -> list[Scores | None]:
    """Return the scores of each space on the items that all spaces with scores cover; None for a space without scores.

    If fewer than two spaces have scores, return `scores` unchanged.
    """
    known = [one for one in scores if one is not None]
    if len(known) < 2:
        return list(scores)
    keys = tuple(space.key for space, one in zip(looked, scores, strict=True) if one is not None)
    joint = iter(_on_shared(keys, chosen.address, place, known))
    return [one and next(joint) for one in scores]


@st.cache_resource(max_entries=64, show_spinner=False)
def _on_shared(keys: tuple[str, ...], set_key: str, place: int, _scores: list[Scores]) -> list[Scores]:
    return list(on_shared(_scores))


def untested(chosen: ChosenSet, scores: Scores) -> None:
    """Explain that the space has too few words of a test set, or of one of its tests, and what the visitor can do."""
    several = isinstance(chosen.set, Associations) and len(chosen.set) > 1
    title = scores.title.partition(":")[0] if several else chosen.set.title
    states.state(f"{title} cannot be tested in this space.", scores.meaning)
    states.note(
        "Upload a set with words of this space under “Your own set”, choose another test, or choose another space."
    )


def first_covered(results: Sequence[Scores]) -> int:
    """Return the index of the first test that could be computed for the space; 0 if there is no such test."""
    return next((place for place, one in enumerate(results) if one.value is not None), 0)


def coverage(looked: Sequence[Other], scores: Sequence[Scores | None], shared: Scores) -> str:
    """Return a text: how many items all spaces cover, and how many each space covers.

    The page uses only the items that all spaces cover.
    """
    title = next(iter(shared.cells))
    alone = (
        f"{plain(space.name, 60)} {one.cells[title]}"
        for space, one in zip(looked, scores, strict=True)
        if one is not None
    )
    what = shared.quantity.counted
    return (
        f"Figure and table use only the {what} that all these spaces cover: {shared.cells[title]}. "
        f"Covered by each alone: {'; '.join(alone)}."
    )


def lines_of(
    row: Evaluation, names: Sequence[str], shared: Sequence[Scores | None], found: Sequence[Difference | None]
) -> list[list[str]]:
    """Return the rows of the table, one for each space.

    A row has the values on the items that all spaces cover, and the difference from the first space.
    """
    lines = []
    for place, (name, scores) in enumerate(zip(names, shared, strict=True)):
        cells = ["…"] * len(row.columns) if scores is None else [scores.cells[title] for title in row.columns]
        difference = found[place - 1] if place else None
        last = "–" if not place else "…" if difference is None else difference.cell
        lines.append([name, *cells, *([last] if len(names) > 1 else [])])
    return lines


def yardstick(found: Scores) -> None:
    """Draw the results of published vectors and the built-in space on the same questions, if they are known."""
    if isinstance(found, AnalogyScores) and (rows := found.yardstick):
        states.panel(
            "How good are published vectors?",
            "Published vectors and MiniLM on the same questions: the differences may be chance",
            level=3,
        )
        states.table(*rows)


def table(header: Sequence[str], lines: Sequence[Sequence[str]], *, phone: bool) -> None:
    """Draw the table with a row for each space; on a phone, one table for each space."""
    with st.container(key="evaluation-table"):
        if not phone:
            states.table(header, lines, terms=True)
            return
        for name, *cells in lines:
            rows = [row for row in zip(header[1:], cells, strict=True) if row[1] != "–"]
            states.table((header[0], name), rows)


def in_words(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return the lines of the table as one text, for an exported picture."""
    spaces = (
        f"{name}: {'; '.join(f'{title} {cell}' for title, cell in zip(columns, cells, strict=False))}"
        for name, *cells in lines
    )
    return ". ".join(spaces) + "."


def overview(found: Sequence[tuple[str, str, work.Task]], *, phone: bool) -> None:
    """Draw a row for each test set: coverage, value with interval, and strongest baseline.

    Args:
        found: For each test set: its kind of test, its title, and the task of its scores.
    """
    header = ("set", "covered", "value (95\u00a0%)", "strongest baseline", "unit and baseline")
    lines, untested = [], []
    for name, title, task in found:
        scores: Scores | None = task.result
        cells, value, what = ["…", "…"], "…", ""
        if (scores is None and not task.running) or (scores is not None and scores.value is None):
            untested.append(f"{EVALUATIONS[name].title}: {title}")
            continue
        if scores is not None:
            baseline, reached = scores.baseline
            cells, value = list(scores.cells.values()), scores.quantity.say(reached)
            what = f"{scores.quantity.short}; {baseline}"
        lines.append((f"{EVALUATIONS[name].title}: {title}", cells[0], cells[1], value, what))
    if phone:
        for title, covered, value, chance, what in lines:
            states.entry(title, f"{value}, baseline {chance} ({what}); covered {covered}")
    elif lines:
        states.table(header, lines, texts=(4,))
    if untested:
        states.note(f"Not tested, because the space has too few of their words: {'; '.join(untested)}.")
    states.note(
        "Compare each value with its own baseline; values of different tests have different units. Odd one out and "
        "categories are easy tests with groups of everyday words."
    )
