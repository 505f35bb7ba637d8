"""The grade of a space: its place on a scale, and in sentences what it reached, what is required, what falls short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.core.phrases import joined, share
from embedviz.evaluation.grade import LIMITS

if TYPE_CHECKING:
    from embedviz.evaluation.verdict import Verdict

_REACHED = {"analogies": "in analogies", "pairs": "on word pairs"}
"""How a grading is said, by its name."""
STEPS = {
    "nothing": "no meaning found",
    "far below": "far below published vectors",
    "weaker": "weaker than published vectors",
    "as published": "as good as published vectors",
}
"""The grades that a scale shows, the lowest first."""
_COMPARED = ("as published", "weaker", "far below")


def scale(found: Verdict) -> str:
    """Return the four grades in order as HTML, with the one that was reached; empty where a space has none of them."""
    if found.graded.grade not in STEPS:
        return ""
    steps = [
        f"<li{' aria-current=true' if name == found.graded.grade else ''}>{title}</li>" for name, title in STEPS.items()
    ]
    return f'<ol class="ev-scale" aria-label="Grade">{"".join(steps)}</ol>'


def sentence(found: Verdict) -> str:
    """Return the grade, and how its results compare with those of the built-in space and with what is required."""
    headline, grade = found.grade, found.graded.grade
    if grade == "too few":
        covered = "; ".join(f"{one.title}: {one.count:,} {one.quantity.counted}" for one in found.tests.values())
        return f"{headline} Covered: {covered}."
    if grade not in _COMPARED or _alone(found):
        return headline
    (first, value), *more = _named(found).items()
    parts = [f"{share(value)} of the built-in space’s result {_REACHED[first]}"]
    parts += [f"{share(value)} {_REACHED[name]}" for name, value in more]
    limits = joined([share(LIMITS[name]) for name in _named(found)])
    which = "This" if grade == "as published" else "The best"
    return f"{headline} It reaches {joined(parts)}. {which} grade requires at least {limits}."


def cautions(found: Verdict) -> str:
    """Say what speaks against a good grade: tests without a clear lead, sections in which a simpler rule is better."""
    if found.graded.grade not in ("as published", "weaker"):
        return ""
    level = [one.title for name, one in found.tests.items() if not found.graded.beyond.get(name, True)]
    parts = [f"On {joined(level)}, the result may be no better than simpler rules or chance."] if level else []
    behind = [(one.title, one.caveat) for one in found.tests.values() if getattr(one, "caveat", "")]
    parts += [f"In {title}, {caveat[0].lower()}{caveat[1:]}" for title, caveat in behind]
    where = " The page Evaluation lists them." if behind else ""
    return f"Where it falls short. {' '.join(parts)}{where}" if parts else ""


def compared(found: Verdict) -> str:
    """Return what the results of the grade are over, and what the built-in space is."""
    if found.graded.grade in ("nothing", "too few") or _alone(found):
        return ""
    yardstick = "The built-in space scores like published word vectors."
    return " ".join([*(f"{one.over}." for one in found.graded.compared.values()), yardstick])


def reached(found: Verdict, test: str) -> str:
    """Return the share of the built-in space's result in one test, on the words of both; empty without one."""
    here, there = found.graded.here.get(test), found.graded.there.get(test)
    return share(max(0.0, here) / there) if here is not None and there and not _alone(found) else ""


def _named(found: Verdict) -> dict[str, float]:
    return {name: value for name, value in found.graded.reached.items() if name in _REACHED}


def _alone(found: Verdict) -> bool:
    """Return whether there is nothing to compare with: no shared words, or the built-in space itself."""
    return not _named(found) or found.graded.here == found.graded.there
