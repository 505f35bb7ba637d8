"""The verdict on a file of vectors: a sentence, and its numbers in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz import catalog
from embedviz.core.call import call
from embedviz.core.phrases import number, share
from embedviz.evaluation.uses import uses
from embedviz.geometry.structure import FEW
from pages._shared.app import states
from pages._shared.results import calls, work
from pages.make.open import grades

if TYPE_CHECKING:
    from collections.abc import Mapping

    from embedviz.evaluation.verdict import Finding, Verdict
    from pages._shared.sources import current

USED = ("use", "good for it", "why")
TESTED = ("word tests", "here", "to beat", "built-in space", "share of that")
CHECKED = ("rows", "here", "baseline")
WIDTH = 860  # pixels of the table
NUMBERS = {
    "length": "median length",
    "mean cosine": "mean cosine of two rows",
    "structure": "mean cosine with the nearest rows",
}
"""Titles of findings whose value is a plain number. The value of all other findings is a share."""
SHARES = {
    "dropped rows": "rows left out or missing",
    "zero rows": "rows of zeros",
    "equal rows": "rows equal to an earlier row",
    "nearly equal rows": "rows at a cosine above 0.999 with another",
    "badly scaled rows": "rows of extreme length",
    "dimensions": "variance in the largest dimension (baseline: equal in all)",
}


def section(view: current.View, recipe: catalog.Recipe, lost: Mapping[str, int]) -> Verdict | None:
    """Show the verdict on a space, its numbers next to their baselines, and how it was computed.

    Args:
        lost: Two counts: *dropped*, rows that were left out, and *missing*, rows that the file lacks.

    Returns:
        The verdict; None while it is computed, or if that failed.
    """
    title = f"Checking the vectors: {catalog.entry(recipe).title}"
    task = calls.task("verdict", call("embedviz.evaluation.verdict:verdict", recipe, **lost), title=title)
    found: Verdict | None = task.result
    if found is None:
        work.show(task, "Checking the vectors.")
        return None
    if scale := grades.scale(found):
        st.html(scale)
    states.meaning(sentence(found))
    if found.damage and found.tests:
        states.entry("Damaged", " ".join(found.damage))
    if found.advice:
        states.entry("What to do", " ".join(found.advice))
    _uses(view, found)
    columns = 3 if grades.alone(found) else len(TESTED)
    _listed(view, TESTED[:columns], [row[:columns] for row in grades.tests(found)])
    ranked = any(each.quantity.name == "spearman" for each in found.tests.values())
    units = "ρ: rank correlation with people’s ratings, 1 at best." if ranked else ""
    states.note(f"{units} In brackets: 95\u00a0% intervals.".strip() if found.tests else "", grades.required(found))
    states.note(grades.cautions(found))
    warnings = [each.warning for each in found.findings if each.warning]
    states.note(*warnings)
    wrong = "" if found.damage or warnings else ": nothing wrong found"
    with st.expander(f"Checks of the rows{wrong}", expanded=bool(found.damage)):
        _listed(view, CHECKED, table(found))
    states.details(grades.compared(found), *found.notes)
    return found


def _uses(view: current.View, found: Verdict) -> None:
    """Draw a list of uses of vectors. For each, say whether the space is good for it by the use's tests, and why."""
    listed = uses(found.tests, found.graded)
    if view.phone:
        for use in listed:
            states.entry(f"{use.title}: {use.fit}", use.why)
    elif listed:
        with st.container(width=WIDTH):
            states.table(USED, [tuple(use) for use in listed], texts=(1, 2), strong=1)


def _listed(view: current.View, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Draw a table; on a phone, draw a list."""
    if rows and view.phone:
        for title, *cells in rows:
            states.entry(title, *(f"{name}: {cell}" for name, cell in zip(header[1:], cells, strict=True) if cell))
    elif rows:
        with st.container(width=WIDTH):
            states.table(header, rows, texts=tuple(range(2, len(header))))


def sentence(found: Verdict) -> str:
    """Return the verdict in short sentences: the grade by the word tests, or, without tests, the state of the rows."""
    rows = f"Damaged: {found.damage[0][0].lower()}{' '.join(found.damage)[1:]}" if found.damage else ""
    if found.tests:
        return grades.sentence(found)
    if not any(each.name == "length" for each in found.findings):  # fewer than two rows have a direction
        return f"{found.summary} {rows}".strip()
    structure = (
        found.structure.meaning
        if found.structure
        else f"Not compared with random data: {FEW} different rows in two dimensions or more are needed."
    )
    return " ".join(part for part in (structure, found.untested, rows) if part)


def table(found: Verdict) -> list[tuple[str, ...]]:
    """Return the rows of a table with the checks of a space's vectors; the columns are `CHECKED`.

    Word tests are left out.
    """
    return [_cells(each) for each in found.findings if each.name in {**NUMBERS, **SHARES}]


def _cells(finding: Finding) -> tuple[str, ...]:
    formatted = number if finding.name in NUMBERS else share
    here = "–" if finding.value is None else formatted(finding.value)
    baseline = "–" if finding.baseline is None else formatted(finding.baseline)
    return _title(finding), here, baseline


def _title(finding: Finding) -> str:
    """Return the title of a check, with the number of its rows or dimensions."""
    if finding.name == "dimensions" and finding.of > 1:
        return f"variance in the {finding.of:,} largest dimensions (baseline: equal in all)"
    title = {**NUMBERS, **SHARES}[finding.name]
    return f"{title}, of {finding.of:,}" if finding.of and finding.name != "dimensions" else title
