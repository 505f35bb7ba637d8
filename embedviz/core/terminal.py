"""The terminal command that does the same as a call."""

import inspect
import re
import shlex
from typing import Any

from embedviz.core.call import Call, Elsewhere, FrozenMapping, ResultPart, offer
from embedviz.core.recipe import Recipe

_FIELD = re.compile(r"(?:(?P<flag>-{1,2}[a-z-]+) )?\{(?P<name>\w+)\}|(?P<word>\S+)")
_REST = "options"


def line(call: Call) -> str | None:
    """Return the terminal command that does the same as a call; None if no command can express the whole call.

    The function's `Offer` has a template, such as `neighbors {space} {words} -k {k}`. A field in braces is replaced by
    the argument of the same name. An option such as `-k {k}` is left out if its argument is at its default.
    `--set {options}` is replaced by all arguments that have no field.
    """
    offered = offer(call.function)
    if offered is None or not offered.command:
        return None
    given, parts = call.values, ["embedviz"]
    for found in _FIELD.finditer(offered.command):
        flag, name = found["flag"], found["name"]
        if found["word"]:
            parts.append(found["word"])
        elif name == _REST:
            parts += [part for each in sorted(given) for part in (flag, shlex.quote(f"{each}={given[each]}"))]
            given = {}
        elif name in given:
            written = _written(given.pop(name))
            if written is None or (not flag and any(each.startswith("-") for each in written)):
                return None
            parts += [part for each in written for part in ([flag, each] if flag else [each])]
        elif not flag:
            usual = call.value(name)
            if usual is inspect.Parameter.empty:
                return None
            parts += _written(usual) or []
    return None if given else " ".join(parts)


def _written(value: Any) -> list[str] | None:
    """Return the words on the command line that express a value; None if a command cannot express it."""
    if isinstance(value, Elsewhere):
        return _written(value.there)
    if isinstance(value, tuple):
        listed = [_written(each) for each in value]
        return None if None in listed else [text for each in listed for text in each or []]
    if isinstance(value, Recipe):
        return [shlex.quote(str(value) if value.in_terminal else f"your-file{value.steps}")]
    return None if value is None or isinstance(value, Call | FrozenMapping | ResultPart) else [shlex.quote(str(value))]
