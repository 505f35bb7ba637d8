"""The output of commands: tables and sentences, or one JSON object with --json, and a progress bar."""

import dataclasses
import functools
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple

import typer

from embedviz.cli.arguments import Device, Refused, set_options
from embedviz.core import device as devices
from embedviz.core.graphics_card import LastUse
from embedviz.core.phrases import INVISIBLE, visible
from embedviz.core.progress import Report

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]


class Printout(NamedTuple):
    """The result of a command for printing.

    Attributes:
        card: The whole result, for --json.
        tables: Pairs of header and rows, printed before the sentences.
        sentences: Sentences printed after the tables; empty ones are left out.
        warnings: Sentences printed on standard error, not with --json.
        failure: Why the command fails although it has a result, as a sentence; empty if the command does not fail.
        status: Exit status of a command that does not fail: 1 if a space meets a condition that the user gave to the
            command `check` as a reason to fail, else 0.
        text: Text of several lines that is printed first.
    """

    card: Mapping[str, Any]
    tables: Sequence[tuple[Sequence[str], Sequence[Sequence[object]]]] = ()
    sentences: Sequence[str] = ()
    warnings: Sequence[str] = ()
    failure: str = ""
    status: int = 0
    text: str = ""


def printed(command: Callable[..., Printout], *, computes: bool = False) -> Callable[..., None]:
    """Wrap a command so that its result is printed; with `--json` the card is printed instead of tables and sentences.

    Args:
        computes: Whether the command takes `--device`, and its card says which device was used.
    """

    @functools.wraps(command)
    def run(*args: Any, as_json: bool, device: str = "", **kwargs: Any) -> None:
        LastUse.reset()
        with devices.using(device):
            answer = command(*args, **kwargs)
        if computes:
            answer = answer._replace(card={**answer.card, "device": LastUse.name})
        _show(answer, as_json)

    added = [inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=AsJson)]
    if computes:
        added.insert(0, inspect.Parameter("device", inspect.Parameter.KEYWORD_ONLY, default="", annotation=Device))
    set_options(run, command, added)
    return run


def _json(card: Mapping[str, Any]) -> str:
    """Return the card as one line of JSON in which invisible characters are escaped."""
    text = json.dumps(dict(card), ensure_ascii=False, default=_plain)
    return INVISIBLE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _show(answer: Printout, as_json: bool) -> None:
    if as_json:
        typer.echo(_json(answer.card))
    else:
        for line in answer.text.splitlines():
            typer.echo(visible(line))
        for header, rows in answer.tables:
            _print_table(header, rows)
        for sentence in filter(None, answer.sentences):
            typer.echo(visible(sentence))
        for warning in answer.warnings:
            typer.echo(visible(warning), err=True)
    if answer.failure:
        raise Refused(answer.failure)
    if answer.status:
        raise typer.Exit(answer.status)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return value.item() if hasattr(value, "item") else str(value)


def _print_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table: aligned on a terminal, tab-separated otherwise."""
    if not sys.stdout.isatty():
        for row in [header, *rows]:
            typer.echo("\t".join(visible(cell) for cell in row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for cell in header:
        table.add_column(Text(visible(cell)))
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    Console().print(table)


@contextmanager
def progress(what: str, measured: Callable[[Any], str] | None = None) -> Iterator[Report | None]:
    """Yield a report function that draws a progress bar on standard error; None if standard error is no terminal.

    Args:
        what: Text before the bar.
        measured: Function that returns a text for each reported point, or for None if a report has no point. This text
            and the reported message stand after the bar. Without this function, no text stands there.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, TextColumn

    columns = (*Progress.get_default_columns(), TextColumn("{task.fields[behind]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(visible(what)), total=1.0, behind="")

        def report(fraction: float | None, message: str = "", point: Any = None, **_: Any) -> None:
            status = " · ".join(filter(None, [message, measured(point)])) if measured else ""
            bar.update(task, completed=fraction, behind=escape(visible(status)))

        yield report
