"""Figures and tables of the page Isotropy, before and after a correction."""

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.figures.isotropy import cosines_figure, lengths_figure, rogues_figure, variance_figure
from embedviz.geometry.corrections import MAPS
from embedviz.geometry.isotropy import Isotropy
from pages._shared.app import frame, states, term_lists
from pages._shared.output import figure
from pages._shared.output.wordlist import WordRow, wordlist
from pages._shared.results import calls
from pages._shared.sources.current import View

QUESTION = "Do the vectors use the whole space?"
ISOTROPIC = "A space is isotropic if its vectors use all directions equally. Otherwise unrelated words may look similar"


def corrections() -> None:
    """Explain that all buttons but the first correct the vectors; an expander describes each correction."""
    rows = ((one.title, one.summary) for one in MAPS.values())
    term_lists.choices("The other buttons correct the vectors.", "What each does", rows)


def measures(found: Isotropy, before: Isotropy | None) -> None:
    """Draw the main measures, compared with those before the correction and those of an isotropic space.

    An expander has all measures.
    """
    states.panel("The main measures", "Compared with an isotropic space of this size", level=3)
    states.explained(*found.described(before, main=True))
    header, rows = found.described(before)
    with st.expander(f"All {len(rows)} measures with their formulas"):
        states.explained(header, rows)


def dimensions(view: View, found: Isotropy) -> None:
    """Draw the dimensions that contribute most to the mean cosine."""
    noun = view.space.noun
    states.panel(
        f"Which dimensions make {noun}s similar?",
        "Share of the mean cosine; dotted: equal shares",
        3,
    )
    if any(rogue.share is not None for rogue in found.rogues):
        figure.plotly(rogues_figure(found, view.theme), "isotropy-rogues")
    else:
        states.note("The mean cosine is about 0, so no dimension has a share of it.")
    if found.striking:
        left_out = found.striking[-1]
        most = "dimension" if left_out.struck == 1 else f"{left_out.struck} dimensions"
        states.note(
            f"Cosines without the {most} of largest share agree with all cosines by "
            f"r² = {number(left_out.agreement)} (isotropic: {number(left_out.isotropic)}). "
            "1: these dimensions do not matter. Near 0: they decide."
        )


def hubs(view: View, found: Isotropy) -> None:
    """List the rows that are in the most neighbor lists; nothing if hubness was not measured."""
    noun = view.space.noun
    if found.value("hubness") is None:
        return
    of = f"{found.sample:,} random" if found.sample < found.rows else f"all {found.sample:,}"
    states.panel(
        f"Which {noun}s are hubs?",
        f"A hub is among the {found.listed} nearest of very many {noun}s. Counted for {of} {noun}s",
        3,
    )
    most = max(1, found.hubs[0][1], found.busiest)
    wordlist(
        f"{noun.capitalize()}s in the most neighbor lists",
        [WordRow(word, count / most, f"{count:,}") for word, count in found.hubs[:6]],
        (noun, "lists"),
        frame.choose_word,
        key="isotropy-hubs",
        tick=found.busiest / most,
        quiet=True,
    )
    states.note(
        f"The largest hub is in {found.hubs[0][1]:,} of {found.sample:,} lists; that of an isotropic space in "
        f"{found.busiest:,} (the line)."
    )


def lengths(view: View, found: Isotropy, before: Isotropy | None) -> None:
    """Write how long the vectors are (their norms), and draw the lengths by frequency if it is known."""
    noun = view.space.noun
    low, middle, high = found.lengths
    states.panel(
        "How long are the rows?", f"Median {number(middle)}; 90\u00a0% from {number(low)} to {number(high)}", 3
    )
    if len(found.curve):
        figure.plotly(lengths_figure(found, view.theme, before), "isotropy-lengths")
        states.note(
            found.along,
            f"The file has no counts, so the order of the {noun}s is assumed to be by frequency."
            if found.order == "assumed"
            else f"{noun.capitalize()}s are sorted by frequency.",
        )
    elif found.order == "none":
        states.note("The frequency of the rows is unknown.")
    else:
        states.note("There are too few rows to draw lengths by frequency.")


def drawn(view: View, found: Isotropy, before: Isotropy | None = None) -> None:
    """Draw the two figures: cosines of random pairs, and variance by number of directions."""
    left, right = st.columns(2, gap="large")
    with left:
        states.panel(f"Do random {view.space.noun}s share a direction?", f"Cosines of {found.drawn}", 3)
        figure.plotly(cosines_figure(found, view.theme, before, phone=view.phone), "isotropy-cosines")
        if view.phone:
            states.note(
                "Dotted: random directions.",
                f"Blue: {'corrected' if before else 'this space'}, {found.cosines}.",
                f"Grey: uncorrected, {before.cosines}." if before else "",
            )
    with right:
        grey = "; grey: uncorrected" if before else ""
        under = f"Share that the first k of {len(found.components):,} directions hold{grey}"
        states.panel("How many directions hold the variance?", under, 3)
        figure.plotly(variance_figure(found, view.theme, before, phone=view.phone), "isotropy-variance")


def uncorrected(view: View) -> None:
    """Draw the uncorrected space's figures while a correction is tested; nothing if the measures are not in memory."""
    found: Isotropy | None = calls.known(call("embedviz.geometry.isotropy:isotropy", view.recipe))
    if found is not None:
        states.panel(QUESTION, "Before the correction")
        states.meaning(found.meaning)
        drawn(view, found)


def below(view: View, found: Isotropy, before: Isotropy | None = None) -> None:
    """Draw all measures, hubs, dimensions and lengths, and link to the page Layers."""
    left, right = st.columns(2, gap="large")
    with left:
        measures(found, before)
    with right:
        hubs(view, found)
        with st.expander("Dimensions and lengths"):
            dimensions(view, found)
            lengths(view, found, before)
    st.page_link(
        "context/layers/page.py", label="Layer by layer, beside published curves", icon=":material/stacked_line_chart:"
    )
