"""Guests on the Map page: words, formulas, vectors and sentences that are not drawn, placed on the finished map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from embedviz import catalog, projection
from embedviz.core.call import Call, call
from embedviz.core.options import OptionError
from embedviz.core.space import SpaceError
from embedviz.projection import guests as placing
from embedviz.projection.guests import Guests, listed_numbers
from embedviz.retrieval.spaces.guests import UNKNOWN, reads_texts
from pages._shared.app import address
from pages._shared.app.word_lists import keep, words_behind
from pages._shared.map.questions import map_arguments
from pages._shared.results import calls, work
from pages._shared.sources import spaces

if TYPE_CHECKING:
    from embedviz.core.recipe import Recipe
    from pages._shared.sources.current import View
    from pages.words.map.drawn import DrawnMap

NAME, TOKEN, SPACE = "guest", "guests", "guest_space"
"""Names in the address: each guest, a key for many guests, and the space that the guests come from."""
MOST = 50_000
"""Greatest number of points of a map on which guests are placed."""
_LONGEST = 1_500
"""Greatest number of characters of all guests in the address itself."""
FIRST = 20
"""Number of words of another space that are placed on the map if the address names no words."""


def lines() -> list[str]:
    """Return the guests that the address names."""
    behind = words_behind(address.get(TOKEN))
    return list(behind) if behind is not None else address.get_list(NAME)


def write(texts: Sequence[str]) -> None:
    """Write guests into the page's address: a short list itself, or the key under which a longer one is stored."""
    listed = list(dict.fromkeys(each.strip() for each in texts if each.strip()))[: placing.MOST]
    short = len(listed) <= address.MOST_LISTED and sum(map(len, listed)) <= _LONGEST
    address.put(**{NAME: listed if short else None, TOKEN: None if short else keep(listed)})


def guest_question(view: View, drawn: DrawnMap) -> Call | None:
    """Return the call that places guests (words or texts from the address) on the map.

    None if there are no guests, if the points of the map move, or if it has more than `MOST` points.

    Raises:
        OptionError: The guests are new texts, and the space of texts cannot make vectors of them.
        RecipeError: The guests come from another space, and that space was deleted or its address is not valid.
    """
    source = address.get(SPACE)
    other = spaces.opened(source) if source and source != view.address else None
    texts = lines()
    if other is not None and not texts:
        texts = list(other.space.words[:FIRST])
    if not texts or drawn.making.stream or len(drawn.projected.rows) > MOST:
        return None
    what = drawn.making.drawn
    space, projected, method, options = map_arguments(what)
    how: dict[str, Any] = {"metric": projection.metric_of(method, options)}
    if other is None and any(is_new_text(view, text) for text in texts):
        function = "embedviz.retrieval.spaces.guests:text_guests"
        return call(function, _readable(view), projected, what.part("points"), tuple(texts), **how)
    of: dict[str, Any] = {} if other is None else {"other": other.recipe}
    return call("embedviz.projection.guests:guests", space, projected, what.part("points"), tuple(texts), **of, **how)


def is_new_text(view: View, text: str) -> bool:
    """Return whether a line is a new text, for which the method of the space of texts must compute a vector."""
    return view.space.texts is not None and text not in view.space.index and listed_numbers(text) is None


def _readable(view: View) -> Recipe:
    """Return the recipe of the view's space, after a check that its method can make vectors of new texts.

    Raises:
        OptionError: The space is corrected, or was not made from texts by a method that can encode other texts.
    """
    if view.recipe.corrections:
        raise OptionError(
            "The vectors of this space are corrected. To place sentences, open it without the correction."
        )
    if not view.recipe.in_folder or not reads_texts(catalog.folder_of(view.recipe)):
        raise OptionError(UNKNOWN)
    return view.recipe


@dataclass(frozen=True)
class GuestList:
    """The guests of a map: the call that places them, and its result, or a sentence on why there is no result.

    Attributes:
        task: The job that reads sentences, while it runs.
    """

    call: Call | None = None
    found: Guests | None = None
    problem: str = ""
    task: work.Task | None = None

    @property
    def note(self) -> dict[str, str]:
        """Return the note of a picture: a sentence on the guests, under the key *guests*; empty without a result."""
        return {"guests": self.found.meaning} if self.found is not None else {}

    @property
    def calls(self) -> list[Call]:
        """Return the calls of an export; empty without a result, or if `unsaved`: an export cannot open uploads."""
        return [self.call] if self.call is not None and self.found is not None and not self.unsaved else []

    @property
    def unsaved(self) -> bool:
        """Return whether sentences were encoded by the method of an uploaded space of texts, which is not saved."""
        if self.call is None or not self.call.function.endswith(":text_guests"):
            return False
        return any(not recipe.in_terminal for recipe in self.call.recipes)


def guests_of(view: View, drawn: DrawnMap) -> GuestList:
    """Return the guests that the address names, placed on a map."""
    try:
        question = guest_question(view, drawn)
        if question is None or question.function.endswith(":guests"):
            return GuestList(question, None if question is None else calls.result(question))
        task = calls.task(f"guests-{drawn.making.slot}", question, title="Reading sentences", private=True)
        if task.running or task.result is None:
            return GuestList(
                question, problem="" if task.running else task.sentence, task=task if task.running else None
            )
        return GuestList(question, task.result)
    except (OptionError, SpaceError, ValueError) as error:
        return GuestList(problem=str(error))


def marks(view: View, guests: GuestList) -> list[dict[str, Any]]:
    """Return the guests in the form in which a map draws them."""
    found, known = guests.found, view.space.index
    if found is None:
        return []
    words = [view.label_or_word(word) if word in known else word for word in found.words]
    listed = zip(words, found.points.tolist(), found.remarks, found.away.tolist(), strict=True)
    return [{"word": word, "at": at, "about": about, "far": far} for word, at, about, far in listed]
