"""How a space with an approximate index is searched on the page Neighbors, and the recall of that search."""

from typing import Any

from embedviz.core.call import call
from embedviz.neighbors import approximate
from embedviz.neighbors.metrics import Metric
from pages._shared.app import states
from pages._shared.controls import popovers, widgets
from pages._shared.results import calls, work
from pages._shared.sources.current import View


def options(view: View, metric: Metric) -> dict[str, Any]:
    """Draw the options of the search, and return the chosen options: name → value.

    The result is empty if the space has no index, or for another metric than the cosine.

    Raises:
        OptionError: The page's address holds a value that is out of range.
    """
    index = approximate.index_of(view.space)
    if index is None or metric.name != "cosine":
        return {}
    chosen = widgets.method("Search", "search", approximate.SEARCHES, "index", segmented=True)
    if chosen.name == "exact":
        return {"nprobes": 0}
    usual = {"nprobes": approximate.usual_nprobes(index)}
    if view.phone:  # all controls stand in one popover there
        return widgets.options(chosen, view.space, usual=usual)
    with popovers.settings("search"):
        return widgets.options(chosen, view.space, usual=usual)


def recall(view: View, given: dict[str, Any]) -> str:
    """Write how many of the exact neighbors the index finds; return a text on how this recall was measured.

    The text is empty for an exact search, and while the recall is unknown.
    """
    if not given.get("nprobes"):
        return ""
    if not approximate.measurable(view.space):
        states.note("The search is approximate. Its recall is not known: this table has no exact lists.")
        return ""
    question = call("embedviz.neighbors.approximate:recall", view.recipe, **given)
    task = calls.task("recall", question, title="The recall of the index")
    found: approximate.Recall | None = task.result
    if found is None:
        work.show(task, "Measuring the recall of the index.")
        return ""
    states.note(found.meaning)
    return found.method
