"""The test of every method with queries whose answers are known."""

import streamlit as st

from embedviz.figures.search import retrieval_figure
from embedviz.retrieval.accuracy import untestable
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.results import work
from pages._shared.sources.current import View
from pages.texts.search.encoder_search import EncoderSearch
from pages.texts.search.indexed import PendingIndex


def section(index: PendingIndex, encoder: EncoderSearch | None, view: View) -> None:
    """Draw the accuracy of each method; before the test, draw the button that starts it."""
    states.panel("Which method finds the right texts?", "Tested with queries whose answers are known", level=3)
    if why := untestable(index.indexed):
        states.note(why)
        return
    if address.get("tested") != "yes":
        states.note(
            "One query proves little. The test takes a phrase from each of up to 200 texts: does each method find the "
            "text again? Where texts have groups, it also counts how many of the nearest texts are in the same group."
        )
        st.button("Test the methods", on_click=address.put, kwargs={"tested": "yes"})
        return
    task = work.run(
        "search-test",
        "embedviz.retrieval.indexing:measure",
        index.source,
        str(index.folder),
        key=f"{index.key}|{encoder.space.address if encoder else ''}",
        private=index.private,
        encoder=str(encoder.space.folder) if encoder else "",
    )
    if task.result is None:
        work.show(task, "Testing the methods.")
        return
    for column, test in zip(st.columns(2, gap="large"), task.result, strict=False):
        with column:
            states.panel(test.title, test.about, level=3)
            figure.plotly(retrieval_figure(test, view.theme), f"search-{test.test}-plot")
            states.meaning(test.meaning)
