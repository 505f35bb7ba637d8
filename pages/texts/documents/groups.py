"""Known groups of the texts: how often near texts and clusters agree with them, with chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from embedviz.core.call import Call, call
from embedviz.core.phrases import share
from embedviz.retrieval.spaces import ENCODER
from embedviz.retrieval.themes import GroupScores, Themes, group_table
from pages._shared.app import address, states
from pages._shared.results import calls, work

if TYPE_CHECKING:
    from pages._shared.sources.corpora import ChosenTexts
    from pages._shared.sources.current import View


class KnownGroups(NamedTuple):
    """Scores of the methods that were tried on these texts, by title, and the task of the method in use."""

    scores: dict[str, GroupScores]
    task: work.Task | None


def scores(texts: ChosenTexts, sub: View, title: str) -> KnownGroups:
    """Find or begin the scores of a method; there are none for texts without groups.

    Args:
        sub: The view of the space of texts.
        title: The method in use.
    """
    if texts.texts.labels is None:
        return KnownGroups({}, None)
    task = calls.task("groups", call("embedviz.retrieval.themes:group_scores", sub.recipe), title="Scoring the groups")
    found: dict[str, GroupScores] = st.session_state.setdefault("documents:scores", {}).setdefault(texts.address, {})
    if task.result is not None:
        found[title] = task.result
    return KnownGroups(found, task)


def section(known: KnownGroups, found: Themes | None, texts: ChosenTexts, view: View, title: str) -> None:
    """Draw the scores of the method in use, and those of all methods where the visitor wants them."""
    if known.task is None:
        return
    if title not in known.scores:
        if known.task.running:
            work.watch(known.task, lambda job: states.step(f"Comparing with the groups. {job.message}", job.fraction))
        else:
            states.note(known.task.sentence)
        return
    every, task = known.scores, None
    if address.get("checked") == "yes":
        question = call("embedviz.retrieval.themes:scores_by_method", texts.given, view.recipe)
        task = calls.task("groups-all", question, title="Scoring the groups by all methods")
        every = {**(task.result or {}), **known.scores}
    _table(found, every, title)
    if task is None:
        st.button("Compare all methods", on_click=address.put, kwargs={"checked": "yes"})
    elif task.result is None:
        work.show(task, "Comparing all methods.")
    elif ENCODER.title not in every:
        states.note(f"Choose {ENCODER.title} above to add it to this table.")


def exported(made: Call, clusters: str, clustering: Mapping[str, Any], known: KnownGroups) -> list[Call]:
    """Return the calls that give the clusters, and the scores where groups are known, in a notebook.

    Args:
        made: The call that makes the space.
        clusters: The method of the clusters; `clustering`: its options.
    """
    found = call("embedviz.retrieval.themes:themes", made.part("space"), clusters, **clustering)
    return [found, *([call("embedviz.retrieval.themes:group_scores", made.part("space"))] if known.scores else [])]


def _table(found: Themes | None, every: Mapping[str, GroupScores], title: str) -> None:
    """Draw how often near texts and clusters agree with the groups, with shuffled groups as baseline."""
    one = every[title]
    sample = f"{one.groups:,} groups; sample: {one.sample:,} of {one.texts:,} texts that have a vector"
    states.panel("Are near texts in the same group?", sample, 3)
    states.table(*group_table(every), strong=1)
    if found is not None and found.agreement is not None:
        states.table(*found.agreement.table(), strong=1)
    states.note(f"Always naming the largest group: {share(one.largest)}. ±: 95\u00a0% interval, in points.")
