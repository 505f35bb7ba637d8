"""What a reader of a map hid, colored and renamed, as messages between the browser and Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embedviz.figures.scatter import Scatter

_MOST_NAMES, _LONGEST_NAME = 9, 400
MOST_REGION_NAMES, _LONGEST_REGION_NAME = 60, 60
_REGION = re.compile(r"\d{1,3}(\.\d{1,3}){0,3}")
_DATE = re.compile(r"\d{1,4}|\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Filtered:
    """What the reader of a map hid and colored.

    Attributes:
        classes: Names of the classes in color; empty for the largest classes.
        hidden: Names of the classes that are hidden; * stands for the grey rest.
        range: The first and last date that are drawn, as ISO dates or years; empty for all.
        names: Pairs of a region's id and the name that the reader gave it; an empty name hides the region.
    """

    classes: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    range: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = ()

    @property
    def message(self) -> dict[str, list[Any]]:
        """Return the message for the browser."""
        names = [[*pair] for pair in self.names]
        return {"classes": [*self.classes], "hidden": [*self.hidden], "range": [*self.range], "names": names}


def read_filter(value: object, figure: Scatter) -> Filtered | None:
    """Return the filter that a browser sent; None if the message is invalid or of another map."""
    if not isinstance(value, dict) or value.get("of") != figure.geometry_digest:
        return None
    lists = [value.get(name) for name in ("classes", "hidden", "range")]
    if not all(_is_list_of_names(listed) for listed in lists):
        return None
    classes, hidden, dates = (tuple(listed) for listed in lists if isinstance(listed, list))
    names = value.get("names", [])
    if len(dates) not in (0, 2) or not all(_DATE.fullmatch(each) for each in dates) or not _are_region_names(names):
        return None
    return Filtered(classes, hidden, dates, tuple((each, name) for each, name in names))


def _are_region_names(value: object) -> bool:
    """Return whether a value is a list of pairs: a region's id, and its name of at most 60 characters.

    The list has at most `MOST_REGION_NAMES` pairs.
    """
    if not isinstance(value, list) or len(value) > MOST_REGION_NAMES:
        return False
    pairs = (each for each in value if isinstance(each, list) and len(each) == 2)
    fits = [isinstance(each, str) and _REGION.fullmatch(each) and is_region_name(name) for each, name in pairs]
    return len(fits) == len(value) and all(fits)


def is_region_name(value: object) -> bool:
    """Return whether a value is a text of at most `_LONGEST_REGION_NAME` characters, the limit for a region's name."""
    return isinstance(value, str) and len(value) <= _LONGEST_REGION_NAME


def _is_list_of_names(value: object) -> bool:
    """Return whether a value is a list of at most nine texts, each of at most 400 characters.

    They are the names of eight classes and of the rest.
    """
    if not isinstance(value, list) or len(value) > _MOST_NAMES:
        return False
    return all(isinstance(each, str) and len(each) <= _LONGEST_NAME for each in value)
