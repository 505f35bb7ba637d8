"""The controls of the Map page: projection, dimensions, color, search; the rest in Settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from embedviz import projection
from embedviz.core.call import Call
from embedviz.core.options import Choice, Method, TextOption
from embedviz.core.space import Ints
from embedviz.neighbors import lookup
from embedviz.projection import coloring, sampling
from embedviz.projection.axes import examples
from pages._shared.app import address
from pages._shared.app.escape import escape, plain
from pages._shared.controls import popovers, widgets, wordbox
from pages._shared.map import questions
from pages._shared.sources.current import View
from pages.words.map import companion, comparing, faceting

SEARCHES = {"word": "A word, or a pattern: /ing$/", "text": "A text’s key, or a pattern: /hockey/"}


@dataclass(frozen=True)
class MapQuestion:
    """The map that the controls describe.

    Attributes:
        words: The call that samples the words.
        method: The projection: a row of the table of projections.
        options: The options of the projection, with the number of dimensions.
        color: The coloring: a row of the table of colorings.
        painted: The options of the coloring.
        added: Words that were added by hand.
        only: Key of a list of words to which the map is limited; empty for no limit.
        columns: The columns for the size of a point, for dates and for names of regions.
        companion: The second map, drawn next to it; None for one map.
    """

    words: Call
    method: projection.Projector
    options: dict[str, Any]
    color: Method
    painted: dict[str, Any]
    added: Sequence[str]
    only: str
    columns: faceting.FacetChoice
    companion: companion.SecondQuestion | None = None


def controls(view: View) -> MapQuestion:
    """Draw the controls and return the map that they describe."""
    first = _first(view)
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        rule = address.get("sample", first.rule)
        method = widgets.method(
            "Projection",
            "method",
            projection.PROJECTIONS,
            first.method,
            segmented=not view.phone,
            also={"sample": rule},
        )
        usual = st.container(horizontal=True, width="content")
        _search(view)
        with popovers.settings("map"):
            if view.phone:
                usual = st.container()
            with usual:
                dimensions = widgets.segments(method.option("components"), view.space, {2: "2-D", 3: "3-D"})
                with st.container(width=175):
                    colorings = _colorings(view)
                    by = widgets.method("Color", "color", colorings, coloring.usual(view.space))
            top = st.container()
            added, only = tuple(address.get_list("add")), address.get("only")
            words = _sample(view, first.rule, method.name, added, only)
            rows = questions.rows_of(words)
            st.markdown(f"**{method.title}**")
            st.caption(method.summary)
            idle = projection.idle(method, dimensions)
            texts = [
                option.name for option in method.options if isinstance(option, TextOption) and option.name not in idle
            ]
            options = widgets.options(method, rows, f"{method.name}_", without=(*idle, *texts))
            with top:
                comparing.control(view, method, {**options, "components": dimensions}, rows)
            if by.options:
                st.markdown(f"**Color: {escape(by.title, 60)}**")
            painted = widgets.options(by, view.space, f"{by.name}_", word=view.word)
            columns = faceting.control(view.space)
    if texts:
        options |= _axes(view, method, texts, rows)
    options |= {"components": dimensions}
    second = companion.second_question(view, words, method, options, rows)
    return MapQuestion(words, method, options, by, painted, added, only, columns, second)


def _first(view: View) -> questions.FirstMap:
    """Return the default sampling rule and method: the former defaults if the address names one of the two."""
    if any(name in ("sample", "method") or name.startswith("sample_") for name in address.names()):
        return questions.FirstMap(sampling.usual(view.space), "pca")
    return questions.first(view.recipe)


def _search(view: View) -> None:
    """Draw the box for a word or a pattern; write what was typed into the address."""
    typed = wordbox.word_search(view, "map-search", patterns=True, placeholder=SEARCHES[view.space.noun], width=210)
    if typed is not None:
        address.put(**({"find": typed} if lookup.as_pattern(typed) else {"word": typed or None, "find": None}))
        st.rerun()


def _colorings(view: View) -> dict[str, Method]:
    """Return the colorings that a map of the space can have; the title of a coloring by a column is the column's."""
    rows = coloring.available(view.space, on_map=True)
    if "column" in rows:
        choice = rows["column"].option("column")
        columns = choice.listed(view.space) if isinstance(choice, Choice) else ()
        name = address.get("column_column") or columns[0]
        rows["column"] = replace(rows["column"], title=f"Column {plain(view.space.column_title(name), 30)}")
    return rows


def _sample(view: View, usual: str, method: str, added: Sequence[str], only: str) -> Call:
    """Draw the controls that choose the words of a map; return the `Call` of the function that samples these words."""
    st.markdown("**Which words**")
    rule = widgets.method("Rule", "sample", sampling.SAMPLES, usual, also={"method": method})
    st.caption(rule.summary)
    which = widgets.options(rule, view.space, "sample_")
    return questions.sample(view.recipe, rule.name, which, added, only, companion.other_space(view))


def _axes(view: View, method: Method, texts: Sequence[str], rows: Ints) -> dict[str, Any]:
    """Draw the boxes for axes that a visitor writes as text, with buttons for examples; return option → text.

    Args:
        texts: Names of the options that are drawn.
        rows: Rows of the words on the map.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key="axes-texts"):
        others = [option.name for option in method.options if option.name not in texts]
        values = widgets.options(method, rows, f"{method.name}_", without=others)
        for title, words in examples(view.space).items():
            named = {f"{method.name}_{name}": text for name, text in words.items()}
            st.button(title, type="tertiary", key=f"axes-{title}", on_click=address.put, kwargs=named)
    return values
