"""`Call`: a function of the library with its arguments, as a value.

A call has a key, under which its result is cached, and it can run as a job. It is also written as lines of Python
(`core.notebook`), as a terminal command (`core.terminal`) and as the card of an export (`core.cards`).

    question = call("embedviz.neighbors:neighborhood", Recipe(), ["bank"], k=5)
    question.key  # a short hash of the call and the program's version; equal calls have equal keys
    question.run()  # the result of the function
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, NamedTuple, TypeVar, Union

from embedviz.core.progress import Report
from embedviz.core.recipe import Recipe

Function = TypeVar("Function", bound=Callable[..., Any])
Answer = Callable[[Union[Recipe, "Call"]], Any]
"""A function that takes a `Recipe` and returns its opened space, or takes a `Call` and returns its result."""
_PATH = re.compile(r"embedviz(?:\.[A-Za-z]\w*)+:[A-Za-z]\w*")
_OPENER = "embedviz.catalog"
_REPORT = "report"


class CallError(ValueError):
    """An error: a call, or a card (a call exported as JSON), is not valid; the message is for the user."""


class Offer(NamedTuple):
    """How a notebook and a terminal call a function and show its result.

    Attributes:
        name: Variable that receives the result in a notebook. If the result is a tuple, several variables with commas.
        lines: Lines of Python that print the result. Without lines, a notebook prints the variable.
        command: Template of the terminal command (see `core.terminal.line`); empty if no command does the same.
    """

    name: str = "found"
    lines: tuple[str, ...] = ()
    command: str = ""

    @property
    def names(self) -> list[str]:
        """Return the names of the variables for the result: one or, for a tuple, one for each element."""
        return listed(self.name)


def offered(name: str, *lines: str, command: str = "") -> Callable[[Function], Function]:
    """Return a decorator that marks a function as offered: notebooks, terminals and cards of exports may call it.

    Args:
        name, lines, command: The attributes of the function's `Offer`.
    """

    def mark(function: Function) -> Function:
        function.__offer__ = Offer(name, lines, command)  # type: ignore[attr-defined]
        return function

    return mark


@dataclass(frozen=True)
class FrozenMapping:
    """An immutable mapping: pairs of name and value, sorted by name."""

    items: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class ResultPart:
    """A part of a space or of a call's result, as an argument of another call.

    `path` lists attributes and indices. For example, ("effects", 0) is the part `effects[0]`.
    """

    of: Recipe | Call
    path: tuple[str | int, ...]


@dataclass(frozen=True)
class Elsewhere:
    """A value that exists only on this server, such as an uploaded file. Notebooks and cards write `there` instead.

    Attributes:
        here: The value that this program passes to the function.
        there: The value that a notebook or a card writes in place of `here`.
        stamp: Text that changes when the file behind `here` is replaced; a part of the call's key.
        private: Whether only visitors who know the address of the upload may use the value.
    """

    here: Any
    there: Any
    stamp: str = ""
    private: bool = True


@dataclass(frozen=True, eq=False)
class Call:
    """A function of the library and its arguments. Make one with `call`; equal calls have equal keys.

    Attributes:
        function: "embedviz.module:name".
        arguments: Names and plain values in the order of the signature. Arguments at their defaults are left out.
            A value is None, a number, text, a tuple of values, a `FrozenMapping`, a `Recipe`, another `Call`, a
            `ResultPart`, or an `Elsewhere`.
    """

    function: str
    arguments: tuple[tuple[str, Any], ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Call) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    @cached_property
    def text(self) -> str:
        """Return the call as one line of JSON. Calls are equal exactly if these lines are equal."""
        return json.dumps(spelled(self), ensure_ascii=True, separators=(",", ":"))

    @cached_property
    def key(self) -> str:
        """Return a short hash of the call and of the program's version, the same in every process."""
        from embedviz import __version__

        return hashlib.sha256(f"{__version__} {self.text}".encode()).hexdigest()[:32]

    @property
    def values(self) -> dict[str, Any]:
        """Return the arguments as a mapping from name to value, without those at their defaults."""
        return dict(self.arguments)

    @cached_property
    def recipes(self) -> tuple[Recipe, ...]:
        """List the recipe (the description by which a space is opened) of each space in this call, once each.

        Spaces in nested calls are included.
        """
        return tuple(dict.fromkeys(each for each in walk(self) if isinstance(each, Recipe)))

    @property
    def private(self) -> bool:
        """Return whether the call uses a private space or file.

        Then only visitors who know the address of this space or file may see the result.
        """
        return any(isinstance(each, Elsewhere | Recipe) and each.private for each in walk(self))

    @property
    def offer(self) -> Offer:
        """Return the `Offer` of the function. For a function that is not offered, return an `Offer()` with defaults."""
        return offer(self.function) or Offer()

    def part(self, *path: str | int) -> ResultPart:
        """Return a part of this call's result, for use as an argument of another call.

        `path` lists attributes and indices, as in `ResultPart`.
        """
        return ResultPart(self, path)

    def value(self, name: str) -> Any:
        """Return the value of the argument `name`, or its default. Without a default return `Parameter.empty`."""
        return self.values.get(name, _parameters(find(self.function))[name].default)

    def asking(self, function: str) -> Call:
        """Return a call of `function` with the arguments of this call."""
        return Call(function, self.arguments)

    def bound(self, answer: Answer | None = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the positional and the keyword arguments for the function.

        In them, each recipe is replaced by its opened space, and each nested call by its result.

        Args:
            answer: The function that opens a space and returns the result of a call; `open_or_run` if None.
        """
        given = {name: _resolved(value, answer or open_or_run) for name, value in self.arguments}
        function = find(self.function)
        bound = _signature(function).bind_partial(**given)
        return bound.args, bound.kwargs

    def run(self, report: Report | None = None, answer: Answer | None = None) -> Any:
        """Call the function and return its result.

        Args:
            report: Receives the progress if the function has a `report` argument.
            answer: As in `bound`.
        """
        function = find(self.function)
        args, kwargs = self.bound(answer)
        if report is not None and _REPORT in _parameters(function):
            kwargs[_REPORT] = report
        return function(*args, **kwargs)


def call(function: str, /, *args: Any, **kwargs: Any) -> Call:
    """Return the call of a function of the library. The arguments are checked against the signature and frozen.

    Args:
        function: "embedviz.module:name".
        args, kwargs: Plain values; lists and mappings are frozen.

    Raises:
        CallError: The function is unknown or takes other arguments, or an argument is not a plain value.
    """
    signature = _signature(find(function))
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise CallError(f"{function} cannot be called with these arguments: {error}.") from None
    found: list[tuple[str, Any]] = []
    for name, value in bound.arguments.items():
        parameter = signature.parameters[name]
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            found += [(each, freeze(one, each)) for each, one in sorted(value.items())]
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            raise CallError(f"{function} takes any number of {name}; a call needs a name for each argument.")
        elif name == _REPORT:
            raise CallError("A call has no report: give one to `run`.")
        elif not _same(frozen := freeze(value, name), parameter.default):
            found.append((name, frozen))
    return Call(function, tuple(found))


def find(function: str) -> Callable[..., Any]:
    """Return the function of an import path, "embedviz.module:name".

    Raises:
        CallError: The path names no function of the library.
    """
    module, _, name = function.partition(":")
    if not _PATH.fullmatch(function) or "." in name:
        raise CallError(f"“{function[:120]}” is not a function of the library. Write embedviz.module:function.")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        found = None
    if not callable(found) or isinstance(found, type):
        raise CallError(f"There is no function “{name}” in a module “{module}”.")
    return found  # type: ignore[no-any-return]


def offer(function: str) -> Offer | None:
    """Return how notebooks and terminals call a function; None if they, and exported cards, may not call it."""
    found: Offer | None = getattr(find(function), "__offer__", None)
    return found


def listed(names: str) -> list[str]:
    """Split a text such as “one, other” at its commas, and return the names."""
    return [each.strip() for each in names.split(",")]


_FROZEN = ResultPart | FrozenMapping | Elsewhere


def freeze(value: Any, name: str = "value") -> Any:
    """Return an immutable copy of a value.

    Lists become tuples, mappings become `FrozenMapping`, and paths become texts.

    Raises:
        CallError: The value is not plain (see `Call`).
    """
    if value is None or isinstance(value, bool | int | float | str | Recipe | Call | _FROZEN):
        return value
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return FrozenMapping(tuple((str(each), freeze(one, str(each))) for each, one in sorted(value.items())))
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return tuple(freeze(one, name) for one in value)
    if getattr(value, "shape", None) == ():
        return value.item()  # a numpy scalar
    kind = type(value).__name__
    raise CallError(f"{name} is a {kind}, not a plain value. Give a Recipe for a space, or a Call for a result.")


def spelled(value: Any) -> Any:
    """Return an argument of a call, as `freeze()` returns it, in plain JSON types.

    `embedviz.core.cards` reads this JSON back, except an `Elsewhere` (a value that exists only on this server).
    """
    if isinstance(value, Call):
        return {"call": value.function, "with": {name: spelled(each) for name, each in value.arguments}}
    if isinstance(value, ResultPart):
        return {"part": list(value.path), "of": spelled(value.of)}
    if isinstance(value, Recipe):
        return {"space": str(value)}
    if isinstance(value, FrozenMapping):
        return {"pairs": {name: spelled(each) for name, each in value.items}}
    if isinstance(value, Elsewhere):
        return {"here": spelled(value.here), "there": spelled(value.there), "stamp": value.stamp}
    if isinstance(value, tuple):
        return [spelled(each) for each in value]
    return {"float": str(value)} if isinstance(value, float) and not math.isfinite(value) else value


def walk(value: Any) -> Iterator[Any]:
    """Yield the values inside a value, at all depths, then the value itself.

    So a nested call comes before the call that uses its result.
    """
    if isinstance(value, Call):
        for _, each in value.arguments:
            yield from walk(each)
    elif isinstance(value, ResultPart):
        yield from walk(value.of)
    elif isinstance(value, FrozenMapping):
        for _, each in value.items:
            yield from walk(each)
    elif isinstance(value, Elsewhere):
        yield from walk(value.here)
        yield from walk(value.there)
    elif isinstance(value, tuple):
        for each in value:
            yield from walk(each)
    yield value


def _resolved(value: Any, answer: Answer) -> Any:
    """Return a value in which `answer` has replaced each recipe by its space, and each call by its result."""
    if isinstance(value, Recipe | Call):
        return answer(value)
    if isinstance(value, ResultPart):
        found = answer(value.of)
        for step in value.path:
            found = found[step] if isinstance(step, int) else getattr(found, step)
        return found
    if isinstance(value, FrozenMapping):
        return {name: _resolved(each, answer) for name, each in value.items}
    if isinstance(value, Elsewhere):
        return _resolved(value.here, answer)
    if isinstance(value, tuple):
        return tuple(_resolved(each, answer) for each in value)
    return value


def open_or_run(wanted: Recipe | Call) -> Any:
    """Open the space of a recipe, or run a call, and return the space or the result.

    `embedviz.catalog` is imported inside the function, because the catalog itself imports this package.
    """
    return wanted.run() if isinstance(wanted, Call) else importlib.import_module(_OPENER).open_space(wanted)


@functools.lru_cache(512)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return _signature(function).parameters


def _same(value: Any, default: Any) -> bool:
    """Return whether an argument, made immutable by `freeze`, equals the default of its parameter.

    Values other than lists and mappings must also have the same type: 1 does not equal True.
    """
    if isinstance(default, Mapping | list | tuple):
        return bool(value == freeze(default))
    return type(value) is type(default) and bool(value == default)
