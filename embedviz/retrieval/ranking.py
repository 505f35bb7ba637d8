"""The texts that answer a query by each method, what made their scores, and what chance gives.

Two baselines stand beside every score: what this query gives a random text of the collection, and how far above that
the best text stands for queries of as many other words, each about as common as the word it stands for. A first text
below the second is what any words would have found.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import Method, OptionError, choose, table
from embedviz.core.phrases import listing, number
from embedviz.core.texts import Part, Passage, Texts, TextSpace, tokens
from embedviz.corpus.function_words import function_words
from embedviz.neighbors import similarities
from embedviz.neighbors.analogy import ordinal
from embedviz.neighbors.lists import top
from embedviz.retrieval.bm25 import BM25, K1, B
from embedviz.retrieval.snippets import Snippet, excerpt, opening, snippet

DRAWS = 20
"""Random queries that a best score is held against."""
MOST_WORDS = 300
"""Different words of a query that are read."""
MARKED = 8
"""Words of a text that are marked at most: those with the greatest shares of its score."""
_TELLING = 0.05  # of the score: words after the third with less are not marked
_NONE = 1e-6  # a score below is rounding
_AS_COMMON = (
    100  # words before and after one in the order of how many texts hold them, from which its stand-in is drawn
)
_FIRST = 150  # words of a text in which an example is looked for
_OFTEN = 3, 1 / 500  # texts that hold a word of an example, at least; the same as a share of all

Scores = NDArray[np.float64]


class Index(Protocol):
    """What a method needs to answer queries over n texts."""

    def scores(self, query: str) -> Scores:
        """The score of every text, (n,); 0 for no answer."""

    def parts(self, query: str, row: int) -> list[Part]:
        """What each word of the query adds to the score of a text, the greatest first; they sum to it."""

    def words(self, query: str, row: int) -> list[Part]:
        """What each word of the text adds to the same score, the greatest first; they sum to it as well."""

    def knows(self, word: str) -> bool:
        """Whether the word can change a score."""

    def passages(self, query: str, row: int) -> list[Passage]:
        """The sentences of the text, the nearest to the query first; none where a method reads words alone."""


@dataclass(frozen=True, eq=False)
class Words:
    """BM25 as a way to search."""

    index: BM25

    def scores(self, query: str) -> Scores:
        """See `Index`."""
        return self.index.scores(query)

    def parts(self, query: str, row: int) -> list[Part]:
        """See `Index`."""
        return self.index.parts(query, row)

    def words(self, query: str, row: int) -> list[Part]:
        """The words that query and text share: here both sides are the same words."""
        return [part for part in self.index.parts(query, row) if part.share]

    def knows(self, word: str) -> bool:
        """See `Index`."""
        return self.index.knows(word)

    def passages(self, query: str, row: int) -> list[Passage]:
        """None: words alone are read."""
        return []


@dataclass(frozen=True, eq=False)
class Cosines:
    """Cosines of text vectors as a way to search."""

    vectors: TextSpace

    def scores(self, query: str) -> Scores:
        """See `Index`; a text or a query without a vector gives 0."""
        found: Scores = self.several([query])[0]
        return found

    def several(self, queries: Sequence[str]) -> Scores:
        """The scores of several queries, (m, n), in one pass over the rows where the vectors allow it."""
        if self.vectors.several is not None:
            return np.asarray(self.vectors.several(queries), np.float64)
        if self.vectors.scores is not None:
            return np.stack([np.asarray(self.vectors.scores(query), np.float64) for query in queries])
        encoded = np.stack([self.vectors.encode(query) for query in queries])
        scores = np.asarray(similarities(self.vectors.space, encoded), np.float64)
        scores[~np.isfinite(scores)] = 0.0
        return scores

    def parts(self, query: str, row: int) -> list[Part]:
        """See `Index`; empty for a method whose score is no sum over words."""
        return self.vectors.parts(query, row) if self.vectors.parts is not None else []

    def words(self, query: str, row: int) -> list[Part]:
        """See `Index`; empty for a method whose score is no sum over words."""
        return self.vectors.words(query, row) if self.vectors.words is not None else []

    def knows(self, word: str) -> bool:
        """Whether the word alone has a vector, or a score."""
        if self.vectors.knows is not None:
            return self.vectors.knows(word)
        return bool(np.any((self.vectors.scores or self.vectors.encode)(word)))

    def passages(self, query: str, row: int) -> list[Passage]:
        """See `Index`."""
        return self.vectors.passages(query, row) if self.vectors.passages is not None else []


@dataclass(frozen=True, eq=False)
class Indexed:
    """Texts that can be searched.

    Attributes:
        texts: What they say.
        bm25: Their words.
        spaces: Name of a method, as in `SEARCHES`, to the vectors it made of these texts, row for row.
    """

    texts: Texts
    bm25: BM25
    spaces: Mapping[str, TextSpace]

    def __post_init__(self) -> None:
        for name, rows in {
            "bm25": len(self.bm25),
            **{name: len(one.space) for name, one in self.spaces.items()},
        }.items():
            if rows != len(self.texts):
                raise OptionError(f"The index of {name} has {rows:,} texts; there are {len(self.texts):,}.")

    @property
    def methods(self) -> list[Method]:
        """The rows of `SEARCHES` that these texts can be searched by."""
        return [row for name, row in SEARCHES.items() if name == "bm25" or name in self.spaces]

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each text by its key."""
        return {key: row for row, key in enumerate(self.texts.keys)}

    @cached_property
    def by_frequency(self) -> NDArray[np.int64]:
        """Places of the words of `bm25` by the number of texts that hold them, rarest first."""
        return np.argsort(self.bm25.held, kind="stable").astype(np.int64)

    @cached_property
    def _ranks(self) -> NDArray[np.int64]:
        ranks = np.empty(len(self.by_frequency), np.int64)
        ranks[self.by_frequency] = np.arange(len(ranks))
        return ranks

    def as_common(self, word: str) -> list[str]:
        """Words that stand in about as many texts as this one, itself left out; the rarest for a word in no text."""
        place = self.bm25.index.get(word)
        rank = 0 if place is None else int(self._ranks[place])
        low = max(0, min(rank - _AS_COMMON, len(self._ranks) - 2 * _AS_COMMON - 1))
        near = self.by_frequency[low : low + 2 * _AS_COMMON + 1]
        return [self.bm25.listed[other] for other in near.tolist() if other != place]


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
        return max([*(hit.score for hit in self.hits), self.chance.p95, self.chance.tick or 0.0, _NONE])


