"""A slider that a lesson follows while it is dragged; the address takes the value when it is let go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages._shared.app import address
from pages._shared.app.component import component
from pages._shared.app.events import sent

_HELD, _VALUES = "learn:held", "learn:values"
_mount = component(__file__)


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
    """Return the number of the chosen value: of the slider while it is dragged, else of the address.

    Args:
        name: In the address.
        values: As the address holds them.
        usual: The value without an address.
        texts: What the visitor reads in their place.
        live: Whether the lesson follows while it is dragged; not where each value is long work.
        buttons: Names of buttons that are drawn instead, each with the places by which it moves; the first is the most
            important one.
    """
    key = f"slide-{name}"
    known = list(values)
    every: dict[str, list[str]] = st.session_state.setdefault(_VALUES, {})
    every[name] = known

    def moved() -> None:
        value = sent(key, "moved")
        place, held = read(value, len(known))
        if held:
            st.session_state[_HELD] = (address.place(), name, known[place])
        elif place >= 0:
            st.session_state.pop(_HELD, None)
            address.put(**{**behind(value, every), name: known[place]})

    here, held_name, held = st.session_state.get(_HELD, (None, "", ""))
    wanted = held if here == address.place() and held_name == name else address.get(name, usual)
    place = known.index(wanted if wanted in known else usual)
    data = {"name": name, "label": label, "place": place, "texts": list(texts or known), "live": live}
    data["buttons"] = [*buttons]
    _mount(key=key, data=data, width="content" if buttons else width, on_moved_change=moved)
    return place


def whole(label: str, name: str, low: int, high: int, usual: int, *, step: int = 1, width: int = 320) -> int:
    """Return a whole number from low to high, chosen by a slider."""
    values = range(low, high + 1, step)
    return values[slider(label, name, [str(each) for each in values], str(usual), width=width)]


def read(value: object, count: int) -> tuple[int, bool]:
    """Return the place that a browser sent, and whether the slider is still held; −1 for what is no place."""
    found = value if isinstance(value, dict) else {}
    place = found.get("place")
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < count:
        return -1, False
    return place, found.get("held") is True


def behind(value: object, every: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return what a browser sent of the other sliders of a figure, which Python may not have heard of, by name.

    Args:
        every: The values of each slider by its name; other names and places are left out.
    """
    found = value.get("others") if isinstance(value, dict) else None
    places = found if isinstance(found, dict) else {}
    numbers = {name: read({"place": place}, len(every.get(name, ())))[0] for name, place in places.items()}
    return {name: every[name][place] for name, place in numbers.items() if place >= 0}
