"""Commands that compute what the app shows.

Without a command, the app opens. Each command prints a table; with --json it prints one JSON object.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Annotated

import typer

from embedviz import __version__
from embedviz.cli import checking, context, files, maps, quality, repeating, serving, training, words
from embedviz.cli.arguments import Refused
from embedviz.cli.output import Printout, printed
from embedviz.cli.serving import start_app
from embedviz.core import time_limit
from embedviz.core.device import library_threads
from embedviz.core.phrases import visible

app = typer.Typer(
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    help=__doc__,
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS: dict[str, Callable[..., Printout]] = {
    "info": files.info,
    "check": checking.check,
    "convert": files.convert,
    "neighbors": words.neighbors,
    "analogy": words.analogy,
    "project": maps.project,
    "isotropy": quality.isotropy,
    "evaluate": quality.evaluate,
    "compare": quality.compare,
    "repeat": repeating.repeat,
    "train": training.train,
    "senses": context.senses,
    "pairs": context.pairs,
    "catalog": context.catalog_of_models,
}
"""Each command that prints a result, in the order in which `--help` lists them."""
COMPUTING = {"info", "check", "isotropy", "evaluate", "repeat", "train", "senses", "pairs"}
"""Those of `COMMANDS` that take `--device`, because they can use a graphics card."""
app.command("open")(serving.open_app)
app.command("serve")(serving.serve)
for _name, _function in COMMANDS.items():
    app.command(_name)(printed(_function, computes=_name in COMPUTING))


def main() -> None:
    """Run a command and exit with its status; never print a traceback.

    Refused input, or another error, gives a sentence and exit status 2; Ctrl-C gives 130.
    """
    try:
        with _leaving(), _few_threads():
            status = app(standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        raise SystemExit(130) from None
    except typer.Exit as leaving:
        raise SystemExit(leaving.exit_code) from None
    except Exception as error:
        raise SystemExit(_refuse(error)) from None
    raise SystemExit(status if isinstance(status, int) else 0)


@contextmanager
def _few_threads() -> Iterator[None]:
    """Limit matrix products to one thread while the context lasts, as in jobs of the app.

    The limit does not apply if the environment sets a number of threads. If all cores of the computer are busy, a
    command takes a half to a quarter of the time with the limit. Otherwise it takes the same time.
    """
    named = "OPENBLAS_NUM_THREADS" in os.environ
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for libraries that are loaded later
    with nullcontext() if named else library_threads(1, "blas"):
        yield


@contextmanager
def _leaving() -> Iterator[None]:
    """Make termination and a closed terminal end the process normally, so that unfinished files are deleted."""

    def leave(number: int, frame: object) -> None:
        for each in ours:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    ours = [each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) is signal.SIG_DFL]
    for each in ours:
        signal.signal(each, leave)
    time_limit.Ending.way = _end
    try:
        yield
    finally:
        time_limit.Ending.way = None
        for each in ours:
            signal.signal(each, signal.SIG_DFL)


def _end(sentence: str) -> None:
    """End the process immediately with a sentence and exit status 2, as for refused input."""
    print(f"embedviz: {sentence}", file=sys.stderr, flush=True)  # noqa: T201
    os._exit(2)


def _refuse(error: Exception) -> int:
    """Print on standard error why the input was refused, and return the exit status."""
    expected = (Refused, ValueError, LookupError, OSError)
    usage = getattr(error, "format_message", None)  # errors of the command-line parser have this method
    if usage is not None:
        sentence = usage()
    elif isinstance(error, OSError) and error.strerror:
        sentence = f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    elif isinstance(error, expected) and str(error):
        details = getattr(error, "details", None) or {}
        usable = details.get("usable")
        sentence = f"{error} To use only those, add --skip-bad." if usable else str(error)
        options = {"member": "--member NAME", "vector_column": "--vector-column NAME"}
        option = options.get(details.get("option", ""))
        sentence += f" The option is {option}." if option else ""
    else:
        sentence = f"The command failed ({type(error).__name__}: {error}). Please report this and the command."
    lines = (getattr(error, "details", None) or {}).get("python", [])
    headline = sentence.partition("\n")[0] if lines else sentence
    for line in (f"embedviz: {visible(headline)}", *(f"    {visible(each)}" for each in lines)):
        print(line, file=sys.stderr)  # noqa: T201
    return 2


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"embedviz {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _without_command(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    port: Annotated[int, typer.Option(help="Port of the app, without a command.", min=1, max=65535)] = 8501,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser, without a command.")] = False,
) -> None:
    if context.invoked_subcommand is None:
        start_app(None, port, browser=not no_browser)
