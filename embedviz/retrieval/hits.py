"""Results of a search: texts with the parts of their scores, rankings with baselines, and sentences about them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from embedviz.core.phrases import counted, joined, number
from embedviz.core.texts import Passage, ScorePart
from embedviz.neighbors.analogy import ordinal
from embedviz.retrieval.snippets import Snippet

LEAST_SCORE = 1e-6
"""Scores up to this value count as 0, since they may be rounding errors."""
FEW_TEXTS = 100
"""With fewer texts, even a right answer often scores no higher than the best random query."""


class Hit(NamedTuple):
    """One text of a ranking.

    Attributes:
        row: Row of the text.
        title: First words of the text.
        rank: Rank of the text, from 1.
        parts: What each word of the query adds to the score; empty if the score is not a sum over words.
        words: What each word of the text adds to the same score; empty if the score is not a sum over words.
        telling: The words of the text that add most to the score, at most `MARKED`, to be marked in the passage.
            Function words are among them only if no content word adds to the score.
        holds: Words of the query that are in the text.
        snippet: The passage whose marked words add most to the score; if there are `passages`, the first of these.
        passages: Sentences of the text, the nearest to the query first; empty if they were not compared.
    """

    row: int
    title: str
    rank: int
    score: float
    parts: tuple[ScorePart, ...]
    words: tuple[ScorePart, ...]
    telling: tuple[ScorePart, ...]
    holds: tuple[str, ...]
    snippet: Snippet
    passages: tuple[Passage, ...] = ()


class Chance(NamedTuple):
    """Baselines of a score.

    Attributes:
        median, p95: The 50th and 95th percentile of this query's scores over the searched texts.
        lifts: Best score minus median score of each random query, ascending; empty if no random query was drawn.
    """

    median: float
    p95: float
    lifts: tuple[float, ...]

    @property
    def tick(self) -> float | None:
        """Return the score where chance is marked: `median` plus the largest of `lifts`; None if `lifts` is empty."""
        return self.median + self.lifts[-1] if self.lifts else None


@dataclass(frozen=True)
class Ranking:
    """The best texts by one method.

    Attributes:
        name, title: Name and title of the method.
        unit: *score* or *cosine*.
        hits: The best texts with a score above 0, at most k.
        unknown: Words of the query that the method does not know.
        answering: Number of texts with a score above 0.
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
        """Return the rows of the texts found."""
        return tuple(hit.row for hit in self.hits)

    @property
    def beats_chance(self) -> bool:
        """Return whether the best text scores above chance, as marked by `Chance.tick`; False if no text was found.

        Without random queries there is no such mark, and every text found counts.
        """
        return bool(self.hits) and (self.chance.tick is None or self.hits[0].score > self.chance.tick)

    @property
    def verdict(self) -> str:
        """Say whether the first text stands out more than the first text of every random query.

        Each score is measured from the median score of its query. Empty if there is no text or no random query.
        """
        if not self.hits or not self.chance.lifts:
            return ""
        label = f"above all {len(self.chance.lifts)}" if self.beats_chance else "not clearly better than"
        return f"First result: {label} random queries"

    @property
    def reach(self) -> float:
        """Return the end of the score axis of this ranking: the largest of the scores and the baselines."""
        return max([*(hit.score for hit in self.hits), self.chance.p95, self.chance.tick or 0.0, LEAST_SCORE])


class SharedTexts(NamedTuple):
    """Number of texts that are in the results of both methods `one` and `other`, and the number expected by chance.

    `k` is the number of results of the method with more results.
    """

    one: str
    other: str
    shared: int
    k: int
    chance: float


