"""Changes of a single setting that are worth another training."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from embedviz.core.options import Choice, Method, Option, OptionError, Parameter, check

_WORTH = ("window", "negative", "vector_size", "epochs", "min_n", "x_max")
"""Numeric options for which twice the value and half the value are offered."""


@dataclass(frozen=True)
class OptionChange:
    """One option with another value, and its label."""

    name: str
    value: Any
    label: str


def changes(method: Method, values: Mapping[str, Any], size: int) -> list[OptionChange]:
    """Return all changes of one option: a choice to each other name, a number to its double and its half.

    Only the numbers in `_WORTH` are changed. Values that the method does not allow are left out.

    Args:
        values: The current values of the options.
        size: Number of words in the corpus, on which limits depend.
    """
    found = []
    for option in method.options:
        now, name = values.get(option.name), option_label(option)
        others: list[Any] = []
        if isinstance(option, Choice):
            others = [one for one in option.listed(None) if one != now]
        elif isinstance(option, Parameter) and option.name in _WORTH and isinstance(now, int | float) and now:
            others = [kind for kind in (now * 2, now // 2 if isinstance(now, int) else now / 2) if kind]
        for other in others:
            try:
                check(method, {option.name: other}, range(size))
            except OptionError:
                continue
            found.append(OptionChange(option.name, other, f"{name}: {value_text(other)} instead of {value_text(now)}"))
    return found


def option_label(option: Option) -> str:
    """Return the label of an option."""
    return str(option.label or option.name)


def value_text(value: Any) -> str:
    """Return a value of an option as text."""
    return f"{value:,g}" if isinstance(value, int | float) else str(value)
