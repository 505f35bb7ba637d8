"""The command that trains a space: train."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embedviz import catalog
from embedviz.cli.arguments import Refused, Settings
from embedviz.cli.opening import recipe_of
from embedviz.cli.output import Printout, progress
from embedviz.core import device, folders
from embedviz.core.phrases import number, share

if TYPE_CHECKING:
    from embedviz.core.options import Option
    from embedviz.corpus.tokenized import Corpus
    from embedviz.training.base import Trainer
    from embedviz.training.repeating import RepeatResult


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
        list[str] | None, typer.Option(help="A word whose neighbors and trajectory are saved; repeatable.")
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
) -> Printout:
    """Train a space on a text; what was set is saved with it, and so is the trajectory of its words.

    Ctrl-C ends it with nothing written. A run that was cut off with its process is named when the next one begins.
    """
    from embedviz.core.options import check, choose, parse_settings
    from embedviz.training import suggested
    from embedviz.training.trainers import TRAINERS

    names = names or []
    if keep or forget:
        return _keep_or_forget(keep, forget, names)
    if len(names) == 1 and not repeat:
        return _options(choose(TRAINERS, names[0], "trainer"))
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
        place = scratch / "corpus"
        if repeat:
            corpus, result = _repeat(_folder_of_space(repeat), place, names[0] if len(names) == 2 else "", out)
        else:
            corpus, result = _prepared(names[1], place, how), None
            _train(corpus, names[0], chosen if defaults else suggested(corpus, names[0]) | chosen, watch or (), out)
        read = _read_from(corpus)
    return _printout(out, read, result)


def _prepared(source: str, place: Path, how: dict[str, Any]) -> Corpus:
    """Prepare the corpus of a command with these options of the tokenizing."""
    from embedviz import training

    with progress(f"reading {Path(source).name}") as report:
        return training.corpus_of(source, place, report=report, **how)


def _train(corpus: Corpus, method: str, options: dict[str, Any], watch: Sequence[str], out: Path) -> None:
    """Train a space on a corpus into a folder, after a warning for each word that cannot be watched."""
    from embedviz import training

    plan = training.plan(corpus, method, options)
    for word in watch:
        if corpus.index.get(word, plan.rows) >= plan.rows:
            _warn(f"“{word}” is none of the {plan.rows:,} words of {corpus.name} that are trained.")
    if sys.stderr.isatty():
        typer.echo(plan.sentence, err=True)
    with progress(f"training {plan.title}", _Measured()) as report:
        training.train(str(corpus.folder), method, str(out), options=options, watched=watch, report=report)


def _repeat(trained: Path, place: Path, source: str, out: Path) -> tuple[Corpus, RepeatResult]:
    """Repeat the run of a trained space into a folder, and return its corpus and whether the same came of it."""
    from embedviz import training

    record = training.recorded(trained)
    if not record.repeats:
        _warn(f"{record.title} does not promise the same numbers with these options; others may come.")
    with progress("reading") as report:
        corpus = training.corpus_again(record, place, source, report=report)
    with progress(f"training {record.title}", _Measured()) as report:
        return corpus, training.repeat(record, corpus.folder, out, report=report)


def _printout(out: Path, read: dict[str, Any], result: RepeatResult | None) -> Printout:
    """Return what came of a training, and whether it repeated another."""
    from embedviz import training

    record = training.record(out)
    assert record is not None  # noqa: S101 (it was just written)
    same = {"repeated": result.same} if result else {}
    about = ", ".join(f"{name} {value}" for name, value in read.items() if value is not None)
    return Printout(
        {**record.summary(), "corpus": read, "out": str(out), **same},
        [((out.name, *record.HEADER[1:]), record.table())],
        [f"{about}; {out}", result.sentence if result and result.same else "", record.sentence],
        failure=f"{result.sentence} The space is written." if result and not result.same else "",
    )


def _keep_or_forget(keep: str, forget: str, names: Sequence[str]) -> Printout:
    """Keep or forget what a run that was cut off has left."""
    from embedviz import training

    if keep and forget:
        raise Refused("Either --keep or --forget, not both.")
    if len(names) != (1 if keep else 0):
        raise Refused(f"This takes {'OUT' if keep else 'nothing more'}; {len(names)} were given.")
    if not training.interrupted(keep or forget):
        raise Refused(f"No training called {keep or forget} was cut off.")
    if forget:
        training.forget(forget)
        return Printout({"forgotten": forget}, sentences=["Forgotten."])
    out = _new_folder(names[0])
    training.keep(keep, out)
    return Printout({"kept": keep, "out": str(out)}, sentences=[f"Kept: {out}."])


def _tell_of_cut_off() -> None:
    """Name the latest run that was cut off on standard error."""
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
    """Clear away what was begun when Ctrl-C or a signal ends the command, and say so; another one is ignored."""

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
    """Write a sentence on standard error."""
    typer.echo(f"embedviz: {sentence}", err=True)


def _read_from(corpus: Corpus) -> dict[str, Any]:
    """Return what a corpus was read from, and as what."""
    reading = corpus.about.get("reading", {})
    told = {
        "corpus": corpus.name,
        "format": reading.get("format"),
        "text": reading.get("text"),
        "group": reading.get("group"),
    }
    return {name: value or None for name, value in told.items()} | {"lines": len(corpus)}


def _options(row: Trainer) -> Printout:
    """Return the options of a trainer."""
    header = ("name", "default", "range", "what it does")
    listed = [(option.name, option.default, _range(option), option.help) for option in row.options]
    options = [dict(zip(header, each, strict=True)) for each in listed]
    return Printout({"method": row.name, "options": options}, [(header, listed)])


def _range(option: Option) -> str:
    """Return what an option may be."""
    from embedviz.core.options import Choice, Parameter

    if isinstance(option, Choice):
        return ", ".join(option.listed(None))
    return f"{option.low:g} to {option.upper(2**31):g}" if isinstance(option, Parameter) else "text"


def _new_folder(text: str) -> Path:
    """Return the folder that a command is to write: a path, or the place of a saved space.

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
    """Return the folder of a saved space, by its path or its address."""
    return Path(text) if Path(text).is_dir() else catalog.folder_of(recipe_of(text))


class _Measured:
    """The last measures of a training in words; called with each point that is reported."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}

    def __call__(self, point: Any) -> str:
        for name, said in (("loss", number), ("analogies", share), ("similarity", number)):
            if point and point.get(name) is not None:
                self._last[name] = f"{name} {said(point[name])}"
        return " · ".join(self._last.values())
