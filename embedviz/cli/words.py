"""Commands about words: neighbors, analogy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from embedviz.cli.arguments import AsJson, Encoding, Refused, SkipBad, Space
from embedviz.cli.opening import open_space
from embedviz.cli.output import print_json, print_table
from embedviz.core.phrases import number


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
    from embedviz.neighbors import lookup, neighborhood

    opened, _ = open_space(space, skip_bad, encoding)
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
        print_json(
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
    print_table(("word", metric, "rank"), [(n.word, f"{n.similarity:.2f}", n.rank) for n in result.neighbors])
    low, middle, high = result.percentiles
    typer.echo(
        f"Exact search over {result.compared:,} words. "
        f"A random word: {number(middle)} (90\u00a0%: {number(low)} to {number(high)}). {result.meaning}"
    )
    if result.shuffled_best is not None:
        typer.echo(f"Best match by chance: {number(result.shuffled_best)}.")
    if assembled := lookup.assembly(opened, words):
        typer.echo(assembled)


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
    from embedviz.neighbors import lookup
    from embedviz.neighbors.analogy import analogy as answered

    opened, _ = open_space(space, skip_bad, encoding)
    found = answered(opened, formula, k, expected=expect)
    rankings = [*found.rules.values(), *([found.positives] if found.positives else []), *found.alone.values()]
    third = found.third
    if as_json:
        print_json(
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
    print_table(
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


def _answers(listed: Sequence[Any]) -> list[dict[str, Any]]:
    return [answer._asdict() for answer in listed]


def _answer(listed: Sequence[Any], rank: int) -> str:
    return f"{listed[rank].word} {listed[rank].score:.2f}" if rank < len(listed) else ""
