"""The command that trains a space: train."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from embedviz import catalog
from embedviz.cli.arguments import AsJson, Refused, Settings
from embedviz.cli.opening import recipe_of
from embedviz.cli.output import print_json, print_table, progress
from embedviz.core import device, folders
from embedviz.core.phrases import number, share
from embedviz.core.progress import Report


def train(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="METHOD CORPUS OUT",
            help="A trainer (word2vec, fasttext, glove, …), what it reads (lee, teaching, a file or a folder), and the "
            "folder to write, or saved:NAME. METHOD alone lists its options; with --repeat [CORPUS] OUT, with --keep "
            "OUT.",
        ),
    ] = None,
    settings: Settings = None,
    tokenizing: Annotated[
        list[str] | None, typer.Option("--tokenize", help="name=value, for what a word is (lower=no, …); repeatable.")
    ] = None,
    text: Annotated[str, typer.Option(help="The column of a table that holds the texts.")] = "",
    group: Annotated[str, typer.Option(help="The column of a table that holds the groups.")] = "",
    seed: Annotated[int | None, typer.Option(help="Of the first vectors and of what is drawn.", min=0)] = None,
    workers: Annotated[int | None, typer.Option(help="Threads; one repeats itself to the bit.", min=0)] = None,
    epochs: Annotated[int | None, typer.Option(help="Passes over the corpus.", min=1)] = None,
    watch: Annotated[
        list[str] | None, typer.Option(help="A word whose neighbors are told and whose way is kept; repeatable.")
    ] = None,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="The trainer's own settings, not those that suit the corpus's size.")
    ] = False,
    repeat: Annotated[
        str,
        typer.Option(metavar="SPACE", help="Make the run of a trained space again; status 2 if other numbers come."),
    ] = "",
    keep: Annotated[str, typer.Option(metavar="ID", help="Keep what a run that was cut off had learned.")] = "",
    forget: Annotated[str, typer.Option(metavar="ID", help="Forget a run that was cut off.")] = "",
    as_json: AsJson = False,
) -> None:
    """Trains a space on a text. What was set is kept with it, and so are its words on their way.

    Ctrl-C ends it with nothing written. A run that was cut off with its process is told of when the next one begins.
    """
    from embedviz import training
    from embedviz.core.options import check, choose, parse_settings
    from embedviz.training.trainers import TRAINERS

    names = names or []
    if keep or forget:
        _settle(keep, forget, names)
        return
    if len(names) == 1 and not repeat:
        _print_options(choose(TRAINERS, names[0], "trainer"), as_json)
        return
    wanted = "[CORPUS] OUT" if repeat else "METHOD CORPUS OUT"
    if len(names) not in ((1, 2) if repeat else (3,)):
        raise Refused(f"This command takes {wanted}; {len(names)} were given.")
    own = {"seed": seed, "workers": workers, "epochs": epochs}
    chosen: dict[str, Any] = {**parse_settings(settings or []), **{k: v for k, v in own.items() if v is not None}}
    how = {**parse_settings(tokenizing or []), **{k: v for k, v in (("text", text), ("group", group)) if v}}
    if repeat and (chosen or how or watch or defaults):
        raise Refused("A run is repeated as it was; train anew to change a setting.")
    if not repeat:
        check(choose(TRAINERS, names[0], "trainer"), chosen)
    out = _new_folder(names[-1])
    _tell_of_cut_off()
    with _stopping(out), device.scratch() as scratch:
        place, outcome = scratch / "corpus", None
        if repeat:
            told = training.recorded(_folder_of_space(repeat))
            if not told.repeats:
                _warn(f"{told.title} does not promise the same numbers with these options; others may come.")
            with progress("reading") as report:
                corpus = training.corpus_again(told, place, names[0] if len(names) == 2 else "", report=report)
            with _watching(f"training {told.title}") as report:
                outcome = training.repeat(told, corpus.folder, out, report=report)
        else:
            method, source, _ = names
            with progress(f"reading {Path(source).name}") as report:
                corpus = training.corpus_of(source, place, report=report, **how)
            options = {} if defaults else training.suggested(corpus, method)
            options |= chosen
            plan = training.plan(corpus, method, options)
            for word in watch or ():
                if corpus.index.get(word, plan.rows) >= plan.rows:
                    _warn(f"“{word}” is none of the {plan.rows:,} words of {corpus.name} that are trained.")
            _say(plan.sentence)
            with _watching(f"training {plan.title}") as report:
                training.train(
                    str(corpus.folder), method, str(out), options=options, watched=watch or (), report=report
                )
        read = _read_from(corpus)
    found = training.record(out)
    assert found is not None  # noqa: S101 (it was just written)
    if as_json:
        same = {"repeated": outcome.same} if outcome else {}
        print_json({**_trained(found), "corpus": read, "out": str(out), **same})
    else:
        print_table((out.name, "here", "baseline", "what it is"), training.summary(found))
        typer.echo(", ".join(f"{name} {value}" for name, value in read.items() if value is not None) + f"; {out}")
        for sentence in filter(None, (outcome.sentence if outcome and outcome.same else "", found.sentence)):
            typer.echo(sentence)
    if outcome and not outcome.same:
        raise Refused(f"{outcome.sentence} The space is written.")


def _settle(keep: str, forget: str, names: Sequence[str]) -> None:
    """Keeps or forgets what a run that was cut off has left."""
    from embedviz import training

    if keep and forget:
        raise Refused("Either --keep or --forget, not both.")
    if len(names) != (1 if keep else 0):
        raise Refused(f"This takes {'OUT' if keep else 'nothing more'}; {len(names)} were given.")
    if not training.interrupted(keep or forget):
        raise Refused(f"No training called {keep or forget} was cut off.")
    if keep:
        out = _new_folder(names[0])
        training.keep(keep, out)
        typer.echo(f"Kept: {out}.")
    else:
        training.forget(forget)
        typer.echo("Forgotten.")


def _tell_of_cut_off() -> None:
    """A line on standard error for the latest run that was cut off."""
    from embedviz import training

    listed = [each for each in training.interrupted() if not each.private]
    if not listed:
        return
    first = listed[0]
    keep = f"--keep {first.id} OUT or " if first.kept else ""
    more = f" {len(listed) - 1} more before it." if len(listed) > 1 else ""
    _warn(f"{first.sentence} embedviz train {keep}--forget {first.id}.{more}")


@contextmanager
def _stopping(out: Path) -> Iterator[None]:
    """Ctrl-C, or an end that is asked for, clears away what was begun, undisturbed by another, and says so."""

    def stop(number: int, frame: Any) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except KeyboardInterrupt:
        _warn(f"Stopped. {out.name} is written." if out.exists() else "Stopped. Nothing was written.")
        raise
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _warn(sentence: str) -> None:
    """A sentence on standard error."""
    typer.echo(f"embedviz: {sentence}", err=True)


def _read_from(corpus: Any) -> dict[str, Any]:
    """What a corpus was read from, and as what."""
    reading = corpus.about.get("reading", {})
    told = {
        "corpus": corpus.name,
        "format": reading.get("format"),
        "text": reading.get("text"),
        "group": reading.get("group"),
    }
    return {name: value or None for name, value in told.items()} | {"lines": len(corpus)}


def _print_options(row: Any, as_json: bool) -> None:
    """The options of a trainer."""
    from embedviz.core.options import Choice, Parameter

    def allowed(option: Any) -> str:
        if isinstance(option, Choice):
            return ", ".join(option.listed(None))
        if isinstance(option, Parameter):
            return f"{option.low:g} to {option.upper(2**31):g}"
        return "text"

    listed = [(option.name, option.default, allowed(option), option.help) for option in row.options]
    header = ("name", "default", "range", "what it does")
    if as_json:
        print_json({"method": row.name, "options": [dict(zip(header, each, strict=True)) for each in listed]})
        return
    print_table(header, listed)


def _trained(found: Any) -> dict[str, Any]:
    """A training as plain JSON values."""
    last = found.moments[-1]
    return {
        "method": found.method,
        "parameters": dict(found.options),
        "checksum": found.corpus.checksum,
        "vocabulary": found.corpus.words,
        "tokens": found.corpus.tokens,
        "tokens_read": found.tokens,
        "seconds": found.seconds,
        "words_per_second": found.words_per_second,
        "epochs": found.epochs,
        "loss": list(found.loss) if found.loss is not None else None,
        "loss_baseline": found.baseline,
        "rows": found.rows,
        "dimensions": found.dimensions,
        "matrix": found.matrix,
        "analogies": {"accuracy": last.analogies, "baseline": last.third, "asked": found.asked.drawn},
        "similarity": {"spearman": last.similarity, "chance": found.asked.chance, "pairs": found.asked.pairs_covered},
        "neighbors": dict(last.neighbors or {}),
        "held_out": _held_out(found.more),
        "more": {name: found.more[name] for name in ("pairs", "counting") if name in found.more},
        "versions": dict(found.versions),
    }


def _held_out(more: Any) -> dict[str, Any] | None:
    """How many lines that were not learned from get the right label; None of a trainer that knows no labels."""
    from embedviz.core.stats.intervals import Share

    if not {"right", "majority"} <= more.keys():
        return None
    right, most = Share(*more["right"]), Share(*more["majority"])
    low, high = right.interval
    return {
        "right": right.right,
        "of": right.of,
        "share": right.value,
        "low": low,
        "high": high,
        "majority": most.value,
    }


def _new_folder(text: str) -> Path:
    """The folder that a command is to write: a path, or the place of a saved space.

    Raises:
        Refused: It is there already, or what it would lie in is not.
    """
    if text.startswith("saved:"):
        out = folders.saved_root() / catalog.valid_name(text.removeprefix("saved:"))
        out.parent.mkdir(parents=True, exist_ok=True)
    else:
        out = Path(text)
    if out.exists():
        raise Refused(f"{out} is there already; name another folder, or delete it first.")
    if not out.absolute().parent.is_dir():
        raise Refused(f"There is no folder {out.parent}; make it first.")
    return out.absolute()


def _folder_of_space(text: str) -> Path:
    """The folder of a saved space, by its path or its address."""
    return Path(text) if Path(text).is_dir() else catalog.folder_of(recipe_of(text))


def _say(sentence: str) -> None:
    """A sentence on standard error, only on a terminal."""
    if sys.stderr.isatty():
        typer.echo(sentence, err=True)


@contextmanager
def _watching(what: str) -> Iterator[Report | None]:
    """A report function that draws a bar with what was last measured on standard error, only on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), TextColumn("{task.fields[told]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0, told="")
        measured: dict[str, str] = {}

        def report(fraction: float | None, message: str = "", point: Any = None, **_: Any) -> None:
            for name, said in (("loss", number), ("analogies", share), ("similarity", number)):
                if point and point.get(name) is not None:
                    measured[name] = f"{name} {said(point[name])}"
            bar.update(task, completed=fraction or 0.0, told=" · ".join([message, *measured.values()]))

        yield report
