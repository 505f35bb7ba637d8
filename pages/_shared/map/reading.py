"""What a map shows reliably, as text: the badge, what may be read, and the sentence under the map."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from embedviz.core.phrases import joined, share
from embedviz.projection import PROJECTIONS
from embedviz.projection.quality.permissions import FAITHFUL

if TYPE_CHECKING:
    from embedviz.projection.quality import Checked, Permissions

SHARES = {0.6: "most neighbors", 0.4: "about half of the neighbors", 0.0: "some neighbors"}
"""Least share of true neighbors, and the wording from this share on. From `FAITHFUL` on, it is only *neighbors*."""
_GROUPS, _OVERLAPPING = "broad groups", "broad groups (they overlap)"
NOTHING, LITTLE = "No more than a random cloud", "Little more than a random cloud"
FEW_POINTS = "Too few points to judge"
SPEAKS_OF = {
    "neighbors": "which points are likely neighbors",
    "groups": "which points form a group",
    "long distances": "which regions are far apart",
}


def allowed(checked: Checked, method: str) -> str:
    """Return what may be read from a map by this method, as text; “single labels only” if no more.

    The text begins with the positions of the points if the axes have a meaning.
    """
    along = [] if PROJECTIONS[method].free else ["the position of a point along each axis, which is exact"]
    return ", ".join([*along, *_spoken(checked, given=True)]) or "single labels only"


def forbidden(checked: Checked) -> str:
    """Return what may not be read from the map."""
    return ", ".join([*_spoken(checked, given=False), "the size of patches and gaps"])


def _spoken(checked: Checked, *, given: bool) -> list[str]:
    overlap = " (they overlap)" if checked.permissions.groups_overlap else ""
    return [
        SPEAKS_OF[name] + (overlap if name == "groups" else "")
        for name, each in checked.permissions.named.items()
        if each.given == given
    ]


def lines(checked: Checked | None, method: str) -> dict[str, str]:
    """Return lines for an exported picture: `badge`, and for a checked map `reading` (what may be read, what not)."""
    if checked is None:
        return {"badge": line(None)}
    if not checked.judged:
        return {"badge": line(checked), "reading": checked.permissions.neighbors.reason}
    reading = f"You can trust: {allowed(checked, method)}. Not: {forbidden(checked)}."
    return {"badge": line(checked), "reading": reading}


def meaning(text: str, checked: Checked | None, method: str) -> str:
    """Return `text`, which says what a map means, for the line under the map.

    If the map is checked and its axes mean nothing, a sentence on the share of neighbors that it keeps comes first.
    """
    if checked is None or not PROJECTIONS[method].free:
        return text
    preserved, copied = share(checked.quality.neighbor_preservation), share(checked.neighbors_in_copies)
    k = checked.quality.k
    average = f"On average, the map shows {preserved} of a point’s {k} nearest neighbors"
    return f"{average} (a map of random data: {copied}). {text}"


def answer(checked: Checked | None, method: str, noun: str = "word") -> str:
    """Return a sentence: which share of the nearest points are true neighbors, on this map and on one of random data.

    If the map is not checked yet, the sentence says so.

    Args:
        noun: What the points of the map are.
    """
    if checked is None:
        return "How reliable is this map? It is not checked yet."
    along = "" if PROJECTIONS[method].free else "Positions along the axes are exact. "
    value, copied = checked.quality.neighbor_preservation, share(checked.neighbors_in_copies)
    doubtful = checked.permissions.neighbors.given and checked.quality.neighbor_preservation < FAITHFUL
    check = f" Click a {noun} to see its true neighbors." if doubtful else ""
    return (
        f"{along}Of a {noun}’s {checked.quality.k} nearest on the map, {share(value)} are also its nearest in the "
        f"space (a map of random data: {copied}).{check}"
    )


def permitted(checked: Checked, method: str) -> str:
    """Return what can be trusted on a map, then what cannot, in a sentence."""
    if not checked.judged:
        return checked.permissions.neighbors.reason
    along = [] if PROJECTIONS[method].free else ["positions along the axes"]
    read = joined([*along, *names(checked, given=True)] or ["single labels only"])
    not_read = names(checked, given=False)
    return f"On this map you can trust {read}" + (f", but not {joined(not_read)}." if not_read else ".")


def names(checked: Checked, *, given: bool) -> list[str]:
    """Return the names of what the map permits a reader to read if `given`, else of what it does not permit.

    The names are *neighbors*, *broad groups* and *long distances*. If under 90 % of permitted neighbors are true, a
    phrase such as *most neighbors* replaces *neighbors* and comes last.
    """
    value = checked.quality.neighbor_preservation
    groups = {"groups": _OVERLAPPING if checked.permissions.groups_overlap else _GROUPS}
    found = [groups.get(name, name) for name, each in checked.permissions.named.items() if each.given is given]
    if not given or value >= FAITHFUL or "neighbors" not in found:
        return found
    return [*(name for name in found if name != "neighbors"), some_neighbors(value)]


def some_neighbors(value: float) -> str:
    """Return the wording for a share of true neighbors, such as *most neighbors*."""
    return next(name for least, name in SHARES.items() if value >= least)


def line(checked: Checked | None) -> str:
    """Return the badge as one line of text."""
    return "not checked yet" if checked is None else pill(checked).replace("**", "")


def pill(checked: Checked, *, short: bool = False) -> str:
    """Return a map's badge as Markdown: what to trust, what not and, unless `short`, the share of true neighbors."""
    read, not_read = (", ".join(names(checked, given=given)) for given in (True, False))
    words = f"● **You can trust: {read}**" + (f" · ○\u00a0not: {not_read}" if not_read else "")
    preserved, copied = share(checked.quality.neighbor_preservation), share(checked.neighbors_in_copies)
    if not checked.judged:
        words = f"○ ○ ○ **{FEW_POINTS}**"
    elif not checked.permissions.any:
        words = f"○ ○ ○ **{LITTLE if checked.permissions.beyond else NOTHING}**"
    if short:
        return words
    nearest = f"{preserved} of the {checked.quality.k} nearest are true"
    return f"{words} · {nearest} (map of random data: {copied})"


def dots(permissions: Permissions, *, short: bool = False) -> str:
    """Return the permissions as three dots with their names; a short form has only the dots."""
    found = [("●" if each.given else "○", name) for name, each in permissions.named.items()]
    return " ".join(dot for dot, _ in found) if short else " ".join(f"{dot} {name}" for dot, name in found)


def unbroken(message: str) -> str:
    """Return the message with each number tied to its unit, so that no line ends between them."""
    return re.sub(r"(?<=\d) (?=(?:s|min|h|%)\b|%)", "\u00a0", message)
