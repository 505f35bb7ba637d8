"""Commands about encoders: senses, pairs, catalog."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from embedviz.cli.arguments import Model
from embedviz.cli.output import Printout, progress


def senses(
    word: Annotated[str, typer.Argument(help="The word to look for, whole.")],
    sentences: Annotated[
        Path | None,
        typer.Argument(help="A file with a line a sentence, or with two columns, sense and sentence."),
    ] = None,
    model: Model = "builtin",
    pieces: Annotated[str, typer.Option(help="What stands for a word of several pieces: mean, first, last.")] = "mean",
    match_case: Annotated[bool, typer.Option("--match-case", help="Bank is not bank.")] = False,
    seed: Annotated[int, typer.Option(help="Of the shuffled senses and of k-means.", min=0)] = 0,
) -> Printout:
    """Measure how well each layer of a model tells the senses of a word apart, beside the other words alone."""
    from embedviz.contextual import models
    from embedviz.contextual import senses as study

    folder = models.resolve(model)
    given = study.known_sentences(word) if sentences is None else study.read_sentences(sentences)
    with progress(f"reading sentences with {word}") as report:
        found = study.senses(
            word, *given, model=folder, pieces=pieces, ignore_case=not match_case, seed=seed, report=report
        )
    header, rows = found.table()
    marked = "* above its chance band, over all layers and scores; chance: the band of the nearest." if rows else ""
    sentences_said = [marked, found.sample, found.meaning, found.note]
    return Printout(found.card(), [(header, rows)] if rows else [], sentences_said)


def pairs(
    table: Annotated[str, typer.Argument(help="A table with the columns sentence1, sentence2 and score; or example.")],
    model: Model = "builtin",
    pooling: Annotated[list[str] | None, typer.Option(help="One of the poolings; repeatable. All else.")] = None,
    correction: Annotated[list[str] | None, typer.Option(help="One of the corrections; repeatable. All else.")] = None,
    special: Annotated[
        str, typer.Option(help="All poolings but CLS count [CLS] and [SEP], as models of sentences do: with, without.")
    ] = "with",
    seed: Annotated[int, typer.Option(help="Of halves, pairs drawn anew and shuffles.", min=0)] = 0,
) -> Printout:
    """Compare each layer, pooling and correction of a model with people's scores of sentence pairs."""
    from embedviz.contextual import models
    from embedviz.contextual import sentence_pairs as study

    folder = models.resolve(model)
    with progress(f"reading {Path(table).name}") as report:
        found = study.pairs(
            table,
            model=folder,
            poolings=pooling or (),
            corrections=correction or (),
            special=special,
            seed=seed,
            report=report,
        )
    marked = "* the difference to no correction is beyond chance, over all rows."
    said = [found.sample, found.baselines, found.setting, found.meaning(), found.corrections_said(), found.note]
    return Printout(found.card(), [found.table_in_words()], [marked, *said])


def catalog_of_models(
    name: Annotated[str, typer.Argument(help="A model listed here, or any name of the hub: OWNER/NAME.")] = "",
) -> Printout:
    """List the encoders at hand and the known ones, or download one from the Hugging Face hub (or $HF_ENDPOINT).

    A download that is broken off goes on where it was when it is asked for again.
    """
    from embedviz.contextual import models

    if name:
        with progress(f"fetching {name}") as report:
            card = dataclasses.asdict(models.download(name, report=report))
        return Printout(card, [(("encoder", card["name"]), [(key, card[key]) for key in card if key != "name"])])
    parts = models.unfinished()
    listed = _listed({one.name: one.bytes for one in parts})
    rows = [
        (
            each["name"],
            "yes" if each["at_hand"] else f"{each['kept'] / 1e6:,.0f} MB of it" if each["kept"] else "",
            f"{each['bytes'] / 1e6:,.0f}",
            each["license"],
            each["about"],
        )
        for each in listed
    ]
    header = ("encoder", "at hand", "MB", "license", "what it is")
    return Printout({"models": listed, "unfinished": list(parts)}, [(header, rows)])


def _listed(parts: dict[str, int]) -> list[dict[str, Any]]:
    """Return the encoders at hand and the known ones as plain JSON values.

    Args:
        parts: Bytes of those that were downloaded in part.
    """
    from embedviz.contextual import models

    here = {one.name: one for one in models.at_hand()}
    known = {one.name: one for one in models.known()}
    return [
        {
            "name": each,
            "at_hand": each in here,
            "bytes": here[each].bytes if each in here else known[each].megabytes * 1_000_000,
            "license": here[each].license if each in here else known[each].license,
            "repository": known[each].repository if each in known else None,
            "about": known[each].about if each in known else here[each].size,
            "path": here[each].folder if each in here else None,
            "kept": parts.get(each, 0),
        }
        for each in dict.fromkeys([*here, *known])
    ]