class Agreement(NamedTuple):
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
    def agreement(self) -> tuple[Agreement, ...]:
        """Each pair of methods that found anything."""
        answered = [one for one in self.rankings.values() if one.hits]
        return tuple(
            Agreement(
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

    def table(self) -> Iterator[tuple[str, int, int, float, str, str]]:
        """Rows of method, rank, row, score, words of the query with their parts, passage."""
        for one in self.rankings.values():
            for hit in one.hits:
                parts = ", ".join(f"{part.word} {number(part.share)}" for part in hit.parts if part.share)
                yield one.title, hit.rank, hit.row, hit.score, parts, hit.snippet.text


@offered(
    "found",
    "for ranking in found.rankings.values():",
    "    for hit in ranking.hits:",
    '        print(ranking.title, hit.rank, f"{hit.score:.2f}", hit.title, sep="  ")',
    "print(found.meaning)",
)
def search(
    query: str,
    indexed: Indexed,
    methods: Sequence[str] = (),
    *,
    k: int = 10,
    draws: int = DRAWS,
    seed: int = 0,
    k1: float = K1.default,
    b: float = B.default,
    read: int | None = None,
) -> Hits:
    """The nearest texts to a query by each method, with what made their scores and what chance gives.

    Args:
        query: Any text; of its different words the first `MOST_WORDS` are read.
        methods: Names of `SEARCHES`; all that the texts are indexed for where none is given.
        k: Texts that each method gives.
        draws: Random queries that the best score is held against.
        seed: Of their drawing.
        k1, b: The constants of BM25.
        read: Texts of each ranking that are read again for the sentence nearest to the query; all where it is None.

    Raises:
        OptionError: A method is not there, or the texts are not indexed for it; a number is out of range.
    """
    if k < 1 or draws < 0:
        raise OptionError(f"k is {k} and draws is {draws}; at least one text is given, and no fewer than no draws.")
    offered = {row.name: row for row in indexed.methods}
    rows = [choose(offered, name, "index of these texts") for name in methods] or list(offered.values())
    said, words, cut = _read(query)
    turned = indexed if (k1, b) == (indexed.bm25.k1, indexed.bm25.b) else indexed_with(indexed, k1, b)
    made = {row.name: index_of(turned, row.name) for row in rows}
    rankings = {}
    for row in rows:
        others = _random_queries(indexed, made[row.name], tokens(said), draws, seed)
        rankings[row.name] = _ranking(row, made[row.name], turned, said, words, others, k, k if read is None else read)
    return Hits(query, words, rankings, len(indexed.texts), k, draws, seed, cut)


def explain(query: str, indexed: Indexed, method: str, row: int) -> Hit:
    """What made the score of one text, whether it is among the first or not; its rank is that among all texts.

    Raises:
        OptionError: The method is not there, or there is no such row.
    """
    _check_row(row, indexed)
    index = index_of(indexed, method)
    read, _, _ = _read(query)
    scores = index.scores(read)
    rank = 1 + int(np.count_nonzero(scores > scores[row]))
    return _hit(index, indexed, read, row, rank, float(scores[row]))


def like(row: int, indexed: Indexed, method: str, *, k: int = 10) -> Ranking:
    """The texts nearest to one of the texts by a method; a text of very many words is read as a query is.

    Raises:
        OptionError: The method is not there, or there is no such row.
    """
    _check_row(row, indexed)
    found = search(indexed.texts.texts[row], indexed, [method], k=k + 1, draws=0, read=0).rankings[method]
    return replace(found, hits=tuple(hit for hit in found.hits if hit.row != row)[:k])


def examples(indexed: Indexed, count: int = 4) -> list[str]:
    """Queries that fit the texts: the words that tell some of them, spread evenly, from the others.

    No function words, and no single letters of an alphabet.
    """
    made, least = [], max(_OFTEN[0], _OFTEN[1] * len(indexed.texts))
    idle = function_words(indexed.bm25.listed, indexed.bm25.held, len(indexed.texts))
    for row in np.linspace(0, len(indexed.texts) - 1, count).astype(int) if len(indexed.texts) else []:
        words = Counter(tokens(indexed.texts.texts[int(row)])[:_FIRST])
        told = [word for word in words if word not in idle and (len(word) > 1 or not word.isascii())]
        held = [word for word in told if indexed.bm25.held[indexed.bm25.index[word]] >= least]
        chosen = set(sorted(held, key=lambda word: -words[word] * indexed.bm25.idf(word))[:3])
        made.append(" ".join(word for word in words if word in chosen))
    return [query for query in dict.fromkeys(made) if query]


def indexed_with(indexed: Indexed, k1: float, b: float) -> Indexed:
    """The same texts with other constants of BM25.

    Raises:
        OptionError: One of them is out of range.
    """
    return Indexed(indexed.texts, indexed.bm25.turned(k1, b), indexed.spaces)


def index_of(indexed: Indexed, name: str) -> Index:
    """What answers queries by the method of that name.

    Raises:
        OptionError: There is no such method, or the texts are not indexed for it.
    """
    row = choose({row.name: row for row in indexed.methods}, name, "index of these texts")
    made: Index = row.function(indexed)
    return made


def _check_row(row: int, indexed: Indexed) -> None:
    if not 0 <= row < len(indexed.texts):
        raise OptionError(f"There is no text {row + 1:,}; there are {len(indexed.texts):,}.")


def _read(query: str) -> tuple[str, tuple[str, ...], bool]:
    """The query as it is read, its different words, and whether it had more."""
    asked = tokens(query)
    words = tuple(dict.fromkeys(asked))
    if len(words) <= MOST_WORDS:
        return query, words, False
    read = words[:MOST_WORDS]
    kept = set(read)
    return " ".join(word for word in asked if word in kept), read, True


def _random_queries(indexed: Indexed, index: Index, words: Sequence[str], draws: int, seed: int) -> list[str]:
    """Queries of other words: for each word that the method knows, one that stands in about as many texts."""
    generator = np.random.default_rng(seed)
    columns = []
    for word, times in Counter(words).items():
        near = indexed.as_common(word) if index.knows(word) else []
        mixed = (near[place] for place in generator.permutation(len(near)).tolist())
        drawn = list(itertools.islice((other for other in mixed if index.knows(other)), draws))
        if drawn:
            columns.append([" ".join([drawn[draw % len(drawn)]] * times) for draw in range(draws)])
    return [" ".join(query) for query in zip(*columns, strict=True)]


def _ranking(
    row: Method,
    index: Index,
    indexed: Indexed,
    query: str,
    words: Sequence[str],
    others: Sequence[str],
    k: int,
    read: int,
) -> Ranking:
    scores, *random = all_scores(index, [query, *others])
    rows = [int(found) for found in top(scores, k) if scores[found] > _NONE]
    hits = tuple(
        _hit(index, indexed, query, found, rank, float(scores[found]), rank <= read)
        for rank, found in enumerate(rows, 1)
    )
    median, p95 = np.quantile(scores, [0.5, 0.95]) if len(scores) else (0.0, 0.0)
    chance = Chance(float(median), float(p95), tuple(sorted(float(one.max() - np.median(one)) for one in random)))
    unknown = tuple(word for word in words if not index.knows(word))
    unit = "score" if row.name == "bm25" else "cosine"
    return Ranking(row.name, row.title, unit, hits, unknown, chance, int(np.count_nonzero(scores > _NONE)))


def all_scores(index: Index, queries: Sequence[str]) -> Sequence[Scores]:
    """The scores of each of several queries, in one pass over the rows where the method allows it."""
    if isinstance(index, Cosines):
        return list(index.several(queries))
    return [index.scores(query) for query in queries]


def _hit(index: Index, indexed: Indexed, query: str, row: int, rank: int, score: float, read: bool = True) -> Hit:
    text = indexed.texts.texts[row]
    words = index.words(query, row)
    holds = tuple(part.word for part in indexed.bm25.parts(query, row) if part.share)
    least = [0.0] * 3 + [_TELLING * score] * (MARKED - 3)
    telling = tuple(part for part, bound in zip(words, least, strict=False) if part.share > bound)
    if score <= _NONE:
        telling = ()
    near = tuple(index.passages(query, row)) if read else ()
    passage = excerpt(text, near[0].start, near[0].end) if near else snippet(text, dict(telling))
    parts = tuple(index.parts(query, row))
    return Hit(row, opening(text), rank, score, parts, tuple(words), telling, holds, passage, near)


def _agreed(hits: Hits) -> str:
    """The pair that agrees most and the pair that agrees least."""
    pairs = sorted(hits.agreement, key=lambda pair: pair.shared / pair.k)
    if not pairs:
        return ""
    least, most = pairs[0], pairs[-1]
    said = f"{most.one} and {most.other} share {most.shared} of their first {most.k}"
    if len(pairs) > 1 and least.shared / least.k < most.shared / most.k:
        said += f"; {least.one} and {least.other} {least.shared} of {least.k}"
    return f"{said} (by chance {number(max(most.chance, least.chance))})."


def _without(hits: Hits) -> str:
    """The first text that was found without any word of the query, and in how many places such texts stand."""
    listed = [(one, hit) for one in hits.rankings.values() for hit in one.hits if not hit.holds]
    if not listed:
        return _weighing(hits)
    one, hit = min(listed, key=lambda pair: pair[1].rank)
    through = f", through {listing([part.word for part in hit.telling[:3]])}" if hit.telling else ""
    found = f"{one.title} has “{hit.title}” {ordinal(hit.rank)}{through}"
    return f"{found}: it holds none of the query's words, so BM25 cannot find it."


def _weighing(hits: Hits) -> str:
    """Which words of the query add the most to the scores of what is found."""
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


def _bm25(indexed: Indexed) -> Index:
    return Words(indexed.bm25)


def _cosines(name: str) -> Callable[[Indexed], Index]:
    return lambda indexed: Cosines(indexed.spaces[name])


SEARCHES = table(
    Method(
        "bm25",
        "BM25",
        _bm25,
        (K1, B),
        "Counts the query's own words, rare ones more, in long texts less. It finds no text by another word.",
        "Robertson and Zaragoza 2009",
    ),
    Method(
        "tfidf",
        "TF-IDF",
        _cosines("tfidf"),
        (),
        "The cosine of weighted word counts: like BM25 it needs the very words.",
        "Salton and Buckley 1988",
    ),
    Method(
        "lsa",
        "LSA",
        _cosines("lsa"),
        (),
        "TF-IDF in 100 directions: words that stand in the same texts lie close, so a text may answer by another word.",
        "Deerwester and others 1990",
    ),
    Method(
        "mean",
        "Mean",
        _cosines("mean"),
        (),
        "The cosine of the means of the word vectors: words near in the space answer, common words blur it.",
    ),
    Method(
        "sif",
        "SIF",
        _cosines("sif"),
        (),
        "The mean with frequent words held back and the common direction taken out.",
        "Arora, Liang and Ma 2017",
    ),
    Method(
        "encoder",
        "Encoder",
        _cosines("encoder"),
        (),
        "The cosine of whole texts as a language model reads them: a text may answer without any word of the query.",
        "Reimers and Gurevych 2019",
    ),
)
BY_WORDS = tuple(name for name in SEARCHES if name != "encoder")
"""The methods that need no encoder: the server itself answers by them."""
