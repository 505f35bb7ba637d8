"""What commands print: a table for people, one JSON object for programs, a bar while they work."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from embedviz.core.progress import Report


@contextmanager
def progress(what: str) -> Iterator[Report | None]:
    """A report function that draws a bar on standard error, only on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0)

        def report(fraction: float | None, message: str = "", **_: Any) -> None:
            bar.update(task, completed=fraction or 0.0)

        yield report


def print_json(found: dict[str, Any]) -> None:
    """Print one JSON object."""
    typer.echo(json.dumps(found, ensure_ascii=False, default=_plain))


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return value.item() if hasattr(value, "item") else str(value)


def print_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table for a terminal; tab-separated lines when piped."""
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
