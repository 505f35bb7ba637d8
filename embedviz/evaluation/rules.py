"""Rules for a score card. A rule is a measure, a comparison and a number, such as `nearly_equal_rows>0.01`."""

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from embedviz.core.options import OptionError
from embedviz.core.phrases import printable

COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_RULE = re.compile(
    r"\s*([a-z][a-z0-9_]{0,40})\s*(>=|<=|>|<)\s*([-+]?(?:\d{1,18}\.?\d{0,18}|\.\d{1,18})(?:e[-+]?\d{1,3})?)\s*"
)


class Rule(NamedTuple):
    """A condition on a measure; if it holds, the check fails."""

    name: str
    comparison: str
    limit: float

    def __str__(self) -> str:
        return f"{self.name}{self.comparison}{self.limit:g}"

    def holds(self, value: float) -> bool:
        """Return whether the condition holds for a value."""
        return COMPARISONS[self.comparison](value, self.limit)


class RuleResult(NamedTuple):
    """A rule and the value of its measure. The value is None if the measure does not apply to the space."""

    rule: Rule
    value: float | None

    @property
    def fails(self) -> bool:
        """Return whether this rule makes the check fail."""
        return self.value is not None and self.rule.holds(self.value)

    def card(self) -> dict[str, Any]:
        """Return the result as plain JSON values."""
        return {"rule": str(self.rule), "value": self.value, "fails": self.fails}


def rules_of(texts: Sequence[str], names: Sequence[str], renamed: Mapping[str, str] | None = None) -> tuple[Rule, ...]:
    """Read rules from texts.

    Args:
        names: The measures that a rule may name.
        renamed: Earlier name of a measure → its name now.

    Raises:
        OptionError: A text is not a rule, or names an unknown measure.
    """
    found = []
    for text in texts:
        read = _RULE.fullmatch(text)
        if read is None or not math.isfinite(float(read[3])):
            raise OptionError(
                f"“{printable(text)}” is not a rule. Write a measure, one of > >= < <=, and a number: "
                "nearly_equal_rows>0.01."
            )
        name = (renamed or {}).get(read[1], read[1])
        if name not in names:
            raise OptionError(f"There is no measure “{read[1]}”. There are: {', '.join(names)}.")
        found.append(Rule(name, read[2], float(read[3])))
    return tuple(found)


def applied(rules: Sequence[Rule], measures: Mapping[str, float | None]) -> tuple[RuleResult, ...]:
    """Apply rules to the measures of a score card. A rule whose measure has no value never makes a check fail."""
    return tuple(RuleResult(rule, measures.get(rule.name)) for rule in rules)
