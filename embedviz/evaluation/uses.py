"""What a space is good for, by its tests: similar words and analogies, each by rules that the grade uses too."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from embedviz.core.phrases import joined, share
from embedviz.evaluation.grade import Graded

TITLES = {"pairs": "similar words", "analogies": "analogies"}
"""The use that the tests of a grading stand for, by its name."""
CHANCE = "random order"
"""Begins the name of a baseline that is chance."""
YES, CARE, UNKNOWN, NO = "yes", "with care", "no sign of it", "no"


class Use(NamedTuple):
    """A use of a space: its title, one of `YES`, `CARE`, `UNKNOWN` and `NO`, and why."""

    title: str
    fit: str
    why: str


def uses(tests: Mapping[str, Any], found: Graded) -> tuple[Use, ...]:
    """Return what the tests say of each use that they cover.

    *Yes*: a clear lead over every simpler rule in each test, and as large a share of the results of the built-in space
    as the best grade requires. *With care*: a clear lead in some test. *No*: a simpler rule is clearly better in each.

    Args:
        tests: Scores by the name of the test set, those that cover enough for a grade.
    """
    listed = []
    for name, title in TITLES.items():
        chosen = [each for each in tests.values() if each.quantity.grading.name == name]
        if chosen:
            listed.append(_use(title, chosen, found))
    return tuple(listed)


def _use(title: str, tests: list[Any], found: Graded) -> Use:
    grading = tests[0].quantity.grading
    ahead = [each for each in tests if found.beyond[each.name]]
    level = [each for each in tests if not found.beyond[each.name]]
    reached = None if found.here == found.there else found.reached.get(grading.name)
    several = f" on {joined([one.title for one in tests])} together" if len(tests) > 1 else ""
    compared = "" if reached is None else f"{share(reached)} of the built-in space’s result{several}"
    if not ahead:
        return Use(title, NO if all(map(_worse, level)) else UNKNOWN, _behind(level))
    if level or (reached is not None and reached < grading.good):
        return Use(title, CARE, "; ".join(part for part in (compared, _behind(level)) if part))
    return Use(title, YES, compared or f"clearly better than simpler rules on {joined([one.title for one in ahead])}")


def _worse(scores: Any) -> bool:
    """Return whether a simpler rule is clearly better; what random orders seldom exceed is no rule."""
    rule, most = scores.baseline
    return not rule.startswith(CHANCE) and most > (scores.bounds[1] or 0.0)


def _behind(tests: list[Any]) -> str:
    """Say of tests without a clear lead what the strongest simpler rule reaches; empty without any."""
    parts: list[str] = []
    unclear: dict[str, list[str]] = {}
    for each in tests:
        (rule, most), quantity = each.baseline, each.quantity
        if _worse(each):
            value = quantity.say(each.value or 0.0)
            parts.append(f"on {each.title}, {rule} reaches {quantity.say(most)}, these vectors {value}")
        else:
            unclear.setdefault(CHANCE if rule.startswith(CHANCE) else rule, []).append(each.title)
    parts += [f"no clear lead over {rule} on {joined(titles)}" for rule, titles in unclear.items()]
    return "; ".join(parts)
