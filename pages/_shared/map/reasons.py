"""The reasons why a map may be read or not; a click on the badge opens them."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from embedviz.projection.quality.permissions import FAITHFUL
from pages._shared.map.reading import SPEAKS_OF, some_neighbors

if TYPE_CHECKING:
    from embedviz.projection.quality import Checked, Permission


def reasons(checked: Checked) -> str:
    """Return the HTML of the three verdicts on a map (neighbors, groups, long distances), each with its reason.

    For a map with too few points, return the reason why there is no verdict.
    """
    if not checked.judged:
        few = f"{checked.permissions.neighbors.reason} So this map may be good or bad."
        return f'<p class="ev-small">○ <b>Not judged.</b> {html.escape(few)}</p>'
    found = checked.permissions
    verdicts = (judged(name, each, overlap=found.groups_overlap) for name, each in found.named.items())
    return f'<p class="ev-small">{"<br>".join(verdicts)}</p>'


def judged(name: str, permission: Permission, *, overlap: bool = False) -> str:
    """Return the HTML of one verdict with its reason.

    If only a part of the neighbors on the map are neighbors in the space, the verdict on neighbors says which part.

    Args:
        name: *neighbors*, *groups* or *long distances*.
        overlap: Whether the groups overlap.
    """
    dot = "●" if permission.given else "○"
    verdict = f"The map {'shows' if permission.given else 'does not show'} reliably {SPEAKS_OF[name]}."
    if permission.given and name == "neighbors" and permission.value < FAITHFUL:
        some = some_neighbors(permission.value).removesuffix("neighbors")
        verdict = f"{some[0].upper()}{some[1:]}points drawn near another one are true neighbors."
    if overlap and name == "groups":
        verdict = (
            "The map shows broad groups better than chance, but they overlap: of the "
            f"{permission.scale:,} points drawn nearest to a point, most are not its nearest in the space."
        )
    return f"{dot} <b>{name.capitalize()}.</b> {html.escape(verdict)} {html.escape(permission.reason)}"
