"""`Method`, one row of a table of methods, and the kinds of options that a user can set.

Every table of the library (`PROJECTIONS`, `SAMPLES`, `COLORINGS`, `CORRECTIONS`, …) maps a name to a `Method`. Pages
build their controls from the options, and the command line reads them as `--set name=value`. `check` validates all
values from outside.
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
    """Raised for a name or a value that is not allowed; the message is a sentence for the user."""


@dataclass(frozen=True)
class Parameter:
    """An option whose value is a number from `low` to `high`. If the default is an int, only whole numbers are allowed.

    Attributes:
        high: The highest number, or a function that returns it for a space of n rows.
        help: A sentence for the user on the effect of the number.
        label: Label of the option on a page; if empty, `name`.
        zero: The meaning of 0 if 0 is a special value, for example "automatic".
        formula: Formula of the effect of the number, in LaTeX.
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
        """Return the default for a space of n rows: `default`, or `upper(n)` if `upper(n)` is lower."""
        return min(self.default, self.upper(n))

    def check(self, value: object, n: int) -> float:
        """Check the value against the range for a space of n rows, and return the value as a number.

        Raises:
            OptionError: The value is not a number, is out of range, or is not whole although it must be.
        """
        whole = isinstance(self.default, int)
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            raise OptionError(f"{self.name} is {value!r}; a number is needed, for example {self.default}.") from None
        low, high = self.low, self.upper(n)
        if not math.isfinite(number) or not low <= number <= high:
            raise OptionError(f"{self.name} is {value}; it may be from {low:g} to {high:g}.")
        if whole and number != int(number):
            raise OptionError(f"{self.name} is {value}; a whole number from {low:g} to {high:g} is needed.")
        return int(number) if whole else number


@dataclass(frozen=True)
class Choice:
    """An option whose value is one of several names.

    Attributes:
        options: The names, or a function that returns the names for a space, such as its metadata columns.
        default: One of the names. If it is empty, the first name is the default.
        help: A sentence for the user on the choice.
        label: Label of the option on a page; if empty, `name`.
        formula: LaTeX: one formula for the whole option, or one formula for each of `options`, in the same order.
    """

    name: str
    options: tuple[str, ...] | Callable[[Any], tuple[str, ...]]
    default: str
    help: str
    label: str = ""
    formula: str | tuple[str, ...] = ""

    def formula_of(self, value: str) -> str:
        """Return the formula that belongs to the name `value`; empty if there is no formula."""
        if isinstance(self.formula, str) or callable(self.options):
            return str(self.formula)
        return dict(zip(self.options, self.formula, strict=True)).get(value, "")

    def listed(self, space: Any) -> tuple[str, ...]:
        """Return the names that the user may choose for this space."""
        return self.options(space) if callable(self.options) else self.options

    def check(self, value: object, space: Any) -> str:
        """Check that the value is one of the names for this space, and return it.

        If both the value and the default are empty, the first name is returned.

        Raises:
            OptionError: The value is not one of the names.
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
    """An option whose value is a list of words, typed as one text with commas or line breaks between them.

    Attributes:
        most: Maximum number of words.
        single: Whether the text is one word. Commas then belong to the word.
        pasted: Whether the text is a pasted list or table. Then `embedviz.core.pasted` splits it into words.
    """

    name: str
    default: str
    help: str
    label: str = ""
    most: int = 1000
    single: bool = False
    pasted: bool = False

    def check(self, value: object) -> str:
        """Return the words of the typed text as one text, separated by commas, each word once.

        If `single` is true, the whole text is returned as it is, without blanks around it.

        Raises:
            OptionError: The value is not a text, or has more words than `most`.
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
    """An option whose value is a line of text.

    Attributes:
        default: The text that is used if the user gives an empty text.
        longest: Maximum number of characters.
    """

    name: str
    default: str
    help: str
    label: str = ""
    longest: int = 200

    def check(self, value: object) -> str:
        """Return the text on one line, with single blanks between words. For an empty text return the default.

        Raises:
            OptionError: The value is not a text, or is too long.
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
    """Return a copy of the settings of a method with some changes. All values are checked, old and new.

    Args:
        settings: The settings, a dataclass whose fields are numbers.
        changes: Mapping from the name of a setting to its new value.
        whole: Mapping from the name of each setting that is a whole number to its `Parameter`.
        ranges: Mapping from the name of each setting that need not be whole to its lowest and highest value.
        method: The name of the method, for the message of an error.

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
    """One row of a table of methods, such as a projection or a correction.

    Attributes:
        name: Name of the method in addresses and on the command line.
        title: Name of the method on a page.
        function: The function of the method; it receives the options as keywords.
        options: The options of the method.
        summary: One or two sentences for the user: what the method does and when its result misleads.
        source: The paper or textbook that describes the method, or empty.
        long: Whether the method may take more than a second. Then a page runs it as a job, and `function` takes a
            `report`.
        offered: Function that takes a space and returns whether the method can be used for it.
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
        """Return the option of this name.

        Raises:
            OptionError: The method has no such option; the message lists its options.
        """
        return choose({option.name: option for option in self.options}, name, f"option of {self.name}")


def split_words(text: str) -> list[str]:
    """Split a text at commas, semicolons and line breaks, and return its words in order, each word once."""
    parts = text.replace("\n", ",").replace(";", ",").split(",")
    return list(dict.fromkeys(word for word in (part.strip() for part in parts) if word))


def table(*methods: Method) -> dict[str, Method]:
    """Return a table of methods: a mapping from the name of each method to the method."""
    return {method.name: method for method in methods}


def choose(methods: Mapping[str, Row], name: str, kind: str = "method") -> Row:
    """Return the row of a table with the name `name`.

    Args:
        kind: What the rows are, such as “projection”, for the message of the error.

    Raises:
        OptionError: There is no such row; the message lists the names.
    """
    if name not in methods:
        raise OptionError(f"There is no {kind} called {name!r}. There is: {', '.join(methods)}.")
    return methods[name]


def check(method: Method, values: Mapping[str, Any], space: Any = None) -> dict[str, Any]:
    """Check the given values, and return a mapping from every option of the method to its value.

    An option without a given value has its default.

    Args:
        values: Mapping from the name of an option to its number or text. For a `Parameter`, text is converted to a
            number.
        space: The `VectorSpace` on which limits and choices depend. For limits, any object with a length is enough.

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
    """Return the checked value of an option: the given value, or else the default.

    The default of a `Parameter` is limited to what `n` rows allow.
    """
    if isinstance(option, Parameter):
        return option.check(values.get(option.name, option.usual(n)), n)
    if isinstance(option, Choice):
        return option.check(values.get(option.name, option.default), space)
    return option.check(values.get(option.name, option.default))


def parse_settings(settings: Sequence[str]) -> dict[str, str]:
    """Return a mapping from name to value, from texts such as `name=value` that the command line gets with `--set`.

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
