"""Commands that measure spaces: isotropy, evaluate, compare."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from embedviz.cli.arguments import AsJson, Encoding, Refused, Settings, SkipBad, Space
from embedviz.cli.opening import open_space
from embedviz.cli.output import print_json, print_table, progress
from embedviz.core.phrases import number, share


def isotropy(
    space: Space,
    correction: Annotated[str, typer.Option(help="One more correction: center, zscore, abtt, whiten or unit.")] = "",
    settings: Settings = None,
    seed: Annotated[int, typer.Option(help="Of the rows and pairs that are drawn.", min=0)] = 0,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
    as_json: AsJson = False,
) -> None:
    """Whether the rows spread in all directions alike: each number beside that of an isotropic space of this size.

    With --correction it is fitted to one half of the rows and measured on the other, before and after.
    """
    from embedviz.core.options import check, choose, parse_settings
    from embedviz.evaluation.outcome import outcome
    from embedviz.geometry.corrections import MAPS, caution, made_by
    from embedviz.geometry.isotropy import isotropy as measured

    chosen: dict[str, Any] = parse_settings(settings or [])
    if chosen and not correction:
        raise Refused("--set is for a correction; name one with --correction.")
    opened, _ = open_space(space, skip_bad, encoding)
    steps = [step.partition("(")[0] for step in space.split("~")[1:]] or made_by(opened)
    options = check(choose(MAPS, correction, "correction"), chosen, opened) if correction else {}
    with progress(f"looking at {opened.origin.name}") as report:
        done = outcome(opened, correction, seed=seed, report=report, **options) if correction else None
        found = done.after if done else measured(opened, seed=seed, report=report)
    if as_json:
        judged = (
            {
                "correction": {"name": correction, **options},
                "fitted": done.fitted,
                "before": _measures(done.before),
                "neighbors_kept": {"k": done.kept.k, "value": done.kept.mean, "chance": done.kept.chance},
                "tests": [test.card() for test in done.tests],
                "verdict": done.verdict,
            }
            if done
            else {"correction": None}
        )
        print_json(
            {
                "rows": found.rows,
                "dimensions": found.dimensions,
                "zero_rows": found.zeros,
                "sample": found.sample,
                "pairs": found.pairs,
                "measures": _measures(found),
                "rogue_dimensions": [dataclasses.asdict(rogue) for rogue in found.rogues],
                "rare": found.rare,
                "meaning": found.meaning,
                "note": " ".join(filter(None, (done.note if done else found.note, caution(steps)))),
                **judged,
            }
        )
        return
    if done:
        rows = [
            (each.measure.title, each.said[0], done.before.measures[name].said[0], each.said[1])
            for name, each in found.measures.items()
        ]
        print_table((f"{opened.origin.name}, {done.title.lower()}", "corrected", "before", "isotropic"), rows)
        typer.echo(done.verdict)
    else:
        plain = [(each.measure.title, *each.said) for each in found.measures.values()]
        print_table((opened.origin.name, "here", "isotropic"), plain)
    typer.echo(found.meaning)
    typer.echo(done.note if done else found.note)
    if warned := caution(steps):
        typer.echo(warned)


def _measures(found: Any) -> dict[str, dict[str, float]]:
    """Each measure of a space and of an isotropic one of its size, as plain JSON values."""
    return {name: {"value": each.value, "isotropic": each.isotropic} for name, each in found.measures.items()}


def evaluate(
    spaces: Annotated[list[str], typer.Argument(metavar="SPACE...", help="Files, folders or addresses.")],
    with_file: Annotated[
        list[Path] | None,
        typer.Option("--with", help="A test set's own file: analogies, word pairs (MEN, RG-65, …), …; repeatable."),
    ] = None,
    words: Annotated[int, typer.Option(help="Use only so many of the most frequent words; 0 for all.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Of the differences' intervals.", min=0)] = 0,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
    as_json: AsJson = False,
) -> None:
    """Analogies and word pairs: how much of each set is covered, what is right, and what a simpler rule would reach."""
    from itertools import combinations

    from embedviz.evaluation import among_all, beyond_baselines, paired
    from embedviz.evaluation import evaluate as evaluated
    from embedviz.evaluation.weat import CAUTION

    sets = _sets(with_file or [])
    found = []
    for name in spaces:
        opened, _ = open_space(name, skip_bad, encoding if Path(name).is_file() else "")
        with progress(f"evaluating {opened.origin.name}") as report:
            found.append(evaluated(opened, list(sets.values()), words=words, report=report))
    told = [name for name, each in sets.items() if each.kind != "weat"]
    asked = [(one, other, name) for name in told for one, other in combinations(range(len(spaces)), 2)]
    gaps = among_all([paired(found[one][name], found[other][name], seed=seed) for one, other, name in asked])
    differences = [(one, other, gap) for (one, other, _), gap in zip(asked, gaps, strict=True)]
    if as_json:
        rows = [_evaluation(name, scores, sets) for name, scores in zip(spaces, found, strict=True)]
        cards = [
            {**difference.card(), "spaces": [spaces[one], spaces[other]]} for one, other, difference in differences
        ]
        print_json({"spaces": rows, "differences": cards})
        return
    for name, each in sets.items():
        header, lines = _evaluation_table(each, spaces, [scores[name] for scores in found])
        print_table(header, lines)
    for scores in found if len(found) == 1 else []:
        beyond = beyond_baselines(scores)
        for name, each in scores.items():
            typer.echo(each.sentence(beyond[name]) if name in beyond else each.meaning)
    for _, _, difference in differences:
        typer.echo(difference.meaning)
    if len(found) > 1 and len(told) < len(sets):
        typer.echo(CAUTION)


def _sets(files: Sequence[Path]) -> dict[str, Any]:
    """The test sets at hand and those of the files, by name; a file of a known set stands in its place.

    Raises:
        Refused: A file holds no test set, or two hold one of the same name.
    """
    from embedviz import testsets
    from embedviz.testsets import datasets

    own: dict[str, Any] = {}
    for path in files:
        each = testsets.read(path)
        each = datasets.recognised(each) if isinstance(each, testsets.Pairs) else each
        if each.name in own:
            raise Refused(f"Two files are test sets called {each.name}; rename one of them.")
        own[each.name] = each
    return {**{each.name: each for each in datasets.bundled()}, **own}


def _evaluation(space: str, scores: dict[str, Any], sets: dict[str, Any]) -> dict[str, Any]:
    """One space's scores as plain JSON values; None for a known set that is not at hand."""
    similarity: dict[str, Any] = dict.fromkeys(("wordsim353", "simlex999", "men", "rg65"))
    similarity |= {name: scores[name].card() for name, each in sets.items() if each.kind == "similarity"}
    own: dict[str, Any] = {}
    for name, each in sets.items():
        if each.kind != "similarity" and name != "google":
            card = scores[name].card() if each.kind == "analogies" else {}
            if each.kind in ("odd", "categories"):
                card = {"unit": "words", "rules": [rule.card() for rule in scores[name].rules]}
                card["beyond_baseline"] = scores[name].beyond_baseline
            own[name] = {**card, "name": name, "kind": each.kind, "meaning": scores[name].meaning}
    google = scores["google"].card() if "google" in scores else None
    return {"space": space, "analogies": google, "similarity": similarity, "sets": own}


