"""A slider that a lesson follows while it is dragged; when it is released, the value goes into the address."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeGuard

import streamlit as st

from pages._shared.app import address
from pages._shared.app.component import component
from pages._shared.app.events import sent

_HELD, _VALUES, _ANSWERED = "learn:held", "learn:values", "learn:answered"
_mount = component(__file__)


class Move(NamedTuple):
    """A move of a slider: index of the new value (−1 if invalid), number of the move, whether the slider is still held.

    A later move of any slider has a higher number.
    """

    place: int
    number: int
    held: bool = False


def slider(
    label: str,
    name: str,
    values: Sequence[str],
    usual: str,
    *,
    texts: Sequence[str] | None = None,
    width: int = 320,
    live: bool = True,
    buttons: Sequence[tuple[str, int]] = (),
) -> int:
    """Draw a slider; return the index of its value: of the dragged value, else of the value that the address holds.

    Args:
        name: Name in the address.
        values: The values in the form of the address.
        usual: The value if the address has none.
        texts: Texts that the visitor reads instead of the values.
        live: Whether the lesson follows while the slider is dragged; False if each value is long work.
        buttons: Buttons to draw instead of the slider, each with its name and the number of values by which it moves.
            The first button is the most important one.
    """
    key = f"slide-{name}"
    known = list(values)
    every: dict[str, list[str]] = st.session_state.setdefault(_VALUES, {})
    every[name] = known

    answered: dict[str, int] = st.session_state.setdefault(_ANSWERED, {})

    def moved() -> None:
        found = newest(moves(sent(key, "moved"), name, every), answered)
        answered.update({each: move.number for each, move in found.items()})
        settled = {each: move.place for each, move in found.items() if not move.held and move.place >= 0}
        if name in found and found[name].held:
            st.session_state[_HELD] = (address.place(), name, known[found[name].place])
        elif settled:
            st.session_state.pop(_HELD, None)
            address.put(**{each: every[each][place] for each, place in settled.items()})

    here, held_name, held = st.session_state.get(_HELD, (None, "", ""))
    wanted = held if here == address.place() and held_name == name else address.get(name, usual)
    place = known.index(wanted if wanted in known else usual)
    data = {"name": name, "label": label, "place": place, "answered": answered.get(name, 0), "live": live}
    data |= {"texts": list(texts or known), "buttons": [*buttons]}
    _mount(key=key, data=data, width="content" if buttons else width, on_moved_change=moved)
    return place


def whole(label: str, name: str, low: int, high: int, usual: int, *, step: int = 1, width: int = 320) -> int:
    """Draw a slider of whole numbers from low to high; return the chosen number."""
    values = range(low, high + 1, step)
    return values[slider(label, name, [str(each) for each in values], str(usual), width=width)]


def moves(value: object, name: str, every: Mapping[str, Sequence[str]]) -> dict[str, Move]:
    """Return the moves in a message from the slider `name`, by slider.

    These are its own move, and moves of other sliders that the server has not answered yet. Moves without a valid
    number are left out.

    Args:
        value: The message.
        every: The values of each slider, by its name. Moves of a slider that is missing here are left out.
    """
    found = value if isinstance(value, dict) else {}
    others = found.get("others")
    pairs = others.items() if isinstance(others, dict) else ()
    read = {each: _move(pair[0], pair[1], len(every[each])) for each, pair in pairs if each in every and _is_pair(pair)}
    own = _move(found.get("place"), found.get("number"), len(every.get(name, ())))
    read[name] = own._replace(held=found.get("held") is True and own.place >= 0)
    return {each: move for each, move in read.items() if move.number > 0}


def newest(found: Mapping[str, Move], answered: Mapping[str, int]) -> dict[str, Move]:
    """Return the moves in `found` that are not older than the last answered move of their slider, by slider.

    Messages of several sliders may be joined and arrive in any order. The last answered move itself is returned too,
    because its message may have come with a page address that still had the old value.

    Args:
        answered: The number of the last answered move of each slider.
    """
    return {name: move for name, move in found.items() if move.number >= answered.get(name, 0)}


def _move(place: object, number: object, count: int) -> Move:
    """Return the slider move to the value at index `place`, as move number `number`.

    An invalid index becomes −1, and an invalid number 0.
    """
    at, counted = _whole(place), _whole(number)
    return Move(at if at is not None and 0 <= at < count else -1, counted or 0)


def _whole(value: object) -> int | None:
    """Return a whole number; None for any other value."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_pair(value: object) -> TypeGuard[list[object]]:
    """Return whether a value is a list of two items."""
    return isinstance(value, list) and len(value) == 2
