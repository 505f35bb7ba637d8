"""The space that an argument names: a file, a folder or an address."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer

from embedviz import catalog
from embedviz.cli.arguments import Refused
from embedviz.cli.output import progress
from embedviz.core.space import VectorSpace, folder_size, open_folder, read_card


def open_space(
    text: str, skip_bad: bool = False, encoding: str = "", *, note: bool = True
) -> tuple[VectorSpace, dict[str, Any]]:
    """Return the space that an argument names, and what `info` says of its source.

    Args:
        note: Whether to say on standard error that words could not be decoded.

    Raises:
        Refused: It is neither a file nor an address.
    """
    path = Path(text)
    source, tilde, steps = text.partition("~")
    if tilde and source and not path.exists() and Path(source).exists():
        space, card = open_space(source, skip_bad, encoding, note=note)
        return catalog.with_corrections(space, catalog.parse(f"builtin~{steps}")), card
    start = time.perf_counter()
    if path.is_file():
        from embedviz import formats

        with progress(f"reading {path.name}") as report:
            space, reading = formats.read(path, skip_bad=skip_bad, encoding=encoding, report=report)
        card = _source(reading.card())
        if note and (count := card["undecodable"]["count"]):
            said = f"{count:,} words are not {card['encoding']} and are shown by their bytes."
            typer.echo(f"{said} Name their encoding: --encoding NAME", err=True)
        return space, card
    refuse_encoding(encoding, text)
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


def for_files(text: str, encoding: str) -> str:
    """Return the encoding where the argument names a file, with or without corrections; empty for an address."""
    return encoding if Path(text).is_file() or Path(text.partition("~")[0]).is_file() else ""


def refuse_encoding(encoding: str, text: str) -> None:
    """Refuse an encoding for what was read already.

    Raises:
        Refused: One is named.
    """
    if encoding:
        raise Refused(f"--encoding is for a file; {text} is none. Leave it out, or name the file.")


def _source(card: dict[str, Any]) -> dict[str, Any]:
    """Return what `info` says of a source, from what its reader or its folder says."""
    told = {name: card[name] for name in ("format", "bytes", "encoding", "seconds", "dropped")}
    undecodable = card.get("undecodable", {"count": 0, "first_lines": []})
    return {**told, "encoding_guessed": card.get("encoding_guessed", False), "undecodable": undecodable}


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
    raise Refused(f"There is no file {text} and no saved space of that name.")
