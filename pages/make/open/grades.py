"""The grade of a space in sentences: what it reached, what the best grade requires, and what speaks against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.core.phrases import joined, share
from embedviz.evaluation.grade import LIMITS

if TYPE_CHECKING:
    from embedviz.evaluation.verdict import Verdict

_RESULTS = {
    "analogies": "Analogies: {here} right, {there} in the built-in space",
    "pairs": "Word pairs: {here} with people, {there} in the built-in space",
}
"""How a grading is said, by its name."""


def sentence(found: Verdict) -> str:
    """Return the grade, and for each grading the results here and in the built-in space."""
    headline, grade = found.grade, found.graded.grade
    if grade == "too few":
        covered = "; ".join(f"{one.title}: {one.count:,} {one.quantity.counted}" for one in found.tests.values())
        return f"{headline} Covered: {covered}."
    if grade == "nothing" or _alone(found):
        return headline
    results = [
        f"{_RESULTS[name].format(here=one.here, there=one.there)} (ratio {share(found.graded.reached[name])}; best "
        f"grade from {share(LIMITS[name])})."
        for name, one in found.graded.compared.items()
        if name in _RESULTS
    ]
    best = "This is the best of four grades." if grade == "as published" and results else ""
    return " ".join(part for part in (headline, best, *results) if part)


def cautions(found: Verdict) -> str:
    """Say what speaks against a good grade: tests without a clear lead, sections in which a simpler rule is better."""
    if found.graded.grade not in ("as published", "weaker"):
        return ""
    level = [one.title for name, one in found.tests.items() if not found.graded.beyond.get(name, True)]
    parts = [f"on {joined(level)} these vectors are not clearly better than simpler rules or chance"] if level else []
    behind = [(one.title, one.caveat) for one in found.tests.values() if getattr(one, "caveat", "")]
    parts += [f"in {title} {caveat[0].lower()}{caveat[1:].rstrip('.')}" for title, caveat in behind]
    return f"Caution: {'; '.join(parts)}." if parts else ""


def compared(found: Verdict) -> str:
    """Return what the results of the grade are over."""
    if found.graded.grade in ("nothing", "too few") or _alone(found):
        return ""
    return " ".join(f"{one.over}." for one in found.graded.compared.values())


def _alone(found: Verdict) -> bool:
    """Return whether there is nothing to compare with: no shared words, or the built-in space itself."""
    return not found.graded.compared or found.graded.here == found.graded.there
