"""Permissions to read a map: its single neighbors, its groups, its long distances.

A measure of the map is compared with maps of structureless copies. A permission needs two things: the measure is above
the band of the copies, and its excess over their mean is large enough. The band is adjusted for all measures that are
tested. So a cloud without structure gets any permission in at most 5 % of cases. To read single neighbors, the map must
also keep a third of them. If it keeps nearly all neighbors (or the order of nearly all distances), neighbors (or long
distances) may be read without an excess.
"""

from typing import Literal, NamedTuple

import numpy as np

from embedviz.core.phrases import share
from embedviz.core.space import Ints
from embedviz.core.stats.copies import next_copy
from embedviz.projection.quality.coranking import Doubles

EXCESS = 0.1
"""Minimum excess of a measure over the mean of the copies. The scale is 0 for a random layout, 1 for a perfect map."""
JUMP = 0.25
"""Minimum excess of a jump of distances over the mean of the copies. Clouds without groups stay below it.

This was tried with uniform, heavy-tailed and ring-shaped clouds.
"""
MOST, CLOSED = 0.6, 0.75
"""If R_NX of the copies is at least `MOST`, groups need an excess of at least `CLOSED` × (1 − R_NX of the copies).

For such a number of neighbors the method is nearly faithful. Then a cloud that is more even than a Gaussian, such as a
uniform plane, keeps more neighbors than the copies, although it has no groups.
"""
THIRD = 1 / 3
"""Minimum share of neighbors that a map must keep so that single neighbors may be read, whatever the excess."""
HALF = 1 / 2
"""If the share of neighbors kept is below this, groups overlap: most points near a point are not near in the space."""
FAITHFUL = 0.9
"""Minimum share of neighbors kept (or of triplets in order) to read neighbors (or long distances) without excess."""

FEWEST = 20
"""Minimum number of points of a map for any permission: a map of fewer points keeps most neighbors by chance."""

Measure = Literal["neighbors kept", "jump of distances", "far order"]


class MapSummary(NamedTuple):
    """The measures by which maps are compared. For m copies, each array has a first axis of length m in addition.

    Attributes:
        curve: R_NX(k) for g numbers of neighbors k, (g,).
        gaps: For each k that is tested, how abruptly the distances grow beyond the k nearest, (s,).
        far: 2t − 1, where t is the share of random triplets whose order of distances the map keeps.
    """

    curve: Doubles
    gaps: Doubles
    far: Doubles


class CopyBand(NamedTuple):
    """The band of the structureless copies for each measure: its middle and its two ends.

    In 95 % of cases, no tested value of one more copy is above the upper end of its band.

    Attributes:
        mean: Mean of each measure over the copies.
        low, high: Ends of the band of each measure.
    """

    mean: MapSummary
    low: MapSummary
    high: MapSummary


class Permission(NamedTuple):
    """Whether a user may read neighbors (or groups, or long distances) from a map.

    Attributes:
        given: Whether the user may read it.
        beyond: Whether the map is above the band of the copies, by however little.
        scale: Number of nearest neighbors that were compared; None for long distances.
        measure: Name of the measured quantity.
        value: Value of the measure on the map.
        copies: Mean of the measure on the maps of the structureless copies.
        low, high: Ends of the band of the copies.
        reason: Why the permission is given or not, in one or two sentences.
    """

    given: bool
    beyond: bool
    scale: int | None
    measure: Measure
    value: float
    copies: float
    low: float
    high: float
    reason: str

    def card(self) -> dict[str, object]:
        """Return the permission as plain JSON values."""
        named = {name: getattr(self, name) for name in ("given", "beyond", "scale", "measure", "value", "copies")}
        return {**named, "band": [self.low, self.high], "reason": self.reason}


