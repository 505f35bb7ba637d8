"""The grade of a space in sentences: what it reached, what the best grade requires, and what speaks against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.core.phrases import joined, share
from embedviz.evaluation.grade import LIMITS

if TYPE_CHECKING:
    from embedviz.evaluation.verdict import Verdict

_REACHED = {"analogies": "accuracy in analogies", "pairs": "agreement with people on word pairs"}
"""What a grading measures, by its name."""
_GRADES = ("as published", "weaker", "far below", "nothing")
"""The best one first."""


def sentence(found: Verdict) -> str:
    """Return the grade, and what it reaches of the results of the built-in space."""
    headline, grade = found.grade, found.graded.grade
    if grade == "too few":
        covered = "; ".join(f"{one.title}: {one.count:,} {one.quantity.counted}" for one in found.tests.values())
        return f"{headline} Covered: {covered}."
    if grade not in _GRADES or _alone(found):
        return headline
    place = f"Grade {_GRADES.index(grade) + 1} of {len(_GRADES)}."
    reached = [f"{share(value)} of its {_REACHED[name]}" for name, value in _named(found).items()]
    against = f"Compared with the built-in space on the same words: {joined(reached)}." if grade != "nothing" else ""
    return " ".join(part for part in (headline, place, against) if part)


def required(found: Verdict) -> str:
    """Say what the best grade requires, and what the built-in space is."""
    if found.graded.grade not in _GRADES or _alone(found):
        return ""
    least = joined([share(LIMITS[name]) for name in _named(found)])
    return (
        f"Grade 1 requires {least}. The built-in space (MiniLM input words) is about as good as published word vectors."
    )


def cautions(found: Verdict) -> str:
    """Say what speaks against a good grade: tests without a clear lead, sections in which a simpler rule is better."""
    if found.graded.grade not in ("as published", "weaker"):
        return ""
    level = [one.title for name, one in found.tests.items() if not found.graded.beyond.get(name, True)]
    parts = [f"on {joined(level)}, it is not clearly better than simpler rules or chance"] if level else []
    behind = [(one.title, one.caveat) for one in found.tests.values() if getattr(one, "caveat", "")]
    parts += [f"in {title}, {caveat[0].lower()}{caveat[1:].rstrip('.')}" for title, caveat in behind]
    return f"Caution: {'; '.join(parts)}." if parts else ""


def compared(found: Verdict) -> str:
    """Return what the results of the grade are over."""
    if found.graded.grade in ("nothing", "too few") or _alone(found):
        return ""
    return " ".join(f"{one.over}." for one in found.graded.compared.values())


def _named(found: Verdict) -> dict[str, float]:
    return {name: value for name, value in found.graded.reached.items() if name in _REACHED}


def _alone(found: Verdict) -> bool:
    """Return whether there is nothing to compare with: no shared words, or the built-in space itself."""
    return not _named(found) or found.graded.here == found.graded.there
