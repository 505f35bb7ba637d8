"""Commands about language models: senses, pairs, catalog."""

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from embedviz.cli.arguments import Model
from embedviz.cli.output import Printout, progress


def senses(
    word: Annotated[str, typer.Argument(help="The word, as a whole word.")],
    sentences: Annotated[
        Path | None,
        typer.Argument(help="A file: one sentence per line, or a table with the columns sense and sentence."),
    ] = None,
    model: Model = "builtin",
    pieces: Annotated[
        str, typer.Option(help="The vector of a word of several subwords: mean, first or last.")
    ] = "mean",
    match_case: Annotated[bool, typer.Option("--match-case", help="Distinguish Bank from bank.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the shuffled labels and of k-means.", min=0)] = 0,
) -> Printout:
    """Measure how well each layer of a model separates the senses of a word, compared with chance and baselines."""
    from embedviz.contextual import models
    from embedviz.contextual import senses as study

    folder = models.resolve(model)
    given = study.known_sentences(word) if sentences is None else study.read_sentences(sentences)
    with progress(f"reading sentences with {word}") as report:
        found = study.senses(
            word, *given, model=folder, pieces=pieces, ignore_case=not match_case, seed=seed, report=report
        )
    header, rows = found.table()
    marked = (
        "* above chance, over all layers and scores together. By chance: the band of the nearest neighbor."
        if rows
        else ""
    )
    lines = [marked, found.sample, found.meaning, found.note]
    return Printout(found.card(), [(header, rows)] if rows else [], lines)


def pairs(
    table: Annotated[str, typer.Argument(help="A table with the columns sentence1, sentence2 and score, or: example.")],
    model: Model = "builtin",
    pooling: Annotated[list[str] | None, typer.Option(help="One pooling. Repeatable. Default: all.")] = None,
    correction: Annotated[list[str] | None, typer.Option(help="One correction. Repeatable. Default: all.")] = None,
    special: Annotated[
        str, typer.Option(help="Whether poolings include [CLS] and [SEP], as sentence models do: with or without.")
    ] = "with",
    seed: Annotated[int, typer.Option(help="Seed of the halves, resamples and shuffles.", min=0)] = 0,
) -> Printout:
    """Compare each layer, pooling and correction of a model with human similarity scores of sentence pairs."""
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
    marked = "* differs from no correction by more than chance, corrected over all rows."
    sentences = [found.sample, found.baselines, found.setting, found.meaning(), found.corrections_note(), found.note]
    return Printout(found.card(), [found.table_in_words()], [marked, *sentences])


def catalog_of_models(
    name: Annotated[
        str,
        typer.Argument(
            help="The model: a name from the list or OWNER/NAME on the hub to download, or a folder or .zip to add; or "
            "published word vectors from the list."
        ),
    ] = "",
) -> Printout:
    """List known models and word vectors, download one (models from the hub or $HF_ENDPOINT), or add a folder.

    An interrupted download continues when the same command runs again.
    """
    from embedviz.contextual import models

    place = Path(name).expanduser()
    if name and (place.is_dir() or name.lower().endswith(".zip")):
        with progress(f"adding {place.name}") as report:
            added = dataclasses.asdict(models.add(place, report=report))
        return Printout(added, [(("model", added["name"]), [(key, added[key]) for key in added if key != "name"])])
    if name in {each.name for each in models.published()}:
        with progress(f"downloading {name}") as report:
            card = dataclasses.asdict(models.download_vectors(name, report=report))
        return Printout(card, [(("saved space", card["name"]), [(key, card[key]) for key in card if key != "name"])])
    if name:
        with progress(f"downloading {name}") as report:
            card = dataclasses.asdict(models.download(name, report=report))
        return Printout(card, [(("model", card["name"]), [(key, card[key]) for key in card if key != "name"])])
    parts = models.unfinished()
    listed = _listed({one.name: one.bytes for one in parts})
    rows = [
        (
            each["name"],
            "yes" if each["at_hand"] else f"{each['kept'] / 1e6:,.0f} MB downloaded" if each["kept"] else "",
            f"{each['bytes'] / 1e6:,.0f}",
            each["license"],
            each["about"],
        )
        for each in listed
    ]
    header = ("model", "installed", "MB", "license", "description")
    vectors = [dataclasses.asdict(each) for each in models.published()]
    listed_vectors = [(each["name"], f"{each['bytes'] / 1e6:,.0f}", each["license"], each["about"]) for each in vectors]
    return Printout(
        {"models": listed, "unfinished": list(parts), "vectors": vectors},
        [(header, rows), (("word vectors", "MB", "license", "description"), listed_vectors)],
    )


def _listed(parts: dict[str, int]) -> list[dict[str, Any]]:
    """Return the installed models and the known models as JSON values.

    Args:
        parts: Name of a partly downloaded model → bytes downloaded.
    """
    from embedviz.contextual import models

    here = {one.name: one for one in models.installed()}
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
