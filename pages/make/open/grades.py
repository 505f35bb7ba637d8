"""The grade of a space: its place on a scale, and sentences on its meaning, its requirements and its weak points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.core.phrases import joined, share
from embedviz.evaluation.grade import LIMITS, STEPS, to_beat
from embedviz.evaluation.uses import TITLES

if TYPE_CHECKING:
    from embedviz.evaluation.verdict import Verdict

_COMPARED = ("as published", "weaker", "far below")
_OWN = "This is the built-in space, with which other spaces are compared."


def scale(found: Verdict) -> str:
    """Return the scale of four grades as HTML, with the space's grade marked; empty if it has none of the four."""
    if found.graded.grade not in STEPS:
        return ""
    steps = [
        f"<li{' aria-current=true' if name == found.graded.grade else ''}>{title}</li>" for name, title in STEPS.items()
    ]
    return f'<ol class="ev-scale" aria-label="Grade">{"".join(steps)}</ol>'


def sentence(found: Verdict) -> str:
    """Return sentences: the grade, and how sure the grade is.

    If the space has too few words of the tests, say how many items of each test the space covers.
    """
    headline, grade = found.grade, found.graded.grade
    if grade == "too few":
        covered = "; ".join(f"{one.title}: {one.count:,} {one.quantity.counted}" for one in found.tests.values())
        return f"{headline} Covered: {covered}."
    more = _OWN if alone(found) and grade in _COMPARED else found.graded.sureness
    return f"{headline} {more}".strip()


def required(found: Verdict) -> str:
    """Return a text: which share of the built-in space's results the best grade requires.

    The text is empty if the space was not compared with the built-in space.
    """
    if found.graded.grade not in _COMPARED or alone(found):
        return ""
    reached = [name for name in TITLES if name in found.graded.reached]
    limits = joined([f"{share(LIMITS[name])} or more in {TITLES[name]}" for name in reached])
    return (
        "Compared with the built-in space (MiniLM input words), which scores like published vectors, on the words that "
        f"both have. For the best grade the share is {limits}."
    )


def cautions(found: Verdict) -> str:
    """Return sentences: in how many sections of a test a simpler rule scores above the 95 % interval of the space.

    Empty if there is no such section, or if the grade is not *as published* or *weaker*.
    """
    if found.graded.grade not in ("as published", "weaker"):
        return ""
    behind = [one for one in found.tests.values() if getattr(one, "clearly_behind", 0)]
    parts = []
    for one in behind:
        sections = f"{one.clearly_behind} of {len(one.scored_parts)} sections of {one.title}"
        begun = "Still, in" if found.graded.beyond[one.name] else "In"
        parts.append(f"{begun} {sections} a simpler rule is clearly better; the page Evaluation lists them.")
    return " ".join(parts)


def compared(found: Verdict) -> str:
    """Return sentences: which results of the space and the built-in space were compared, on how many items.

    The text is empty if nothing was compared.
    """
    if found.graded.grade in ("nothing", "too few") or alone(found):
        return ""
    return " ".join(f"{one.over}." for one in found.graded.compared.values())


def rival(found: Verdict, test: str) -> str:
    """Return a text: the baseline to beat in a test (a simpler rule or chance), and its result.

    If the space clearly beats all baselines, this is the strongest one, otherwise one that the space does not clearly
    beat.
    """
    scores, beyond = found.tests[test], found.graded.beyond[test]
    title, value = to_beat(scores, beyond=beyond)
    more = "" if beyond else " (not beaten)" if value > (scores.value or 0.0) else " (not clearly beaten)"
    return f"{title} {scores.quantity.say(value)}{more}"


def reached(found: Verdict, test: str) -> str:
    """Return a space's test result as a percentage of the result of the built-in space.

    Both results are on the words that both spaces have. The text is empty if the spaces were not compared.
    """
    here, there = found.graded.here.get(test), found.graded.there.get(test)
    return share(max(0.0, here) / there) if here is not None and there and not alone(found) else ""


def tests(found: Verdict) -> list[tuple[str, ...]]:
    """Return the rows of the table of tests: one row per test, and one for all tests of a use together.

    A use is *similar words* or *analogies*. It has such a row only if it has several tests. The built-in space has no
    such rows.
    """
    rows: list[tuple[str, ...]] = []
    for each, described in zip(found.tests.values(), found.table, strict=True):
        there = found.graded.there.get(each.name)
        cells = (
            f"{each.title}, {each.count:,} {each.quantity.counted}",
            described.figure,
            rival(found, each.name),
            "" if there is None else each.quantity.say(there),
            reached(found, each.name),
        )
        rows.append(cells)
    for name, both in found.graded.compared.items():
        if len(both.titles) > 1 and not alone(found):
            together = f"all tests of {TITLES[name]}, {both.total:,} {both.counted} of both spaces"
            rows.append((together, both.here, "", both.there.split()[-1], share(found.graded.reached[name])))
    return rows


def alone(found: Verdict) -> bool:
    """Return whether the space was not compared with the built-in space, or is that space."""
    return not found.graded.reached or found.graded.here == found.graded.there
