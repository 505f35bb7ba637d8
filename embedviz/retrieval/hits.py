"""What a query finds: texts with what made their scores, rankings beside chance, and what they say in sentences."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from embedviz.core.phrases import listing, number
from embedviz.core.texts import Part, Passage
from embedviz.neighbors.analogy import ordinal
from embedviz.retrieval.snippets import Snippet

LEAST_SCORE = 1e-6
"""A score below is rounding."""


class Hit(NamedTuple):
    """One text of a ranking.

    Attributes:
        row: Of the text; `title`: its first words; `rank`: from 1.
        parts: By words of the query: what each adds to the score; they sum to it. Empty where a method has none.
        words: By words of the text: they sum to the score too.
        telling: Of `words` the greatest, `MARKED` at most: those that the passage marks.
        holds: Which words of the query stand in the text.
        snippet: The passage where the words that made the score stand closest together, or the sentence nearest to the
            query.
        passages: Sentences of the text, the nearest to the query first, where the method reads more than words.
    """

    row: int
    title: str
    rank: int
    score: float
    parts: tuple[Part, ...]
    words: tuple[Part, ...]
    telling: tuple[Part, ...]
    holds: tuple[str, ...]
    snippet: Snippet
    passages: tuple[Passage, ...] = ()


class Chance(NamedTuple):
    """What a score stands beside.

    Attributes:
        median, p95: Of this query's scores over all texts: what a random text scores.
        lifts: How far the best text stands above the median one for each of the random queries, the least first; empty
            where none could be drawn.
    """

    median: float
    p95: float
    lifts: tuple[float, ...]

    @property
    def tick(self) -> float | None:
        """As far above this query's median as the best text of any random query stands above that query's."""
        return self.median + self.lifts[-1] if self.lifts else None


@dataclass(frozen=True)
class Ranking:
    """The best texts by one method.

    Attributes:
        unit: What a score is.
        hits: At most k, of those with a score above 0.
        unknown: Words of the query that the method does not know.
        answering: How many texts have a score above 0.
    """

    name: str
    title: str
    unit: str
    hits: tuple[Hit, ...]
    unknown: tuple[str, ...]
    chance: Chance
    answering: int

    @property
    def rows(self) -> tuple[int, ...]:
        """Of the texts that were found."""
        return tuple(hit.row for hit in self.hits)

    @property
    def beats_chance(self) -> bool:
        """Whether the first text stands higher above the median one than that of every random query."""
        return bool(self.hits) and (self.chance.tick is None or self.hits[0].score > self.chance.tick)

    @property
    def reach(self) -> float:
        """The end of a scale that holds every score and baseline of this ranking."""
        return max([*(hit.score for hit in self.hits), self.chance.p95, self.chance.tick or 0.0, LEAST_SCORE])


class SharedTexts(NamedTuple):
    """How many of their first k texts two methods share, and how many two random lists of that length would."""

    one: str
    other: str
    shared: int
    k: int
    chance: float


@dataclass(frozen=True)
class Hits:
    """What a query finds.

    Attributes:
        words: The query's different words, in order.
        rankings: Method to its ranking, in the order of `SEARCHES`.
        compared: Texts that were compared with.
        k: How many each ranking shows at most.
        draws: Random queries; `seed`: of their drawing.
        cut: Whether the query had more words than are read.
    """

    query: str
    words: tuple[str, ...]
    rankings: Mapping[str, Ranking]
    compared: int
    k: int
    draws: int
    seed: int
    cut: bool

    @property
    def found(self) -> bool:
        """Whether any method found any text."""
        return any(one.hits for one in self.rankings.values())

    @property
    def nowhere(self) -> tuple[str, ...]:
        """Words of the query that no method knows."""
        unknown = [set(one.unknown) for one in self.rankings.values()]
        return tuple(word for word in self.words if all(word in words for words in unknown))

    @property
    def agreement(self) -> tuple[SharedTexts, ...]:
        """Each pair of methods that found anything."""
        answered = [one for one in self.rankings.values() if one.hits]
        return tuple(
            SharedTexts(
                one.title,
                other.title,
                len(set(one.rows) & set(other.rows)),
                max(len(one.hits), len(other.hits)),
                len(one.hits) * len(other.hits) / self.compared,
            )
            for one, other in itertools.combinations(answered, 2)
        )

    @property
    def baseline(self) -> str:
        """What the ticks are, in a sentence or two."""
        random = (
            f"Tick: how far the best of {self.draws} random queries, of other words as common, lifts a text above a "
            "random one; a text below it may be chance."
            if any(one.chance.lifts for one in self.rankings.values())
            else "The collection has too few words for random queries to compare with."
        )
        return f"Exact search over {self.compared:,} text{'' if self.compared == 1 else 's'}. {random}"

    @property
    def meaning(self) -> str:
        """What the methods agree on and what not, in two or three sentences."""
        if not self.found:
            return ""
        return " ".join(part for part in (_agreed(self), _without(self), _no_better(self)) if part)

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows: a row for each text that a method found, with the words that made its score."""
        rows: list[tuple[Any, ...]] = []
        for one in self.rankings.values():
            for hit in one.hits:
                parts = ", ".join(f"{part.word} {number(part.share)}" for part in hit.parts if part.share)
                rows.append((one.title, hit.rank, hit.row, hit.score, parts, hit.snippet.text))
        return ("method", "rank", "row", "score", "words", "passage"), rows


def _agreed(hits: Hits) -> str:
    """Return the pair that agrees most and the pair that agrees least."""
    pairs = sorted(hits.agreement, key=lambda pair: pair.shared / pair.k)
    if not pairs:
        return ""
    least, most = pairs[0], pairs[-1]
    said = f"{most.one} and {most.other} share {most.shared} of their first {most.k}"
    if len(pairs) > 1 and least.shared / least.k < most.shared / most.k:
        said += f"; {least.one} and {least.other} {least.shared} of {least.k}"
    return f"{said} (by chance {number(max(most.chance, least.chance))})."


def _without(hits: Hits) -> str:
    """Return the first text that was found without any word of the query, and in how many places such texts stand."""
    listed = [(one, hit) for one in hits.rankings.values() for hit in one.hits if not hit.holds]
    if not listed:
        return _weighing(hits)
    one, hit = min(listed, key=lambda pair: pair[1].rank)
    through = f", through {listing([part.word for part in hit.telling[:3]])}" if hit.telling else ""
    found = f"{one.title} has “{hit.title}” {ordinal(hit.rank)}{through}"
    return f"{found}: it holds none of the query's words, so BM25 cannot find it."


def _weighing(hits: Hits) -> str:
    """Say which words of the query add the most to the scores of what is found."""
    found = [hit for one in hits.rankings.values() for hit in one.hits if hit.parts and hit.parts[0].share > 0]
    first = Counter(max(hit.parts, key=lambda part: part.share).word for hit in found).most_common(2)
    if len(hits.words) < 2 or not first:
        return ""
    (word, times), *others = first
    then = f", {others[0][0]} in {others[0][1]}" if others else ""
    return f"In {times} of {len(found)} places “{word}” adds most to the score{then}."


def _no_better(hits: Hits) -> str:
    told = [one.title for one in hits.rankings.values() if one.hits and not one.beats_chance]
    first = " and ".join(
        filter(None, [", ".join(f"by {one}" for one in told[:-1]), *(f"by {one}" for one in told[-1:])])
    )
    return f"The first text {first} may be chance: one of {hits.draws} random queries does as well." if told else ""
