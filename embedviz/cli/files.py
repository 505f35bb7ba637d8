"""Commands about files of vectors: info, convert."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embedviz import catalog
from embedviz.cli.arguments import Encoding, Refused, SkipBad, Space
from embedviz.cli.opening import open_space, with_file_options
from embedviz.cli.output import Printout, progress
from embedviz.core.progress import Report
from embedviz.core.space import VectorSpace, folder_size
from embedviz.files import addresses

if TYPE_CHECKING:
    from embedviz.formats import Written

_NOT_LISTED = ("dropped", "counts", "columns", "ngrams", "encoding_guessed", "undecodable")


@with_file_options
def info(
    space: Space,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
    *,
    options: Any,
) -> Printout:
    """Describe a file or space: rows, dimensions, format, dropped rows, and a verdict on its quality."""
    from embedviz.evaluation.verdict import verdict
    from embedviz.formats.reading import lost_rows

    opened, card = open_space(space, skip_bad, encoding, note=False, options=options)
    found = {"rows": len(opened), "dimensions": opened.dimensions, **card, "zero_rows": int((opened.norms == 0).sum())}
    found |= {"counts": opened.counts is not None, "columns": list(opened.metadata), "ngrams": _ngrams(opened)}
    with progress("checking the rows") as report:
        judged = verdict(opened, **lost_rows(card["dropped"]), report=report)
    findings = [dataclasses.asdict(finding) for finding in judged.findings]
    rows = [
        (name, f"{value:.2f}" if name == "seconds" else value)
        for name, value in found.items()
        if name not in _NOT_LISTED
    ]
    extras = [*(["counts"] if opened.counts is not None else []), *opened.metadata]
    extras += [f"{len(opened.subwords.buckets):,} n-gram vectors"] if opened.subwords else []
    rows += [("also contains", ", ".join(extras) or "no other columns"), *_dropped(found)]
    if opened.origin.note:
        rows.append(("note", opened.origin.note))
    answer = {**found, "verdict": str(judged), **judged.card(), "findings": findings}
    return Printout(answer, [(("space", opened.origin.name), rows)], judged.sentences)


@with_file_options
def convert(
    space: Space,
    out: Annotated[
        Path,
        typer.Argument(
            help="The file to write, saved:NAME, or lance:FOLDER for a table of LanceDB with an index. "
            "An existing file is replaced, a saved space or a folder is not."
        ),
    ],
    format: Annotated[str, typer.Option(help="Name of the format. Default: by the ending of the file name.")] = "",
    skip_bad: Annotated[
        bool,
        typer.Option("--skip-bad", help="Leave out rows that cannot be read or written."),
    ] = False,
    encoding: Encoding = "",
    *,
    options: Any,
) -> Printout:
    """Write a file or space in another format: text, word2vec binary, .npz, .safetensors, .parquet, projector .zip."""
    from embedviz import formats

    source = space if Path(space).exists() else space.partition("~")[0]
    if out.exists() and Path(source).exists() and out.samefile(source):
        raise Refused(f"{out} is the file to read. Name another file to write.")
    saved, indexed = str(out).startswith("saved:"), str(out).startswith("lance:")
    if (saved or indexed) and format:
        raise Refused(f"A {'saved space' if saved else 'LanceDB table'} has a format of its own. Leave --format out.")
    opened, card = open_space(space, skip_bad, encoding, options=options)
    with progress(f"writing {out.name}") as report:
        if saved:
            written = _saved(opened, str(out).removeprefix("saved:"))
        elif indexed:
            written = _indexed(opened, Path(str(out).removeprefix("lance:")), report)
        else:
            written = formats.write(opened, out, format, skip_bad=skip_bad, report=report)
    unread = card["dropped"] if Path(source).exists() or addresses.is_address(space) else []
    found = {**written.card(), "dropped": [*unread, *written.card()["dropped"]]}
    rows = [(name, value) for name, value in found.items() if name not in ("dropped", "lost")]
    rows += [*_dropped(found), ("not written", ", ".join(written.lost) or "nothing")]
    return Printout(found, [(("file", out.name), rows)])


def _saved(space: VectorSpace, name: str) -> Written:
    """Save a space under a name, and return a summary of what was written."""
    from embedviz.formats import Written

    folder = catalog.folder_of(catalog.save(space, name))
    return Written(len(space), space.dimensions, "saved space", folder_size(folder))


def _indexed(space: VectorSpace, folder: Path, report: Report | None) -> Written:
    """Write a space as a LanceDB table with an index, and return a summary of what was written."""
    from embedviz.formats import Written
    from embedviz.neighbors import indexing

    made = indexing.build(space, folder, report=report)
    lost = ("n-gram vectors",) if space.subwords is not None else ()
    return Written(len(made), made.dimensions, "LanceDB table with an IVF-PQ index", folder_size(folder), lost=lost)


def _ngrams(space: VectorSpace) -> dict[str, int] | None:
    """Return the n-gram settings of a space; None for a space without n-gram vectors."""
    held = space.subwords
    return None if held is None else {"min_n": held.min_n, "max_n": held.max_n, "buckets": len(held.buckets)}


def _dropped(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return lines to print about a guessed encoding, words that could not be decoded, and rows that were dropped."""
    rows = [("encoding", "guessed; to set it, add --encoding NAME")] if found.get("encoding_guessed") else []
    undecodable = found.get("undecodable", {"count": 0})
    if undecodable["count"]:
        lines = ", ".join(f"{line:,}" for line in undecodable["first_lines"])
        undecoded = f"{undecodable['count']:,} words, shown as bytes (first at {lines}). Try --encoding NAME"
        rows.append(("undecodable", undecoded))
    for drop in found["dropped"]:
        lines = ", ".join(f"{line:,}" for line in drop["first_lines"])
        rows.append(("dropped", f"{drop['count']:,} · {drop['reason']} (first at {lines})"))
    return rows if found["dropped"] else [*rows, ("dropped", "no row")]
