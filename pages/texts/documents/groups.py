"""Known groups of the texts: how often near texts and clusters agree with them, and how often by chance."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from embedviz.core.call import Call, call
from embedviz.core.phrases import share
from embedviz.retrieval.spaces import ENCODER
from embedviz.retrieval.themes import GroupScores, Themes, group_table
from pages._shared.app import address, states
from pages._shared.app.escape import escape
from pages._shared.results import calls, work
from pages._shared.sources import text_reading
from pages._shared.sources.corpora import ChosenTexts
from pages._shared.sources.current import View

_QUESTION = "Are near texts in the same group?"


class KnownGroups(NamedTuple):
    """Scores of the methods used so far, by the method's title, and the job for the method in use.

    `task` is None if the texts have no known groups. `column` is the column that was scored, or *group*.
    """

    scores: dict[str, GroupScores]
    task: work.Task | None
    column: str = "group"


def scores(texts: ChosenTexts, sub: View, title: str, by: str) -> KnownGroups:
    """Start to score the method in use; return its task, and the scores of the methods that the visitor has used.

    Without known groups there are no scores and no task, unless `by` is a column.

    Args:
        sub: The view of the space of texts.
        title: Title of the method in use.
        by: What colors the map. If it is a column of the table, this column is scored instead of the groups.
    """
    column = by if by in texts.texts.columns else "group"
    if column == "group" and texts.texts.labels is None:
        return KnownGroups({}, None)
    options = {} if column == "group" else {"column": column}
    task = calls.task(
        "groups", call("embedviz.retrieval.themes:group_scores", sub.recipe, **options), title="Scoring the groups"
    )
    every: dict[tuple[str, str], dict[str, GroupScores]] = st.session_state.setdefault("documents:scores", {})
    found = every.setdefault((texts.address, column), {})
    found.pop(title, None)  # its scores may be those of other options
    if task.result is not None:
        found[title] = task.result
    return KnownGroups(found, task, column)


def section(known: KnownGroups, found: Themes | None, texts: ChosenTexts, view: View, title: str) -> None:
    """Draw the scores of the method in use, and of all methods if the visitor wants them."""
    if known.task is None:
        return
    if title not in known.scores:
        if known.task.running:
            work.watch(known.task, lambda job: states.step(f"Comparing with the groups. {job.message}", job.fraction))
        else:
            states.note(known.task.sentence)
        return
    if known.column != "group":
        _table(None, known.scores, title, known.column)
        return
    every, task = known.scores, None
    if address.get("checked") == "yes":
        question = call("embedviz.retrieval.themes:scores_by_method", texts.given, view.recipe)
        task = calls.task("groups-all", question, title="Scoring the groups by all methods")
        every = {**(task.result or {}), **known.scores}
    _table(found, every, title, named=text_reading.group_column(texts.source))
    if task is None:
        st.button("Compare all methods", on_click=address.put, kwargs={"checked": "yes"})
    elif task.result is None:
        work.show(task, "Comparing all methods.")
    elif ENCODER.title not in every:
        states.note(f"Choose {ENCODER.title} above to add it to this table.")


def exported(made: Call, clusters: str, clustering: Mapping[str, Any], known: KnownGroups) -> list[Call]:
    """Return the calls for a notebook: one computes the clusters, another the scores of the known groups.

    The second call is left out if the page has no scores of groups.

    Args:
        made: The call that makes the space.
        clusters: The method of the clusters.
        clustering: The options of this method.
    """
    found = call("embedviz.retrieval.themes:themes", made.part("space"), clusters, **clustering)
    options = {} if known.column == "group" else {"column": known.column}
    scored = call("embedviz.retrieval.themes:group_scores", made.part("space"), **options)
    return [found, *([scored] if known.scores else [])]


def _table(
    found: Themes | None, every: Mapping[str, GroupScores], title: str, column: str = "", named: str = ""
) -> None:
    """Draw how often near texts have the same group (or value of a column), and how well clusters agree with groups.

    The baseline is shuffled groups or values.
    """
    one = every[title]
    where = f" of the column “{escape(named, 40)}”" if named else ""
    sample = f"{one.groups:,} groups{where}; sample: {one.sample:,} of {one.texts:,} texts that have a vector"
    if column:
        sample = sample.replace("groups;", "values;", 1)
    compared = escape(column or named, 40)
    states.panel(f"Do near texts have the same “{compared}”?" if compared else _QUESTION, sample, 3)
    if not column:
        states.note(one.meaning)
    states.table(*group_table(every), strong=1)
    if found is not None and found.agreement is not None:
        states.table(*found.agreement.table(), strong=1)
    always = f"Always naming the most frequent value: {share(one.largest)}. " if column else ""
    states.note(f"{always}±: 95\u00a0% interval, in points.")
