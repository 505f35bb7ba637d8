"""One setting of a method at several values: a small map for each value, with the share of neighbors that it keeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from embedviz import projection
from embedviz.core.call import offered
from embedviz.core.options import OptionError, Parameter
from embedviz.core.phrases import share
from embedviz.core.progress import Report, step
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.projection.layout import Layout
from embedviz.projection.quality import measure

MOST = 6
_PARTS = (1 / 6, 1 / 3, 2 / 3, 1, 5 / 3, 10 / 3)
"""The values of a sweep are the default times these factors: a perplexity of 30 gives 5, 10, 20, 30, 50 and 100."""
_FROM_ZERO = (0, 1, 10, 100, 1_000, 10_000)


@dataclass(frozen=True, eq=False)
class Sweep:
    """m maps of the same rows by one method, with one setting at m values.

    Attributes:
        method: Title of the method.
        setting: Label of the setting.
        values: The m values of the setting.
        layouts: The maps, one for each value.
        kept: For each map, the share of the k nearest neighbors in the space that it keeps, 0 to 1.
        margins: For each map, half the width of the 95 % interval of this share; 0 if every point was measured.
        k: Number of nearest neighbors that are compared.
        chance: The share of the k nearest neighbors that a random layout is expected to keep.
    """

    method: str
    setting: str
    values: tuple[float, ...]
    layouts: tuple[Layout, ...]
    kept: tuple[float, ...]
    margins: tuple[float, ...]
    k: int
    chance: float

    @property
    def points(self) -> tuple[Float, ...]:
        """Return the points of each map, (n, 2 or 3)."""
        return tuple(layout.points for layout in self.layouts)

    @property
    def meaning(self) -> str:
        """Say what share of neighbors the maps keep, with a random layout as the baseline."""
        low, high = min(self.kept), max(self.kept)
        preserved = share(low) if share(low) == share(high) else f"{share(low)} to {share(high)}"
        return (
            f"These {len(self.values)} maps differ in {self.setting} alone. Each keeps {preserved} of the "
            f"{self.k} nearest neighbors (random layout: {share(self.chance)}). Read only what all of them show."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[float, float, float]]]:
        """Return header and rows of a table: each value of the setting with its map's `kept` and `margins`."""
        return (self.setting, "neighbors kept", "±"), list(zip(self.values, self.kept, self.margins, strict=True))

    def card(self) -> dict[str, Any]:
        """Return the results as a mapping from name to plain JSON value."""
        named = {name: getattr(self, name) for name in ("method", "setting", "k", "chance")}
        return {**named, "values": list(self.values), "kept": list(self.kept), "margins": list(self.margins)}


def sweep_values(option: Parameter, n: int, here: float | None = None) -> tuple[float, ...]:
    """Return at most six values of a setting, ascending, among them the value in use.

    The values lie around the default. If the upper limit of the setting is at most 1, they are spread evenly between
    its limits. If the default is 0, they are 0, 1, 10 and so on. For a seed, they are the seed in use and the next
    seeds.

    Args:
        n: Number of rows of the map, on which the limits depend.
        here: The value in use.
    """
    low, high = option.low, option.upper(n)
    if option.name == "seed":
        first = int(here or 0)
        return tuple(range(first, min(first + MOST, int(high) + 1)))
    if high <= 1:
        listed = [low + (high - low) * place / (MOST - 1) for place in range(MOST)]
    elif option.default:
        listed = [option.default * part for part in _PARTS]
    else:
        listed = [*_FROM_ZERO]
    whole = isinstance(option.default, int)
    found = {round(each) if whole else float(f"{each:.3g}") for each in listed}
    found = {each for each in found if low <= each <= high}
    if here is not None and here not in found:
        found -= {min(found, key=lambda each: abs(each - here))} if len(found) == MOST else set()
        found.add(here)
    return tuple(sorted(found))


@offered("swept", "print(swept.meaning)", "for row in swept.table()[1]:", "    print(*row)")
def sweep(
    space: VectorSpace,
    rows: Ints,
    method: str,
    setting: str,
    values: Sequence[float],
    options: Mapping[str, Any] | None = None,
    *,
    report: Report | None = None,
) -> Sweep:
    """Return maps of these rows by a method, one map for each value of a setting.

    Args:
        setting: The name of a `Parameter` of the method.
        values: One to six values of the setting.
        options: The options that all maps have in common. A value for `setting` is ignored.

    Raises:
        OptionError: The method has no such setting, a value is not allowed, or the number of values is not 1 to 6.
    """
    row = projection.PROJECTIONS.get(method)
    option = row.option(setting) if row is not None else None
    if row is None or not isinstance(option, Parameter):
        raise OptionError(f"{method} has no number called {setting}.")
    if not 1 <= len(values) <= MOST:
        raise OptionError(f"{len(values)} values are given; a sweep has 1 to {MOST}.")
    given = {**(options or {})}
    metric = projection.metric_of(method, given)
    label = (option.label or setting).lower()
    layouts, found = [], []
    for place, value in enumerate(values):
        map_report = step(report, place, len(values), f"{label} {value:g}, map {place + 1} of {len(values)}")
        layouts.append(projection.lay_out(space, rows, method, report=map_report, **{**given, setting: value}))
        found.append(measure(space, np.asarray(rows, np.int64), layouts[-1].points, metric=metric))
    return Sweep(
        method=row.title,
        setting=label,
        values=tuple(values),
        layouts=tuple(layouts),
        kept=tuple(each.neighbor_preservation for each in found),
        margins=tuple(each.margin for each in found),
        k=found[0].k,
        chance=found[0].chance,
    )
