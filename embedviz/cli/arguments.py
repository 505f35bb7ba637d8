"""The arguments and options that several commands share, and the error for refused input."""

import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

Space = Annotated[
    str,
    typer.Argument(
        help="The space: a file of vectors, the folder of a saved space, or builtin, shelf:NAME, saved:NAME or "
        "synthetic:KIND. A correction can follow, for example builtin~center."
    ),
]
SkipBad = Annotated[
    bool,
    typer.Option(
        "--skip-bad", help="Leave out lines that cannot be read. Without it, a file with such lines is refused."
    ),
]
Encoding = Annotated[
    str,
    typer.Option("--encoding", help="Text encoding of the file, for example cp1252. Default: UTF-8 or a guess."),
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="Set an option of the method: name=value. Repeatable.")
]

Device = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="NAME",
        help="auto (a CUDA card where it pays, else MPS, else the CPU), cpu, cuda, cuda:1 or mps. Default: "
        "$EMBEDVIZ_DEVICE, else auto.",
    ),
]
Model = Annotated[str, typer.Option(help="The model: a name that `embedviz catalog` lists as installed, or a folder.")]


class Refused(Exception):
    """A command refuses its input; the message is a sentence that says why."""


def set_options(
    run: Callable[..., Any], command: Callable[..., Any], added: Sequence[inspect.Parameter], without: str = ""
) -> None:
    """Give the wrapper `run` the options of the wrapped `command` and the options `added`.

    The option with the name `without` is left out.
    """
    signature = inspect.signature(command, eval_str=True)
    parameters = [*(each for name, each in signature.parameters.items() if name != without), *added]
    run.__signature__ = signature.replace(parameters=parameters, return_annotation=None)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
