"""ES modules as one text, for places where a browser resolves no relative import: a single file, a component.

Modules are distinguished by their file name alone, not by their folder.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_IMPORT = re.compile(
    r'^import\s+(?:\{(?P<names>[^}]*)\}\s+from\s+)?"\.{1,2}/(?:[\w.-]+/)*(?P<module>[\w-]+\.mjs)";?[ \t]*$', re.M
)
_EXPORT = re.compile(r"^export\s+(?P<what>(?:const|let|class|async\s+function|function\*?)\s+)(?P<name>\w+)", re.M)
_LIST = re.compile(r"^export\s*\{(?P<names>[^}]*)\};?[ \t]*$", re.M)
_DESCRIPTION = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.M | re.S)
_LEFT = re.compile(r"^(?:import\b(?!\()|export\b).*", re.M)


def join(modules: Mapping[str, str], entry: str) -> str:
    """Return the module `entry` and all modules that it imports as one script; imported modules come first.

    Each module becomes a function. The script ends with a constant named *entry*: the exports of the entry module.
    Default exports are left out, since nothing here imports one.

    Raises:
        ValueError: A module is missing, imports form a cycle, or an import or export has a form that is not supported.
    """
    parts = [_wrapped(name, modules[name]) for name in _leaves_first(modules, entry)]
    return "\n".join(['"use strict";', *parts, f"const entry = {_variable(entry)};", ""])


def inlined(modules: Mapping[str, str], entry: str) -> str:
    """Return one module that contains the module `entry` and all its imports, with the exports of `entry`.

    JSDoc comments are removed, since the text is sent to the browser each time a page is rendered.

    Raises:
        ValueError: As in `join`; but the form of imports and exports of `entry` itself is not checked.
    """
    *others, _ = _leaves_first(modules, entry)
    parts = [*(_wrapped(name, modules[name]) for name in others), _IMPORT.sub(_bound, modules[entry])]
    return _DESCRIPTION.sub("", "\n".join(parts))


def _leaves_first(modules: Mapping[str, str], entry: str) -> list[str]:
    order: list[str] = []
    _visit(modules, entry, (), order)
    return order


def _visit(modules: Mapping[str, str], name: str, above: tuple[str, ...], order: list[str]) -> None:
    if name in order:
        return
    if name in above:
        raise ValueError(f"{name} imports itself: {' imports '.join((*above, name))}.")
    if name not in modules:
        raise ValueError(f"{above[-1] if above else 'The entry'} asks for {name}, and there is no such module.")
    for found in _IMPORT.finditer(modules[name]):
        _visit(modules, found["module"], (*above, name), order)
    order.append(name)


def _wrapped(name: str, text: str) -> str:
    exported: list[str] = []

    def note_name(found: re.Match[str]) -> str:
        exported.append(found["name"])
        return found["what"] + found["name"]

    def listed(found: re.Match[str]) -> str:
        for pair in filter(None, map(str.strip, found["names"].split(","))):
            inner, _, outer = pair.partition(" as ")
            exported.append(f"{outer}: {inner}" if outer else inner)
        return ""

    body = _LIST.sub(listed, _EXPORT.sub(note_name, _IMPORT.sub(_bound, text)))
    body = re.sub(r"^export default (?=function \w)", "", body, flags=re.M)
    left = _LEFT.search(body)
    if left:
        raise ValueError(f"{name} has a line that cannot be joined: {left[0]}")
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _bound(found: re.Match[str]) -> str:
    names = (found["names"] or "").replace(" as ", ": ")
    return f"const {{{names}}} = {_variable(found['module'])};" if found["names"] else ""


def _variable(module: str) -> str:
    return "_" + re.sub(r"\W", "_", module)
