"""The calls of a map: which words, where they lie, their colors. Equal maps of any page are one map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from embedviz.core.call import Call, Part, call
from embedviz.core.options import OptionError, check
from embedviz.core.recipe import Recipe
from embedviz.core.space import Ints
from embedviz.projection import PROJECTIONS
from embedviz.projection.sampling import SAMPLES, Sample
from pages._shared.app import lists
from pages._shared.app.kept import kept
from pages._shared.results import calls

PROJECT = "embedviz.projection:project"
_GONE = "The selection that this link shows is no longer kept by the program. Select it again."


def sample(
    recipe: Recipe, rule: str, options: Mapping[str, Any] | None = None, added: Sequence[str] = (), only: str = ""
) -> Call:
    """Return which words a map shows, the rule's options checked and complete.

    Args:
        only: The token of the words that it is narrowed to, or empty; see `pages._shared.app.kept`.

    Raises:
        OptionError: A rule's option is not allowed, or the selection is no longer kept.
    """
    space = calls.answer(recipe)
    values = lists.whole(check(SAMPLES[rule], options or {}, space))
    narrowed = kept(only) if only else None
    if only and narrowed is None:
        raise OptionError(_GONE)
    return call("embedviz.projection.sampling:sample", recipe, rule, only=narrowed, added=added, **values)


def drawn(words: Call, method: str, options: Mapping[str, Any] | None = None) -> Call:
    """Return the map of these words, its options checked and complete; limits go by the number of words."""
    values = check(PROJECTIONS[method], options or {}, sampled(words).rows)
    return call(PROJECT, words.value("space"), words.part("rows"), method, **values)


def colored(words: Call, by: str, options: Mapping[str, Any]) -> Call:
    """Return the colors of these words by a row of `COLORINGS`."""
    return call("embedviz.projection.coloring:coloring", words.value("space"), words.part("rows"), by, **options)


def sampled(words: Call) -> Sample:
    """Return the rows that a map shows.

    Raises:
        OptionError: The rule finds none.
    """
    found: Sample = calls.result(words)
    return found


def words_of(what: Call) -> Call:
    """Return the sample whose rows a map shows."""
    rows: Part = what.value("rows")
    return rows.of


def options_of(what: Call) -> dict[str, Any]:
    """Return the options of a map's method."""
    return {name: value for name, value in what.arguments if name not in ("space", "rows", "method")}


def rows_of(words: Call) -> Ints:
    """Return the rows of the words that a map shows."""
    return sampled(words).rows
