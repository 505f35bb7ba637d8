"""What the page Isotropy shows of a space, before and after a correction."""

from __future__ import annotations

import streamlit as st

from embedviz.core.phrases import number, share
from embedviz.evaluation.outcome import CorrectionOutcome
from embedviz.figures.isotropy import cosines_figure, lengths_figure, rogues_figure, variance_figure
from embedviz.geometry.isotropy import Isotropy
from pages._shared.app import frame, states
from pages._shared.output import figure
from pages._shared.output.wordlist import Row, wordlist
from pages._shared.sources.current import View

_AMONG = 5_000  # of the first so many words, those that changed most


def measures(found: Isotropy, before: Isotropy | None) -> None:
    """Draw the one table: each measure here, before where there is a before, and of an isotropic space."""
    states.panel("The numbers", "beside an isotropic space of this size", level=3)
    states.explained(*found.described(before))


def outstanding(view: View, found: Isotropy) -> None:
    """Draw single dimensions, hubs and lengths: what lies behind the numbers."""
    noun = view.space.noun
    states.panel(
        f"Which dimensions make two {noun}s alike?",
        "Share of the mean cosine; dotted: if all added alike",
        3,
    )
    if any(rogue.share is not None for rogue in found.rogues):
        figure.plotly(rogues_figure(found, view.theme), "isotropy-rogues")
    else:
        states.note("The mean cosine is no more than chance gives, or next to nothing: no dimension has a share of it.")
    states.note(
        *(
            f"Cosines without {'the first of them' if one.struck == 1 else f'the first {one.struck}'} agree with "
            f"those of all dimensions by r² = {number(one.agreement)} (isotropic: {number(one.isotropic)})."
            for one in found.striking[::2]
        )
    )
    if found.value("hubness") is None:
        return
    of = f"{found.sample:,} drawn" if found.sample < found.rows else f"all {found.sample:,}"
    states.panel(
        "Who is near to everyone?",
        f"Lists of the {found.listed} nearest a {noun} stands in, of {of} {noun}s",
        3,
    )
    most = max(1, found.hubs[0][1], found.busiest)
    wordlist(
        f"{noun.capitalize()}s that stand in the most lists",
        [Row(word, count / most, f"{count:,}") for word, count in found.hubs[:6]],
        (noun, "lists", ""),
        frame.choose_word,
        key="isotropy-hubs",
        tick=found.busiest / most,
        quiet=True,
    )
    states.note(f"The tick: of as many isotropic rows, the most frequent stands in {found.busiest:,} lists.")


def lengths(view: View, found: Isotropy, before: Isotropy | None) -> None:
    """Draw how long the rows are, and whether that goes with frequency."""
    noun = view.space.noun
    low, middle, high = found.lengths
    states.panel(
        "How long are the rows?", f"Median {number(middle)}; nine in ten from {number(low)} to {number(high)}", 3
    )
    if len(found.curve):
        figure.plotly(lengths_figure(found, view.theme, before), "isotropy-lengths")
        states.note(
            found.along,
            f"The order of the {noun}s is taken for their frequency, as the file has no counts."
            if found.order == "assumed"
            else f"{noun.capitalize()}s are in the order of their frequency.",
        )
    elif found.order == "none":
        states.note("The order of the rows says nothing of frequency.")
    else:
        states.note("There are too few rows to draw their lengths by frequency.")


def drawn(view: View, found: Isotropy, before: Isotropy | None = None) -> None:
    """Draw the two figures and what they mean."""
    left, right = st.columns(2, gap="large")
    with left:
        states.panel(f"Do random {view.space.noun}s point the same way?", f"Cosines of {found.drawn}", 3)
        figure.plotly(cosines_figure(found, view.theme, before, phone=view.phone), "isotropy-cosines")
        if view.phone:
            states.note(
                "Dotted: random directions.",
                f"Blue: {'corrected' if before else 'this space'}, {found.cosines}.",
                f"Grey: as it was, {before.cosines}." if before else "",
            )
    with right:
        grey = "; grey: as it was" if before else ""
        under = f"Share held by the first k of {len(found.components):,}{grey}"
        states.panel("How many directions carry the variance?", under, 3)
        figure.plotly(variance_figure(found, view.theme, before, phone=view.phone), "isotropy-variance")
    states.meaning(found.meaning)


def below(view: View, found: Isotropy, before: Isotropy | None = None) -> None:
    """Draw what lies behind the figures."""
    left, right = st.columns(2, gap="large")
    with left:
        measures(found, before)
    with right:
        outstanding(view, found)
        lengths(view, found, before)


def effect(view: View, done: CorrectionOutcome) -> None:
    """Draw what the correction does to neighbors and to tests."""
    among = min(len(view.space), _AMONG)
    left, right = st.columns(2, gap="large")
    with left:
        states.panel(
            "Is it better at anything?",
            "Difference: corrected minus as it was; 95\u00a0%: over word pairs and words",
            3,
        )
        rows = [one.line for one in done.tests]
        if rows:
            states.explained(("as it was", "corrected", "difference"), rows, strong=2)
        states.note("Only tests of which the space covers enough words." if rows else done.meaning)
    with right:
        states.panel("Who is still near?", f"Share of the {done.kept.k} nearest that are kept, 95\u00a0% interval", 3)
        most = 1 if view.phone else 3
        kept = done.kept
        states.table(("", "here", "two unrelated spaces"), [("mean", kept.within, share(kept.chance))], 1)
        moved = [
            (one.word, share(one.overlap), ", ".join(one.lost[:most]), ", ".join(one.new[:most]))
            for one in kept.changed(5, among=among)
            if one.lost
        ]
        if moved:
            states.table(("changed most", "kept", "lost", "new"), moved)
        states.note(
            f"Of the first {among:,} {view.space.noun}s; of equal ones the first." if moved else "",
            kept.baseline,
        )
