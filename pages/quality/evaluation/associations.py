"""All tests of a set of associations (WEAT), with coverage and chance."""

from collections.abc import Callable

import streamlit as st

from embedviz.core.phrases import value_or_dash
from embedviz.evaluation import AssociationScores
from embedviz.evaluation.kind import Scores
from embedviz.evaluation.weat import REACHED, Effect, p_text
from pages._shared.app import address, states
from pages._shared.output.wordlist import WordRow, wordlist


def every_test(scores: AssociationScores, *, phone: bool) -> None:
    """Draw all tests of a set, significant results first; a click opens a test. Below are coverage and intervals."""
    about = "Click a test to see its words. Bar: the size of d, at most 2. Tick: the size that chance may reach."
    states.panel("All tests of this set", about)
    states.meaning(scores.summary)
    for title, clear in (("clear", True), ("not clear", False)):
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
            if one.d is not None and one.clear == clear
        ]
        if rows:
            wordlist(
                title,
                rows,
                (f"{title} ({len(rows)})", "d"),
                _choose(scores),
                key=f"every-{title}",
                quiet=title != "clear",
                narrow=True,
                counted="" if phone else "p, adjusted",
                ranges="" if phone else REACHED,
            )
    if scores.untested:
        wordlist(
            "not tested",
            [WordRow(one.name, count=one.fewest) for one in scores.untested],
            (f"not tested ({len(scores.untested)})", ""),
            _choose(scores),
            key="every-not tested",
            counted="words in shortest list (2 needed)",
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
    """Return a function that opens a test of the set, given its name."""
    names = [one.name for one in scores.effects]
    return lambda name: address.put(association=str(names.index(name)))


def subject(scores: Scores) -> str:
    """Return the question of a WEAT test, or the title of any other test."""
    return scores.question if isinstance(scores, Effect) else scores.title
