"""The command that trains a space: train."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embedviz import catalog
from embedviz.cli.arguments import Refused, Settings
from embedviz.cli.opening import recipe_of
from embedviz.cli.output import Printout, progress
from embedviz.core import device, folders
from embedviz.core.phrases import number, share, visible
from embedviz.core.space import open_folder

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
            help="METHOD: word2vec, fasttext, glove, … CORPUS: lee, teaching, a file or a folder. OUT: a folder, "
            "saved:NAME, or a file (.vec, .bin, .npz, …). METHOD alone lists its options. With --repeat give "
            "[CORPUS] OUT, with --keep only OUT.",
        ),
    ] = None,
    settings: Settings = None,
    tokenizing: Annotated[
        list[str] | None,
        typer.Option(
            "--tokenize", help="Set an option of the tokenizer: name=value, for example lower=no. Repeatable."
        ),
    ] = None,
    text: Annotated[str, typer.Option(help="Column of a table with the texts.")] = "",
    group: Annotated[str, typer.Option(help="Column of a table with the groups.")] = "",
    seed: Annotated[int | None, typer.Option(help="Seed of the first vectors and of every sample.", min=0)] = None,
    workers: Annotated[
        int | None, typer.Option(help="Number of threads. With 1, a repetition gives identical numbers.", min=0)
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="Number of epochs.", min=1)] = None,
    watch: Annotated[
        list[str] | None, typer.Option(help="A word whose neighbors are recorded during training. Repeatable.")
    ] = None,
    defaults: Annotated[
        bool,
        typer.Option("--defaults", help="Use the trainer’s defaults, not settings for this size of corpus."),
    ] = False,
    repeat: Annotated[
        str,
        typer.Option(metavar="SPACE", help="Repeat the training of a space. Status 2 if the numbers differ."),
    ] = "",
    keep: Annotated[str, typer.Option(metavar="ID", help="Keep the last checkpoint of an interrupted training.")] = "",
    forget: Annotated[str, typer.Option(metavar="ID", help="Delete an interrupted training.")] = "",
) -> Printout:
    """Train word vectors on a text. Settings and a recording of the training are saved with them.

    Ctrl-C cancels and writes nothing. After a crash the next training names the interrupted one.
    """
    from embedviz.core.options import check, choose, parse_settings
    from embedviz.training import suggested
    from embedviz.training.trainers import TRAINERS

    names = names or []
    if keep or forget:
        return _keep_or_forget(keep, forget, names)
    if len(names) == 1 and not repeat:
        return _options(choose(TRAINERS, names[0], "trainer"))
    _check_count(names, repeat)
    own = {"seed": seed, "workers": workers, "epochs": epochs}
    chosen: dict[str, Any] = {**parse_settings(settings or []), **{k: v for k, v in own.items() if v is not None}}
    how = {**parse_settings(tokenizing or []), **{k: v for k, v in (("text", text), ("group", group)) if v}}
    if repeat and (chosen or how or watch or defaults):
        raise Refused("A repeated training keeps its settings. To change one, train a new space.")
    if not repeat:
        check(choose(TRAINERS, names[0], "trainer"), chosen)
    out = _new_path(names[-1])
    _tell_of_cut_off()
    with _stopping(out), device.scratch() as scratch:
        place, folder = scratch / "corpus", scratch / "space" if _is_file(out) else out
        if repeat:
            corpus, result = _repeat(_folder_of_space(repeat), place, names[0] if len(names) == 2 else "", folder)
        else:
            corpus, result = _prepared(names[1], place, how), None
            _train(corpus, names[0], chosen if defaults else suggested(corpus, names[0]) | chosen, watch or (), folder)
        return _printout(folder, out, _read_from(corpus), result)


def _check_count(names: Sequence[str], repeat: str) -> None:
    """Check the number of arguments of a training or of its repetition.

    Raises:
        Refused: The number of arguments is wrong.
    """
    wanted, allowed = ("[CORPUS] OUT", (1, 2)) if repeat else ("METHOD CORPUS OUT", (3,))
    if len(names) not in allowed:
        raise Refused(f"This command needs {wanted}; it got {len(names)} arguments.")


def _prepared(source: str, place: Path, how: dict[str, Any]) -> Corpus:
    """Prepare the texts of `source` for training, write them into the folder `place`, and return them as a corpus."""
    from embedviz import training

    with progress(f"reading {Path(source).name}") as report:
        return training.corpus_of(source, place, report=report, **how)


def _train(corpus: Corpus, method: str, options: dict[str, Any], watch: Sequence[str], out: Path) -> None:
    """Train a space on a corpus and write it to a folder, after a warning for each word that cannot be watched."""
    from embedviz import training

    plan = training.plan(corpus, method, options)
    for word in watch:
        if corpus.index.get(word, plan.rows) >= plan.rows:
            _warn(f"“{word}” is not one of the {plan.rows:,} words of {corpus.name} that get a vector.")
    if sys.stderr.isatty():
        typer.echo(visible(plan.sentence), err=True)
    with progress(f"training {plan.title}", _TrainingReport()) as report:
        training.train(str(corpus.folder), method, str(out), options=options, watched=watch, report=report)


def _repeat(trained: Path, place: Path, source: str, out: Path) -> tuple[Corpus, RepeatResult]:
    """Repeat the training of a space, write the new space to `out`, and return the corpus and how the spaces compare.

    Args:
        trained: The folder of the space.
        place: The folder into which the corpus is written.
        source: The corpus that the user named; may be empty if the space was trained on a corpus of this program.
    """
    from embedviz import training

    record = training.recorded(trained)
    if not record.repeats:
        _warn(f"With these options {record.title} may give other numbers at each run.")
    with progress("reading") as report:
        corpus = training.corpus_again(record, place, source, report=report)
    with progress(f"training {record.title}", _TrainingReport()) as report:
        return corpus, training.repeat(record, corpus.folder, out, report=report)


def _printout(folder: Path, out: Path, read: dict[str, Any], result: RepeatResult | None) -> Printout:
    """Return the record of the training for printing.

    Unless `out` is the folder of the space, the space is first written to the file `out`.
    """
    from embedviz import training

    record = training.record(folder)
    assert record is not None  # noqa: S101 (it was just written)
    same = {"repeated": result.same} if result else {}
    about = ", ".join(f"{name} {value}" for name, value in read.items() if value is not None)
    return Printout(
        {**record.summary(), "corpus": read, "out": str(out), **same},
        [((out.name, *record.HEADER[1:]), record.table())],
        [
            f"{about}; {out}",
            result.sentence if result and result.same else "",
            record.sentence,
            _write_file(folder, out) if folder != out else "",
        ],
        failure=f"{result.sentence} The space is written." if result and not result.same else "",
    )


def _keep_or_forget(keep: str, forget: str, names: Sequence[str]) -> Printout:
    """Save the checkpoint of an interrupted training as a space, or delete an interrupted training.

    Args:
        keep: The training whose checkpoint is saved; empty if not wanted.
        forget: The training to delete; empty if not wanted.
        names: The other arguments: with `keep` the path of the new space, with `forget` none.

    Raises:
        Refused: Both `keep` and `forget` are given, `names` has a wrong number of items, or there is no such training.
    """
    from embedviz import training

    if keep and forget:
        raise Refused("Use --keep or --forget, not both.")
    if len(names) != (1 if keep else 0):
        raise Refused(f"This option needs {'OUT' if keep else 'no other argument'}; it got {len(names)}.")
    if not training.interrupted(keep or forget):
        raise Refused(f"There is no interrupted training named {keep or forget}.")
    if forget:
        training.forget(forget)
        return Printout({"forgotten": forget}, sentences=["Deleted."])
    out = _new_path(names[0])
    if _is_file(out):
        _write_file(training.last_checkpoint(keep), out)
        training.forget(keep)
    else:
        training.keep(keep, out)
    return Printout({"kept": keep, "out": str(out)}, sentences=[f"Kept: {out}."])


def _tell_of_cut_off() -> None:
    """Print on standard error the latest interrupted training, and how to keep or delete it."""
    from embedviz import training

    listed = [each for each in training.interrupted() if not each.private]
    if not listed:
        return
    first = listed[0]
    keep = f"--keep {first.id} OUT or " if first.kept else ""
    more = f" Older interrupted trainings: {len(listed) - 1}." if len(listed) > 1 else ""
    _warn(f"{first.sentence} embedviz train {keep}--forget {first.id}.{more}")


@contextmanager
def _stopping(out: Path) -> Iterator[None]:
    """Turn Ctrl-C and termination into one `KeyboardInterrupt`; then say whether `out` was already written.

    After the first signal, further signals are ignored, so that unfinished files can be deleted.
    """

    def stop(number: int, frame: Any) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except KeyboardInterrupt:
        _warn(f"Cancelled. {out.name} was already written." if out.exists() else "Cancelled. Nothing was written.")
        raise
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _warn(sentence: str) -> None:
    """Print a sentence on standard error."""
    typer.echo(visible(f"embedviz: {sentence}"), err=True)


def _read_from(corpus: Corpus) -> dict[str, Any]:
    """Return the source of a corpus: its format, columns and number of lines."""
    reading = corpus.about.get("reading", {})
    fields = {
        "corpus": corpus.name,
        "format": reading.get("format"),
        "text": reading.get("text"),
        "group": reading.get("group"),
    }
    return {name: value or None for name, value in fields.items()} | {"lines": len(corpus)}


def _options(row: Trainer) -> Printout:
    """Return the options of a trainer for printing."""
    header = ("name", "default", "range", "what it does")
    listed = [(option.name, option.default, _range(option), option.help) for option in row.options]
    options = [dict(zip(header, each, strict=True)) for each in listed]
    return Printout({"method": row.name, "options": options}, [(header, listed)])


def _range(option: Option) -> str:
    """Return the allowed values of an option as a text."""
    from embedviz.core.options import Choice, Parameter

    if isinstance(option, Choice):
        return ", ".join(option.listed(None))
    return f"{option.low:g} to {option.upper(2**31):g}" if isinstance(option, Parameter) else "text"


def _is_file(out: Path) -> bool:
    """Return whether a path names a file of a known format, by its ending; False in the folder of saved spaces."""
    from embedviz import formats

    if out.parent == folders.saved_root():
        return False
    with suppress(formats.FormatError):
        return bool(formats.format_to_write(out))
    return False


def _write_file(folder: Path, out: Path) -> str:
    """Write the space in a folder to a file, and return sentences on what the file does not contain."""
    from embedviz import formats

    written = formats.write(open_folder(folder), out, skip_bad=True)
    dropped = "".join(f" Left out: {each.count:,} ({each.reason})." for each in written.dropped)
    return f"{out.name} holds only the vectors. A folder would also hold the settings and the recording.{dropped}"


def _new_path(text: str) -> Path:
    """Return the absolute path of the file or folder to write; for `saved:NAME`, the folder of the saved space.

    Raises:
        Refused: The path exists already, or its parent folder does not exist.
        RecipeError: The name of the saved space is not valid.
    """
    if text.startswith("saved:"):
        out = folders.saved_root() / catalog.valid_name(text.removeprefix("saved:"))
        out.parent.mkdir(parents=True, exist_ok=True)
    else:
        out = Path(text)
    if out.exists():
        raise Refused(f"{out} already exists. Choose another name, or delete it first.")
    if not out.absolute().parent.is_dir():
        raise Refused(f"There is no folder {out.parent}. Create it first.")
    return out.absolute()


def _folder_of_space(text: str) -> Path:
    """Return the folder of a saved space. `text` is its path, its name, or its address such as `saved:NAME`."""
    return Path(text) if Path(text).is_dir() else catalog.folder_of(recipe_of(text))


class _TrainingReport:
    """A function that turns a reported point of a training into text: the latest value of each measure."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}

    def __call__(self, point: Any) -> str:
        for name, formatted in (("loss", number), ("analogies", share), ("similarity", number)):
            if point and point.get(name) is not None:
                self._last[name] = f"{name} {formatted(point[name])}"
        return " · ".join(self._last.values())
