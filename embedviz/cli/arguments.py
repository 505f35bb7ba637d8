"""The arguments and options that several commands have, and the error of refused input."""

from __future__ import annotations

from typing import Annotated

import typer

Space = Annotated[
    str,
    typer.Argument(
        help="A file, a saved space's folder, builtin, shelf:NAME, saved:NAME or synthetic:KIND; each may have a "
        "~correction."
    ),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out rows that cannot be read, instead of refusing the file.")
]
Encoding = Annotated[
    str, typer.Option("--encoding", help="In which the file's words stand, such as cp1252; else UTF-8 or a guess.")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="name=value, for an option of the method; repeatable.")
]

Model = Annotated[
    str, typer.Option(help="An encoder at hand (see catalog), or a model's folder; else the built-in one.")
]


class Refused(Exception):
    """Input that a command refuses; the message is a sentence."""