def _evaluation_table(
    test_set: Any, spaces: Sequence[str], scores: Sequence[Any]
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """The table of one test set, a line a space."""
    if test_set.kind == "analogies":
        header = (test_set.title, "covered", "right", "95\u00a0%", "first five", "own words in", "simpler rules")
        return header, [
            (
                space,
                f"{each.total.covered:,} of {each.total.questions:,}",
                *(
                    (
                        share(each.total.accuracy),
                        f"{share(each.total.low)} to {share(each.total.high)}",
                        share(each.total.add_five.value),
                        share(each.total.unrestricted.value, fine=True),
                        _simpler(each, share),
                    )
                    if each.total.covered
                    else ("–",) * 5
                ),
            )
            for space, each in zip(spaces, scores, strict=True)
        ]
    if test_set.kind == "similarity":
        return (test_set.title, "covered", "Spearman", "95\u00a0%", "|ρ| by chance below", "simpler rules"), [
            (
                space,
                f"{each.count:,} of {len(each.pairs):,}",
                *(
                    ("–",) * 4
                    if each.spearman is None
                    else (
                        number(each.spearman),
                        f"{number(each.low)} to {number(each.high)}",
                        number(each.chance),
                        _simpler(each, number),
                    )
                ),
            )
            for space, each in zip(spaces, scores, strict=True)
        ]
    if test_set.kind == "weat":
        header = (
            test_set.title,
            "association",
            "covered X, Y, A, B",
            "d",
            "95\u00a0%",
            "5\u00a0% of splits reach",
            "p",
        )
        return header, [
            (space, *_association(effect))
            for space, each in zip(spaces, scores, strict=True)
            for effect in each.effects
        ]
    return (test_set.title, "what was found"), [
        (space, each.meaning) for space, each in zip(spaces, scores, strict=True)
    ]


def _simpler(scores: Any, said: Callable[[float], str]) -> str:
    """What each simpler rule reaches, as a cell of a table."""
    return ", ".join(f"{rule.name} {said(rule.value)}" for rule in scores.rules) or "–"


def _association(effect: Any) -> tuple[str, ...]:
    """One WEAT test in one space, as cells of a table."""
    from embedviz.evaluation.weat import said_p

    covered = ", ".join(f"{len(found.words)}/{len(found.words) + len(found.missing)}" for _, found in effect.lists)
    if effect.d is None:
        return effect.test.name, covered, *("–",) * 4
    interval = f"{number(effect.low)} to {number(effect.high)}"
    return effect.test.name, covered, number(effect.d), interval, number(effect.chance), said_p(effect.p)


def compare(
    one: Space,
    other: Space,
    k: Annotated[int, typer.Option("-k", help="Neighbors that are compared.", min=1)] = 10,
    words: Annotated[
        int, typer.Option(help="Use only so many of the first space's most frequent words; 0 for all.", min=0)
    ] = 0,
    listed: Annotated[
        int, typer.Option(help="How many of the words that changed most and least are listed.", min=0)
    ] = 10,
    seed: Annotated[int, typer.Option(help="Of the samples.", min=0)] = 0,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
    as_json: AsJson = False,
) -> None:
    """Two spaces: the neighbors that words keep, whether a rotation joins the two, and what chance would give."""
    from embedviz.geometry import comparison
    from embedviz.projection import sampling

    first, second = (open_space(name, skip_bad, encoding if Path(name).is_file() else "")[0] for name in (one, other))
    if words and words < len(first):
        first = first.take(sampling.most_frequent(first, n=words).rows)
    with progress("comparing") as report:
        found = comparison.compare(first, second, k=k, seed=seed, report=report)
    if as_json:
        print_json(found.card(listed))
        return
    rows = [(each.name, each.here, each.baseline, each.of_what) for each in found.figures]
    print_table((f"{found.one} and {found.other}", "here", "baseline", "what it is"), rows)
    for title, most in (("Changed most", True), ("Changed least", False)):
        changes = found.overlap.changed(listed, most=most)
        if changes:
            names = ", ".join(f"{change.word} ({share(change.overlap)})" for change in changes)
            typer.echo(f"{title}, of equal ones the first: {names}.")
    typer.echo(" ".join((found.overlap.meaning, found.overlap.baseline, found.procrustes.sample)))
