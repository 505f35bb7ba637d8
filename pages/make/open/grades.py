"""The grade of a space in sentences: what it reached, what the best grade requires, and what speaks against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.core.phrases import joined, share
from embedviz.evaluation.grade import LIMITS

if TYPE_CHECKING:
    from embedviz.evaluation.verdict import Verdict

_REACHED = {"analogies": "in analogies", "pairs": "on word pairs"}
"""How a grading is said, by its name."""
_COMPARED = ("as published", "weaker", "far below")


def sentence(found: Verdict) -> str:
    """Return the grade, and the results here and in the built-in space."""
    headline, grade = found.grade, found.graded.grade
    if grade == "too few":
        covered = "; ".join(f"{one.title}: {one.count:,} {one.quantity.counted}" for one in found.tests.values())
        return f"{headline} Covered: {covered}."
    if grade not in _COMPARED or _alone(found):
        return headline
    best = "This is the best of four grades." if grade == "as published" else ""
    return " ".join(part for part in (headline, best, f"On the same words: {_results(found)}.") if part)


def _results(found: Verdict) -> str:
    """Return the result of each test here and in the built-in space, on the words of both."""
    here, there = found.graded.here, found.graded.there
    results: list[str] = []
    for name, value in here.items():
        test = found.tests[name]
        between = " against" if results else ", the built-in space"
        quantity = test.quantity
        results.append(f"{test.title} {quantity.symbol}{quantity.say(value)}{between} {quantity.say(there[name])}")
    return "; ".join(results)


def required(found: Verdict) -> str:
    """Say what the best grade requires, and what the built-in space is."""
    if found.graded.grade not in _COMPARED or _alone(found):
        return ""
    parts = []
    for name, value in _named(found).items():
        together = ", all tests together" if len(found.graded.compared[name].titles) > 1 else ""
        parts.append(f"{share(LIMITS[name])} {_REACHED[name]} (here {share(value)}{together})")
    yardstick = "That space, MiniLM input words, scores like published word vectors."
    return f"Of the results of the built-in space, the best grade requires {joined(parts)}. {yardstick}"


def cautions(found: Verdict) -> str:
    """Say what speaks against a good grade: tests without a clear lead, sections in which a simpler rule is better."""
    if found.graded.grade not in ("as published", "weaker"):
        return ""
    level = [one.title for name, one in found.tests.items() if not found.graded.beyond.get(name, True)]
    parts = [f"On {joined(level)}, the result may be no better than simpler rules or chance."] if level else []
    behind = [(one.title, one.caveat) for one in found.tests.values() if getattr(one, "caveat", "")]
    parts += [f"In {title}, {caveat[0].lower()}{caveat[1:]}" for title, caveat in behind]
    return f"Caution. {' '.join(parts)}" if parts else ""


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
