"""Commands about encoders: senses, pairs, catalog."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from embedviz.cli.arguments import AsJson, Model
from embedviz.cli.output import print_json, print_table, progress


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
    as_json: AsJson = False,
) -> None:
    """How well each layer of a model tells the senses of a word apart, and how well the other words alone do."""
    from embedviz.contextual import models
    from embedviz.contextual import senses as study

    folder = models.resolve(model)
    given = study.known_sentences(word) if sentences is None else study.read_sentences(sentences)
    with progress(f"reading sentences with {word}") as report:
        found = study.senses(
            word, *given, model=folder, pieces=pieces, ignore_case=not match_case, seed=seed, report=report
        )
    if as_json:
        print_json(found.card())
        return
    header, rows = study.table(found)
    if rows:
        print_table(header, rows)
        typer.echo("* above its chance band, over all layers and scores; chance: the band of the nearest.")
    for sentence in (found.sample, found.meaning, found.note):
        if sentence:
            typer.echo(sentence)


def pairs(
    table: Annotated[str, typer.Argument(help="A table with the columns sentence1, sentence2 and score; or example.")],
    model: Model = "builtin",
    pooling: Annotated[list[str] | None, typer.Option(help="One of the poolings; repeatable. All else.")] = None,
    correction: Annotated[list[str] | None, typer.Option(help="One of the corrections; repeatable. All else.")] = None,
    special: Annotated[
        str, typer.Option(help="All poolings but CLS count [CLS] and [SEP], as models of sentences do: with, without.")
    ] = "with",
    seed: Annotated[int, typer.Option(help="Of halves, pairs drawn anew and shuffles.", min=0)] = 0,
    as_json: AsJson = False,
) -> None:
    """How well each layer, pooling and correction of a model orders sentence pairs, beside people's scores."""
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
    if as_json:
        print_json(found.card())
        return
    print_table(study.TABLE, study.table(found))
    typer.echo("* the difference to no correction is beyond chance, over all rows.")
    for sentence in (
        found.sample,
        found.baselines,
        found.setting,
        found.meaning(),
        found.corrections_said(),
        found.note,
    ):
        if sentence:
            typer.echo(sentence)


def catalog_of_models(
    name: Annotated[str, typer.Argument(help="A model listed here, or any name of the hub: OWNER/NAME.")] = "",
    as_json: AsJson = False,
) -> None:
    """Lists the encoders at hand and the known ones, or downloads one from the Hugging Face hub (or $HF_ENDPOINT).

    A download that is broken off goes on where it was when it is asked for again.
    """
    from embedviz.contextual import models

    if name:
        with progress(f"fetching {name}") as report:
            found = models.download(name, report=report)
        if as_json:
            print_json(dataclasses.asdict(found))
            return
        rows = [(key, value) for key, value in dataclasses.asdict(found).items() if key != "name"]
        print_table(("encoder", found.name), rows)
        return
    here = {one.name: one for one in models.at_hand()}
    known = {one.name: one for one in models.known()}
    parts = {one.name: one for one in models.unfinished()}
    listed: list[dict[str, Any]] = [
        {
            "name": each,
            "at_hand": each in here,
            "bytes": here[each].bytes if each in here else known[each].megabytes * 1_000_000,
            "license": here[each].license if each in here else known[each].license,
            "repository": known[each].repository if each in known else None,
            "about": known[each].about if each in known else here[each].size,
            "path": here[each].folder if each in here else None,
            "kept": parts[each].bytes if each in parts else 0,
        }
        for each in dict.fromkeys([*here, *known])
    ]
    if as_json:
        print_json({"models": listed, "unfinished": list(parts.values())})
        return
    print_table(
        ("encoder", "at hand", "MB", "license", "what it is"),
        [
            (
                each["name"],
                "yes" if each["at_hand"] else f"{each['kept'] / 1e6:,.0f} MB of it" if each["kept"] else "",
                f"{each['bytes'] / 1e6:,.0f}",
                each["license"],
                each["about"],
            )
            for each in listed
        ],
    )
