"""What the reader of the map hid, colored and renamed: read from the address and written into it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pages._shared.app import address
from pages._shared.map.filters import MOST_REGION_NAMES, Filtered, is_region_name

if TYPE_CHECKING:
    from embedviz.figures.scatter import Scatter

HIDDEN, DATES, CLASSES, NAMES = "hide", "between", "column_classes", "region_names"
"""Names in the address: hidden classes; first and last date; classes in color; names of regions, as a JSON
object in which *of* is the layout that the regions belong to."""
_BETWEEN = ".."
_LAYOUT, _LONGEST = 8, 6_000


def filtered(picture: Scatter) -> Filtered:
    """Return the filters and names that the page's address sets for this map.

    They are the classes in color, the hidden classes, the range of dates, and the reader's names of regions.
    """
    classes = [name for each in address.get(CLASSES).split("|") if (name := " ".join(each.split()))]
    dates = tuple(address.get(DATES).split(_BETWEEN))
    between = dates if len(dates) == 2 else ()
    return Filtered(tuple(classes), tuple(address.get_list(HIDDEN)), between, _region_names(picture))


def _region_names(picture: Scatter) -> tuple[tuple[str, str], ...]:
    """Return the pairs (region, name) in the address; no pairs if they belong to another layout of the points."""
    try:
        found = json.loads(address.get(NAMES)[:_LONGEST] or "{}")
    except (ValueError, RecursionError):
        return ()
    if not isinstance(found, dict) or found.pop("of", "") != picture.geometry_digest[:_LAYOUT]:
        return ()
    return tuple((name, text) for name, text in found.items() if is_region_name(text))[:MOST_REGION_NAMES]


def choose(choice: Filtered, picture: Scatter) -> None:
    """Write the map's hidden and colored classes, date range and names of regions into the page's address."""
    classes = " | ".join(choice.classes) or None
    names = {"of": picture.geometry_digest[:_LAYOUT], **dict(choice.names)}
    written = json.dumps(names, ensure_ascii=False) if choice.names else None
    between = _BETWEEN.join(choice.range) or None
    address.put(**{CLASSES: classes, HIDDEN: choice.hidden, DATES: between, NAMES: written})


def hide(choice: Filtered) -> None:
    """Write into the page's address which classes the reader of the second map hid."""
    address.put(**{HIDDEN: choice.hidden})