class Permissions(NamedTuple):
    """The three permissions to read a map: neighbors, groups, long distances. Each may be given without the others."""

    neighbors: Permission
    groups: Permission
    long_distances: Permission

    @property
    def named(self) -> dict[str, Permission]:
        """Return the permissions by their names on a page: *neighbors*, *groups*, *long distances*."""
        return {name.replace("_", " "): each for name, each in self._asdict().items()}

    @property
    def outline(self) -> Permission:
        """Return the permission to read long distances; Python code exported by old versions calls it `outline`."""
        return self.long_distances

    @property
    def any(self) -> bool:
        """Return whether neighbors, groups or long distances may be read."""
        return any(each.given for each in self)

    @property
    def groups_overlap(self) -> bool:
        """Return whether groups may be read, although most points near a point on the map are not near in the space."""
        groups = self.groups
        return groups.given and groups.measure == "neighbors kept" and groups.value < HALF

    @property
    def beyond(self) -> bool:
        """Return whether the map is above the band of the copies for at least one of the three, by however little."""
        return any(each.beyond for each in self)


def band(copies: MapSummary, tests: int) -> CopyBand:
    """Return for each measure the mean of m copies, and a band: the mean minus and plus a margin.

    One more copy would exceed the mean plus the margin in 5 % of cases.

    Args:
        copies: The measures of the copies.
        tests: Number of values that are tested together; the band is adjusted for them (Bonferroni).
    """
    found = [next_copy(each, tests) for each in copies]
    middle, low, high = zip(*((mean, mean - half, mean + half) for mean, half in found), strict=True)
    return CopyBand(MapSummary(*middle), MapSummary(*low), MapSummary(*high))


def tests(scales: Ints) -> int:
    """Return how many values of a map are tested together: two at each scale, and one more.

    A scale is a number k of nearest neighbors. Its two values are the share of neighbors that the map keeps, and how
    abruptly distances grow beyond the k nearest. The last value is the order of distances in triplets of points.
    """
    return 2 * len(scales) + 1


def permissions(found: MapSummary, copies: CopyBand, ks: Ints, scales: Ints, n: int) -> Permissions:
    """Judge a map of n points by the chance bands of its measures, and return the permissions to read it.

    Args:
        found: The measures of the map.
        copies: The means and the chance bands of the measures, from maps of structureless copies.
        ks: The numbers of neighbors k for which `found.curve` has R_NX(k), (g,). They include all of `scales`.
        scales: The numbers of neighbors that are tested, (s,). The first decides on *neighbors*, the others on
            *groups*.
    """
    places = np.searchsorted(ks, scales)
    summaries = _WithCopies(*(MapSummary(each.curve[places], each.gaps, each.far) for each in (found, *copies)))
    judged = Permissions(_neighbors(summaries, scales, n), _groups(summaries, scales, n), _long_distances(summaries))
    if n >= FEWEST:
        return judged
    why = f"{n:,} points are too few to judge; {FEWEST} are needed."
    return Permissions(*(each._replace(given=False, beyond=False, reason=why) for each in judged))


def as_share(beyond: float, k: int, n: int) -> float:
    """Return Q_NX(k), the share of the k nearest neighbors that a map of n points keeps, from R_NX(k)."""
    return (beyond * (n - 1 - k) + k) / (n - 1)


def excess_needed(k: int, n: int) -> float:
    """Return by how much Q_NX(k) must exceed its mean over the copies, so that single neighbors may be read."""
    return as_share(EXCESS, k, n) - as_share(0.0, k, n)


class _WithCopies(NamedTuple):
    """The measures of a map, and mean, low and high of its copies, for the numbers of neighbors that are tested."""

    found: MapSummary
    mean: MapSummary
    low: MapSummary
    high: MapSummary


def _neighbors(summaries: _WithCopies, scales: Ints, n: int) -> Permission:
    found, mean, _, high = summaries
    k = int(scales[0])
    value, usual, least, most = (as_share(float(each.curve[0]), k, n) for each in summaries)
    excess = float(found.curve[0] - mean.curve[0])
    beyond = bool(found.curve[0] > high.curve[0])
    faithful = value >= FAITHFUL
    sentence = f"The map keeps {share(value)} of the {k} nearest; structureless copies keep {share(usual)}."
    given = faithful or (beyond and excess >= EXCESS and value >= THIRD)
    if given and beyond and excess >= EXCESS:
        why = sentence if faithful else f"{sentence} Check a single pair on the page Neighbors."
    elif beyond and excess >= EXCESS:
        why = f"{sentence} That is more, but fewer than a third are right: do not read single neighbors."
    elif faithful:
        why = f"{sentence} Nearly all points next to each other are neighbors."
    elif beyond and value < THIRD:
        why = f"{sentence} Fewer than a third are right, and the excess is too small to read them."
    elif beyond:
        why = f"{sentence} The excess is too small to read single neighbors."
    else:
        why = f"{sentence} A copy reaches up to {share(min(1.0, most))} by chance."
    return Permission(given, beyond, k, "neighbors kept", value, usual, least, min(1.0, most), why)


