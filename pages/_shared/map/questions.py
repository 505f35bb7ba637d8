"""The calls (functions with arguments, `core.call`) that compute a map: its words, positions and colors.

Pages with equal maps make equal calls, and so share one result.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from embedviz.core.call import Call, call
from embedviz.core.options import OptionError, check
from embedviz.core.recipe import Recipe
from embedviz.core.space import Ints
from embedviz.projection import PROJECTIONS
from embedviz.projection.coloring import MapColoring
from embedviz.projection.sampling import SAMPLES, Sample, usual
from pages._shared.app import lists
from pages._shared.app.word_lists import words_behind
from pages._shared.results import calls

PROJECT = "embedviz.projection:project"
FEWEST_GROUPED = 100
"""If at least this many words of a space have a group, the space opens with a map of only these words."""
_GONE = "The selection that this link shows is no longer kept by the program. Select it again."


class FirstMap(NamedTuple):
    """The sampling rule and the method of the map that a space opens with."""

    rule: str
    method: str


def first(recipe: Recipe) -> FirstMap:
    """Return the settings of the first map of a space.

    If `FEWEST_GROUPED` words or more have a group, these words are mapped by t-SNE, else the usual sample by PCA.
    """
    with suppress(OptionError):
        if len(rows_of(sample(recipe, "groups"))) >= FEWEST_GROUPED:
            return FirstMap("groups", "tsne")
    return FirstMap(usual(calls.answer(recipe)), "pca")


def sample(
    recipe: Recipe,
    rule: str,
    options: Mapping[str, Any] | None = None,
    added: Sequence[str] = (),
    only: str = "",
    shared: Recipe | None = None,
) -> Call:
    """Return the call that samples the words of a map. Options of the rule that are missing get their defaults.

    Args:
        rule: Name of a sampling rule, a key of `SAMPLES`.
        added: Words that are added to the sample.
        only: Token of a list of words to which the map is limited, from `word_lists.keep`; empty for no limit.
        shared: Another space; words that are missing there are not sampled.

    Raises:
        OptionError: A rule's option is not allowed, or the program no longer has the list of words.
    """
    space = calls.answer(recipe)
    values = lists.whole(check(SAMPLES[rule], options or {}, space))
    narrowed = words_behind(only) if only else None
    if only and narrowed is None:
        raise OptionError(_GONE)
    return call(
        "embedviz.projection.sampling:sample", recipe, rule, only=narrowed, added=added, shared=shared, **values
    )


def drawn(words: Call, method: str, options: Mapping[str, Any] | None = None) -> Call:
    """Return the call that maps these words. Options of the method that are missing get their defaults.

    Raises:
        OptionError: An option is not allowed, or the sampling rule finds no words.
    """
    values = check(PROJECTIONS[method], options or {}, sampled(words).rows)
    return call(PROJECT, words.value("space"), words.part("rows"), method, **values)


def colored(words: Call, by: str, options: Mapping[str, Any]) -> Call:
    """Return the call that colors these words by a row of `COLORINGS`."""
    return call("embedviz.projection.coloring:coloring", words.value("space"), words.part("rows"), by, **options)


def measured(what: Call, by: MapColoring, options: Mapping[str, Any]) -> Call:
    """Return the call that computes, from the points of a map, the values that the coloring `by` shows."""
    return call(by.measure, *map_arguments(what), points=what.part("points"), **options)


def colored_by_map(what: Call, by: MapColoring, options: Mapping[str, Any]) -> Call:
    """Return the call that colors a map by a measure of the map itself."""
    words = words_of(what)
    function = "embedviz.projection.coloring:coloring"
    return call(function, words.value("space"), words.part("rows"), by.name, measured=measured(what, by, options))


def map_arguments(what: Call) -> tuple[Any, ...]:
    """Return the arguments for functions that measure a map: space, rows, method and the options of this method."""
    method, options = what.value("method"), options_of(what)
    own = {option.name: options[option.name] for option in PROJECTIONS[method].options if option.name in options}
    return what.value("space"), what.value("rows"), method, own


def sampled(words: Call) -> Sample:
    """Return the sample of words that a map shows.

    Raises:
        OptionError: The rule finds no words.
    """
    found: Sample = calls.result(words)
    return found


def words_of(what: Call) -> Call:
    """Return the call that samples the words of a map."""
    words = what.value("rows").of
    assert isinstance(words, Call)  # noqa: S101 - a map shows the rows of a sample
    return words


def options_of(what: Call) -> dict[str, Any]:
    """Return the options of a map's method."""
    return {name: value for name, value in what.arguments if name not in ("space", "rows", "method")}


def rows_of(words: Call) -> Ints:
    """Return the rows, in the space, of the words that a map shows."""
    return sampled(words).rows
