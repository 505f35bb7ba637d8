"""The grade of a space: its place on a scale, and in sentences what it is, what is required, and what falls short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.core.phrases import joined, share
from embedviz.evaluation.grade import LIMITS
from embedviz.evaluation.uses import TITLES

if TYPE_CHECKING:
    from embedviz.evaluation.verdict import Verdict

STEPS = {
    "nothing": "no meaning found",
    "far below": "far below published vectors",
    "weaker": "weaker than published vectors",
    "as published": "as good as published vectors",
}
"""The grades that a scale shows, the lowest first."""
_COMPARED = ("as published", "weaker", "far below")
_OWN = "This is the built-in space, with which other spaces are compared."


def scale(found: Verdict) -> str:
    """Return the four grades in order as HTML, with the one that was reached; empty where a space has none of them."""
    if found.graded.grade not in STEPS:
        return ""
    steps = [
        f"<li{' aria-current=true' if name == found.graded.grade else ''}>{title}</li>" for name, title in STEPS.items()
    ]
    return f'<ol class="ev-scale" aria-label="Grade">{"".join(steps)}</ol>'


def sentence(found: Verdict) -> str:
    """Return the grade in words."""
    headline, grade = found.grade, found.graded.grade
    if grade == "too few":
        covered = "; ".join(f"{one.title}: {one.count:,} {one.quantity.counted}" for one in found.tests.values())
        return f"{headline} Covered: {covered}."
    if grade == "nothing":
        return f"{headline} If a good space was expected, its words may stand at the wrong rows."
    return f"{headline} {_OWN if alone(found) and grade in _COMPARED else ''}".strip()


def required(found: Verdict) -> str:
    """Say which shares of the results of the built-in space the best grade requires; empty where none are compared."""
    if found.graded.grade not in _COMPARED or alone(found):
        return ""
    limits = joined([f"{share(LIMITS[name])} in {TITLES[name]}" for name in TITLES if name in found.graded.reached])
    return f"The best grade requires at least {limits} of the built-in space’s result (MiniLM input words, same words)."


def cautions(found: Verdict) -> str:
    """Say in which sections of a test a simpler rule is better; empty for a grade without meaning."""
    if found.graded.grade not in ("as published", "weaker"):
        return ""
    behind = [(one.title, one.caveat) for one in found.tests.values() if getattr(one, "caveat", "")]
    parts = [f"In {title}, {caveat[0].lower()}{caveat[1:]}" for title, caveat in behind]
    return f"{' '.join(parts)} The page Evaluation lists them." if parts else ""


def compared(found: Verdict) -> str:
    """Return what the results of the grade are over, and what the built-in space is."""
    if found.graded.grade in ("nothing", "too few") or alone(found):
        return ""
    yardstick = "The built-in space scores like published word vectors."
    return " ".join([*(f"{one.over}." for one in found.graded.compared.values()), yardstick])


def reached(found: Verdict, test: str) -> str:
    """Return the share of the built-in space's result in one test, on the words of both; empty without one."""
    here, there = found.graded.here.get(test), found.graded.there.get(test)
    return share(max(0.0, here) / there) if here is not None and there and not alone(found) else ""


def alone(found: Verdict) -> bool:
    """Return whether there is nothing to compare with: no shared words, or the built-in space itself."""
    return not found.graded.reached or found.graded.here == found.graded.there