def _groups(summaries: _WithCopies, scales: Ints, n: int) -> Permission:
    """Return the permission to read groups.

    The shares of neighbors that the map and the copies keep are compared at each number of neighbors in `scales`, but
    not at the first of several. If no share passes, the sudden increases of distance (`gaps`) are compared.
    """
    if len(scales) > 1:
        scales, summaries = (
            scales[1:],
            _WithCopies(*(MapSummary(each.curve[1:], each.gaps[1:], each.far) for each in summaries)),
        )
    found, mean, _, high = summaries
    excess = found.curve - mean.curve
    jumps = found.gaps - mean.gaps
    needed = np.where(mean.curve >= MOST, np.maximum(EXCESS, CLOSED * (1 - mean.curve)), EXCESS)
    passed = (found.curve > high.curve) & (excess >= needed)
    jumped = (found.gaps > high.gaps) & (jumps >= JUMP)
    if jumped.any() and not passed.any():
        at = int(np.argmax(np.where(jumped, jumps, -np.inf)))
        k = int(scales[at])
        why = (
            f"Beyond the {k:,} nearest on the map, the distances in the space increase suddenly, as between groups. "
            "In structureless copies they do not."
        )
        value, usual, least, most = (float(each.gaps[at]) for each in summaries)
        return Permission(True, True, k, "jump of distances", value, usual, least, most, why)
    at = int(np.argmax(np.where(passed, excess, -np.inf) if passed.any() else excess))
    k = int(scales[at])
    value, usual, least, most = (as_share(float(each.curve[at]), k, n) for each in summaries)
    curved = bool((found.curve > high.curve).any())
    beyond = curved or bool((found.gaps > high.gaps).any())
    if passed.any():
        why = f"The map keeps {share(value)} of the {k:,} nearest; structureless copies keep {share(usual)}."
    elif curved:
        why = (
            f"The map keeps {share(value)} of the {k:,} nearest; structureless copies keep {share(usual)}. "
            "The excess is too small to read groups."
        )
    elif beyond:
        why = "Distances increase a little more suddenly than in copies, but too little to read groups."
    else:
        several = f"for every number of neighbors from {scales[0]:,} to {scales[-1]:,}"
        counted = several if scales[0] < scales[-1] else f"of the {k:,} nearest"
        why = f"Structureless copies keep as much {counted}."
    return Permission(bool(passed.any()), beyond, k, "neighbors kept", value, usual, least, min(1.0, most), why)


def _long_distances(summaries: _WithCopies) -> Permission:
    found, mean, _, high = summaries
    value, usual, least, most = ((1 + float(each.far)) / 2 for each in summaries)
    excess = float(found.far - mean.far)
    beyond = bool(found.far > high.far)
    faithful = value >= FAITHFUL
    order = f"he order of two distances is right in {share(value)} of cases ({share(usual)} without structure)."
    sentence, unread = f"T{order}", f"Far apart on the map need not be far apart in the space: t{order}"
    given = faithful or (beyond and excess >= EXCESS)
    if beyond and excess >= EXCESS:
        why = sentence
    elif faithful:
        why = f"{sentence} From {share(FAITHFUL)} on, no excess is needed."
    elif beyond:
        why = f"{unread} The excess is too small to read long distances."
    else:
        why = f"{unread} A copy reaches up to {share(min(1.0, most))} by chance."
    return Permission(given, beyond, None, "far order", value, usual, least, min(1.0, most), why)
