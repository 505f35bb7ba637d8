"""The Python of a movie."""

from __future__ import annotations

from collections.abc import Sequence

from embedviz.core.call import Call, Part, call
from embedviz.core.notebook import python
from embedviz.core.recipe import Recipe

_REPLAY, _NAMES = "embedviz.training.replay", "AB"


def lines(recipe: Recipe, others: Sequence[Recipe], components: int, word: str) -> str:
    """Return how a run's words came among their last neighbors, and a word's own; another run's beside it.

    A run that is not saved is gone after the visit, so a comment says to save it first.
    """
    near = call(f"{_REPLAY}:on_the_way", _saved(recipe, "NAME"), word)
    asked = python(*asked_of(recipe, others, components), near)
    unsaved = [name for one, name in zip((recipe, *others), ("NAME", "OTHER"), strict=False) if one.kind != "saved"]
    return "\n".join([*(f"# Save the space first: {name} stands for its name." for name in unsaved), asked])


def asked_of(recipe: Recipe, others: Sequence[Recipe], components: int) -> list[Call]:
    """Return the movie of a run; that of another one turned onto it, and what tells the two apart."""
    spaces = [_saved(one, name) for one, name in zip((recipe, *others), ("NAME", "OTHER"), strict=False)]
    folders = [Part(one, ("folder",)) for one in spaces]
    films = [call(f"{_REPLAY}:film", folders[0], components)]
    if not others:
        return films
    films.append(call(f"{_REPLAY}:film", folders[1], components, onto=folders[0]))
    records = [call("embedviz.training.records:record", folder) for folder in folders]
    compared = call(f"{_REPLAY}:beside", films, _NAMES)
    return [films[0], call("embedviz.training.beside:answered", records, _NAMES), compared]


def _saved(recipe: Recipe, name: str) -> Recipe:
    return recipe if recipe.kind == "saved" else Recipe("saved", name, recipe.corrections)
