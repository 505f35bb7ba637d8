"""Places for names beside their points, so that no names overlap; all lengths in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_HIGH = 16  # height of a line of text
_SIDES = {
    "top center": (-0.5, 6),
    "bottom center": (-0.5, -6 - _HIGH),
    "middle right": (0.0, -8),
    "middle left": (-1.0, -8),
    "top right": (0.0, 4),
    "bottom right": (0.0, -20),
    "top left": (-1.0, 4),
    "bottom left": (-1.0, -20),
}
"""Text position of Plotly → offsets from the point to the text's left edge, in text widths, and to its lower edge."""


class Box(NamedTuple):
    """The rectangle of a name or of a mark."""

    left: float
    low: float
    right: float
    high: float

    def touches(self, other: Box) -> bool:
        """Return whether the two rectangles overlap."""
        return self.left < other.right and other.left < self.right and self.low < other.high and other.low < self.high


def around(point: Sequence[float], radius: float) -> Box:
    """Return the square around a point; `radius` is half its side."""
    return Box(point[0] - radius, point[1] - radius, point[0] + radius, point[1] + radius)


def along(start: Sequence[float], end: Sequence[float]) -> list[Box]:
    """Return small squares along a line, without its ends."""
    across, up = end[0] - start[0], end[1] - start[1]
    pieces = max(1, int(max(abs(across), abs(up)) / 8))
    return [around((start[0] + across * each / pieces, start[1] + up * each / pieces), 2) for each in range(1, pieces)]


def name_sides(
    points: Sequence[Sequence[float]],
    widths: Sequence[float],
    order: Sequence[int],
    lines: Sequence[Box] = (),
    *,
    over_marks: bool = False,
) -> list[str]:
    """Return Plotly's text position for each point's name; empty if there is no room or it is not in `order`.

    Args:
        points: Positions, shape (n, 2).
        widths: Width of each name.
        order: Indices of the points to be named; earlier ones get their place first.
        lines: Boxes that no name may cover, in addition to the points.
        over_marks: Whether a name may cover other points if there is no other room. It never covers another name.
    """
    marks = [around(point, 4) for point in points]
    taken = [*lines]
    sides = [""] * len(points)
    for place in order:
        others = [mark for at, mark in enumerate(marks) if at != place]
        boxes = {side: _box(side, points[place], widths[place]) for side in _SIDES}
        free = {side: box for side, box in boxes.items() if not any(map(box.touches, taken))}
        clear = [side for side, box in free.items() if not any(map(box.touches, others))]
        sides[place] = next(iter(clear or (free if over_marks else ())), "")
        if sides[place]:
            taken.append(boxes[sides[place]])
    return sides


def _box(side: str, point: Sequence[float], width: float) -> Box:
    """Return the rectangle of a name of this width on a side of its point."""
    across, up = _SIDES[side]
    left = point[0] + across * width + (0 if across == -0.5 else 8 if across == 0 else -8)
    return Box(left, point[1] + up, left + width, point[1] + up + _HIGH)
