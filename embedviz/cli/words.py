"""Commands about words: neighbors, analogy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embedviz.cli.arguments import Encoding, Refused, SkipBad, Space
from embedviz.cli.opening import open_space
from embedviz.cli.output import Printout, progress
from embedviz.core.phrases import number
from embedviz.core.space import VectorSpace

if TYPE_CHECKING:
    from embedviz.neighbors import Neighborhood
    from embedviz.neighbors.analogy import Analogy
    from embedviz.neighbors.approximate import Recall


def neighbors(
    space: Space,
    words: Annotated[list[str], typer.Argument(help="One word. Several words: the mean of their unit vectors.")],
    k: Annotated[int, typer.Option("-k", help="How many neighbors.", min=1)] = 10,
    metric: Annotated[str, typer.Option(help="How nearness is measured: cosine, dot or euclidean.")] = "cosine",
    nprobes: Annotated[
        int | None,
        typer.Option(help="Partitions of an approximate index to search; 0: compare with all rows.", min=0),
    ] = None,
    refine: Annotated[
        int, typer.Option(help="Candidates per neighbor that are compared by their exact vectors.", min=0, max=100)
    ] = 10,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
) -> Printout:
    """List the nearest neighbors of a word, with the best match by chance as the baseline.

    A space with an approximate index (embedviz convert FILE lance:FOLDER) is searched with this index, and its recall
    is measured.
    """
    from embedviz.neighbors import lookup, neighborhood

    opened, _ = open_space(space, skip_bad, encoding)
    for word in words:
        found = lookup.find(opened, word)
        if found.query != word:
            near = [found.word] if found.word else list(found.suggestions)
            offer = f" Similar words: {', '.join(near)}." if near else ""
            raise Refused(f"“{word}” is not among the {len(opened):,} words of {opened.origin.name}.{offer}")
    result = neighborhood(opened, words, k, metric, nprobes=nprobes, refine=refine)
    measured = _recall(opened, nprobes, refine) if result.index else None
    card = _neighborhood(result, metric) | {"assembled": _assembled(opened, words)}
    card["recall"] = measured.card() if measured is not None else None
    if not result.neighbors:
        return Printout(card, failure=result.meaning)
    low, middle, high = result.percentiles
    about = (
        f"{result.index or f'Exact search over {result.compared:,} words.'} "
        f"Random words: median {number(middle)}, 90\u00a0% from {number(low)} to {number(high)}. {result.meaning}"
    )
    chance = f"Best match by chance: {number(result.shuffled_best)}." if result.shuffled_best is not None else ""
    table = ("word", metric, "rank"), [(n.word, f"{n.similarity:.2f}", n.rank) for n in result.neighbors]
    recall = f"{measured.meaning} {measured.method}" if measured is not None else ""
    return Printout(card, [table], [about, chance, recall, lookup.assembly(opened, words)])


def _recall(space: VectorSpace, nprobes: int | None, refine: int) -> Recall | None:
    """Measure the recall of an index; return None if the space has no exact lists to compare with."""
    from embedviz.neighbors import approximate

    if not approximate.measurable(space):
        return None
    with progress("measuring the recall") as report:
        return approximate.recall(space, nprobes or 0, refine, report=report)


def _neighborhood(found: Neighborhood, metric: str) -> dict[str, Any]:
    """Return neighbors and baselines as JSON values. Values of the metric have the key `similarity` or `distance`."""
    kind = found.scale.kind
    return {
        "words": list(found.words),
        "metric": metric,
        "neighbors": [{"word": n.word, kind: n.similarity, "rank": n.rank} for n in found.neighbors],
        {"similarity": "similarities", "distance": "distances"}[kind]: dict(
            zip(("p5", "p50", "p95"), found.percentiles, strict=True)
        ),
        "shuffled_best": found.shuffled_best,
        "compared": found.compared,
    }


def _assembled(space: VectorSpace, words: Sequence[str]) -> dict[str, int]:
    """Return for each word without a row the number of n-grams from which its vector is composed."""
    return {word: space.assembled(word) for word in words if word not in space}


def analogy(
    space: Space,
    formula: Annotated[str, typer.Argument(help='Words with + and -, in quotes: "king - man + woman".')],
    expect: Annotated[str | None, typer.Option(help="A word whose ranks are printed too.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many answers.", min=1)] = 5,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
) -> Printout:
    """Solve an analogy such as king - man + woman by each rule, and compare with simpler baselines."""
    from embedviz.neighbors import lookup
    from embedviz.neighbors.analogy import analogy as answered

    opened, _ = open_space(space, skip_bad, encoding)
    found = answered(opened, formula, k, expected=expect)
    rankings = [*found.rules.values(), *([found.positives] if found.positives else []), *found.alone.values()]
    places = {ranking.name: ranking.place for ranking in rankings} if found.expected else {}
    rows = [
        (rank + 1, *(_answer(ranking.answers, rank) for ranking in rankings))
        for rank in range(max((len(ranking.answers) for ranking in rankings), default=0))
    ]
    ranks = ", ".join(f"{ranking.title} {ranking.place or '–'}" for ranking in rankings)
    return Printout(
        {**_analogy(found), "places": places, "assembled": _assembled(opened, found.formula.words)},
        [(("rank", *(ranking.title for ranking in rankings)), rows)],
        [
            " ".join(part for part in (found.found, found.helped, found.left_in) if part),
            f"Ranks of {found.expected}: {ranks}." if found.expected else "",
            *found.missing.values(),
            lookup.assembly(opened, found.formula.words),
        ],
    )


def _analogy(found: Analogy) -> dict[str, Any]:
    """Return the answers of all rules and baselines as JSON values."""
    third = found.third.answers if found.third else ()
    return {
        "formula": str(found.formula),
        "methods": {name: _answers(ranking.answers) for name, ranking in found.rules.items()},
        "unrestricted": [{"word": word, "score": score} for word, score, _ in found.rules["3cosadd"].unrestricted],
        "baseline": [{"word": word, "similarity": cosine} for word, cosine, _ in third],
        "alone": {word: _answers(ranking.answers) for word, ranking in found.alone.items()},
        "positives": _answers(found.positives.answers) if found.positives else None,
        "missing": found.missing,
        "question": found.question._asdict() if found.question else None,
        "expected": found.expected,
        "random": {"mean": found.mean, "sd": found.sd, "compared": found.compared},
    }


def _answers(listed: Sequence[Any]) -> list[dict[str, Any]]:
    return [answer._asdict() for answer in listed]


def _answer(listed: Sequence[Any], rank: int) -> str:
    return f"{listed[rank].word} {listed[rank].score:.2f}" if rank < len(listed) else ""
