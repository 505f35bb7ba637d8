"""The output of commands: a table for people, one JSON object for programs, a bar while they work."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple

import typer

from embedviz.cli.arguments import Refused
from embedviz.core.progress import Report

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")]


class Printout(NamedTuple):
    """A command's answer as it is printed.

    Attributes:
        card: The whole of it, for programs.
        tables: A header and rows each, for people, before `sentences`; empty ones of these are left out.
        warnings: Sentences for people on standard error.
        failure: Why the command fails although it has an answer; empty where it does not.
    """

    card: Mapping[str, Any]
    tables: Sequence[tuple[Sequence[str], Sequence[Sequence[object]]]] = ()
    sentences: Sequence[str] = ()
    warnings: Sequence[str] = ()
    failure: str = ""


def printed(command: Callable[..., Printout]) -> Callable[..., None]:
    """Return a command that prints its answer; `--json` prints the card instead of tables and sentences."""

    @functools.wraps(command)
    def run(*args: Any, as_json: bool, **kwargs: Any) -> None:
        _show(command(*args, **kwargs), as_json)

    signature = inspect.signature(command, eval_str=True)
    added = inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=AsJson)
    parameters = [*signature.parameters.values(), added]
    run.__signature__ = signature.replace(parameters=parameters, return_annotation=None)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _show(answer: Printout, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(dict(answer.card), ensure_ascii=False, default=_plain))
    else:
        for header, rows in answer.tables:
            _print_table(header, rows)
        for sentence in filter(None, answer.sentences):
            typer.echo(sentence)
        for warning in answer.warnings:
            typer.echo(warning, err=True)
    if answer.failure:
        raise Refused(answer.failure)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return value.item() if hasattr(value, "item") else str(value)


def _print_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table on a terminal; tab-separated lines when piped."""
    if not sys.stdout.isatty():
        for row in [header, *rows]:
            typer.echo("\t".join(str(cell) for cell in row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*header, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    Console().print(table)


@contextmanager
def progress(what: str, measured: Callable[[Any], str] | None = None) -> Iterator[Report | None]:
    """Give a report function that draws a bar on standard error; None where that is no terminal.

    Args:
        measured: Says in words what stands behind the bar after each point that is reported.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    columns = (*Progress.get_default_columns(), TextColumn("{task.fields[behind]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0, behind="")

        def report(fraction: float | None, message: str = "", point: Any = None, **_: Any) -> None:
            said = " · ".join(filter(None, [message, measured(point)])) if measured else ""
            bar.update(task, completed=fraction or 0.0, behind=said)

        yield report
