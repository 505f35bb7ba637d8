"""The view of the page Neighbors that compares all pairs of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import Method, Words
from embedviz.core.phrases import listing, number
from embedviz.figures.matrix import matrix_figure
from embedviz.neighbors import lookup, similarity_matrix
from embedviz.neighbors.matrix import MOST_COMPARED
from pages._shared.app import states
from pages._shared.controls import widgets
from pages._shared.output import export, figure
from pages._shared.results import calls

if TYPE_CHECKING:
    from embedviz.neighbors import Metric, SimilarityMatrix
    from pages._shared.sources.current import View

_LISTED = 6
COLORS = "Blue: nearer than an average random pair. Rust: farther."
ORDER = "Similar rows are next to each other (average linkage, optimal leaf order). The diagonal is empty."
MATRIX = Method(
    "matrix",
    "Matrix",
    similarity_matrix,
    (
        Words(
            "words",
            "",
            "Words separated by commas, spaces or lines. Without a list: the word and its neighbors.",
            "Compare these words",
            most=MOST_COMPARED,
            pasted=True,
        ),
    ),
)


def listed_words(view: View) -> tuple[str, ...]:
    """Draw a control to paste words into, and return the pasted words, which the page's address holds.

    The result is empty if there are none.

    Raises:
        OptionError: There are too many words, or the address has only a token whose list no longer exists.
    """
    return tuple(lookup.separated(view.space, widgets.pasted_words(MATRIX, view.space)))


def show(view: View, words: Sequence[str], metric: Metric, near_to: str = "") -> None:
    """Draw the heat map with what it means, and the nearest and farthest pairs beside it.

    Args:
        words: At least two words.
        metric: How similarity is measured.
        near_to: The word of which all other `words` are the nearest neighbors; empty if the words were chosen freely.

    Raises:
        OptionError: Fewer than two of the words can be compared.
    """
    compared = call("embedviz.neighbors:similarity_matrix", view.recipe, words, metric.name)
    matrix: SimilarityMatrix = calls.result(compared)
    draw(
        view,
        matrix,
        f"All were chosen as the nearest to {near_to}, so they are near by choice." if near_to else "",
        f"Not in this space: {listing(matrix.missing)}." if matrix.missing else "",
        f"Rows of zeros, left out: {listing(matrix.skipped)}." if matrix.skipped else "",
        details=[metric.summary],
        calls=[compared],
        title=f"{metric.title} of {len(matrix.words)} words",
        of=view.size,
    )


def draw(
    view: View, matrix: SimilarityMatrix, *notes: str, details: Sequence[str], title: str, of: str, **made: Any
) -> None:
    """Draw the heat map with its meaning, the notes, its export row, and the nearest and farthest pairs of words.

    Args:
        details: How the matrix was computed, behind *Details*.
        title: Title of the image.
        of: Name of the space or of the texts, written under the title of the image.
        made: `calls` or `code` of `export_row`: how to compute the matrix in Python.
    """
    states.meaning(matrix.meaning)
    column, panel = st.columns([2.3, 1], gap="medium")
    with column:
        figure.plotly(matrix_figure(matrix, view.theme, phone=view.phone), "matrix-plot")
        states.note(COLORS, *notes)
        states.details(matrix.baseline, ORDER, *details)
        export.export_row(
            key="matrix",
            picture="plot:matrix-plot",
            table=matrix.table,
            filename=f"matrix-{matrix.words[0]}",
            **made,
            note={"title": title, "space": of, "meaning": matrix.meaning, "baseline": matrix.baseline},
        )
    with panel:
        _pairs(matrix)


def _pairs(matrix: SimilarityMatrix) -> None:
    pairs = matrix.nearest_first
    short = len(pairs) <= 2 * _LISTED
    states.panel("Nearest pairs", "of those shown", level=3)
    listed = pairs if short else pairs[:_LISTED]
    states.table(("pair", matrix.scale.unit), [(f"{one} · {other}", number(value)) for one, other, value in listed])
    if not short:
        states.panel("Farthest pairs", "of those shown", level=3)
        listed = pairs[: -_LISTED - 1 : -1]
        states.table(("pair", matrix.scale.unit), [(f"{one} · {other}", number(value)) for one, other, value in listed])


def default_words(view: View, word: str, k: int, metric: str) -> tuple[str, ...]:
    """Return the word and its k nearest neighbors, at most `MOST_COMPARED` words."""
    near = calls.result(call("embedviz.neighbors:neighborhood", view.recipe, [word], k, metric))
    return (word, *(neighbor.word for neighbor in near.neighbors))[:MOST_COMPARED]
