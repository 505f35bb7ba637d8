"""Repeat a run from its record, and compare the results."""

from pathlib import Path
from typing import Any, NamedTuple

from embedviz.core.options import OptionError
from embedviz.core.progress import Report
from embedviz.corpus.tokenized import Corpus, open_corpus
from embedviz.training.comparing import differences
from embedviz.training.records import WHOLE, Record, record
from embedviz.training.runs import TrainingResult, train


class RepeatResult(NamedTuple):
    """Result of a repeated run.

    Attributes:
        ran: Summary of the repeated run.
        same: Whether the matrices of both runs are equal, bit for bit.
        sentence: The comparison as text. If the matrices differ, it gives the likely reason.
    """

    ran: TrainingResult
    same: bool
    sentence: str


def recorded(folder: str | Path) -> Record:
    """Return the record of the run that trained the space in a folder, if the run can be repeated.

    Raises:
        SpaceError: The folder holds no saved space, or the record cannot be read.
        OptionError: The space was not trained here, or the run ended early.
    """
    found = record(folder)
    if found is None:
        raise OptionError(f"{Path(folder).name} was not trained here, so it has no settings to repeat.")
    if found.ended != WHOLE:
        raise OptionError(
            f"That training was {found.ended} after {found.epochs:.4g} of {found.planned:.4g} epochs, so it cannot be "
            "repeated exactly. Train again with the same settings."
        )
    return found


def corpus_of(source: str | Path, folder: str | Path, *, report: Report | None = None, **how: Any) -> Corpus:
    """Prepare a corpus in a folder, or open a corpus that is already prepared.

    Args:
        source: *lee*, *teaching*, a file or folder of texts, or the folder of a prepared corpus.
        folder: Where the corpus is written; not used for a prepared corpus.
        how: Options of `embedviz.corpus.preparing.prepare`.

    Raises:
        FileExistsError: The folder exists already.
        CorpusError: The source cannot be read, or has no word.
        OptionError: An option is unknown or not allowed, or options were given for a prepared corpus.
    """
    from embedviz.corpus.preparing import SOURCES, prepare

    if str(source) not in SOURCES and is_corpus(source):
        if how:
            raise OptionError(f"{Path(source).name} is tokenized already, so {', '.join(how)} cannot be changed.")
        return open_corpus(source)
    return prepare(source, folder, report=report, **how)


def corpus_again(
    run_record: Record, folder: str | Path, source: str | Path = "", *, report: Report | None = None
) -> Corpus:
    """Prepare the corpus of a run again, with the same options.

    Args:
        folder: Where the corpus is written.
        source: The texts of the corpus, or the folder of a prepared corpus. It is not needed for a corpus that ships
            with the program.

    Raises:
        FileExistsError: The folder exists already.
        OptionError: A source is needed, or the result differs from the corpus of the run.
        CorpusError: The source cannot be read.
    """
    from embedviz.corpus.preparing import SOURCES

    made = dict(run_record.corpus.made)
    named = str(made.pop("source", ""))
    if not source and named not in SOURCES:
        raise OptionError(f"The text of that run, {run_record.corpus.name}, is not part of the program. Give its file.")
    ready = str(source) not in SOURCES and is_corpus(source)
    found = corpus_of(
        source or named, folder, report=report, **({} if ready else {"name": run_record.corpus.name, **made})
    )
    if found.checksum != run_record.corpus.checksum:
        raise OptionError(
            f"This is not the corpus of the run. It has {len(found.tokens):,} words ({len(found.words):,} different); "
            f"that of the run had {run_record.corpus.tokens:,} ({run_record.corpus.words:,} different)."
        )
    return found


def is_corpus(source: str | Path) -> bool:
    """Return whether a folder holds a prepared corpus."""
    return all((Path(source) / name).is_file() for name in ("card.json", "tokens.npy", "lines.txt"))


def repeat(run_record: Record, corpus: str | Path, folder: str | Path, *, report: Report | None = None) -> RepeatResult:
    """Repeat a run, save its space to another folder, and compare the space with that of the first run.

    Args:
        corpus: Folder of the prepared corpus.

    Raises:
        FileExistsError: The folder exists already.
        CorpusError: There is no such corpus.
        OptionError: The options of the trainer have changed since the first run.
    """
    ran = train(
        str(corpus),
        run_record.method,
        str(folder),
        options=run_record.options,
        watched=run_record.coverage.watched,
        report=report,
    )
    again = record(folder)
    same = again is not None and again.matrix == run_record.matrix
    if same:
        return RepeatResult(ran, True, f"The same numbers to the bit: SHA-256 {run_record.matrix[:16]}….")
    sentence = "Other numbers than in the first run."
    if not run_record.repeats:
        return RepeatResult(ran, False, f"{sentence} {run_record.title} does not promise the same with these options.")
    changed = (
        [each for each in differences(run_record, again) if each.what in run_record.versions]
        if again is not None
        else []
    )
    why = ", ".join(f"{each.what} {each.one} then, {each.other} now" for each in changed)
    reason = f"Other versions: {why}." if why else "The machine may be of another kind."
    return RepeatResult(ran, False, f"{sentence} {reason}")
