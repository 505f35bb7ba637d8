"""The command that computes a map: project."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embedviz.cli import map_files
from embedviz.cli.arguments import Encoding, Refused, Settings, SkipBad, Space
from embedviz.cli.opening import open_space
from embedviz.cli.output import Printout, progress

if TYPE_CHECKING:
    from embedviz.projection.quality import Checked


def project(
    space: Space,
    method: Annotated[str, typer.Option(help="The projection: pca, tsne, umap, random, …")] = "pca",
    components: Annotated[int, typer.Option(help="Number of dimensions: 2 or 3.", min=2, max=3)] = 2,
    words: Annotated[
        int,
        typer.Option(help="How many words: the most frequent, or random ones without an order. 0: all.", min=0),
    ] = 0,
    k: Annotated[int, typer.Option("-k", help="How many neighbors the quality check compares.", min=1)] = 15,
    copies: Annotated[
        int,
        typer.Option(
            help="How many structureless copies serve as baseline. 0: as many as half a minute allows.", min=0
        ),
    ] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Write word, x, y (and z) to this file: CSV, or Parquet by the ending .parquet.")
    ] = None,
    settings: Settings = None,
    seed: Annotated[int, typer.Option(help="Seed of the map and of every random sample.", min=0)] = 0,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
) -> Printout:
    """Compute a map and measure how well it keeps the space, each number compared with chance."""
    from embedviz import projection
    from embedviz.core.options import choose, parse_settings
    from embedviz.projection import quality, sampling

    if out is not None and not out.absolute().parent.is_dir():
        raise Refused(f"There is no folder {out.parent}. Create it first.")
    opened, _ = open_space(space, skip_bad, encoding)
    rule = sampling.usual(opened)
    drawn = {"seed": seed} if rule == "random" else {}
    sample = sampling.SAMPLES[rule].function(opened, n=words or len(opened), **drawn)
    start = time.perf_counter()
    row = choose(projection.PROJECTIONS, method, "projection")
    own = {option.name for option in row.options}
    own_options = {name: value for name, value in (("components", components), ("seed", seed)) if name in own}
    chosen: dict[str, Any] = {**own_options, **parse_settings(settings or [])}
    with progress("computing the map") as report:
        projected = projection.project(opened, sample.rows, method, report=report, **chosen)
    seconds = time.perf_counter() - start
    with progress("checking the map") as report:
        given = (opened, projected.rows, method, projected.parameters)
        checked = quality.check(*given, points=projected.points, k=k, copies=copies, seed=seed, report=report)
    if out is not None:
        map_files.write(out, opened, projected)
    unused = {*projection.idle(row, projected.points.shape[1])} - {"components"}
    used = {name: value for name, value in projected.parameters.items() if name not in unused}
    about = {"space": space, "method": method, "parameters": used, "rows": len(sample.rows), "sample": sample.rule}
    card = {**about, "seconds": seconds, "quality": checked.card()}
    title = f"{method}, {len(sample.rows):,} words"
    return Printout(card, [((title, "here", "copies", "random layout"), _quality_rows(checked))], _sentences(checked))


def _quality_rows(checked: Checked) -> list[tuple[str, ...]]:
    """Return a table row for each measure of quality: for the map, maps of structureless copies, a random layout."""
    found, (neighbors, _, distances) = checked.quality, checked.permissions
    return [
        (
            f"{found.k} nearest neighbors kept",
            f"{neighbors.value:.2%}",
            f"{neighbors.copies:.2%}",
            f"{found.chance:.2%}",
        ),
        ("long distances in the right order", f"{distances.value:.0%}", f"{distances.copies:.0%}", "50%"),
        ("trustworthiness", f"{found.trustworthiness:.2f}", "", f"{found.rank_chance:.2f}"),
        ("continuity", f"{found.continuity:.2f}", "", f"{found.rank_chance:.2f}"),
    ]


def _verdict(checked: Checked, name: str) -> str:
    """Say whether the map shows neighbors, groups or distances reliably, and of groups also whether they overlap.

    Args:
        name: Which of the three is judged: *neighbors*, *groups* or *distances*.
    """
    if not checked.permissions.named[name].given:
        return "not reliable"
    return "reliable, but they overlap" if name == "groups" and checked.permissions.groups_overlap else "reliable"


def _sentences(checked: Checked) -> list[str]:
    """Return sentences on what the map shows reliably, and on the sample."""
    found = checked.quality
    return [
        *(
            f"{name.capitalize()}: {_verdict(checked, name)}. {each.reason}"
            for name, each in checked.permissions.named.items()
        ),
        f"Sample: {found.sample:,} of {found.shown:,} words, {checked.copies.count} structureless copies. "
        f"Metric: {found.metric}.",
    ]
