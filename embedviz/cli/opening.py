"""The space that an argument names: a file, a folder or an address."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embedviz import catalog
from embedviz.cli.arguments import Refused, set_options
from embedviz.cli.output import progress
from embedviz.core.space import VectorSpace, folder_size, open_folder, read_card
from embedviz.files import addresses

if TYPE_CHECKING:
    from embedviz.formats import ReadOptions

_FILE_OPTIONS: dict[str, tuple[Any, str]] = {
    "word_list": (Path | None, "A file with a word for each row, for a matrix without words; else one beside it."),
    "text_column": (str | None, "The column of a table that names the rows or is their text; else found."),
    "vector_column": (str | None, "The column or tensor with the vectors, or how the columns begin; else found."),
    "member": (str | None, "The file of a zip archive to read; else found."),
}
"""The fields of `ReadOptions` as options of a command: type and help; `--words` is a number elsewhere."""


def open_space(
    text: str, skip_bad: bool = False, encoding: str = "", *, note: bool = True, options: ReadOptions | None = None
) -> tuple[VectorSpace, dict[str, Any]]:
    """Return the space that an argument names, and the description of its source that `info` prints.

    Args:
        note: Whether to warn on standard error about words that could not be decoded.
        options: The choices for a file: its words, its columns, its part of an archive.

    Raises:
        Refused: It is neither a file nor an address.
    """
    path = Path(text)
    source, tilde, steps = text.partition("~")
    if tilde and source and not path.exists() and Path(source).exists():
        space, card = open_space(source, skip_bad, encoding, note=note, options=options)
        return catalog.with_corrections(space, catalog.parse(f"builtin~{steps}")), card
    start = time.perf_counter()
    if addresses.is_address(text):
        return _elsewhere(text, skip_bad, options)
    if path.is_file() or (path.is_dir() and not is_saved(path)):
        from embedviz.formats import cache

        with progress(f"reading {path.name}") as report:
            how = vars(options) if options else {}
            space, reading = cache.read(path, skip_bad=skip_bad, encoding=encoding, report=report, **how)
        card = _source({**reading, "seconds": time.perf_counter() - start})
        if note and (count := card["undecodable"]["count"]):
            warning = f"{count:,} words are not valid {card['encoding']}; their bytes are shown instead."
            typer.echo(f"{warning} If you know the encoding, add --encoding NAME.", err=True)
        return space, card
    refuse_encoding(encoding, text)
    if options and any(vars(options).values()):
        raise Refused(f"{text} is no file, so there are no columns or words to choose. Leave the options out.")
    folder: Path | None = path
    if path.is_dir():
        space = open_folder(path)
    else:
        recipe = recipe_of(text)
        space = catalog.open_space(recipe)
        folder = catalog.folder_of(recipe) if recipe.in_folder else space.folder
    card = read_card(folder).get("reading", {}) if folder else {}
    size = folder_size(folder) if folder else space.matrix.nbytes
    seconds = time.perf_counter() - start
    return space, _source(
        {
            "format": {"synthetic": "made up", "shelf": "shelf"}.get(space.origin.kind, "folder"),
            "bytes": size,
            "encoding": "utf-8",
            "dropped": [],
            **card,
            "seconds": seconds,
        }
    )


def _elsewhere(text: str, skip_bad: bool, options: ReadOptions | None) -> tuple[VectorSpace, dict[str, Any]]:
    """Return the space that lies at an address of a database or of the web, and the description of its source."""
    from embedviz.formats import remote

    start = time.perf_counter()
    with progress(f"fetching {addresses.parse(text).name}") as report:
        how = vars(options) if options else {}
        space, reading = remote.read_address(text, report=report, skip_bad=skip_bad, **how)
    return space, _source({**reading.card(), "seconds": time.perf_counter() - start})


def with_file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options of `ReadOptions`, which it takes as `options`."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        from embedviz.formats import ReadOptions

        given = {name: kwargs.pop(name, None) or "" for name in _FILE_OPTIONS}
        return command(*args, options=ReadOptions(given.pop("word_list"), **given), **kwargs)

    kind = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(name, kind, default=None, annotation=Annotated[of, typer.Option(help=about)])
        for name, (of, about) in _FILE_OPTIONS.items()
    ]
    set_options(run, command, added, without="options")
    return run


def is_saved(folder: Path) -> bool:
    """Return whether a folder is a saved space, and not one with a file of vectors or a model."""
    return (folder / "card.json").is_file()


def for_files(text: str, encoding: str) -> str:
    """Return the encoding where the argument names a file, with or without corrections; empty for an address."""
    places = Path(text), Path(text.partition("~")[0])
    return encoding if any(place.is_file() or (place.is_dir() and not is_saved(place)) for place in places) else ""


def refuse_encoding(encoding: str, text: str) -> None:
    """Refuse an encoding for a space that is not a file.

    Raises:
        Refused: One is named.
    """
    if encoding:
        raise Refused(f"--encoding applies to files only; {text} is not a file. Leave it out, or name a file.")


def _source(card: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a source, from the card of its reader or its folder."""
    reading = {name: card[name] for name in ("format", "bytes", "encoding", "seconds", "dropped")}
    undecodable = card.get("undecodable", {"count": 0, "first_lines": []})
    return {**reading, "encoding_guessed": card.get("encoding_guessed", False), "undecodable": undecodable}


def recipe_of(text: str) -> catalog.Recipe:
    """Return the recipe of an address; a bare name means a saved space.

    Raises:
        RecipeError: An address that names no space.
        Refused: A bare name that is neither a file nor a saved space.
    """
    if text.partition("~")[0].partition(":")[0] in catalog.KINDS:
        return catalog.Recipe.parse(text)
    with suppress(catalog.RecipeError):
        recipe = catalog.Recipe.parse(f"saved:{text}")
        if catalog.folder_of(recipe).is_dir():
            return recipe
    if Path(text).exists():
        raise Refused(f"{text} is not a plain file. Name a file or a folder.")
    raise Refused(f"There is no file and no saved space named {text}.")
