"""What a row of a table says and what a reader may turn: `Method`, and its options.

Every table of the library (`PROJECTIONS`, `SAMPLES`, `COLORINGS`, `CORRECTIONS`, …) maps a name to a `Method`. Pages
build their controls from the options, the command line reads `--set name=value` against them, and `check` is the one
place where a value from outside is refused.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from embedviz.core.pasted import text_of, words_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row")
Settings = TypeVar("Settings", bound="DataclassInstance")


class OptionError(ValueError):
    """A value that a table does not allow; the message is a sentence for the reader."""


@dataclass(frozen=True)
class Parameter:
    """A number between `low` and `high`. A whole number where the default is one.

    Attributes:
        high: A number, or a function of the space's size n.
        help: One sentence: what turning it up does.
        label: What a page shows; the name where it is empty.
        zero: What 0 means where it is no number, for example "automatic".
        formula: What the number does, in LaTeX.
    """

    name: str
    low: float
    high: float | Callable[[int], float]
    default: float
    help: str
    label: str = ""
    zero: str = ""
    formula: str = ""

    def upper(self, n: int) -> float:
        """Return the highest value allowed for a space of n rows, never below `low`."""
        high = self.high(n) if callable(self.high) else self.high
        return max(high, self.low)

    def usual(self, n: int) -> float:
        """Return the default, or the highest value allowed for a space of n rows where that is lower."""
        return min(self.default, self.upper(n))

    def check(self, value: object, n: int) -> float:
        """Return the value as a number in range.

        Raises:
            OptionError: It is no number, not whole where it must be, or out of range.
        """
        whole = isinstance(self.default, int)
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise OptionError(f"{self.name} is {value!r}; a number is needed, for example {self.default}.") from None
        low, high = self.low, self.upper(n)
        if not math.isfinite(number) or not low <= number <= high:
            raise OptionError(f"{self.name} is {value}; it may be from {low:g} to {high:g}.")
        if whole and number != int(number):
            raise OptionError(f"{self.name} is {value}; a whole number from {low:g} to {high:g} is needed.")
        return int(number) if whole else number


@dataclass(frozen=True)
class Choice:
    """One of several names.

    Attributes:
        options: The names, or a function of the space that lists them (its metadata columns, say).
        default: One of the names; empty for the first of those that the space lists.
        formula: What the names stand for, in LaTeX: one formula for all, or one for each name in their order.
    """

    name: str
    options: tuple[str, ...] | Callable[[Any], tuple[str, ...]]
    default: str
    help: str
    label: str = ""
    formula: str | tuple[str, ...] = ""

    def formula_of(self, value: str) -> str:
        """Return the formula of one of the names."""
        if isinstance(self.formula, str) or callable(self.options):
            return str(self.formula)
        return dict(zip(self.options, self.formula, strict=True)).get(value, "")

    def listed(self, space: Any) -> tuple[str, ...]:
        """Return the names that may be chosen for this space."""
        return self.options(space) if callable(self.options) else self.options

    def check(self, value: object, space: Any) -> str:
        """Return the value, if it is one of the names.

        Raises:
            OptionError: It is not.
        """
        options = self.listed(space)
        if value == "" and self.default == "" and options:
            return options[0]
        if value not in options:
            known = ", ".join(options) or "none for this space"
            raise OptionError(f"{self.name} is {value!r}; it may be: {known}.")
        return str(value)


@dataclass(frozen=True)
class Words:
    """Words typed by hand, in a text separated by commas or lines.

    Attributes:
        most: How many words may be named.
        single: Whether just one word is meant, so that commas belong to it.
        pasted: Whether a list of any length is meant, as `embedviz.core.pasted` reads it.
    """

    name: str
    default: str
    help: str
    label: str = ""
    most: int = 1000
    single: bool = False
    pasted: bool = False

    def check(self, value: object) -> str:
        """Return the words as one text, tidied.

        Raises:
            OptionError: It is no text, or names more words than `most`.
        """
        if not isinstance(value, str):
            raise OptionError(f"{self.name} is {value!r}; words separated by commas are needed.")
        if self.single:
            return value.strip()
        words = words_of(value) if self.pasted else split_words(value)
        if len(words) > self.most:
            raise OptionError(f"{self.name} names {len(words):,} words; at most {self.most:,} are read.")
        return text_of(words) if self.pasted else ", ".join(words)


@dataclass(frozen=True)
class TextOption:
    """A line of text typed by hand.

    Attributes:
        default: What an empty text stands for.
        longest: Characters that are read.
    """

    name: str
    default: str
    help: str
    label: str = ""
    longest: int = 200

    def check(self, value: object) -> str:
        """Return the text in one line, single blanks between its parts.

        Raises:
            OptionError: It is no text, or too long.
        """
        if not isinstance(value, str):
            raise OptionError(f"{self.name} is {value!r}; a text is needed, for example {self.default}.")
        if len(value) > self.longest:
            raise OptionError(f"{self.name} has {len(value):,} characters; at most {self.longest:,} are read.")
        return " ".join(value.split()) or self.default


Option = Parameter | Choice | Words | TextOption


def checked_settings(
    settings: Settings,
    changes: Mapping[str, float],
    whole: Mapping[str, Parameter],
    ranges: Mapping[str, tuple[float, float]],
    method: str,
) -> Settings:
    """Return the settings of a method, a dataclass of numbers, with some changes.

    Args:
        whole: The settings that are whole numbers, by name.
        ranges: Lowest and highest value of the others, by name.
        method: Its name, with which a sentence begins.

    Raises:
        OptionError: A name is unknown or a value is out of range.
    """
    known = {field.name for field in fields(settings)}
    if unknown := sorted({*changes} - known):
        raise OptionError(f"{method} has no setting {unknown[0]!r}. Its settings: {', '.join(sorted(known))}.")
    values: dict[str, Any] = {name: getattr(settings, name) for name in known} | dict(changes)
    for name, option in whole.items():
        values[name] = int(option.check(values[name], 2**31))
    for name, (low, high) in ranges.items():
        values[name] = float(values[name])
        if not low <= values[name] <= high:
            raise OptionError(f"{name} is {values[name]:g}; it may be from {low:g} to {high:g}.")
    return replace(settings, **values)


def _always(space: Any) -> bool:
    return True


@dataclass(frozen=True)
class Method:
    """One row of a table.

    Attributes:
        name: What an address and the command line say.
        title: What a page shows.
        function: What is called, with the options as keywords.
        summary: One or two sentences for the reader: what it does and when not to believe it.
        source: The paper or textbook, or empty.
        long: Whether it may take more than a second, so that a page runs it as a job; it then takes a `report`.
        offered: Whether a space can have it at all.
    """

    name: str
    title: str
    function: Callable[..., Any]
    options: tuple[Option, ...] = ()
    summary: str = ""
    source: str = ""
    long: bool = False
    offered: Callable[[Any], bool] = _always

    def option(self, name: str) -> Any:
        """Return the option of that name.

        Raises:
            OptionError: There is none; the message lists those there are.
        """
        return choose({option.name: option for option in self.options}, name, f"option of {self.name}")


def split_words(text: str) -> list[str]:
    """Return the words in a text separated by commas, semicolons or lines, each once, in order."""
    parts = text.replace("\n", ",").replace(";", ",").split(",")
    return list(dict.fromkeys(word for word in (part.strip() for part in parts) if word))


def table(*methods: Method) -> dict[str, Method]:
    """Return a table of methods by their names."""
    return {method.name: method for method in methods}


def choose(methods: Mapping[str, Row], name: str, kind: str = "method") -> Row:
    """Return the row with this name.

    Raises:
        OptionError: There is none; the message lists those there are.
    """
    if name not in methods:
        raise OptionError(f"There is no {kind} called {name!r}. There is: {', '.join(methods)}.")
    return methods[name]


def check(method: Method, values: Mapping[str, Any], space: Any = None) -> dict[str, Any]:
    """Return every option of the method with its value: the given one where there is one, else the default.

    Args:
        values: Option names to numbers or text; text is turned into numbers where a number is meant.
        space: The `VectorSpace` that limits and choices depend on; anything with a length will do for limits.

    Raises:
        OptionError: A name is not an option, or a value is not allowed.
    """
    known = {option.name: option for option in method.options}
    for name in values:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise OptionError(f"{method.name} has no option {name!r}. Its options: {listed}.")
    n = len(space) if space is not None else 2**31
    return {name: _checked(option, values, space, n) for name, option in known.items()}


def _checked(option: Option, values: Mapping[str, Any], space: Any, n: int) -> Any:
    """Return the given value, checked; where none is given the default, cut to what the space allows."""
    if isinstance(option, Parameter):
        return option.check(values.get(option.name, option.usual(n)), n)
    if isinstance(option, Choice):
        return option.check(values.get(option.name, option.default), space)
    return option.check(values.get(option.name, option.default))


def parse_settings(settings: Sequence[str]) -> dict[str, str]:
    """Return the names and values of `name=value` texts, as `--set` takes them.

    Raises:
        OptionError: A text has no `=`.
    """
    pairs: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise OptionError(f"{setting!r} is not a setting. Write name=value, for example k=10.")
        pairs[name.strip()] = value.strip()
    return pairs
