"""All tests of a set of associations (WEAT), with coverage and chance."""

from collections.abc import Callable

import streamlit as st

from embedviz.core.phrases import value_or_dash
from embedviz.evaluation import AssociationScores
from embedviz.evaluation.weat import REACHED, p_text
from pages._shared.app import address, states
from pages._shared.output.wordlist import WordRow, wordlist


def every_test(scores: AssociationScores, *, phone: bool) -> None:
    """Draw a table of the tests of a set, the clear ones first; each opens its test. Another has coverage and p."""
    about = "Click a test to see its words. Bar: |d|, at most 2. Tick: the |d| that chance may reach."
    states.panel("All tests of this set", about)
    states.meaning(scores.summary)
    for title in ("clear", "not clear", "not tested"):
        rows = [
            WordRow(
                one.name,
                abs(one.d or 0.0) / 2,
                value_or_dash(one.d),
                count=p_text(one.adjusted),
                range=value_or_dash(one.limit),
                tick=None if one.limit is None else abs(one.limit) / 2,
            )
            for one in scores.effects
            if title == ("not tested" if one.d is None else "clear" if one.clear else "not clear")
        ]
        if rows:
            wordlist(
                title,
                rows,
                (f"{title} ({len(rows)})", "d", ""),
                _choose(scores),
                key=f"every-{title}",
                quiet=title != "clear",
                narrow=True,
                counted="" if phone else "p, adjusted",
                ranges="" if phone else REACHED,
            )
    states.note(scores.rule)
    states.details(scores.note)
    header, lines = scores.side_by_side
    with st.expander("Table with coverage, intervals and random word lists"):
        if phone:
            for name, *cells in lines:
                states.entry(name, "; ".join(f"{title} {cell}" for title, cell in zip(header[1:], cells, strict=True)))
        else:
            states.table(header, lines, terms=True)


def _choose(scores: AssociationScores) -> Callable[[str], None]:
    """Return what opens a test of the set by its name."""
    names = [one.name for one in scores.effects]
    return lambda name: address.put(association=str(names.index(name)))
