"""The worked example of the page Compare: a published space, or the space in use whitened."""

from contextlib import suppress

from embedviz.catalog import MOST_CORRECTIONS
from embedviz.core.options import OptionError
from embedviz.core.space import SpaceError
from embedviz.shelf import shelf
from pages._shared.sources import sharing, spaces
from pages._shared.sources.current import View

CORRECTION = "whiten"
QUICK = 20_000_000
"""Greatest number of entries (rows × dimensions) of a space that is corrected for an example."""
ENOUGH = 1_000
"""Least number of words that a published space must share with the space in use to be the example."""


def other(view: View) -> spaces.Other | None:
    """Return the second space of the example; None if there is none.

    For a corrected space this is the space before its corrections. Otherwise it is the published space that shares the
    most words with the space in use, at least `ENOUGH`. Without one, it is the space in use whitened, if the space has
    at most `QUICK` numbers.
    """
    before, _, corrections = view.address.partition("~")
    with suppress(OptionError, SpaceError):
        if corrections:
            return spaces.opened(before)
        if (published := _published(view)) is not None:
            return spaces.opened(published)
        if len(view.space) * view.space.dimensions <= QUICK and len(view.recipe.corrections) <= MOST_CORRECTIONS:
            return spaces.opened(f"{view.address}~{CORRECTION}")
    return None


def _published(view: View) -> str | None:
    """Return the address of the published space that shares the most words; None if all share fewer than `ENOUGH`."""
    counts = {}
    for name in shelf():
        count = sharing.shared_count(view.address, f"shelf:{name}")
        if count is not None and f"shelf:{name}" != view.address:
            counts[f"shelf:{name}"] = count.exact
    best = max(counts, key=counts.__getitem__, default=None)
    return best if best is not None and counts[best] >= ENOUGH else None


def sentence(view: View, other: spaces.Other) -> str:
    """Return a sentence: which spaces the example has, and where to choose another."""
    if view.recipe.corrections:
        pair = f"{view.name} and the same space uncorrected"
    elif other.recipe.corrections:
        pair = f"{view.name} and the same space whitened"
    else:
        pair = f"{view.name} and {other.name}"
    return f"Example: {pair}. Choose your second space in the box above."
