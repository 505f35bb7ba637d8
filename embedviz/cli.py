"""The command line: the library without the app. Tables for people, one JSON object with `--json` for programs."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from embedviz import catalog, device
from embedviz.progress import Report
from embedviz.saying import number, share
from embedviz.space import VectorSpace, folder_size, open_folder, read_card

Space = Annotated[
    str,
    typer.Argument(
        help="A file, a saved space's folder, builtin, saved:NAME or synthetic:KIND; each may have a ~correction."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out rows that cannot be read, instead of refusing the file.")
]
Encoding = Annotated[
    str, typer.Option("--encoding", help="In which the file's words stand, such as cp1252; else UTF-8 or a guess.")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="name=value, for an option of the method; repeatable.")
]

Model = Annotated[
    str, typer.Option(help="An encoder at hand (see catalog), or a model's folder; else the built-in one.")
]

app = typer.Typer(no_args_is_help=False, add_completion=False, pretty_exceptions_enable=False, help=__doc__)


class Refused(Exception):
    """Input that a command refuses; the message is a sentence."""


def main() -> None:
    """Runs a command; refused input is one sentence and status 2, an interruption is 130, nothing is a traceback."""
    try:
        status = app(standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        raise SystemExit(130) from None
    except typer.Exit as leaving:
        raise SystemExit(leaving.exit_code) from None
    except Exception as error:
        raise SystemExit(_refuse(error)) from None
    raise SystemExit(status if isinstance(status, int) else 0)


def _refuse(error: Exception) -> int:
    """Says what was refused on standard error; the status to leave with."""
    expected = (Refused, ValueError, LookupError, OSError)
    usage = getattr(error, "format_message", None)  # what the parser of the command line refuses
    if usage is not None:
        sentence = usage()
    elif isinstance(error, OSError) and error.strerror:
        sentence = f"{error.filename}: {error.strerror}."
    elif isinstance(error, expected) and str(error):
        usable = (getattr(error, "details", None) or {}).get("usable")
        sentence = f"{error} Those alone: add --skip-bad." if usable else str(error)
    else:
        sentence = f"The command failed inside ({type(error).__name__}: {error}). Please report it with what you typed."
    print(f"embedviz: {sentence}", file=sys.stderr)  # noqa: T201
    return 2


@app.callback(invoke_without_command=True)
def _without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        _serve(None, 8501, browser=True)


@app.command("open")
def open_app(
    space: Annotated[str | None, typer.Argument(help="What to open first: a file or an address.")] = None,
    port: Annotated[int, typer.Option(help="Where the app listens.", min=1, max=65535)] = 8501,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
) -> None:
    """Opens the app, on a file of any size or on an address."""
    _serve(space, port, browser=not no_browser, skip_bad=skip_bad, encoding=encoding)


@app.command()
def info(space: Space, skip_bad: SkipBad = False, encoding: Encoding = "", as_json: AsJson = False) -> None:
    """What a file or space holds: rows, dimensions, format, what was dropped, and whether it is any good."""
    from embedviz.studies.verdict import verdict

    opened, card = _opened(space, skip_bad, encoding)
    found = {"rows": len(opened), "dimensions": opened.dimensions, **card, "zero_rows": int((opened.norms == 0).sum())}
    found |= {"counts": opened.counts is not None, "columns": list(opened.metadata), "ngrams": _ngrams(opened)}
    with _progress("looking at the rows") as report:
        told = verdict(opened, dropped=sum(each["count"] for each in card["dropped"]), report=report)
    if as_json:
        findings = [dataclasses.asdict(finding) for finding in told.findings]
        _print_json({**found, "verdict": str(told), **told.card(), "findings": findings})
        return
    rows = [
        (name, f"{value:.2f}" if name == "seconds" else value)
        for name, value in found.items()
        if name not in ("dropped", "counts", "columns", "ngrams", "encoding_guessed", "undecodable")
    ]
    beside = [*(["counts"] if opened.counts is not None else []), *opened.metadata]
    beside += [f"{len(opened.subwords.buckets):,} n-gram vectors"] if opened.subwords else []
    rows.append(("beside", ", ".join(beside) or "nothing"))
    _print_table(("space", opened.origin.name), [*rows, *_dropped(found)])
    for sentence in told.sentences:
        typer.echo(sentence)


@app.command()
def convert(
    space: Space,
    out: Annotated[Path, typer.Argument(help="The file to write; one of that name is replaced.")],
    format: Annotated[str, typer.Option(help="A format's name; else the file's ending tells it.")] = "",
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out rows that cannot be read or written, instead of refusing.")
    ] = False,
    encoding: Encoding = "",
    as_json: AsJson = False,
) -> None:
    """Writes a file or space in another format: word2vec text or binary, GloVe text, .npz; text and binary also .gz."""
    from embedviz import formats

    if out.exists() and Path(space).exists() and out.samefile(space):
        raise Refused(f"{out} would be read and replaced at once; name another file to write.")
    opened, card = _opened(space, skip_bad, encoding)
    with _progress(f"writing {out.name}") as report:
        written = formats.write(opened, out, format, skip_bad=skip_bad, report=report)
    unread = card["dropped"] if Path(space).is_file() else []
    found = {**written.card(), "dropped": [*unread, *written.card()["dropped"]]}
    if as_json:
        _print_json(found)
        return
    rows = [(name, value) for name, value in found.items() if name not in ("dropped", "lost")]
    _print_table(("file", out.name), [*rows, *_dropped(found), ("left behind", ", ".join(written.lost) or "nothing")])


@app.command()
def neighbors(
    space: Space,
    words: Annotated[list[str], typer.Argument(help="One word, or several for the mean of their unit vectors.")],
    k: Annotated[int, typer.Option("-k", help="How many.", min=1)] = 10,
    metric: Annotated[str, typer.Option(help="cosine, dot or euclidean.")] = "cosine",
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
    as_json: AsJson = False,
) -> None:
    """List the nearest words, with the best match by chance as the baseline."""
    from embedviz import lookup
    from embedviz.neighbors import neighborhood

    opened, _ = _opened(space, skip_bad, encoding)
    for word in words:
        found = lookup.find(opened, word)
        if found.query != word:
            near = [found.word] if found.word else list(found.suggestions)
            offer = f" There is: {', '.join(near)}." if near else ""
            raise Refused(f"“{word}” is not among the {len(opened):,} words of {opened.origin.name}.{offer}")
    result = neighborhood(opened, words, k, metric)
    if as_json:
        low, middle, high = result.percentiles
        kind, every = result.scale.kind, {"similarity": "similarities", "distance": "distances"}[result.scale.kind]
        _print_json(
            {
                "words": list(result.words),
                "metric": metric,
                "neighbors": [{"word": n.word, kind: n.similarity, "rank": n.rank} for n in result.neighbors],
                every: {"p5": low, "p50": middle, "p95": high},
                "shuffled_best": result.shuffled_best,
                "compared": result.compared,
                "assembled": {word: opened.assembled(word) for word in words if word not in opened},
            }
        )
        return
    if not result.neighbors:
        raise Refused(result.meaning)
    _print_table(("word", metric, "rank"), [(n.word, f"{n.similarity:.2f}", n.rank) for n in result.neighbors])
    low, middle, high = result.percentiles
    typer.echo(
        f"Exact search over {result.compared:,} words. "
        f"A random word: {number(middle)} (90\u00a0%: {number(low)} to {number(high)}). {result.meaning}"
    )
    if result.shuffled_best is not None:
        typer.echo(f"Best match by chance: {number(result.shuffled_best)}.")
    if assembled := lookup.assembly(opened, words):
        typer.echo(assembled)


@app.command()
def analogy(
    space: Space,
    formula: Annotated[str, typer.Argument(help="Words and signs: “king - man + woman”. Quote it for the shell.")],
    expect: Annotated[str | None, typer.Option(help="A word whose ranks are told too.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many.", min=1)] = 5,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
    as_json: AsJson = False,
) -> None:
    """What a formula of words finds by each rule, with and without its own words, and by its words alone."""
    from embedviz import lookup
    from embedviz.analogy import analogy as answered

    opened, _ = _opened(space, skip_bad, encoding)
    found = answered(opened, formula, k, expected=expect)
    rankings = [*found.rules.values(), *([found.positives] if found.positives else []), *found.alone.values()]
    third = found.third
    if as_json:
        _print_json(
            {
                "formula": str(found.formula),
                "methods": {name: _answers(ranking.answers) for name, ranking in found.rules.items()},
                "unrestricted": [
                    {"word": word, "score": score} for word, score, _ in found.rules["3cosadd"].unrestricted
                ],
                "baseline": [{"word": word, "similarity": cosine} for word, cosine, _ in third.answers]
                if third
                else [],
                "alone": {word: _answers(ranking.answers) for word, ranking in found.alone.items()},
                "positives": _answers(found.positives.answers) if found.positives else None,
                "missing": found.missing,
                "question": found.question._asdict() if found.question else None,
                "expected": found.expected,
                "places": {ranking.name: ranking.place for ranking in rankings} if found.expected else {},
                "random": {"mean": found.mean, "sd": found.sd, "compared": found.compared},
                "assembled": {word: opened.assembled(word) for word in found.formula.words if word not in opened},
            }
        )
        return
    _print_table(
        ("rank", *(ranking.title for ranking in rankings)),
        [
            (rank + 1, *(_answer(ranking.answers, rank) for ranking in rankings))
            for rank in range(max((len(ranking.answers) for ranking in rankings), default=0))
        ],
    )
    typer.echo(" ".join(part for part in (found.found, found.helped, found.left_in) if part))
    if found.expected:
        typer.echo(f"Ranks of {found.expected}: " + ", ".join(f"{r.title} {r.place or '–'}" for r in rankings) + ".")
    for why in (*found.missing.values(), lookup.assembly(opened, found.formula.words)):
        if why:
            typer.echo(why)


@app.command()
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
    as_json: AsJson = False,
) -> None:
    """A map and what it keeps of the space, each number with its chance level."""
    from embedviz import projection, quality, sampling
    from embedviz.options import choose, parse_settings

    opened, _ = _opened(space, skip_bad, encoding)
    rule = sampling.usual(opened)
    drawn = {"seed": seed} if rule == "random" else {}
    sample = sampling.SAMPLES[rule].function(opened, n=words or len(opened), **drawn)
    rows = sample.rows
    start = time.perf_counter()
    row = choose(projection.PROJECTIONS, method, "projection")
    own = {option.name for option in row.options}
    said = {name: value for name, value in (("components", components), ("seed", seed)) if name in own}
    chosen: dict[str, Any] = {**said, **parse_settings(settings or [])}
    with _progress("laying out the map") as report:
        shown = projection.project(opened, rows, method, report=report, **chosen)
    seconds = time.perf_counter() - start
    with _progress("looking at the map") as report:
        given = (opened, shown.rows, method, shown.parameters)
        checked = quality.check(*given, points=shown.points, k=k, copies=copies, seed=seed, report=report)
    if out is not None:
        _write_csv(out, opened, shown)
    if as_json:
        unused = {*projection.idle(row, shown.points.shape[1])} - {"components"}
        used = {name: value for name, value in shown.parameters.items() if name not in unused}
        about = {"method": method, "parameters": used, "rows": len(rows), "sample": sample.rule}
        _print_json({**about, "seconds": seconds, "quality": checked.card()})
        return
    kept, (neighbors, _, outline) = checked.quality, checked.permissions
    _print_table(
        (f"{method}, {len(rows):,} words", "here", "copies", "random layout"),
        [
            (f"{kept.k} nearest kept", f"{neighbors.value:.2%}", f"{neighbors.copies:.2%}", f"{kept.chance:.2%}"),
            ("far order right", f"{outline.value:.0%}", f"{outline.copies:.0%}", "50%"),
            ("trustworthiness", f"{kept.trustworthiness:.2f}", "", f"{kept.rank_chance:.2f}"),
            ("continuity", f"{kept.continuity:.2f}", "", f"{kept.rank_chance:.2f}"),
        ],
    )
    for name, each in checked.permissions._asdict().items():
        typer.echo(f"{name.title()}: {'may be read' if each.given else 'not to be read'}. {each.reason}")
    typer.echo(
        f"Looked at {kept.sample:,} of {kept.shown:,} words and {checked.copies.count} structureless copies; "
        f"nearest by {kept.metric}."
    )


@app.command()
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
    from embedviz.isotropy import isotropy as measured
    from embedviz.options import check, choose, parse_settings
    from embedviz.postprocess import MAPS, caution, made_by
    from embedviz.studies.corrections import outcome

    chosen: dict[str, Any] = parse_settings(settings or [])
    if chosen and not correction:
        raise Refused("--set is for a correction; name one with --correction.")
    opened, _ = _opened(space, skip_bad, encoding)
    steps = [step.partition("(")[0] for step in space.split("~")[1:]] or made_by(opened)
    options = check(choose(MAPS, correction, "correction"), chosen, opened) if correction else {}
    with _progress(f"looking at {opened.origin.name}") as report:
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
        _print_json(
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
        _print_table((f"{opened.origin.name}, {done.title.lower()}", "corrected", "before", "isotropic"), rows)
        typer.echo(done.verdict)
    else:
        plain = [(each.measure.title, *each.said) for each in found.measures.values()]
        _print_table((opened.origin.name, "here", "isotropic"), plain)
    typer.echo(found.meaning)
    typer.echo(done.note if done else found.note)
    if warned := caution(steps):
        typer.echo(warned)


def _measures(found: Any) -> dict[str, dict[str, float]]:
    """Each measure of a space and of an isotropic one of its size, as plain JSON values."""
    return {name: {"value": each.value, "isotropic": each.isotropic} for name, each in found.measures.items()}


@app.command()
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
        opened, _ = _opened(name, skip_bad, encoding if Path(name).is_file() else "")
        with _progress(f"evaluating {opened.origin.name}") as report:
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
        _print_json({"spaces": rows, "differences": cards})
        return
    for name, each in sets.items():
        header, lines = _evaluation_table(each, spaces, [scores[name] for scores in found])
        _print_table(header, lines)
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
    from embedviz import datasets, testsets

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


@app.command()
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
    from embedviz import comparison, sampling

    first, second = (_opened(name, skip_bad, encoding if Path(name).is_file() else "")[0] for name in (one, other))
    if words and words < len(first):
        first = first.take(sampling.most_frequent(first, n=words).rows)
    with _progress("comparing") as report:
        found = comparison.compare(first, second, k=k, seed=seed, report=report)
    if as_json:
        _print_json(found.card(listed))
        return
    rows = [(each.name, each.here, each.baseline, each.of_what) for each in found.figures]
    _print_table((f"{found.one} and {found.other}", "here", "baseline", "what it is"), rows)
    for title, most in (("Changed most", True), ("Changed least", False)):
        changes = found.overlap.changed(listed, most=most)
        if changes:
            names = ", ".join(f"{change.word} ({share(change.overlap)})" for change in changes)
            typer.echo(f"{title}, of equal ones the first: {names}.")
    typer.echo(" ".join((found.overlap.meaning, found.overlap.baseline, found.procrustes.sample)))


@app.command()
def train(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="METHOD CORPUS OUT",
            help="A trainer (word2vec, fasttext, glove, …), what it reads (lee, teaching, a file or a folder), and the "
            "folder to write, or saved:NAME. METHOD alone lists its options; with --repeat [CORPUS] OUT, with --keep "
            "OUT.",
        ),
    ] = None,
    settings: Settings = None,
    tokenizing: Annotated[
        list[str] | None, typer.Option("--tokenize", help="name=value, for what a word is (lower=no, …); repeatable.")
    ] = None,
    text: Annotated[str, typer.Option(help="The column of a table that holds the texts.")] = "",
    group: Annotated[str, typer.Option(help="The column of a table that holds the groups.")] = "",
    seed: Annotated[int | None, typer.Option(help="Of the first vectors and of what is drawn.", min=0)] = None,
    workers: Annotated[int | None, typer.Option(help="Threads; one repeats itself to the bit.", min=0)] = None,
    epochs: Annotated[int | None, typer.Option(help="Passes over the corpus.", min=1)] = None,
    watch: Annotated[
        list[str] | None, typer.Option(help="A word whose neighbors are told and whose way is kept; repeatable.")
    ] = None,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="The trainer's own settings, not those that suit the corpus's size.")
    ] = False,
    repeat: Annotated[
        str,
        typer.Option(metavar="SPACE", help="Make the run of a trained space again; status 2 if other numbers come."),
    ] = "",
    keep: Annotated[str, typer.Option(metavar="ID", help="Keep what a run that was cut off had learned.")] = "",
    forget: Annotated[str, typer.Option(metavar="ID", help="Forget a run that was cut off.")] = "",
    as_json: AsJson = False,
) -> None:
    """Trains a space on a text. What was set is kept with it, and so are its words on their way.

    Ctrl-C ends it with nothing written. A run that was cut off with its process is told of when the next one begins.
    """
    from embedviz.options import check, choose, parse_settings
    from embedviz.static.trainers import TRAINERS
    from embedviz.studies import training

    names = names or []
    if keep or forget:
        _settle(keep, forget, names)
        return
    if len(names) == 1 and not repeat:
        _print_options(choose(TRAINERS, names[0], "trainer"), as_json)
        return
    wanted = "[CORPUS] OUT" if repeat else "METHOD CORPUS OUT"
    if len(names) not in ((1, 2) if repeat else (3,)):
        raise Refused(f"This command takes {wanted}; {len(names)} were given.")
    own = {"seed": seed, "workers": workers, "epochs": epochs}
    chosen: dict[str, Any] = {**parse_settings(settings or []), **{k: v for k, v in own.items() if v is not None}}
    how = {**parse_settings(tokenizing or []), **{k: v for k, v in (("text", text), ("group", group)) if v}}
    if repeat and (chosen or how or watch or defaults):
        raise Refused("A run is repeated as it was; train anew to change a setting.")
    if not repeat:
        check(choose(TRAINERS, names[0], "trainer"), chosen)
    out = _new_folder(names[-1])
    _tell_of_cut_off()
    with _stopping(out), device.scratch() as scratch:
        place, outcome = scratch / "corpus", None
        if repeat:
            told = training.recorded(_folder_of_space(repeat))
            if not told.repeats:
                _warn(f"{told.title} does not promise the same numbers with these options; others may come.")
            with _progress("reading") as report:
                corpus = training.corpus_again(told, place, names[0] if len(names) == 2 else "", report=report)
            with _watching(f"training {told.title}") as report:
                outcome = training.repeat(told, corpus.folder, out, report=report)
        else:
            method, source, _ = names
            with _progress(f"reading {Path(source).name}") as report:
                corpus = training.corpus_of(source, place, report=report, **how)
            options = {} if defaults else training.suggested(corpus, method)
            options |= chosen
            plan = training.plan(corpus, method, options)
            for word in watch or ():
                if corpus.index.get(word, plan.rows) >= plan.rows:
                    _warn(f"“{word}” is none of the {plan.rows:,} words of {corpus.name} that are trained.")
            _say(plan.sentence)
            with _watching(f"training {plan.title}") as report:
                training.train(
                    str(corpus.folder), method, str(out), options=options, watched=watch or (), report=report
                )
        read = _read_from(corpus)
    found = training.record(out)
    assert found is not None  # noqa: S101 (it was just written)
    if as_json:
        same = {"repeated": outcome.same} if outcome else {}
        _print_json({**_trained(found), "corpus": read, "out": str(out), **same})
    else:
        _print_table((out.name, "here", "baseline", "what it is"), training.summary(found))
        typer.echo(", ".join(f"{name} {value}" for name, value in read.items() if value is not None) + f"; {out}")
        for sentence in filter(None, (outcome.sentence if outcome and outcome.same else "", found.sentence)):
            typer.echo(sentence)
    if outcome and not outcome.same:
        raise Refused(f"{outcome.sentence} The space is written.")


def _settle(keep: str, forget: str, names: Sequence[str]) -> None:
    """Keeps or forgets what a run that was cut off has left."""
    from embedviz.studies import training

    if keep and forget:
        raise Refused("Either --keep or --forget, not both.")
    if len(names) != (1 if keep else 0):
        raise Refused(f"This takes {'OUT' if keep else 'nothing more'}; {len(names)} were given.")
    if not training.interrupted(keep or forget):
        raise Refused(f"No training called {keep or forget} was cut off.")
    if keep:
        out = _new_folder(names[0])
        training.keep(keep, out)
        typer.echo(f"Kept: {out}.")
    else:
        training.forget(forget)
        typer.echo("Forgotten.")


def _tell_of_cut_off() -> None:
    """A line on standard error for the latest run that was cut off."""
    from embedviz.studies import training

    listed = [each for each in training.interrupted() if not each.private]
    if not listed:
        return
    first = listed[0]
    keep = f"--keep {first.id} OUT or " if first.kept else ""
    more = f" {len(listed) - 1} more before it." if len(listed) > 1 else ""
    _warn(f"{first.sentence} embedviz train {keep}--forget {first.id}.{more}")


@contextmanager
def _stopping(out: Path) -> Iterator[None]:
    """Ctrl-C, or an end that is asked for, clears away what was begun, undisturbed by another, and says so."""

    def stop(number: int, frame: Any) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except KeyboardInterrupt:
        _warn(f"Stopped. {out.name} is written." if out.exists() else "Stopped. Nothing was written.")
        raise
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _warn(sentence: str) -> None:
    """A sentence on standard error."""
    typer.echo(f"embedviz: {sentence}", err=True)


def _read_from(corpus: Any) -> dict[str, Any]:
    """What a corpus was read from, and as what."""
    reading = corpus.about.get("reading", {})
    told = {
        "corpus": corpus.name,
        "format": reading.get("format"),
        "text": reading.get("text"),
        "group": reading.get("group"),
    }
    return {name: value or None for name, value in told.items()} | {"lines": len(corpus)}


def _print_options(row: Any, as_json: bool) -> None:
    """The options of a trainer."""
    from embedviz.options import Choice, Parameter

    def allowed(option: Any) -> str:
        if isinstance(option, Choice):
            return ", ".join(option.listed(None))
        if isinstance(option, Parameter):
            return f"{option.low:g} to {option.upper(2**31):g}"
        return "text"

    listed = [(option.name, option.default, allowed(option), option.help) for option in row.options]
    header = ("name", "default", "range", "what it does")
    if as_json:
        _print_json({"method": row.name, "options": [dict(zip(header, each, strict=True)) for each in listed]})
        return
    _print_table(header, listed)


def _trained(found: Any) -> dict[str, Any]:
    """A training as plain JSON values."""
    last = found.moments[-1]
    return {
        "method": found.method,
        "parameters": dict(found.options),
        "checksum": found.corpus.checksum,
        "vocabulary": found.corpus.words,
        "tokens": found.corpus.tokens,
        "tokens_read": found.tokens,
        "seconds": found.seconds,
        "words_per_second": found.words_per_second,
        "epochs": found.epochs,
        "loss": list(found.loss) if found.loss is not None else None,
        "loss_baseline": found.baseline,
        "rows": found.rows,
        "dimensions": found.dimensions,
        "matrix": found.matrix,
        "analogies": {"accuracy": last.analogies, "baseline": last.third, "asked": found.asked.drawn},
        "similarity": {"spearman": last.similarity, "chance": found.asked.chance, "pairs": found.asked.pairs_covered},
        "neighbors": dict(last.neighbors or {}),
        "held_out": _held_out(found.more),
        "more": {name: found.more[name] for name in ("pairs", "counting") if name in found.more},
        "versions": dict(found.versions),
    }


def _held_out(more: Any) -> dict[str, Any] | None:
    """How many lines that were not learned from get the right label; None of a trainer that knows no labels."""
    from embedviz.intervals import Share

    if not {"right", "majority"} <= more.keys():
        return None
    right, most = Share(*more["right"]), Share(*more["majority"])
    low, high = right.interval
    return {
        "right": right.right,
        "of": right.of,
        "share": right.value,
        "low": low,
        "high": high,
        "majority": most.value,
    }


def _new_folder(text: str) -> Path:
    """The folder that a command is to write: a path, or the place of a saved space.

    Raises:
        Refused: It is there already, or what it would lie in is not.
    """
    if text.startswith("saved:"):
        out = catalog.saved_root() / catalog.valid_name(text.removeprefix("saved:"))
        out.parent.mkdir(parents=True, exist_ok=True)
    else:
        out = Path(text)
    if out.exists():
        raise Refused(f"{out} is there already; name another folder, or delete it first.")
    if not out.absolute().parent.is_dir():
        raise Refused(f"There is no folder {out.parent}; make it first.")
    return out.absolute()


def _folder_of_space(text: str) -> Path:
    """The folder of a saved space, by its path or its address."""
    return Path(text) if Path(text).is_dir() else catalog.folder_of(_recipe(text))


def _say(sentence: str) -> None:
    """A sentence on standard error, only on a terminal."""
    if sys.stderr.isatty():
        typer.echo(sentence, err=True)


@contextmanager
def _watching(what: str) -> Iterator[Report | None]:
    """A report function that draws a bar with what was last measured on standard error, only on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), TextColumn("{task.fields[told]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0, told="")
        measured: dict[str, str] = {}

        def report(fraction: float | None, message: str = "", point: Any = None, **_: Any) -> None:
            for name, said in (("loss", number), ("analogies", share), ("similarity", number)):
                if point and point.get(name) is not None:
                    measured[name] = f"{name} {said(point[name])}"
            bar.update(task, completed=fraction or 0.0, told=" · ".join([message, *measured.values()]))

        yield report


@app.command()
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
    from embedviz import encoders
    from embedviz.studies import senses as study

    folder = encoders.resolve(model)
    given = study.known_sentences(word) if sentences is None else study.read_sentences(sentences)
    with _progress(f"reading sentences with {word}") as report:
        found = study.senses(
            word, *given, model=folder, pieces=pieces, ignore_case=not match_case, seed=seed, report=report
        )
    if as_json:
        _print_json(found.card())
        return
    header, rows = study.table(found)
    if rows:
        _print_table(header, rows)
        typer.echo("* above its chance band, over all layers and scores; chance: the band of the nearest.")
    for sentence in (found.sample, found.meaning, found.note):
        if sentence:
            typer.echo(sentence)


@app.command()
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
    from embedviz import encoders
    from embedviz.studies import pairs as study

    folder = encoders.resolve(model)
    with _progress(f"reading {Path(table).name}") as report:
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
        _print_json(found.card())
        return
    _print_table(study.TABLE, study.table(found))
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


@app.command("catalog")
def catalog_of_models(
    name: Annotated[str, typer.Argument(help="A model listed here, or any name of the hub: OWNER/NAME.")] = "",
    as_json: AsJson = False,
) -> None:
    """Lists the encoders at hand and the known ones, or downloads one from the Hugging Face hub (or $HF_ENDPOINT).

    A download that is broken off goes on where it was when it is asked for again.
    """
    from embedviz import encoders

    if name:
        with _progress(f"fetching {name}") as report:
            found = encoders.download(name, report=report)
        if as_json:
            _print_json(dataclasses.asdict(found))
            return
        rows = [(key, value) for key, value in dataclasses.asdict(found).items() if key != "name"]
        _print_table(("encoder", found.name), rows)
        return
    here = {one.name: one for one in encoders.at_hand()}
    known = {one.name: one for one in encoders.known()}
    parts = {one.name: one for one in encoders.unfinished()}
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
        _print_json({"models": listed, "unfinished": list(parts.values())})
        return
    _print_table(
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


def _answers(listed: Sequence[Any]) -> list[dict[str, Any]]:
    return [answer._asdict() for answer in listed]


def _answer(listed: Sequence[Any], rank: int) -> str:
    return f"{listed[rank].word} {listed[rank].score:.2f}" if rank < len(listed) else ""


def _opened(text: str, skip_bad: bool = False, encoding: str = "") -> tuple[VectorSpace, dict[str, Any]]:
    """The space that an argument names, and what `info` says of its source.

    Raises:
        Refused: It is neither a file nor an address.
    """
    path = Path(text)
    source, tilde, steps = text.partition("~")
    if tilde and source and not path.exists() and Path(source).exists():
        space, card = _opened(source, skip_bad, encoding)
        for name, pairs in catalog.Recipe.parse(f"builtin~{steps}").corrections:
            space = _corrected(space, name, dict(pairs))
        return space, card
    start = time.perf_counter()
    if path.is_file():
        from embedviz import formats

        with _progress(f"reading {path.name}") as report:
            space, reading = formats.read(path, skip_bad=skip_bad, encoding=encoding, report=report)
        return space, _source(reading.card())
    _refuse_encoding(encoding, text)
    folder: Path | None = path
    if path.is_dir():
        space = open_folder(path)
    else:
        recipe = _recipe(text)
        space = catalog.open_space(recipe)
        folder = catalog.folder_of(recipe) if recipe.in_folder else space.folder
    card = read_card(folder).get("reading", {}) if folder else {}
    size = folder_size(folder) if folder else space.matrix.nbytes
    seconds = time.perf_counter() - start
    return space, _source(
        {
            "format": "made up" if space.origin.kind == "synthetic" else "folder",
            "bytes": size,
            "encoding": "utf-8",
            "dropped": [],
            **card,
            "seconds": seconds,
        }
    )


def _refuse_encoding(encoding: str, text: str) -> None:
    """Refuses an encoding for what was read already.

    Raises:
        Refused: One is named.
    """
    if encoding:
        raise Refused(f"--encoding is for a file; {text} is none. Leave it out, or name the file.")


def _corrected(space: VectorSpace, name: str, options: dict[str, Any]) -> VectorSpace:
    from embedviz.postprocess import corrected

    return corrected(space, name, **options)


def _ngrams(space: VectorSpace) -> dict[str, int] | None:
    """The n-grams of a fastText model."""
    held = space.subwords
    return None if held is None else {"min_n": held.min_n, "max_n": held.max_n, "buckets": len(held.buckets)}


def _dropped(found: dict[str, Any]) -> list[tuple[str, str]]:
    """What was guessed, not decoded or left out, as rows of a table."""
    rows = [("guessed", "the encoding; another: --encoding NAME")] if found.get("encoding_guessed") else []
    undecodable = found.get("undecodable", {"count": 0})
    if undecodable["count"]:
        lines = ", ".join(f"{line:,}" for line in undecodable["first_lines"])
        said = f"{undecodable['count']:,} words, shown by their bytes (first at {lines}). Try --encoding NAME"
        rows.append(("undecodable", said))
    told = len(rows)
    for drop in found["dropped"]:
        lines = ", ".join(f"{line:,}" for line in drop["first_lines"])
        rows.append(("dropped", f"{drop['count']:,} · {drop['reason']} (first at {lines})"))
    return rows if len(rows) > told else [*rows, ("dropped", "nothing")]


def _source(card: dict[str, Any]) -> dict[str, Any]:
    told = {name: card[name] for name in ("format", "bytes", "encoding", "seconds", "dropped")}
    undecodable = card.get("undecodable", {"count": 0, "first_lines": []})
    return {**told, "encoding_guessed": card.get("encoding_guessed", False), "undecodable": undecodable}


def _recipe(text: str) -> catalog.Recipe:
    """The recipe of an address; a bare name means a saved space.

    Raises:
        RecipeError: An address that names no space.
        Refused: A bare name that is neither a file nor a saved space.
    """
    if text.partition("~")[0].partition(":")[0] in catalog.KINDS:
        return catalog.Recipe.parse(text)
    with suppress(catalog.RecipeError):
        recipe = catalog.Recipe.parse(f"saved:{text}")
        if catalog.folder_of(recipe).is_dir():
            return recipe
    raise Refused(f"There is no file {text} and no saved space of that name.")


def _serve(space: str | None, port: int, *, browser: bool, skip_bad: bool = False, encoding: str = "") -> None:
    """Starts the app and stays until it ends; a file is read first, into a folder that goes with the server."""
    _check_port(port)
    query, environment = "", dict(os.environ)
    environment.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="embedviz-opened-") as scratch:
        if space is not None:
            address = _address_to_open(space, Path(scratch), environment, skip_bad, encoding)
            query = f"?space={quote(address, safe=':~')}"
        here = _app_file()
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(here.parent), environment.get("PYTHONPATH")]))
        url = f"http://localhost:{port}/{query}"
        typer.echo(f"embedviz opens on {url} (stop it with Ctrl-C)")
        command = [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            str(here),
            "--server.port",
            str(port),
            "--server.headless",
            "true",
        ]
        server = subprocess.Popen(command, cwd=here.parent, env=environment)  # noqa: S603 - our own program
        # Leave as on Ctrl-C: the server ends, the folder goes.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            if browser:
                typer.launch(url)
            status = server.wait()
        except KeyboardInterrupt:
            server.terminate()
            server.wait(10)
            raise
    if status not in (0, -15):
        raise Refused(f"The app could not start on port {port}; is it in use? Try --port {port + 1}.")


