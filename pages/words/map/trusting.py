"""Sentences on two maps: which of them shows neighbors, groups and long distances that can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.core.phrases import joined
from embedviz.projection.quality.permissions import FAITHFUL
from pages._shared.map.reading import some_neighbors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from embedviz.projection.quality import Checked
    from pages.words.map.companion import SecondQuestion

_TRUSTED = {
    "neighbors": ("", "", "Do not trust neighbors on either map"),
    "groups": ("Both maps show broad groups", "Only {} shows broad groups", "Neither map shows broad groups"),
    "long distances": (
        "Long distances can be trusted on both",
        "Long distances can be trusted on {} only",
        "Long distances mean nothing on either",
    ),
}
"""For each kind of statement, three texts: trust such statements on both maps, on one map, on no map."""


def trusted(one: Checked, other: Checked, question: SecondQuestion) -> str:
    """Return sentences: which of neighbors, groups and long distances can be trusted on both maps, one, or none.

    The text is empty if a map has too few points to be judged.
    """
    if not (one.judged and other.judged):
        return ""
    maps_of, sentences = ((question.first, one), (question.title, other)), []
    for name, (both, only, neither) in _TRUSTED.items():
        given = [(title, each) for title, each in maps_of if each.permissions.named[name].given]
        if name == "neighbors" and given:
            shares = joined([f"{_true_neighbors(each)} on {title}" for title, each in given])
            others = [title for title, each in maps_of if not each.permissions.named[name].given]
            rest = f"; do not trust those on {others[0]}" if others else ""
            sentences.append(f"{shares[0].upper()}{shares[1:]} are near in the space too{rest}.")
        else:
            sentence = both if len(given) == 2 else only.format(given[0][0]) if given else neither
            sentences.append(f"{sentence}{_overlap(given) if name == 'groups' else ''}.")
    return " ".join(sentences)


def _overlap(given: Sequence[tuple[str, Checked]]) -> str:
    """Return a phrase that says on which of the given maps the groups overlap; empty if they overlap on no map."""
    found = [title for title, each in given if each.permissions.groups_overlap]
    if not found:
        return ""
    return "; they overlap" if len(found) == len(given) else f"; on {found[0]} they overlap"


def _true_neighbors(checked: Checked) -> str:
    value = checked.quality.neighbor_preservation
    return "nearly all neighbors" if value >= FAITHFUL else some_neighbors(value)
