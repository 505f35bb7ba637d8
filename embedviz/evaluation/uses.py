"""What a space can be used for, by its tests: similar words and analogies. The rules are the same as for the grade."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from embedviz.core.phrases import joined, share
from embedviz.evaluation.grade import Graded, to_beat

TITLES = {"pairs": "similar words", "analogies": "analogies"}
"""Name of a grading → title of the use that is judged by the tests of this grading."""
_REACHED = {
    "pairs": "agrees with people {} as well as the built-in space",
    "analogies": "answers {} as many questions right as the built-in space",
}
YES, CARE, UNKNOWN, NO = "yes", "with care", "not shown", "no"


class Use(NamedTuple):
    """A use of a space: its title, the answer (`YES`, `CARE`, `UNKNOWN` or `NO`), and the reason."""

    title: str
    fit: str
    why: str


def uses(tests: Mapping[str, Any], found: Graded) -> tuple[Use, ...]:
    """Return for each use whether the space is good for it. Uses for which no test applies are left out.

    `YES`: the space clearly beats every simpler rule in all tests of the use. Also, its ratio to the built-in space, if
    known, is at least `Grading.good`. `CARE`: it clearly beats every rule in at least one test. `NO`: a simpler rule is
    clearly better in each test, or no test finds any meaning. `UNKNOWN`: all other cases.

    Args:
        tests: Name of the test set → its scores, for test sets with at least `Grading.fewest` covered items.
        found: The grade of the space over these test sets.
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
    compared = "" if reached is None else _REACHED[grading.name].format(share(reached))
    if not ahead:
        denied = found.grade == "nothing" or all(map(_worse, level))
        return Use(title, NO if denied else UNKNOWN, _behind(level))
    if level or (reached is not None and reached < grading.good):
        return Use(title, CARE, "; ".join(part for part in (compared, _behind(level)) if part))
    return Use(title, YES, compared or f"clearly better than simpler rules on {joined([one.title for one in ahead])}")


def _worse(scores: Any) -> bool:
    """Return whether a simpler rule is clearly better than the space."""
    return any(rule.value > (scores.bounds[1] or 0.0) for rule in scores.rules)


def _behind(tests: list[Any]) -> str:
    """Return a phrase that names, for each of `tests`, the rule to beat; empty without tests."""
    parts: list[str] = []
    unclear: dict[str, list[str]] = {}
    for each in tests:
        title, most = to_beat(each, beyond=False)
        if _worse(each) and any(rule.title == title for rule in each.rules):
            quantity = each.quantity
            value = quantity.say(each.value or 0.0)
            parts.append(f"on {each.title}, {title} reaches {quantity.say(most)}, these vectors {value}")
        else:
            unclear.setdefault(title.partition(",")[0], []).append(each.title)
    parts += [f"not clearly better than {rule} on {joined(titles)}" for rule, titles in unclear.items()]
    return "; ".join(parts)
