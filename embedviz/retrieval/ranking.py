"""Ranks texts for a query by each method, with the parts of their scores and two baselines.

The first baseline is the score of a random text. The second is the best score of random queries: each word of the query
is replaced by a word with about the same document frequency. A first result below the second baseline may be chance.
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import Method, OptionError, choose
from embedviz.core.phrases import listing, shortened
from embedviz.core.space import Ints
from embedviz.core.texts import tokens
from embedviz.neighbors.lists import top
from embedviz.retrieval.bm25 import K1, B
from embedviz.retrieval.hits import LEAST_SCORE, Chance, Hit, Hits, Ranking
from embedviz.retrieval.indexes import Indexed, SearchIndex, index_of, indexed_with
from embedviz.retrieval.snippets import excerpt, snippet

DRAWS = 20
"""Default number of random queries."""
MOST_WORDS = 300
"""Maximum number of different words of a query that are used."""
MARKED = 8
"""Maximum number of words marked in a text: the content words that add most to its score."""
_TELLING = 0.05  # a marked word adds more than this share of the score
_FIRST = 150  # words at the beginning of a text from which an example query is chosen
_OFTEN = 3, 1 / 500  # minimum document frequency of a word in an example query: texts, and share of all texts


@offered(
    "found",
    "for ranking in found.rankings.values():",
    "    for hit in ranking.hits:",
    '        print(ranking.title, hit.rank, f"{hit.score:.2f}", hit.title, sep="  ")',
    "print(found.meaning)",
    "print(found.certainty)",
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
    column: str = "",
    value: str = "",
) -> Hits:
    """Return the best texts for a query by each method, with the parts of their scores and baselines.

    Args:
        query: Any text; its first `MOST_WORDS` different words are used.
        methods: Names in `SEARCHES`; if empty, all methods that have an index.
        k: Length of each ranking.
        draws: Number of random queries.
        seed: Seed of the random queries.
        k1, b: Constants of BM25.
        read: The sentences nearest to the query are found only in the first `read` texts of each ranking; None for all.
        column: A column of the texts, or *group*. Only texts with `value` in this column are searched. The random
            queries search the same texts.

    Raises:
        OptionError: A method has no index of these texts, a number is out of range, there is no such column, or no
            text has the value.
    """
    searched = _with_value(indexed, column, value) if column else None
    if k < 1 or draws < 0:
        raise OptionError(f"k is {k} and draws is {draws}; k is at least 1 and draws at least 0.")
    offered = {row.name: row for row in indexed.methods}
    rows = [choose(offered, name, "index of these texts") for name in methods] or list(offered.values())
    text, words, cut = _read(query)
    turned = indexed_with(indexed, k1, b)
    made = {row.name: index_of(turned, row.name) for row in rows}
    rankings = {}
    for row in rows:
        others = _random_queries(indexed, made[row.name], tokens(text), draws, seed)
        rankings[row.name] = _ranking(
            row, made[row.name], turned, text, words, others, k, k if read is None else read, searched
        )
    compared = len(indexed.texts) if searched is None else len(searched)
    return Hits(query, words, rankings, compared, k, draws, seed, cut, column, value)


def explain(query: str, indexed: Indexed, method: str, row: int) -> Hit:
    """Return the score of the text `row` for a query, with its parts and the text's rank among all texts.

    Raises:
        OptionError: There is no such method or row.
    """
    _check_row(row, indexed)
    index = index_of(indexed, method)
    read, _, _ = _read(query)
    scores = index.scores(read)
    rank = 1 + int(np.count_nonzero(scores > scores[row]))
    return _hit(index, indexed, read, row, rank, float(scores[row]))


def like(row: int, indexed: Indexed, method: str, *, k: int = 10) -> Ranking:
    """Return the k texts nearest to the text `row` by a method, with this text as the query.

    This text is left out of the hits, but counts in their ranks: the nearest other text usually has rank 2. BM25 has
    the constants of the index.

    Raises:
        OptionError: There is no such method or row, or k is negative.
    """
    _check_row(row, indexed)
    query, (k1, b) = indexed.texts.texts[row], (indexed.bm25.k1, indexed.bm25.b)
    found = search(query, indexed, [method], k=k + 1, draws=0, k1=k1, b=b, read=0).rankings[method]
    return replace(found, hits=tuple(hit for hit in found.hits if hit.row != row)[:k])


def examples(indexed: Indexed, count: int = 4) -> list[str]:
    """Return at most `count` example queries, each with up to three distinctive words of one text.

    The texts are evenly spaced in the collection. Function words and single Latin letters are left out.
    """
    made, least = [], max(_OFTEN[0], _OFTEN[1] * len(indexed.texts))
    for row in np.linspace(0, len(indexed.texts) - 1, count).astype(int) if len(indexed.texts) else []:
        words = Counter(tokens(indexed.texts.texts[int(row)])[:_FIRST])
        sentences = [
            word for word in words if word not in indexed.function_words and (len(word) > 1 or not word.isascii())
        ]
        held = [word for word in sentences if indexed.bm25.document_frequency[indexed.bm25.index[word]] >= least]
        chosen = set(sorted(held, key=lambda word: -words[word] * indexed.bm25.idf(word))[:3])
        made.append(" ".join(word for word in words if word in chosen))
    return [query for query in dict.fromkeys(made) if query]


def _with_value(indexed: Indexed, column: str, value: str) -> Ints:
    """Return the rows of the texts that have the value `value` in the column `column`, ascending."""
    known = indexed.texts.filters
    if column not in known:
        raise OptionError(f"These texts have no column “{column[:60]}”. Columns: {listing([*known]) or 'none'}.")
    rows = np.flatnonzero(np.array([each == value for each in known[column]], np.bool_))
    if not len(rows):
        raise OptionError(f"No text has “{value[:60]}” in the column {column[:60]}. Choose another value.")
    return rows


def _check_row(row: int, indexed: Indexed) -> None:
    if not 0 <= row < len(indexed.texts):
        raise OptionError(f"There is no text {row + 1:,}; there are {len(indexed.texts):,}.")


def _read(query: str) -> tuple[str, tuple[str, ...], bool]:
    """Return the query (shortened if needed), its different words, and whether it was shortened."""
    given = tokens(query)
    words = tuple(dict.fromkeys(given))
    if len(words) <= MOST_WORDS:
        return query, words, False
    read = words[:MOST_WORDS]
    allowed = set(read)
    return " ".join(word for word in given if word in allowed), read, True


def _random_queries(indexed: Indexed, index: SearchIndex, words: Sequence[str], draws: int, seed: int) -> list[str]:
    """Return random queries: each word is replaced by a word with about the same document frequency.

    Words that the index does not know are left out.
    """
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
    index: SearchIndex,
    indexed: Indexed,
    query: str,
    words: Sequence[str],
    others: Sequence[str],
    k: int,
    read: int,
    searched: Ints | None = None,
) -> Ranking:
    every = np.asarray(index.several([query, *others]), np.float64)
    scores, *random = every if searched is None else every[:, searched]
    places = [int(found) for found in top(scores, k) if scores[found] > LEAST_SCORE]
    rows = places if searched is None else searched[places].tolist()
    hits = tuple(
        _hit(index, indexed, query, found, rank, float(every[0, found]), rank <= read)
        for rank, found in enumerate(rows, 1)
    )
    median, p95 = np.quantile(scores, [0.5, 0.95]) if len(scores) else (0.0, 0.0)
    chance = Chance(float(median), float(p95), tuple(sorted(float(one.max() - np.median(one)) for one in random)))
    unknown = tuple(word for word in words if not index.knows(word))
    unit = "score" if row.name == "bm25" else "cosine"
    return Ranking(row.name, row.title, unit, hits, unknown, chance, int(np.count_nonzero(scores > LEAST_SCORE)))


def _hit(index: SearchIndex, indexed: Indexed, query: str, row: int, rank: int, score: float, read: bool = True) -> Hit:
    text = indexed.texts.texts[row]
    words = index.text_parts(query, row)
    holds = tuple(part.word for part in indexed.bm25.parts(query, row) if part.share)
    adding = [part for part in words if part.share > 0] if score > LEAST_SCORE else []
    content = [part for part in adding if part.word not in indexed.function_words]
    telling = tuple(part for part in (content or adding)[:MARKED] if part.share > _TELLING * score)
    near = tuple(index.passages(query, row)) if read else ()
    passage = excerpt(text, near[0].start, near[0].end) if near else snippet(text, dict(telling))
    parts = tuple(index.parts(query, row))
    return Hit(row, shortened(text), rank, score, parts, tuple(words), telling, holds, passage, near)
