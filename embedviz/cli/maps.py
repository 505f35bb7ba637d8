"""The command that draws a map: project."""

from __future__ import annotations

import csv
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embedviz.cli.arguments import Encoding, Refused, Settings, SkipBad, Space
from embedviz.cli.opening import open_space
from embedviz.cli.output import Printout, progress
from embedviz.core.space import VectorSpace

if TYPE_CHECKING:
    from embedviz.projection.quality import Checked


def project(
    space: Space,
    method: Annotated[str, typer.Option(help="A projection: pca, tsne, umap, random, …")] = "pca",
    components: Annotated[int, typer.Option(help="Dimensions of the map: 2 or 3.", min=2, max=3)] = 2,
    words: Annotated[
        int,
        typer.Option(help="How many words: the most frequent, or random ones where there is no order. 0: all.", min=0),
    ] = 0,
    k: Annotated[int, typer.Option("-k", help="Neighbors that the quality looks at.", min=1)] = 15,
    copies: Annotated[int, typer.Option(help="Structureless copies; 0: as many as half a minute allows.", min=0)] = 0,
    out: Annotated[Path | None, typer.Option(help="A CSV file for word, x, y and z.")] = None,
    settings: Settings = None,
    seed: Annotated[int, typer.Option(help="Of the map, and of whatever is drawn at random.", min=0)] = 0,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
) -> Printout:
    """Draw a map and measure what it keeps of the space, each number with its chance level."""
    from embedviz import projection
    from embedviz.core.options import choose, parse_settings
    from embedviz.projection import quality, sampling

    opened, _ = open_space(space, skip_bad, encoding)
    rule = sampling.usual(opened)
    drawn = {"seed": seed} if rule == "random" else {}
    sample = sampling.SAMPLES[rule].function(opened, n=words or len(opened), **drawn)
    start = time.perf_counter()
    row = choose(projection.PROJECTIONS, method, "projection")
    own = {option.name for option in row.options}
    said = {name: value for name, value in (("components", components), ("seed", seed)) if name in own}
    chosen: dict[str, Any] = {**said, **parse_settings(settings or [])}
    with progress("laying out the map") as report:
        shown = projection.project(opened, sample.rows, method, report=report, **chosen)
    seconds = time.perf_counter() - start
    with progress("looking at the map") as report:
        given = (opened, shown.rows, method, shown.parameters)
        checked = quality.check(*given, points=shown.points, k=k, copies=copies, seed=seed, report=report)
    if out is not None:
        _write_csv(out, opened, shown)
    unused = {*projection.idle(row, shown.points.shape[1])} - {"components"}
    used = {name: value for name, value in shown.parameters.items() if name not in unused}
    about = {"space": space, "method": method, "parameters": used, "rows": len(sample.rows), "sample": sample.rule}
    card = {**about, "seconds": seconds, "quality": checked.card()}
    title = f"{method}, {len(sample.rows):,} words"
    return Printout(card, [((title, "here", "copies", "random layout"), _quality_rows(checked))], _sentences(checked))


def _quality_rows(checked: Checked) -> list[tuple[str, ...]]:
    """Return what the map keeps, beside structureless copies and a random layout, as rows of a table."""
    kept, (neighbors, _, outline) = checked.quality, checked.permissions
    return [
        (f"{kept.k} nearest kept", f"{neighbors.value:.2%}", f"{neighbors.copies:.2%}", f"{kept.chance:.2%}"),
        ("long distances in the right order", f"{outline.value:.0%}", f"{outline.copies:.0%}", "50%"),
        ("trustworthiness", f"{kept.trustworthiness:.2f}", "", f"{kept.rank_chance:.2f}"),
        ("continuity", f"{kept.continuity:.2f}", "", f"{kept.rank_chance:.2f}"),
    ]


def _sentences(checked: Checked) -> list[str]:
    """Return what may be read from the map, and what was looked at."""
    kept = checked.quality
    return [
        *(
            f"{name.title()}: {'may be read' if each.given else 'not to be read'}. {each.reason}"
            for name, each in checked.permissions._asdict().items()
        ),
        f"Looked at {kept.sample:,} of {kept.shown:,} words and {checked.copies.count} structureless copies; "
        f"nearest by {kept.metric}.",
    ]


def _write_csv(out: Path, space: VectorSpace, shown: Any) -> None:
    """Write word, x, y and z, and what each row says where rows are texts; the file appears whole or not at all.

    Raises:
        Refused: Its folder is not there.
    """
    if not out.parent.is_dir():
        raise Refused(f"There is no folder {out.parent}; make it first.")
    draft = out.with_name(f".{out.name}.draft")
    try:
        with draft.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            beside = {} if space.texts is None else {"text": space.texts.at(shown.rows)}
            writer.writerow((*shown.columns, *beside))
            writer.writerows(shown.table(*beside.values()))
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