def _check_port(port: int) -> None:
    """Refuses a port on which something listens already."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            raise Refused(f"Port {port} is in use. Try --port {port + 1}.")


def _address_to_open(text: str, scratch: Path, environment: dict[str, str], skip_bad: bool, encoding: str) -> str:
    path = Path(text)
    if not path.is_file():
        _refuse_encoding(encoding, text)
    if not path.exists():
        recipe = _recipe(text)
        catalog.open_space(recipe)
        return str(recipe)
    name = catalog.clean_name(path.name.removesuffix(".gz").rpartition(".")[0] or path.name)
    folder = scratch / name
    if path.is_dir():
        open_folder(path)
        folder = path.resolve()
        name = catalog.clean_name(folder.name)
    else:
        from embedviz import formats

        with _progress(f"reading {path.name}") as report:
            formats.import_file(path, folder, name, skip_bad=skip_bad, encoding=encoding, report=report)
    environment[catalog.OPENED] = str(folder)
    return str(catalog.Recipe("opened", name))


def _app_file() -> Path:
    """The app's launcher: inside the installed package, else beside it in the checkout.

    Raises:
        Refused: Neither is there.
    """
    package = Path(__file__).resolve().parent
    for candidate in (package / "_app" / "app.py", package.parent / "app.py"):
        if candidate.is_file():
            return candidate
    raise Refused("The app's files are not installed beside the library. Install embedviz again with: pip install .")


def _write_csv(out: Path, space: VectorSpace, shown: Any) -> None:
    """Writes word, x, y and z, and what each row says where rows are texts; the file appears whole or not at all.

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


@contextmanager
def _progress(what: str) -> Iterator[Report | None]:
    """A report function that draws a bar on standard error, only on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0)

        def report(fraction: float | None, message: str = "", **_: Any) -> None:
            bar.update(task, completed=fraction or 0.0)

        yield report


def _print_json(found: dict[str, Any]) -> None:
    typer.echo(json.dumps(found, ensure_ascii=False, default=_plain))


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return value.item() if hasattr(value, "item") else str(value)


def _print_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table for a terminal; tab-separated lines when piped."""
    if not sys.stdout.isatty():
        for row in [header, *rows]:
            typer.echo("\t".join(str(cell) for cell in row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*header, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    Console().print(table)


if __name__ == "__main__":
    main()
