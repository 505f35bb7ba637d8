"""Lines of Python that compute and print the results of calls, for a notebook."""

import importlib
import inspect
import re
from collections.abc import Mapping
from typing import Any

from embedviz.core.call import Call, Elsewhere, FrozenMapping, ResultPart, find, listed
from embedviz.core.recipe import Recipe
from embedviz.core.terminal import line

LONGEST_TEXT, MOST_LISTED = 20_000, 500
"""Maximum number of characters of a text in a notebook, and of words of a list. Longer ones are read from a file."""
LIST_FILE, TABLE_FILE = "your-list.csv", "map.csv"
_PLAIN = (bool, int, float, str)


def python(*calls: Call) -> str:
    """Return lines of Python that import what is needed, compute the results of calls, and print them.

    For a space that exists only on a server, the lines read a file of the visitor, `your-file`. Several such files
    are numbered.
    """
    notebook = Notebook(sum(not recipe.in_terminal for recipe in _recipes(calls)))
    for call in calls:
        notebook.name(call)
    return notebook.text(calls)


class Notebook:
    """A notebook that is being written: its lines so far, and the variables that hold spaces and results.

    Args:
        files: Number of spaces that the notebook reads from files of the visitor.
    """

    def __init__(self, files: int = 0) -> None:
        self._files, self._read = files, 0
        self._modules: dict[str, str] = {}
        self._names: dict[Any, str] = {}
        self._lines: list[str] = []

    def text(self, calls: tuple[Call, ...]) -> str:
        """Return the whole notebook as text: imports, all lines, and lines that print the results of these calls.

        If a terminal command does the same as the first call, the notebook begins with this command as a comment.
        """
        lines = list(self._lines)
        for call in calls:
            offered, name = call.offer, self._names[call]
            printed = offered.lines or (f"print({name})",)
            for own, used in zip(offered.names, listed(name), strict=False):
                printed = tuple(re.sub(rf"\b{own}\b", used, each) for each in printed) if own != used else printed
            lines += printed
        command = line(calls[0])
        comment = [f"# in a terminal: {command}"] if command else []
        return "\n".join([*comment, *self._imports(), "", *lines])

    def name(self, value: Recipe | Call, wanted: str = "space") -> str:
        """Return the name of the variable that holds a space or a result.

        At the first use of the variable, the lines that assign it are added to the notebook.

        Args:
            wanted: The name for a new variable of a space. If the name is used already, a number is put after it.
        """
        if value not in self._names:
            if isinstance(value, Recipe):
                self._open(value, self._free(wanted))
            else:
                line = self._called(value)
                name = ", ".join(self._free(each) for each in value.offer.names)
                self._names[value] = name
                self._lines.append(f"{name} = {line}")
        return self._names[value]

    def written(self, value: Any, name: str = "space") -> str:
        """Return a value as Python code; `name` is the name of the argument that the value is for."""
        if isinstance(value, Recipe | Call):
            return self.name(value, name)
        if isinstance(value, ResultPart):
            return self._part(value)
        if isinstance(value, FrozenMapping):
            return "{" + ", ".join(f"{each!r}: {self.written(one, each)}" for each, one in value.items) + "}"
        if isinstance(value, Elsewhere):
            return self.written(value.there, name)
        if isinstance(value, tuple):
            return self._list(value, name)
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            return self._text_of(LIST_FILE)
        return repr(value)

    def _text_of(self, file: str) -> str:
        """Return the Python code that reads a text file of the visitor."""
        self._modules["Path"] = "pathlib.Path"
        return f"Path({file!r}).read_text('utf-8-sig')"

    def _list(self, values: tuple[Any, ...], name: str) -> str:
        if len(values) > MOST_LISTED:
            self._module("embedviz.core.pasted")
            return f"pasted.words_of({self._text_of(TABLE_FILE)})"
        one = name.removesuffix("s") or name
        return f"[{', '.join(self.written(each, one) for each in values)}]"

    def _part(self, part: ResultPart) -> str:
        name = self.name(part.of)
        names, path = listed(name), part.path
        if len(names) > 1 and isinstance(path[0], int):
            name, path = names[path[0]], path[1:]
        return name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)

    def _called(self, call: Call) -> str:
        module, function = _shortest(call.function)
        arguments = ", ".join(self._arguments(call))
        return f"{self._module(module)}.{function}({arguments})"

    def _arguments(self, call: Call) -> list[str]:
        """Return the arguments of a call as Python code: first those by position, then those by name.

        Defaults that are numbers, texts, True or False are written too, so that a reader sees what can be changed. Left
        out are empty texts, and defaults of arguments that can only be given by name.
        """
        given, written, by_position = call.values, [], True
        parameters = inspect.signature(find(call.function)).parameters
        for name, parameter in parameters.items():
            usual = parameter.kind is parameter.POSITIONAL_OR_KEYWORD and type(parameter.default) in _PLAIN
            if name not in given and not (usual and parameter.default != ""):
                by_position = False
                continue
            value = given.pop(name, parameter.default)
            required = parameter.default is parameter.empty or not isinstance(value, bool | int | float)
            by_position = by_position and required and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
            text = self.written(value, name)
            written.append(text if by_position else f"{name}={text}")
        return [*written, *(f"{name}={self.written(value, name)}" for name, value in given.items())]

    def _open(self, recipe: Recipe, name: str) -> None:
        self._names[recipe] = name
        if recipe.in_terminal:
            self._lines.append(f"{name} = {self._module('embedviz.catalog')}.open_space({str(recipe)!r})")
            return
        self._read += 1
        file = "your-file" if self._files == 1 else f"your-file-{self._read}"
        self._lines.append(f'{name}, reading = {self._module("embedviz.formats")}.read("{file}", skip_bad=True)')
        for step, pairs in recipe.corrections:
            given = ", ".join([repr(step), *(f"{option}={value!r}" for option, value in pairs)])
            corrections = self._module("embedviz.geometry.corrections")
            self._lines.append(f"{name} = {corrections}.corrected({name}, {given})")

    def _free(self, wanted: str) -> str:
        """Return a name for a new variable: `wanted`; with a number after it if the name is used already."""
        taken = {each for name in self._names.values() for each in listed(name)} | set(self._modules)
        names = [wanted, *(f"{wanted}_{number}" for number in range(2, 2 + len(taken)))]
        return next(name for name in names if name not in taken)

    def _module(self, path: str) -> str:
        """Add the import of a module, and return the name of the module in the notebook."""
        name = path.rpartition(".")[2]
        variables = {each for names in self._names.values() for each in listed(names)}
        if self._modules.get(name, path) != path or name in variables:
            name = "_".join(path.split(".")[-2:])
        self._modules[name] = path
        return name

    def _imports(self) -> list[str]:
        rooms: dict[str, list[str]] = {}
        for name, path in self._modules.items():
            room, _, module = path.rpartition(".")
            rooms.setdefault(room, []).append(module if module == name else f"{module} as {name}")
        return [f"from {room} import {', '.join(sorted(names))}" for room, names in sorted(rooms.items())]


def _shortest(path: str) -> tuple[str, str]:
    """Return the shortest import path that leads to a function, and the name of the function.

    A longer path can fail: if a package imports a function `pca` from its module `pca`, then `package.pca` is the
    function, no longer the module.
    """
    module, _, name = path.partition(":")
    function = find(path)
    while module.count(".") > 1:
        package = module.rpartition(".")[0]
        if getattr(importlib.import_module(package), name, None) is not function:
            break
        module = package
    return module, name


def _recipes(calls: tuple[Call, ...]) -> Mapping[Recipe, None]:
    return dict.fromkeys(recipe for call in calls for recipe in call.recipes)
