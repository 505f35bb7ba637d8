"""The command that checks a file of vectors, for a person or for continuous integration."""

from typing import Annotated, Any

import typer

from embedviz.cli.arguments import Encoding, SkipBad, Space
from embedviz.cli.opening import for_files, open_space, with_file_options
from embedviz.cli.output import Printout, progress
from embedviz.core.phrases import counted


@with_file_options
def check(
    space: Space,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-if", help="Exit with status 1 if this holds, for example nearly_equal_rows>0.01. Repeatable."
        ),
    ] = None,
    against: Annotated[str, typer.Option(help="An earlier set of vectors: test whether the vectors drifted.")] = "",
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the score card as Markdown.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the samples.", min=0)] = 0,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
    *,
    options: Any,
) -> Printout:
    """Check a file of vectors: one verdict and a score card. Exit with status 1 if a rule of --fail-if holds."""
    from embedviz.evaluation.rules import applied, rules_of
    from embedviz.evaluation.scorecard import NAMES, RENAMED, scorecard, value_text
    from embedviz.formats.reading import lost_rows
    from embedviz.geometry.comparison.drift import drift

    rules = rules_of(fail_if or [], list(NAMES), RENAMED)
    opened, source = open_space(space, skip_bad, encoding, options=options)
    with progress(f"checking {opened.origin.name}") as report:
        found = scorecard(opened, **lost_rows(source["dropped"]), seed=seed, report=report)
    measures, moved = found.measures, None
    if against:
        earlier, _ = open_space(against, skip_bad, for_files(against, encoding))
        with progress("testing drift") as report:
            moved = drift(earlier, opened, seed=seed, report=report)
        measures |= {"drift_auc": moved.auc, "drift_p": moved.p}
        measures["neighbors_kept"] = None if moved.overlap is None else moved.overlap.mean
    results = applied(rules, measures)
    failed = [
        f"Failed: {each.rule}, the value is {value_text(each.rule.name, each.value or 0.0)}."
        for each in results
        if each.fails
    ]
    skipped = [
        f"Not applied: {each.rule}, because this space has no value of it." for each in results if each.value is None
    ]
    card = {
        "verdict": found.meaning,
        "passed": not failed,
        "rules": [each.card() for each in results],
        "card": {**found.card(), "measures": measures, "drift": None if moved is None else moved.card()},
    }
    passed = len(results) - len(failed) - len(skipped)
    fine = [f"Passed: {counted(passed, 'rule')}."] if passed else []
    more = [*([moved.meaning, moved.note] if moved else []), *failed, *skipped, *fine]
    status = 1 if failed else 0
    if markdown:
        return Printout(card, status=status, text=found.markdown(tuple(more)))
    header, rows = found.table()
    tables: list[Any] = [(header, list(rows))]
    sentences = [found.meaning, *found.fit, *(each for each in found.problems if each not in found.meaning)]
    sentences += [found.compression.meaning] if found.compression else []
    return Printout(card, tables, [*sentences, found.vocabulary.meaning, *more], status=status)
