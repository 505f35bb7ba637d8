"""Maps that can be shown without a job: quick maps, maps in memory, and maps that ship with the program."""

from dataclasses import replace

from embedviz import projection
from embedviz.core.call import Call
from embedviz.core.recipe import Recipe
from embedviz.projection import shipped
from pages._shared.map import questions
from pages._shared.map.questions import options_of, sampled, words_of
from pages._shared.results import calls
from pages._shared.sources.current import View

AT_ONCE = 1.0
"""Most seconds that a map may take in the server itself."""


def estimated(view: View, what: Call) -> projection.TimeEstimate:
    """Return the estimated time to compute a map."""
    rows = sampled(words_of(what)).rows
    return projection.estimate(len(rows), view.space.dimensions, what.value("method"), options_of(what))


def quick_map(what: Call, estimate: projection.TimeEstimate) -> projection.Projection | None:
    """Return a map if it is in memory, ships with the program, or takes at most a second to compute; else None."""
    at_once = estimate.seconds <= AT_ONCE and not row_of(what).long
    found: projection.Projection | None = calls.result(what) if at_once else at_hand(what)
    return found


def at_hand(what: Call) -> projection.Projection | None:
    """Return a map if it is in memory or ships with the program, else None."""
    known: projection.Projection | None = calls.known(what)
    if known is not None:
        return known
    space, rows = calls.answer(what.value("space")), sampled(words_of(what)).rows
    method, options = what.value("method"), options_of(what)
    laid = shipped.layout(space, rows, method, options)
    if laid is None:
        return None
    placed = replace(projection.placed(space, rows, method, options, laid), shipped=True)
    stored: projection.Projection = calls.keep(what, placed)
    return stored


def row_of(what: Call) -> projection.Projector:
    """Return the row of `PROJECTIONS` for a map's method."""
    return projection.PROJECTIONS[what.value("method")]


def warm() -> None:
    """Open the built-in space; load its first map, if that ships with the program; compute PCA of its words."""
    recipe = Recipe()
    space = calls.answer(recipe)
    _ = space.index, space.unit
    rule, method = questions.first(recipe)
    words = questions.sample(recipe, rule)
    at_hand(questions.drawn(words, method))
    calls.result(questions.drawn(words, "pca"))
