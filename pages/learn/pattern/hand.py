"""Vectors to drag: arrows in a plane, moved by mouse, touch or keyboard, with formulas that follow live.

The browser moves the arrows and writes the formulas. Python receives the places when an arrow is released, and the
address holds them, so that a link shows the same state.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pages._shared.app import address
from pages._shared.app.component import component
from pages._shared.app.escape import plain
from pages._shared.app.events import sent
from pages._shared.sources.current import View

Reading = Literal["lengths", "dot", "cosine", "distance", "unit", "sum", "difference", "triplet"]
Mark = Literal["angle", "sum", "difference", "unit", "projection", "triplet"]
FARTHEST = 1e6
_mount = component(__file__)


@dataclass(frozen=True)
class Arrow:
    """A vector in the plane, from the origin.

    Attributes:
        name: Name of the arrow in the formulas and in the address: one letter.
        home: Where the tip lies at first, and again after *Put back*.
        label: Text at the tip while the tip is at home, such as a word.
        fixed: Whether the arrow cannot be dragged.
        turns: Whether dragging turns the arrow but keeps its length.
    """

    name: str
    home: tuple[float, float]
    label: str = ""
    fixed: bool = False
    turns: bool = False

    @property
    def place(self) -> tuple[float, float]:
        """Return the coordinates of the arrow's tip: those in the address, or else those of `home`."""
        return _place(address.get(self.name)) or self.home

    @property
    def moved(self) -> bool:
        """Return whether the arrow was dragged away from its home."""
        return _text(self.place) != _text(self.home)


class ArrowPlane(NamedTuple):
    """Arrows whose places are set by sliders, not dragged. The fields are arguments of `hand()`."""

    arrows: tuple[Arrow, ...]
    readings: tuple[Reading, ...]
    marks: tuple[Mark, ...]
    height: int

    def draw(self, view: View, key: str) -> None:
        """Draw the arrows with their formulas."""
        hand(self.arrows, view, key=key, readings=self.readings, marks=self.marks, height=self.height)

    def sent(self, view: View) -> list[dict[str, object]]:
        """Return the data of the arrows that are sent to the browser."""
        return [_data(arrow, view.theme.categorical[number]) for number, arrow in enumerate(self.arrows)]


def hand(
    arrows: Sequence[Arrow],
    view: View,
    *,
    key: str,
    readings: Sequence[Reading] = ("lengths", "dot", "cosine", "distance"),
    marks: Sequence[Mark] = ("angle",),
    height: int = 400,
    fit: bool = False,
    rate: float = 0.0,
) -> None:
    """Draw arrows that can be dragged, and below them the formulas with the current numbers.

    Args:
        arrows: Arrows to draw. The formulas are about the first two arrows, those of a triplet about three.
        readings: Names of the formulas to write, in order; READINGS in `readings.mjs` has them.
        marks: Names of the extra lines and points to draw; MARKS in `hand.mjs` has them.
        height: Height in CSS pixels; on a phone at most 336.
        fit: Whether the arrows fill the plane; else the origin lies in its middle.
        rate: The learning rate of the step that the mark “triplet” shows.
    """

    def moved() -> None:
        found = read(sent(key, "moved"), [arrow.name for arrow in arrows])
        homes = {arrow.name: _text(arrow.home) for arrow in arrows}
        address.put(**{name: None if text == homes[name] else text for name, text in found.items()})

    data = {
        "key": key,
        "arrows": [_data(arrow, view.theme.categorical[number]) for number, arrow in enumerate(arrows)],
        "readings": list(readings),
        "marks": list(marks),
        "height": min(height, 336) if view.phone else height,
        "fit": fit,
        "rate": rate,
    }
    _mount(key=key, data=data, on_moved_change=moved)


def read(value: object, names: Sequence[str]) -> dict[str, str]:
    """Return the tips that the browser sent, as texts for the address, by name of the arrow. Skip invalid tips."""
    found = {}
    for name, place in value.items() if isinstance(value, dict) else ():
        if name in names and isinstance(place, list) and len(place) == 2:
            x, y = (each if isinstance(each, int | float) else math.inf for each in place)
            if abs(x) <= FARTHEST and abs(y) <= FARTHEST:
                found[name] = _text((x, y))
    return found


def _place(text: str) -> tuple[float, float] | None:
    """Return the coordinates in a text of the address; None if the text holds no valid coordinates."""
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        return None
    return (x, y) if abs(x) <= FARTHEST and abs(y) <= FARTHEST else None


def _text(place: tuple[float, float]) -> str:
    return ",".join(f"{value + 0.0:.4g}" for value in place)


def _data(arrow: Arrow, color: str) -> dict[str, object]:
    label = plain(arrow.label, 24) if not arrow.moved else ""
    held = {"fixed": arrow.fixed, "turns": arrow.turns, "color": color}
    return {"name": arrow.name, "label": label, "at": arrow.place, "home": arrow.home, **held}
