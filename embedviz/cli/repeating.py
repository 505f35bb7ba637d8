"""The command that repeats the computation of an exported card: repeat."""

import importlib
import io
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from embedviz.cli.arguments import Refused, SkipBad
from embedviz.cli.opening import open_space
from embedviz.cli.output import Printout, progress
from embedviz.core import cards
from embedviz.core.call import Call
from embedviz.core.recipe import Recipe
from embedviz.core.space import VectorSpace


def repeat(
    card: Annotated[Path, typer.Argument(help="The card of an exported result: in the app, More, then Card.")],
    spaces: Annotated[
        list[str] | None,
        typer.Option("--space", help="Your file of vectors, where the card needs one. Repeatable, in its order."),
    ] = None,
    skip_bad: SkipBad = False,
) -> Printout:
    """Compute the result of an exported card again; warn if vectors or versions differ from those of the card."""
    loaded = cards.read(_text(card))
    opened = _open(loaded.call, spaces or [], skip_bad)
    made: dict[Call, Any] = {}

    def answer(wanted: Recipe | Call) -> Any:
        if isinstance(wanted, Recipe):
            return opened[wanted]
        if wanted not in made:
            made[wanted] = wanted.run(answer=answer)
        return made[wanted]

    with progress("computing") as report:
        made[loaded.call] = loaded.call.run(report, answer)
    warnings = _differences(loaded, opened)
    found = {"call": cards.card(loaded.call, answer)["call"], "differences": warnings}
    return Printout(found, text=_lines(loaded.call, made, opened), warnings=warnings)


def _text(path: Path) -> str:
    """Return the text of a file. Of a file that is too long for a card, only the beginning is read.

    The beginning is one character longer than a card may be, so that it is refused later.

    Raises:
        Refused: There is no such file.
    """
    if not path.is_file():
        raise Refused(f"{path} is not a file. Give the card of an exported result.")
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(cards.LARGEST + 1)


def _open(question: Call, files: Sequence[str], skip_bad: bool) -> dict[Recipe, VectorSpace]:
    """Return each space that a call needs; the user's private spaces are opened from `files`, in order.

    Raises:
        Refused: The number of files is not the number of private spaces.
    """
    sources = {recipe.name: None for recipe in question.recipes if recipe.kind == cards.FILE}
    if len(files) != len(sources):
        raise Refused(
            f"This card needs {len(sources)} of your files; {len(files)} were given. Give each with --space FILE."
        )
    given = dict(zip(sources, files, strict=True))
    addresses = {
        recipe: f"{given[recipe.name]}{recipe.steps}" if recipe.kind == cards.FILE else str(recipe)
        for recipe in question.recipes
    }
    return {recipe: open_space(address, skip_bad)[0] for recipe, address in addresses.items()}


def _differences(loaded: cards.Card, opened: Mapping[Recipe, VectorSpace]) -> list[str]:
    """Return sentences: which vectors and which versions of packages differ from those of the card."""
    other = [
        space.origin.name
        for recipe, space in opened.items()
        if recipe in loaded.checksums and cards.fingerprint(space) != loaded.checksums[recipe]
    ]
    now = cards.versions()
    moved = [
        f"{name} {now.get(name, 'none')} (card: {then})"
        for name, then in loaded.versions.items()
        if now.get(name) != then
    ]
    vectors = [f"The vectors of {name} differ from those of the card." for name in other]
    return [*vectors, *([f"Other versions: {', '.join(moved)}. Numbers may differ."] if moved else [])]


def _lines(question: Call, made: Mapping[Call, Any], opened: Mapping[Recipe, VectorSpace]) -> str:
    """Run the lines of Python that compute a result in a notebook, and return what these lines print.

    The lines are the library's own; no text of the card is run.
    """
    module = question.function.partition(":")[0]
    there: dict[str, Any] = {module.rpartition(".")[2]: importlib.import_module(module)}
    there["space"] = next(iter(opened.values()), None)
    for call, found in made.items():
        names = call.offer.names
        there |= zip(names, found, strict=False) if len(names) > 1 else {names[0]: found}
    with redirect_stdout(io.StringIO()) as text:
        exec("\n".join(question.offer.lines), there)  # noqa: S102
    return text.getvalue().removesuffix("\n")
