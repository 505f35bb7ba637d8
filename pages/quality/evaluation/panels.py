"""What the page Evaluate shows beside its figure: tables of spaces, of tests and of sets, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import streamlit as st

from embedviz.evaluation import EVALUATIONS, AssociationScores, Difference, Evaluation
from embedviz.evaluation.kind import Mistake, Mistakes
from pages._shared.app import address, states
from pages._shared.app.escape import escape, plain
from pages._shared.sources.current import View
from pages.quality.evaluation.testsets import Chosen

_LISTED = 12


class Tested(NamedTuple):
    """A space's name and its result, or None while it is computed or could not be; the first is the one in use."""

    name: str
    scores: Any


def lines_of(row: Evaluation, tested: Sequence[Tested], found: Sequence[Difference | None]) -> list[list[str]]:
    """Return the lines of the table of spaces, with the differences from the first where there are others."""
    lines = []
    for place, one in enumerate(tested):
        cells = [one.scores.cells[title] if one.scores is not None else "…" for title in row.columns]
        difference = found[place - 1] if place else None
        last = "–" if not place else "…" if difference is None else difference.cell
        lines.append([one.name, *cells, *([last] if len(tested) > 1 else [])])
    return lines


def table(header: Sequence[str], lines: Sequence[Sequence[str]], *, phone: bool) -> None:
    """Draw spaces in lines; on a phone in columns."""
    turned = [list(column) for column in zip(header, *lines, strict=True)]
    with st.container(key="evaluation-table"):
        states.table(*((turned[0], turned[1:]) if phone else (header, lines)))


def in_words(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return the lines of the table in one text, for a picture that stands alone: each space with its figures."""
    spaces = (
        f"{name}: {'; '.join(f'{title} {cell}' for title, cell in zip(columns, cells, strict=False))}"
        for name, *cells in lines
    )
    return ". ".join(spaces) + "."


@st.cache_resource(max_entries=64, show_spinner=False)
def _mistakes(key: str, set_key: str, part: str, place: int, _view: View, _chosen: Chosen, _scores: Any) -> Mistakes:
    found: Mistakes = _scores.mistakes(_view.space, _chosen.set, part, _LISTED)
    return found


def mistakes(view: View, chosen: Chosen, scores: Any, place: int) -> None:
    """Draw what went wrong in the space in use, one by one; each leads to another page."""
    names = scores.parts
    section = address.get("section")
    section = section if section in names else ""
    found = _mistakes(view.key, chosen.address, section, place, view, chosen, scores)
    states.panel(found.title, plain(found.about, 120), level=3)
    if names:
        st.selectbox(
            "Section",
            ["", *names],
            format_func=lambda one: plain(one, 60) or "All sections",
            label_visibility="collapsed",
            **address.bind("section", section),
        )
    half = _LISTED // 2
    if len(found.listed) <= _LISTED:
        _buttons(found.listed, "wrong")
    else:
        _buttons(found.listed[:half], "first")
        with st.expander(f"{len(found.listed) - 2 * half:,} words between"):
            _buttons(found.listed[half:-half], "between")
        _buttons(found.listed[-half:], "last")
    states.note(found.note)


def _buttons(listed: Sequence[Mistake], key: str) -> None:
    """Draw a list of lines that each lead to the word, or to the formula."""
    with st.container(gap=None, key=f"lines-{key}"):
        for place, one in enumerate(listed):
            if st.button(escape(one.label, 120), key=f"line-{key}-{place}", type="tertiary"):
                page = "words/analogy/page.py" if one.formula else "words/neighbors.py"
                query = {"formula": one.formula, "expect": one.expected} if one.formula else {"word": one.word}
                shared = {name: address.get_list(name) for name in address.SHARED if address.get(name)}
                address.remember(address.page_name(page), {**shared, **{name: [text] for name, text in query.items()}})
                st.switch_page(page)


def every_test(scores: AssociationScores, *, phone: bool) -> None:
    """Draw every test of a set side by side, its p beside that which stands among so many tests."""
    states.panel("All tests of this set", f"In {plain(scores.space, 60)}")
    header, lines = scores.side_by_side
    if phone:
        for name, *cells in lines:
            states.entry(name, "; ".join(f"{title} {cell}" for title, cell in zip(header[1:], cells, strict=True)))
    else:
        states.table(header, lines)
    states.note(scores.note)


def overview(found: Sequence[tuple[str, str, Any]], *, phone: bool) -> None:
    """Draw one line for each set: its figure with interval, its strongest baseline, and its coverage.

    Args:
        found: Kind, title of the set, scores; None while they are computed.
    """
    header = ("set", "covered", "figure (95\u00a0%)", "strongest baseline", "what these are")
    lines = []
    for name, title, scores in found:
        cells, value, what = ["…", "…"], "…", ""
        if scores is not None:
            baseline, reached = scores.baseline
            cells, value = list(scores.cells.values()), scores.quantity.say(reached)
            what = f"{scores.quantity.short}; {baseline}"
        lines.append((f"{EVALUATIONS[name].title}: {title}", cells[0], cells[1], value, what))
    if phone:
        for title, covered, value, chance, what in lines:
            states.entry(title, f"{value}, baseline {chance} ({what}); covered {covered}")
    else:
        states.table(header, lines, texts=(4,))
    states.note(
        "The figures are of different kinds: read each beside its own baseline, not beside the others. Odd one out and "
        "categories are coarse tests, of groups of everyday words."
    )
