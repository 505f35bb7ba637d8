"""One question to the library, as a value: `Call`.

A call is the key of its result and the job that computes it. From it come the lines of Python that repeat it
(`core.notebook`), the line for a terminal (`core.terminal`) and the card that an export carries (`core.cards`).

    asked = call("embedviz.neighbors:neighborhood", Recipe(), ["bank"], k=5)
    asked.key  # a short hash of the call and the program's version; equal calls are one result
    asked.run()  # what the function returns
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
"""What opens a space, or gives the result of a call."""
_PATH = re.compile(r"embedviz(?:\.[A-Za-z]\w*)+:[A-Za-z]\w*")
_OPENER = "embedviz.catalog"
_REPORT = "report"


class CallError(ValueError):
    """A call that cannot be made; the message is a sentence."""


class Offer(NamedTuple):
    """What a notebook and a terminal do with a function.

    Attributes:
        name: The variable that holds its result; several with commas where that is a tuple.
        lines: What prints it.
        command: How the line for a terminal is written, as in `core.terminal`; empty where no command asks this.
    """

    name: str = "found"
    lines: tuple[str, ...] = ()
    command: str = ""

    @property
    def names(self) -> list[str]:
        """List the variables that hold the parts of the result, or the one that holds all of it."""
        return listed(self.name)


def offered(name: str, *lines: str, command: str = "") -> Callable[[Function], Function]:
    """Offer a function of the library to cards and notebooks: a card from outside may name no other.

    Args:
        name, lines, command: As in `Offer`.
    """

    def mark(function: Function) -> Function:
        function.__offer__ = Offer(name, lines, command)  # type: ignore[attr-defined]
        return function

    return mark


@dataclass(frozen=True)
class FrozenMapping:
    """A mapping that does not change: its names, sorted, with their values."""

    items: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class ResultPart:
    """A part of a space or of a result, by attributes and places: `scores.effects[0]` has the path "effects", 0."""

    of: Recipe | Call
    path: tuple[str | int, ...]


@dataclass(frozen=True)
class Elsewhere:
    """What a notebook and a card write otherwise: a file that was uploaded, an encoder by its name.

    Attributes:
        here: What this program computes with.
        there: What stands in a notebook and on a card.
        stamp: Changes when something else comes to lie there; a part of the key.
        private: Whether it is only for those who were handed its address.
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
        arguments: Names and plain values in the order of the signature, without those that are at their defaults.
            A value is None, a number, text, a tuple of values, `FrozenMapping`, a `Recipe`, another `Call`, a
            `ResultPart` of one, or `Elsewhere`.
    """

    function: str
    arguments: tuple[tuple[str, Any], ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Call) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    @cached_property
    def text(self) -> str:
        """Return the call in one canonical line."""
        return json.dumps(spelled(self), ensure_ascii=True, separators=(",", ":"))

    @cached_property
    def key(self) -> str:
        """Return a short hash of the call and of the program's version, the same in every process."""
        from embedviz import __version__

        return hashlib.sha256(f"{__version__} {self.text}".encode()).hexdigest()[:32]

    @property
    def values(self) -> dict[str, Any]:
        """Return the arguments by name."""
        return dict(self.arguments)

    @cached_property
    def recipes(self) -> tuple[Recipe, ...]:
        """List every space in the call, nested ones too, each once."""
        return tuple(dict.fromkeys(each for each in walk(self) if isinstance(each, Recipe)))

    @property
    def private(self) -> bool:
        """Return whether only visitors with the address of a space or file of the call may see the result."""
        return any(isinstance(each, Elsewhere | Recipe) and each.private for each in walk(self))

    @property
    def offer(self) -> Offer:
        """Return what a notebook does with the result; the default where the function offers nothing."""
        return offer(self.function) or Offer()

    def part(self, *path: str | int) -> ResultPart:
        """Return a part of the result, by attributes and places, as a value for another call."""
        return ResultPart(self, path)

    def value(self, name: str) -> Any:
        """Return the argument of that name, or its default."""
        return self.values.get(name, _parameters(find(self.function))[name].default)

    def asking(self, function: str) -> Call:
        """Return the call of another function with the same arguments."""
        return Call(function, self.arguments)

    def bound(self, answer: Answer | None = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return what the function is called with, by position and by name; spaces and nested calls come first.

        Args:
            answer: Opens a space or gives the result of a call; None opens and computes each.
        """
        given = {name: _resolved(value, answer or open_or_run) for name, value in self.arguments}
        function = find(self.function)
        bound = _signature(function).bind_partial(**given)
        return bound.args, bound.kwargs

    def run(self, report: Report | None = None, answer: Answer | None = None) -> Any:
        """Return what the function returns.

        Args:
            report: Told how far the work is, where the function tells it.
            answer: As in `bound`.
        """
        function = find(self.function)
        args, kwargs = self.bound(answer)
        if report is not None and _REPORT in _parameters(function):
            kwargs[_REPORT] = report
        return function(*args, **kwargs)


def call(function: str, /, *args: Any, **kwargs: Any) -> Call:
    """Return the call of a function of the library, its arguments checked against the signature and frozen.

    Args:
        function: "embedviz.module:name".
        args, kwargs: Plain values; lists and mappings are frozen.

    Raises:
        CallError: There is no such function, it takes other arguments, or one is no plain value.
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
    """Return the function of an import path.

    Raises:
        CallError: It names no function of the library.
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
    """Return what a notebook does with a function's result; None where it is not offered."""
    found: Offer | None = getattr(find(function), "__offer__", None)
    return found


def listed(names: str) -> list[str]:
    """Return the variables of a text that has them with commas."""
    return [each.strip() for each in names.split(",")]


_FROZEN = ResultPart | FrozenMapping | Elsewhere


def freeze(value: Any, name: str = "value") -> Any:
    """Return a value that does not change: lists become tuples, mappings become `FrozenMapping`.

    Raises:
        CallError: It is no plain value.
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
        return value.item()  # a number of numpy's
    kind = type(value).__name__
    raise CallError(f"{name} is a {kind}, not a plain value. Give a Recipe for a space, or a Call for a result.")


def spelled(value: Any) -> Any:
    """Return a value in plain JSON, from which `embedviz.core.cards` reads it again."""
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
    """Yield a value and everything in it; inner calls come before the calls that use them."""
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
    """Return what the function is given for a value."""
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
    """Return the space of a recipe, by the catalog, which stands above this room; or the result of a call, computed."""
    return wanted.run() if isinstance(wanted, Call) else importlib.import_module(_OPENER).open_space(wanted)


@functools.lru_cache(512)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return _signature(function).parameters


def _same(value: Any, default: Any) -> bool:
    """Return whether a value is a parameter's default, of the same type: 1 is not True, a list is not a tuple."""
    if isinstance(default, Mapping | list | tuple):
        return bool(value == freeze(default))
    return type(value) is type(default) and bool(value == default)
