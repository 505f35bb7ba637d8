"""Names that a user gives to classes of a coloring. Equal names merge classes; an empty name hides the old name."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from embedviz.core.phrases import cut
from embedviz.projection.coloring import REST, Coloring


def named(color: Coloring, names: Mapping[str, str]) -> Coloring:
    """Return a coloring with new names for its classes. A coloring without classes is returned unchanged.

    Classes with equal names are merged. A class with an empty name has no name on the map; its points stay colored,
    and tables still show the old name.

    Args:
        names: Mapping from the old name of a class to its new name. Other classes keep their names.
    """
    given = {label: names[label].strip() for label in color.labels if names.get(label, label) != label}
    if color.kind not in ("category", "ordered") or not given:
        return color
    places: dict[str, int] = {}
    codes = np.full(REST + 1, REST, np.uint8)
    for code, label in enumerate(color.labels):
        key = given.get(label, label) or f"\0{label}"  # hidden classes are not merged
        codes[code] = places.setdefault(key, len(places))
    labels = tuple("" if key.startswith("\0") else key for key in places)
    values = [given.get(value) or value for value in color.described()]
    changes = "; ".join(_change(label, name) for label, name in given.items())
    note = f"{color.note} Named by hand: {changes}.".strip()
    return replace(color, codes=codes[color.codes], labels=labels, values=values, note=note)


def _change(label: str, name: str) -> str:
    return f"{cut(label, 40)} → {cut(name, 40)}" if name else f"{cut(label, 40)} hidden"
