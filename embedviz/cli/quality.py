"""Commands that measure spaces: isotropy, evaluate, compare."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from embedviz.cli.arguments import Encoding, Refused, Settings, SkipBad, Space
from embedviz.cli.opening import for_files, open_space
from embedviz.cli.output import Printout, progress
from embedviz.core.phrases import share


def isotropy(
    space: Space,
    correction: Annotated[str, typer.Option(help="A correction to try: center, zscore, abtt, whiten or unit.")] = "",
    settings: Settings = None,
    seed: Annotated[int, typer.Option(help="Seed of the sampled rows and pairs.", min=0)] = 0,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
) -> Printout:
    """Measure how evenly the rows use all directions, compared with an isotropic space of the same size.

    A correction (--correction) is fitted on one half of the rows, and the other half is measured before and after it.
    """
    from embedviz.core.options import check, choose, parse_settings
    from embedviz.evaluation.outcome import outcome
    from embedviz.geometry.corrections import MAPS, caution, made_by
    from embedviz.geometry.isotropy import isotropy as measured

    chosen: dict[str, Any] = parse_settings(settings or [])
    if chosen and not correction:
        raise Refused("--set changes options of a correction. Name one with --correction.")
    opened, _ = open_space(space, skip_bad, encoding)
    steps = [step.partition("(")[0] for step in space.split("~")[1:]] or made_by(opened)
    options = check(choose(MAPS, correction, "correction"), chosen, opened) if correction else {}
    with progress(f"measuring {opened.origin.name}") as report:
        done = outcome(opened, correction, seed=seed, report=report, **options) if correction else None
        found = done.after if done else measured(opened, seed=seed, report=report)
    note, warned, name = (done or found).note, caution(steps), opened.origin.name
    header, lines = found.described(done.before if done else None)
    first = f"{name}, {done.title.lower()}" if done else name
    card = found.card() | {"note": " ".join(filter(None, (note, warned)))}
    card |= {"correction": {"name": correction, **options}, **done.card()} if done else {"correction": None}
    rows = [(title, *values) for title, _, *values in lines]
    return Printout(card, [((first, *header), rows)], [done.verdict if done else "", found.meaning, note, warned])


def evaluate(
    spaces: Annotated[list[str], typer.Argument(metavar="SPACE...", help="Files, folders or addresses.")],
    with_file: Annotated[
        list[Path] | None,
        typer.Option("--with", help="A file with a test set: analogies, word pairs (MEN, RG-65), … Repeatable."),
    ] = None,
    words: Annotated[int, typer.Option(help="Use only the N most frequent words. 0: all.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the intervals of differences.", min=0)] = 0,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
) -> Printout:
    """Score spaces on test sets: analogies, word similarity and others, each with its baselines."""
    from itertools import combinations

    from embedviz.evaluation import EVALUATIONS, among_all, beyond_baselines, paired
    from embedviz.evaluation import evaluate as evaluated
    from embedviz.evaluation.weat import CAUTION

    sets = _sets(with_file or [])
    found = []
    for name in spaces:
        opened, _ = open_space(name, skip_bad, for_files(name, encoding))
        with progress(f"evaluating {opened.origin.name}") as report:
            found.append(evaluated(opened, list(sets.values()), words=words, report=report))
    whole = [name for name, each in sets.items() if not EVALUATIONS[each.kind].parts]
    compared = [(one, other, name) for name in whole for one, other in combinations(range(len(spaces)), 2)]
    gaps = among_all([paired(found[one][name], found[other][name], seed=seed) for one, other, name in compared])
    rows = [_evaluation(name, scores, sets) for name, scores in zip(spaces, found, strict=True)]
    differences = [
        {**gap.card(), "spaces": [spaces[one], spaces[other]]}
        for (one, other, _), gap in zip(compared, gaps, strict=True)
    ]
    scored = {name: [(space, each[name]) for space, each in zip(spaces, found, strict=True)] for name in sets}
    tables = [EVALUATIONS[each.kind].text_table(each.title, scored[name]) for name, each in sets.items()]
    alone = found[0] if len(found) == 1 else {}
    beyond = beyond_baselines(alone) if alone else {}
    sentences = [
        f"{each.sentence(beyond[name]) if name in beyond else each.meaning} {each.note}".strip()
        for name, each in alone.items()
    ]
    sentences += [gap.meaning for gap in gaps]
    sentences += [CAUTION] if len(found) > 1 and len(whole) < len(sets) else []
    return Printout({"spaces": rows, "differences": differences}, tables, sentences)


def _sets(files: Sequence[Path]) -> dict[str, Any]:
    """Return name → test set: the bundled test sets and the test sets of the files.

    A file with a published test set, such as SimLex-999, replaces the bundled test set of this name.

    Raises:
        Refused: Two files have test sets with the same name.
        TestSetError: A file has no test set.
    """
    from embedviz import testsets
    from embedviz.testsets import datasets

    own: dict[str, Any] = {}
    for path in files:
        each = testsets.read(path)
        each = datasets.recognised(each) if isinstance(each, testsets.RatedPairs) else each
        if each.name in own:
            raise Refused(f"Two files hold a test set named {each.name}. Rename one of the files.")
        own[each.name] = each
    return {**{each.name: each for each in datasets.bundled()}, **own}


def _evaluation(space: str, scores: dict[str, Any], sets: dict[str, Any]) -> dict[str, Any]:
    """Return the scores of one space as JSON values, by test set.

    A published test set that was not used, such as SimLex-999, has the value None.
    """
    similarity: dict[str, Any] = dict.fromkeys(("wordsim353", "simlex999", "men", "rg65"))
    similarity |= {name: scores[name].card() for name, each in sets.items() if each.kind == "similarity"}
    own: dict[str, Any] = {}
    for name, each in sets.items():
        if each.kind != "similarity" and name != "google":
            own[name] = {**scores[name].card(), "name": name, "kind": each.kind, "meaning": scores[name].meaning}
    google = scores["google"].card() if "google" in scores else None
    return {"space": space, "analogies": google, "similarity": similarity, "sets": own}


def compare(
    one: Space,
    other: Space,
    k: Annotated[int, typer.Option("-k", help="How many neighbors are compared.", min=1)] = 10,
    words: Annotated[
        int, typer.Option(help="Use only the N most frequent words of the first space. 0: all.", min=0)
    ] = 0,
    listed: Annotated[
        int, typer.Option(help="How many words to list of those that changed most and least.", min=0)
    ] = 10,
    case: Annotated[str, typer.Option(help="exact, or folded to ignore upper and lower case.")] = "exact",
    seed: Annotated[int, typer.Option(help="Seed of the samples.", min=0)] = 0,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
) -> Printout:
    """Compare two spaces: how many neighbors words keep, and whether one space is a rotation of the other."""
    from embedviz.geometry import comparison
    from embedviz.projection import sampling

    first, second = (open_space(name, skip_bad, for_files(name, encoding))[0] for name in (one, other))
    if words and words < len(first):
        first = first.take(sampling.most_frequent(first, n=words).rows)
    with progress("comparing") as report:
        found = comparison.compare(first, second, k=k, case=case, seed=seed, report=report)
    rows = [(each.name, each.here, each.baseline, each.of_what) for each in found.figures]
    changes = {
        title: ", ".join(
            f"{change.word} ({share(change.overlap)})" for change in found.overlap.changed(listed, most=most)
        )
        for title, most in (("Changed most", True), ("Changed least", False))
    }
    return Printout(
        found.card(listed),
        [((f"{found.one} and {found.other}", "here", "baseline", "what it is"), rows)],
        [
            *(f"{title} (ties in the order of the space): {names}." for title, names in changes.items() if names),
            " ".join((found.overlap.meaning, found.overlap.baseline, found.shared.labels, found.procrustes.sample)),
        ],
    )
