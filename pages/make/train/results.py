"""What can be done with a trained space: open it, compare it, save it, change one setting, discard it."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from embedviz import catalog
from embedviz.core.options import Method
from embedviz.corpus.tokenized import Corpus
from pages._shared.app import address, states
from pages._shared.app.escape import escape
from pages._shared.sources import saving, spaces, steps
from pages._shared.sources.current import View
from pages.make.train import changes, learning, looking, nearest, standing
from pages.make.train.run import Run

SAVED = "train:saved"
"""Key in the session; its value: the address of the run that was saved last, and the name of the saved space."""


def replay_button(run: Run) -> None:
    """Draw the button that opens the recording of a run."""
    if steps.recorded(run.address) and st.button("Replay", icon=":material/animation:", key="train-replay"):
        query = {"space": run.address, "word": address.get("word")}
        address.remember(steps.REPLAY, {name: [value] for name, value in query.items() if value})
        address.go("make/trajectory/page.py", query)


def actions_row(view: View, run: Run, last: Run | None, word: str) -> None:
    """Draw the buttons that open the space on other pages, compare it, save it and discard it."""
    with st.container(horizontal=True, vertical_alignment="center", key="train-next"):
        st.html('<span class="ev-muted">Next:</span>', width="content")
        for title, page, icon in learning.PAGES:
            if st.button(title, icon=f":material/{icon}:", key=f"train-{page}"):
                address.go(page, nearest.query(view, run, page, word))
        if last is not None and st.button("Compare with the previous run", icon=":material/compare_arrows:"):
            spaces.go("make/trajectory/page.py", [run.address, last.address])
        with st.popover("Save it", key="train-save"):
            _save(view, run)
        looking.share(run.token)
        if not looking.only(run.token):
            standing.discarding(run)


def _save(view: View, run: Run) -> None:
    """Draw a form for the name of the saved space."""
    opened = nearest.view_of(view, run).space
    name = catalog.clean_name(opened.origin.name)

    def use(saved: catalog.Recipe) -> None:
        st.session_state[SAVED] = run.address, saved.name

    saving.form("Name", name, "Save", lambda typed: catalog.save(opened, typed), use)
    saved_from, saved_as = st.session_state.get(SAVED, ("", ""))
    if saved_from == run.address:
        states.note(f"Saved as {saved_as}, with its recording. Every page can open it; Open makes a file of it.")
    states.note(standing.UNSAVED, "Everyone who uses this program can see a saved space.")


def one_change(method: Method, options: Mapping[str, Any], corpus: Corpus, start: Callable[..., None]) -> None:
    """Draw a popover with a button for each change of one setting; a click trains again with this change."""
    with st.popover("Train again, changing one setting", key="train-changed", type="tertiary"), st.container(gap=None):
        for change in changes.changes(method, options, len(corpus.words)):
            st.button(escape(change.label), type="tertiary", on_click=start, kwargs={change.name: change.value})
