"""Open the space that an argument of a command names: a file, a folder or an address."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Mapping
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
"""Options of a command for the fields of `ReadOptions`: name → type and help.

The option for the field `words` is called `word_list`, since `--words` is a number in other commands.
"""


def open_space(
    text: str, skip_bad: bool = False, encoding: str = "", *, note: bool = True, options: ReadOptions | None = None
) -> tuple[VectorSpace, dict[str, Any]]:
    """Return the space that an argument names, and the description of its source that `info` prints.

    Args:
        text: A file, a folder or an address; corrections may follow, except after a remote address (`https://…`).
        note: Whether to print a warning on standard error about words that could not be decoded.
        options: Options for reading a file: a word list, the columns, a file in an archive.

    Raises:
        Refused: The argument names nothing that exists, or has options that apply only to files.
        SpaceError: The address is not valid, or what it names cannot be read.
        OptionError: A correction cannot be applied to this space.
    """
    path = Path(text)
    source, tilde, steps = text.partition("~")
    if tilde and source and not path.exists() and Path(source).exists():
        space, card = open_space(source, skip_bad, encoding, note=note, options=options)
        return catalog.with_corrections(space, catalog.parse(f"builtin~{steps}")), card
    start = time.perf_counter()
    if addresses.is_address(text):
        refuse_encoding(encoding, text)
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
    refuse_choices(vars(options) if options else {}, text)
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
    """Return the space at an address of a database or of the web, and the description of its source."""
    from embedviz.formats import remote

    start = time.perf_counter()
    with progress(f"fetching {addresses.parse(text).name}") as report:
        how = vars(options) if options else {}
        space, reading = remote.read_address(text, report=report, skip_bad=skip_bad, **how)
    return space, _source({**reading.card(), "seconds": time.perf_counter() - start})


def with_file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a command so that its command line has an option for each field of `ReadOptions`.

    The command receives the values as one `ReadOptions`, its argument `options`.
    """

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
    """Return whether a folder is a saved space, not a folder with a model or a file of vectors."""
    return (folder / "card.json").is_file()


def for_files(text: str, encoding: str) -> str:
    """Return `encoding` if `text` names a file, or a folder that is no saved space; else an empty text.

    The names of corrections may follow the path, as in `vectors.txt~center`.
    """
    places = Path(text), Path(text.partition("~")[0])
    return encoding if any(place.is_file() or (place.is_dir() and not is_saved(place)) for place in places) else ""


def refuse_encoding(encoding: str, text: str) -> None:
    """Refuse the option `--encoding` for a space that is not a file.

    Raises:
        Refused: `encoding` is not empty.
    """
    if encoding:
        raise Refused(f"--encoding applies to files only; {text} is not a file. Leave it out, or name a file.")


def refuse_choices(choices: Mapping[str, Any], text: str) -> None:
    """Refuse the fields of `ReadOptions` for a space that is not a file.

    Raises:
        Refused: One of the fields is not empty.
    """
    if any(choices.values()):
        raise Refused(f"{text} is no file, so there are no columns or words to choose. Leave the options out.")


def _source(card: dict[str, Any]) -> dict[str, Any]:
    """Return how a space was read, as `info` prints it: format, bytes, encoding, seconds and dropped rows.

    Args:
        card: The report of the import as JSON values, with one more entry: *seconds*.
    """
    reading = {name: card[name] for name in ("format", "bytes", "encoding", "seconds", "dropped")}
    undecodable = card.get("undecodable", {"count": 0, "first_lines": []})
    return {**reading, "encoding_guessed": card.get("encoding_guessed", False), "undecodable": undecodable}


def recipe_of(text: str) -> catalog.Recipe:
    """Return the recipe (how to get a space) of a space's address; a bare name means a saved space.

    Raises:
        RecipeError: The address is not valid.
        Refused: There is no saved space of this name.
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
