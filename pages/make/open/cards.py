"""The score card: all results of a check on one page, to read here or to pass on."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from markdown_it import MarkdownIt

from embedviz import catalog
from embedviz.core.call import call
from embedviz.evaluation.scorecard import MEASURED, Scorecard
from pages._shared.app import address, states
from pages._shared.output import csv_files
from pages._shared.results import cache, calls, work

PRINT = "card"
"""Name in the address: whether the score card is made."""


def section(recipe: catalog.Recipe, lost: Mapping[str, int], tasks: Sequence[work.Task]) -> None:
    """Offer to make the score card. When the visitor wants it, show the card as soon as all its parts are computed.

    Args:
        lost: Two counts: *dropped*, rows that were left out, and *missing*, rows that the file lacks.
        tasks: The parts of the check that the page shows above the card.
    """
    states.panel("Score card", "All results in one text, to pass on", level=3)
    if address.get(PRINT) != "yes":
        st.button("Make the score card", key="open:card", on_click=lambda: address.put(**{PRINT: "yes"}))
        return
    verdict = calls.task("verdict", call("embedviz.evaluation.verdict:verdict", recipe, **lost))
    doing = f"Making the score card: {catalog.entry(recipe).title}"
    shape = calls.task("isotropy", call("embedviz.geometry.isotropy:isotropy", recipe), title=doing)
    if any(task.running for task in (verdict, *tasks)):
        states.note("It appears here when all parts above are computed.")
    elif shape.running:
        work.show(shape, "Making the score card.")
    elif (ended := next((task for task in (verdict, *tasks, shape) if _failed(task)), None)) is not None:
        states.state("There is no score card, since one of its parts was not computed.", ended.sentence)
    else:
        parts = {task.slot: task.result for task in (*tasks, shape)}
        space = cache.space(cache.key_of(str(recipe)))
        words = calls.result(call("embedviz.evaluation.vocabulary:vocabulary", recipe))
        _show(Scorecard.of(space, verdict=verdict.result, vocabulary=words, **parts))


def _failed(task: work.Task) -> bool:
    """Return whether a part of the score card failed: it has no result, but its function did not refuse the space."""
    return task.result is None and not task.lasting


def _show(found: Scorecard) -> None:
    """Show the score card, with buttons that download the card as Markdown and as JSON."""
    name, text = csv_files.file_name(found.name), found.markdown()
    card: dict[str, Any] = {"verdict": found.meaning, "card": found.card()}
    with st.container(horizontal=True):
        st.download_button("Download as Markdown", text, f"{name}-check.md", "text/markdown")
        lines = json.dumps(card, ensure_ascii=False, indent=1, default=float)
        st.download_button("Download as JSON", lines, f"{name}-check.json", "application/json")
    with st.container(border=True):
        results, title, how = text.partition(f"## {MEASURED}\n")
        page = MarkdownIt("commonmark", {"html": False}).enable("table")
        details = f"<details><summary>{MEASURED}</summary>{page.render(how)}</details>" if title else ""
        st.html(f'<div class="ev-card">{page.render(results)}{details}</div>')