@dataclass(frozen=True)
class Hits:
    """Results of a query.

    Attributes:
        words: The different words of the query, in order.
        rankings: Method → its ranking.
        compared: Number of texts searched.
        k: Maximum length of each ranking.
        draws: Number of random queries.
        seed: Seed of the random queries.
        cut: Whether the query was shortened because it had too many words.
        column, value: Only texts with this value in this column were searched; both are empty if all were.
    """

    query: str
    words: tuple[str, ...]
    rankings: Mapping[str, Ranking]
    compared: int
    k: int
    draws: int
    seed: int
    cut: bool
    column: str = ""
    value: str = ""

    def first(self, k: int) -> Hits:
        """Return the same results with only the first k texts of each ranking."""
        cut = {name: replace(one, hits=one.hits[:k]) for name, one in self.rankings.items()}
        return replace(self, rankings=cut, k=min(k, self.k))

    @property
    def found(self) -> bool:
        """Return whether at least one method found a text."""
        return any(one.hits for one in self.rankings.values())

    @property
    def nowhere(self) -> tuple[str, ...]:
        """Return the words of the query that no method knows, apart from function words."""
        from embedviz.corpus.function_words import ENGLISH

        unknown = [set(one.unknown) for one in self.rankings.values()]
        every = [word for word in self.words if word not in ENGLISH]
        return tuple(word for word in every if all(word in words for words in unknown))

    @property
    def agreement(self) -> tuple[SharedTexts, ...]:
        """Return, for each pair of methods that found texts, how many texts are among the results of both."""
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
    def sample(self) -> str:
        """Say how many texts were searched, and which ones if not all."""
        return self.searched_by(self.column)

    def searched_by(self, column: str) -> str:
        """Return the sentence `sample`, which says how many texts were searched, with `column` as the column's name."""
        texts = f"{self.compared:,} text{'' if self.compared == 1 else 's'}"
        if self.column:
            return f"Exact search over the {texts} with {column[:60]} = “{self.value[:60]}”."
        return f"Exact search over {texts}."

    @property
    def baseline(self) -> str:
        """Explain the baselines: the score of a random text, and the mark (tick) of the random queries on the axis."""
        if not any(one.chance.lifts and one.hits for one in self.rankings.values()):
            return "There are too few words for random queries."
        medians = joined([f"{one.title} {number(one.chance.median)}" for one in self.rankings.values() if one.hits])
        return (
            f"Score of a random text: {medians}. The tick is the best of {self.draws} random queries: "
            "other words with about the same document frequency, measured from the score of a random text. "
            "They score as high as the results below the tick."
        )

    @property
    def meaning(self) -> str:
        """Say which text the methods rank first, and add one remark on the results; empty if no text was found.

        The remark is about function words, a text without a word of the query, the weight of the words, or the
        agreement of the methods.
        """
        if not self.found:
            return ""
        first = _first(self)
        return f"{first} {_idle(self) or _without(self, first) or _weighing(self) or _agreed(self)}".strip()

    def idle_words(self, hit: Hit) -> tuple[str, ...]:
        """Return the function words that a text shares with the query; empty if the text shares another word too.

        The result is also empty for a query of function words only.
        """
        from embedviz.corpus.function_words import ENGLISH

        idle = ENGLISH.issuperset(hit.holds) and not ENGLISH.issuperset(self.words)
        return hit.holds if idle else ()

    @property
    def front(self) -> str:
        """Return the name of the ranking to show first; empty if there is no ranking.

        It is the ranking in which a text without any word of the query has the highest rank. If no ranking has such a
        text, it is the first of `rankings`.
        """
        found = _wordless(self)
        return found[0].name if found else next(iter(self.rankings), "")

    @property
    def beyond(self) -> str:
        """Name the methods whose first result is above all random queries; empty if these are all methods or none."""
        tested = _tested(self)
        above = [one.title for one in tested if one.beats_chance]
        first = "results of {} beat" if len(above) > 1 else "result of {} beats"
        return f"Only the first {first.format(joined(above))} chance." if 0 < len(above) < len(tested) else ""

    @property
    def doubt(self) -> str:
        """Name the methods whose first result may be chance, or say that there is no such method.

        The text is empty if there are no random queries.
        """
        return _doubt(self)

    @property
    def certainty(self) -> str:
        """Say whether the scores of the first results are above those of random queries."""
        return f"{self.beyond} {self.doubt}".strip()

    @property
    def agreed(self) -> str:
        """Say how many results the most similar and the least similar pair of methods share.

        Empty unless at least two methods found texts.
        """
        return _agreed(self) if self.found else ""

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return the header and one row for each result of each method, with the parts of its score."""
        rows: list[tuple[Any, ...]] = []
        for one in self.rankings.values():
            for hit in one.hits:
                parts = ", ".join(f"{part.word} {number(part.share)}" for part in hit.parts if part.share)
                rows.append((one.title, hit.rank, hit.row, hit.score, parts, hit.snippet.text))
        return ("method", "rank", "row", "score", "words", "passage"), rows


def repeated(hits: Sequence[Hit], texts: Sequence[str]) -> list[str]:
    """Return one note per result: which earlier result, by its rank, has the same text or passage.

    The note is empty if no earlier result has the same text or passage.
    """
    of_text: dict[str, int] = {}
    of_passage: dict[str, int] = {}
    found = []
    for hit in hits:
        same = of_text.setdefault(texts[hit.row], hit.rank)
        alike = of_passage.setdefault(hit.snippet.text, hit.rank)
        other = f"another text with the same passage as {alike}" if alike != hit.rank else ""
        found.append(f"same text as {same}" if same != hit.rank else other)
    return found


def _agreed(hits: Hits) -> str:
    """Compare the pair of methods that shares the most results with the pair that shares the fewest."""
    pairs = sorted(hits.agreement, key=lambda pair: pair.shared / pair.k)
    if not pairs:
        return ""
    least, most = pairs[0], pairs[-1]
    sentence = f"{most.one} and {most.other} share {most.shared} of their first {counted(most.k, 'text')}"
    if len(pairs) > 1 and least.shared / least.k < most.shared / most.k:
        sentence += f"; {least.one} and {least.other} share {least.shared} of {least.k}"
    return f"{sentence} (by chance {number(max(most.chance, least.chance))})."


def _first(hits: Hits) -> str:
    """Name the text that most methods rank first, or say that each method ranks a different text first.

    Texts with the same title count as the same text.
    """
    firsts = [one for one in hits.rankings.values() if one.hits]
    (title, times), *_ = Counter(one.hits[0].title for one in firsts).most_common(1)
    if times == 1 < len(firsts):
        return f"{'Both methods rank another' if len(firsts) == 2 else 'Each method ranks another'} text first."
    agreed = [one.title for one in firsts if one.hits[0].title == title]
    return f"{joined(agreed)} {'ranks' if times == 1 else 'rank'} “{title}” first."


def _idle(hits: Hits) -> str:
    """Say that the first text of BM25 shares only function words with the query; empty if the text shares others."""
    found = hits.rankings.get("bm25")
    words = hits.idle_words(found.hits[0]) if found is not None and found.hits else ()
    if found is None or not words:
        return ""
    return f"The first text of {found.title} shares only {joined([f'“{word}”' for word in words])} with the query."


def _wordless(hits: Hits) -> tuple[Ranking, Hit] | None:
    """Return the highest-ranked text without a word of the query, over all rankings, after its ranking.

    The result is None if every found text has a word of the query.
    """
    listed = [(one, hit) for one in hits.rankings.values() for hit in one.hits if not hit.holds]
    return min(listed, key=lambda pair: pair[1].rank) if listed else None


def _without(hits: Hits, first: str) -> str:
    """Name the highest-ranked text that has no word of the query; empty if there is no such text.

    Args:
        first: The sentence before. If this sentence names the text already, the name is not repeated.
    """
    found = _wordless(hits)
    if found is None:
        return ""
    one, hit = found
    if hit.rank == 1 and f"“{hit.title}”" in first:
        return "This text has no word of the query, so BM25 cannot find it."
    words = [part.word for part in hit.telling[:3]]
    through = f", because of {joined([f'“{word}”' for word in words])}" if words else ""
    ranked = f"{one.title} ranks “{hit.title}” {ordinal(hit.rank)}{through}"
    return f"{ranked}. This text has no word of the query, so BM25 cannot find it."


def _weighing(hits: Hits) -> str:
    """Say for the two most important words of the query in how many results each word adds most to the score."""
    weighed = {one.title: [hit for hit in one.hits if _has_parts(hit)] for one in hits.rankings.values()}
    found = [hit for listed in weighed.values() for hit in listed]
    first = Counter(max(hit.parts, key=lambda part: part.share).word for hit in found).most_common(2)
    if len(hits.words) < 2 or not first:
        return ""
    (word, times), *others = first
    then = f", “{others[0][0]}” in {others[0][1]}" if others else ""
    of = joined([title for title, listed in weighed.items() if listed])
    return f"In {times} of the {len(found)} results of {of}, “{word}” adds most to the score{then}."


def _has_parts(hit: Hit) -> bool:
    """Return whether any word of the query adds to the score."""
    return bool(hit.parts) and hit.parts[0].share > 0


def _tested(hits: Hits) -> list[Ranking]:
    """Return the rankings that have both a result and random queries to compare the result with."""
    return [one for one in hits.rankings.values() if one.hits and one.chance.lifts]


def _doubt(hits: Hits) -> str:
    """Name the methods whose first result scores no higher than random queries, or say that there is no such method."""
    tested = _tested(hits)
    chance = [one.title for one in tested if not one.beats_chance]
    if not chance:
        return f"Every first result is above {hits.draws} random queries." if tested else ""
    results = "results" if len(chance) > 1 else "result"
    verb = "is" if hits.compared == 1 else "are"
    few = f", and {counted(hits.compared, 'text')} {verb} too few to tell" if hits.compared < FEW_TEXTS else ""
    return (
        f"Random queries score as high as the first {results} of {joined(chance)}{few}: read "
        f"{'these texts' if len(chance) > 1 else 'this text'} to judge."
    )
