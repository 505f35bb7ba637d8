"""The Python code and the calls with which an export repeats a training movie."""

from collections.abc import Sequence

from embedviz.core.call import Call, ResultPart, call
from embedviz.core.notebook import python
from embedviz.core.recipe import Recipe

_REPLAY, _NAMES = "embedviz.training.replay", "AB"
_UNSAVED = ("NAME", "OTHER")


def lines(recipes: Sequence[Recipe], components: int, word: str) -> str:
    """Return the Python code of `movie_calls()`. For each unsaved run, a comment says to save the space first."""
    named = [
        recipe if recipe.kind == "saved" else Recipe("saved", name, recipe.corrections)
        for recipe, name in zip(recipes, _UNSAVED, strict=False)
    ]
    unsaved = [name for recipe, name in zip(recipes, _UNSAVED, strict=False) if recipe.kind != "saved"]
    comments = [f"# Save the space first: {name} stands for its name." for name in unsaved]
    return "\n".join([*comments, python(*movie_calls(named, components, word))])


def movie_calls(recipes: Sequence[Recipe], components: int, word: str) -> list[Call]:
    """Return the calls of the first run's movie and of a word's neighbors in this run.

    For two runs, also return the calls that compare their films and their answers to analogies.
    """
    folders = [ResultPart(one, ("folder",)) for one in recipes]
    first, near = call(f"{_REPLAY}:film", folders[0], components), call(f"{_REPLAY}:on_the_way", recipes[0], word)
    if len(recipes) == 1:
        return [first, near]
    films = [first, call(f"{_REPLAY}:film", folders[1], components, onto=folders[0])]
    records = [record_of(one) for one in recipes]
    answered = call("embedviz.training.comparing:compare_analogies", records, _NAMES)
    return [first, answered, call(f"{_REPLAY}:compare_films", films, _NAMES), near]


def record_of(recipe: Recipe) -> Call:
    """Return the call (a function with its arguments) that reads the training record of a space."""
    return call("embedviz.training.records:record", ResultPart(recipe, ("folder",)))
