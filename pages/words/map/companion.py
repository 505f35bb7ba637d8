"""The second map of the Map page: by another method, with another setting, or of another space."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from embedviz import projection
from embedviz.core.call import Call, call
from embedviz.core.options import Choice, OptionError, Parameter, TextOption
from embedviz.core.recipe import Recipe
from embedviz.core.space import Ints
from pages._shared.app import address
from pages._shared.controls import widgets
from pages._shared.map import questions
from pages._shared.sources import spaces
from pages._shared.sources.current import View

KIND, METHOD, OPTION, VALUE, SPACE = "beside", "beside_method", "beside_option", "beside_value", "beside_space"
"""Names in the address, for the second map: what differs; the method; the setting; the setting's value; the space."""
KINDS = {
    "method": "Another method",
    "option": "Another setting",
    "space": "Another space",
    "sweep": "Six values of a setting",
}
_TIMES = 5
"""Factor between the values of a setting in the first and in the second map, until the visitor chooses a value."""


@dataclass(frozen=True)
class SecondQuestion:
    """The second map, as the controls describe it.

    Attributes:
        view: The view of the second map's space.
        what: The call that computes the second map.
        method: The projection of the second map: a row of the table `PROJECTIONS`.
        title: How the second map differs from the first, for example “t-SNE”.
        first: How the first map differs from the second, for example “PCA”.
        other: Whether the second map shows another space.
    """

    view: View
    what: Call
    method: projection.Projector
    title: str
    first: str
    other: bool = False

    @property
    def both(self) -> str:
        """Return the title of both maps."""
        return f"{self.first} and {self.title}"


def kind() -> str:
    """Return what differs in the second map, as a name of `KINDS`; empty without a second map."""
    return address.get(KIND) if address.get(KIND) in KINDS else ""


def other_space(view: View) -> Recipe | None:
    """Return the space of the second map, if the address names another space than the space in use; else None.

    Raises:
        RecipeError: The address of the other space is not valid.
    """
    wanted = address.get(SPACE) if kind() == "space" else ""
    return Recipe.parse(wanted) if wanted and wanted != view.address else None


def second_question(
    view: View, words: Call, method: projection.Projector, options: Mapping[str, Any], rows: Ints
) -> SecondQuestion | None:
    """Return the second map that the page's address describes; None if it describes no map or no other space.

    Raises:
        OptionError: A setting is not allowed for the second map, or the other space has too few words of the first map.
        RecipeError: The address names no space, or a space that was deleted.
    """
    if kind() == "method":
        other = chosen_method(method)
        what = questions.drawn(words, other.name, {"components": options["components"]})
        return SecondQuestion(view, what, other, other.title, method.title)
    if kind() == "option" and settings(method, options):
        option, value = chosen_setting(method, options, rows)
        what = questions.drawn(words, method.name, {**options, option.name: value})
        spoken = [widgets.spoken(method, {option.name: each}) for each in (value, options[option.name])]
        there, here = (f"{method.title}, {each}" for each in spoken)
        return SecondQuestion(view, what, method, there, here)
    recipe = other_space(view)
    if recipe is None:
        return None
    opened = spaces.opened(str(recipe))
    words_there = call("embedviz.projection.sampling:same_words", opened.recipe, view.recipe, words.part("rows"))
    sub = replace(view, recipe=opened.recipe, key=opened.key, space=opened.space)
    return SecondQuestion(
        sub, questions.drawn(words_there, method.name, options), method, opened.name, view.name, other=True
    )


def methods(method: projection.Projector) -> dict[str, projection.Projector]:
    """Return the methods for a second map, by name: all but `method` and those whose axes a visitor writes as text."""
    rows = [row for row in projection.PROJECTIONS.values() if row.name != method.name]
    return {row.name: row for row in rows if not any(isinstance(option, TextOption) for option in row.options)}


def chosen_method(method: projection.Projector) -> projection.Projector:
    """Return the method of the second map: the one in the page's address, else the first method on offer."""
    listed = methods(method)
    return listed.get(address.get(METHOD)) or next(iter(listed.values()))


def settings(method: projection.Projector, options: Mapping[str, Any]) -> dict[str, Parameter | Choice]:
    """Return, by name, the settings of the method that may differ between the two maps."""
    idle = projection.idle(method, options["components"])
    usable = [option for option in method.options if option.name not in idle]
    return {option.name: option for option in usable if isinstance(option, Parameter | Choice)}


def numbers(method: projection.Projector, options: Mapping[str, Any]) -> dict[str, Parameter]:
    """Return the method's numeric settings, by name: those for which small maps compare six values."""
    return {name: each for name, each in settings(method, options).items() if isinstance(each, Parameter)}


def chosen_setting(
    method: projection.Projector, options: Mapping[str, Any], rows: Ints
) -> tuple[Parameter | Choice, Any]:
    """Return the setting that differs in the second map, and its value in the second map.

    The page address names the setting; by default it is the first of `settings()`. The method must have a setting.
    """
    listed = settings(method, options)
    option = listed.get(address.get(OPTION)) or next(iter(listed.values()))
    return option, _value(option, options[option.name], rows)


def _value(option: Parameter | Choice, here: Any, rows: Ints) -> Any:
    """Return the value of a setting in the second map: the value in the address, if it is allowed.

    Otherwise, if possible, return another value than `here`, the first map's: for a number, often five times `here`.
    """
    if isinstance(option, Choice):
        listed, wanted = option.listed(rows), address.get(VALUE)
        return wanted if wanted in listed else next((each for each in listed if each != here), here)
    try:
        return option.check(address.get(VALUE), len(rows))
    except OptionError:
        most, kind = option.upper(len(rows)), int if isinstance(option.default, int) else float
        offered = [kind(each) for each in (here * _TIMES or 1, here / _TIMES, most, option.low)]
        return next((each for each in offered if option.low <= each <= most and each != here), here)
