"""Vectors of texts from their word counts. `DOCUMENTS` is the table of methods.

The vector of a text is a weighted sum over its words, divided by a length or a number of words. Every method returns a
`BagEncoder`, the matrix of the texts, and a note.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from embedviz.core.options import Choice, Method, OptionError, Parameter, check, choose, table
from embedviz.core.phrases import share
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Float, Ints, Origin, VectorSpace
from embedviz.core.texts import Texts, tokens
from embedviz.corpus import Terms, count_terms
from embedviz.corpus.weighting import MOST_DENSE, at_length_one, idf, right_singular
from embedviz.retrieval.spaces.bags import BagEncoder, BagSpace
from embedviz.retrieval.spaces.summary import BagSummary, BuiltSpace, space_of

MOST_TABLE = 2**28
"""Maximum size in bytes of the word vectors that a text space keeps to encode other texts."""
MOST_COMPONENTS = 500
_TINY = float(np.finfo(np.float32).tiny)
Maker = tuple[BagEncoder, Float, str]
"""Result of a method: the encoder, the matrix of the texts, (n, d), and a note."""


def tfidf(
    terms: Terms, words: VectorSpace | None = None, *, columns: int, min_df: int, report: Report | None = None
) -> Maker:
    """Weight the counts of words by ln((1 + n) / (1 + df)) + 1. The columns of the matrix are the most frequent words.

    Rows of the returned matrix are scaled to length 1 over these columns. A search uses the rows of the encoder
    (`BagEncoder.rows`), which are scaled to length 1 over all words.

    Raises:
        OptionError: No word is in `min_df` texts.
    """
    weights, weighted = _weighted(terms, min_df)
    room = max(1, MOST_DENSE // (4 * max(1, len(terms))))
    usable = np.flatnonzero(terms.documents >= min_df)
    chosen = usable[np.argsort(-terms.totals[usable], kind="stable")][: min(columns, room)]
    places = np.full(len(terms.vocabulary), -1, np.int64)
    places[chosen] = np.arange(len(chosen))
    matrix = np.ascontiguousarray(at_length_one(weighted[:, chosen]).toarray(), np.float32)
    rows = at_length_one(weighted).astype(np.float32)
    encoder = BagEncoder(terms.vocabulary, weights, None, places, True, (rows.indptr, rows.indices, rows.data))
    note = (
        "" if len(chosen) == len(usable) else f"The {len(chosen):,} most frequent of {len(usable):,} words are columns."
    )
    return encoder, matrix, note


def lsa(
    terms: Terms,
    words: VectorSpace | None = None,
    *,
    components: int,
    min_df: int,
    seed: int,
    report: Report | None = None,
) -> Maker:
    """Return an encoder from word counts, the vectors of the texts, and a note on the result.

    The vectors are U Σ, (n, c): TF-IDF rows of length one, projected onto their first c right singular vectors. The
    number c is `components`, or the largest possible number if that is lower.

    Raises:
        OptionError: There are fewer than two texts or fewer than two usable words.
    """
    weights, weighted = _weighted(terms, min_df)
    rows = at_length_one(weighted)
    usable = int((terms.documents >= min_df).sum())
    most = min(len(terms), usable) - 1
    if most < 1:
        raise OptionError(f"LSA needs two texts and two words at least; here are {len(terms):,} and {usable:,}.")
    found = min(components, most)
    right, how = right_singular(rows, found, seed)
    matrix = np.ascontiguousarray(rows @ right, np.float32)
    total = float(rows.multiply(rows).sum()) or 1.0
    limited = (
        f"The components hold {share(float((matrix.astype(np.float64) ** 2).sum()) / total)} of TF-IDF’s squared sum."
    )
    cut = f"These texts have {found:,} components at most." if found < components else ""
    vectors = np.asarray(right, np.float32)
    return (
        BagEncoder(terms.vocabulary, weights, vectors, None, True),
        matrix,
        " ".join(filter(None, [limited, how, cut])),
    )


def mean(terms: Terms, words: VectorSpace | None = None, *, vectors: str, report: Report | None = None) -> Maker:
    """Average, for each text, the vectors of its words; a repeated word counts each time.

    Raises:
        OptionError: No space of words is given, or it has no word of the texts.
    """
    vocabulary, found, known, _ = _vectors(terms, words, vectors)
    encoder = BagEncoder(vocabulary, np.ones(len(vocabulary), np.float32), found, None, False)
    return encoder, _means(terms, known, encoder), ""


def sif(
    terms: Terms,
    words: VectorSpace | None = None,
    *,
    a: float,
    frequencies: str,
    remove: int,
    vectors: str,
    report: Report | None = None,
) -> Maker:
    """Average each text's word vectors with weights a / (a + p(w)), then remove the averages' first singular vectors.

    p(w) is the share of word w among all words, of the texts or of the space (`frequencies`). If p is taken from the
    texts, a word that is not in the texts has p = 0 and so the weight 1.

    Raises:
        OptionError: No space of words is given, it has no word of the texts, or `frequencies` is *space* and it has
            no counts.
    """
    vocabulary, found, known, rows = _vectors(terms, words, vectors)
    if frequencies == "space":
        if words is None or words.counts is None:
            raise OptionError("This space of words has no counts; take the frequencies from the texts.")
        counts = words.counts[rows].astype(np.float64)
        total = float(words.counts.sum())
    else:
        counts = np.asarray(
            [terms.totals[terms.index[word]] if word in terms.index else 0 for word in vocabulary], np.float64
        )
        total = float(terms.totals.sum())
    weights = np.asarray(a / (a + counts / max(1.0, total)), np.float32)
    encoder = BagEncoder(vocabulary, weights, found, None, False)
    matrix = _means(terms, known, encoder)
    common = min(remove, len(terms) - 1, found.shape[1] - 1)
    if common < 1:
        return (
            encoder,
            matrix,
            "" if remove < 1 else "No direction is removed: there is one text, or one dimension.",
        )
    directions = np.linalg.svd(matrix.astype(np.float64), full_matrices=False)[2][:common]
    part = float(((matrix @ directions.T) ** 2).sum() / max(_TINY, float((matrix.astype(np.float64) ** 2).sum())))
    cleaned = np.asarray(found - (found @ directions.T) @ directions, np.float32)
    encoder = replace(encoder, vectors=cleaned)
    what = "first singular vector" if common == 1 else f"first {common} singular vectors"
    note = f"Removed: the {what}, with {share(part)} of the rows’ squared length."
    return encoder, _means(terms, known, encoder), note


DOCUMENTS: dict[str, Method] = table(
    Method(
        "tfidf",
        "TF-IDF",
        tfidf,
        (
            Parameter(
                "columns", 50, 10_000, 2_000, "Number of words that become columns, the most frequent first.", "Columns"
            ),
            Parameter("min_df", 1, 100, 1, "Words in fewer texts are left out.", "Minimum document frequency"),
        ),
        "Word counts in which rare words count more. Two texts are similar only through words that both contain.",
        "Spärck Jones 1972; scikit-learn’s smoothed form, ln((1 + n) / (1 + df)) + 1 for n texts, of which df have the "
        "word; rows have length 1",
        long=True,
    ),
    Method(
        "lsa",
        "LSA",
        lsa,
        (
            Parameter(
                "components",
                1,
                lambda n: min(MOST_COMPONENTS, max(1, n - 1)),
                100,
                "More components keep more of TF-IDF; fewer merge words that occur in the same texts.",
                "Components",
            ),
            Parameter("min_df", 1, 100, 1, "Words in fewer texts are left out.", "Minimum document frequency"),
            Parameter("seed", 0, 2**31 - 1, 0, "Seed of the randomized decomposition of many texts.", "Seed"),
        ),
        "TF-IDF reduced to its first singular vectors (U Σ). Texts are similar through words that occur together.",
        "Deerwester et al. 1990",
        long=True,
    ),
    Method(
        "mean",
        "Mean of words",
        mean,
        (Choice("vectors", ("unit", "raw"), "unit", "Word vectors at length 1, or with their own length.", "Vectors"),),
        "The average of the word vectors of a text. A repeated word counts each time.",
        long=True,
    ),
    Method(
        "sif",
        "SIF",
        sif,
        (
            Parameter(
                "a",
                1e-5,
                1.0,
                1e-3,
                "The weight of a word is a / (a + p): with a small a, frequent words count less.",
                "a",
            ),
            Choice(
                "frequencies",
                ("texts", "space"),
                "texts",
                "Source of p, the share of the word among all words.",
                "p from",
            ),
            Parameter("remove", 0, 10, 1, "Number of first singular vectors that are removed.", "Removed directions"),
            Choice("vectors", ("raw", "unit"), "raw", "Word vectors with their own length, or at length 1.", "Vectors"),
        ),
        "The average of the word vectors of a text, in which frequent words count less. The direction that all texts "
        "share is removed.",
        "Arora, Liang and Ma 2017",
        long=True,
    ),
)
NEEDS_WORDS = ("mean", "sif")
"""Methods that need word vectors."""


def bag_space(
    texts: Texts,
    method: str,
    words: VectorSpace | None,
    terms: Terms | None,
    report: Report | None,
    options: Mapping[str, Any],
) -> BuiltSpace[BagSpace]:
    """Make a space of texts by a method of `DOCUMENTS`.

    Raises:
        OptionError: The method is unknown, an option is out of range, the texts have no word, or the method needs word
            vectors and has none.
    """
    row = choose(DOCUMENTS, method, "method for texts")
    values = check(row, options, texts)
    terms = count_terms(texts.texts, report=part(report, 0.0, 0.5)) if terms is None else terms
    if not len(terms.vocabulary):
        raise OptionError("There is no word in these texts: a word is a run of letters.")
    tell(report, 0.5, f"{row.title} of {len(texts):,} texts")
    encoder, matrix, note = row.function(terms, words, **values, report=report)
    known = np.asarray([word in encoder.index for word in terms.vocabulary])
    if encoder.vectors is None or method == "lsa":
        known &= terms.documents >= values["min_df"]
    missing = np.flatnonzero(~known)
    missing = missing[np.argsort(-terms.totals[missing], kind="stable")][:20] if method in NEEDS_WORDS else missing[:0]
    summary = BagSummary(
        method,
        values,
        len(texts),
        matrix.shape[1],
        int((~matrix.any(axis=1)).sum()),
        int(terms.totals.sum()),
        int(terms.totals[known].sum()),
        len(terms.vocabulary),
        tuple(terms.vocabulary[number] for number in missing.tolist()),
        words.origin.name if words is not None and method in NEEDS_WORDS else "",
        note,
    )
    parameters = {"texts": texts.name, "method": method, **values, **({"words": summary.vectors} if words else {})}
    origin = Origin("texts", f"{texts.name}, {row.title}", "none", parameters, note=summary.meaning)
    return BuiltSpace(BagSpace(space_of(texts, matrix, origin), encoder), summary)


def _weighted(terms: Terms, min_df: int) -> tuple[Float, Any]:
    """Return the smoothed idf of each word, (V,), and the counts multiplied by it, sparse (n, V).

    The idf of a word in fewer than `min_df` texts is set to 0.
    """
    n, documents = len(terms), terms.documents
    weights = np.where(documents >= min_df, idf(documents, n), 0.0)
    if not weights.any():
        raise OptionError(f"No word is in {min_df:,} of the {n:,} texts. Lower the minimum document frequency.")
    counted = terms.counts.astype(np.float64)
    counted.data *= weights[counted.indices]
    return weights.astype(np.float32), counted


def _vectors(terms: Terms, words: VectorSpace | None, kind: str) -> tuple[list[str], Float, Ints, Ints]:
    """Return four parts of an encoder: its words, their vectors, the index of each word of the texts, and row numbers.

    The words of the encoder are the words of the texts, then the first words of the space, up to `MOST_TABLE` bytes of
    vectors; with them other texts can be encoded. An index says where a word of `terms` is among the words of the
    encoder, −1 for a word without a vector. The row numbers are those of the encoder's words in the space. For the
    spelling of a word see `row_of`.

    Raises:
        OptionError: No space is given, or it has no word of the texts.
    """
    if words is None:
        raise OptionError("Word vectors are needed: give a space of words.")
    order = np.argsort(-terms.totals, kind="stable")
    own = [terms.vocabulary[number] for number in order.tolist()]
    listed = {word: row for word in own if (row := row_of(words, word)) is not None}
    if not listed:
        raise OptionError(
            f"None of the {len(own):,} words of these texts is in {words.origin.name}. Use another space."
        )
    room = max(len(listed), MOST_TABLE // (4 * words.dimensions))
    for row, word in enumerate(words.words):
        if len(listed) >= room:
            break
        if tokens(word) == [word.lower()] and word.lower() not in listed:
            lower = word.lower()
            found = row_of(words, lower)
            listed[lower] = row if found is None else found
    rows = np.asarray(list(listed.values()), np.int64)
    found_vectors = np.ascontiguousarray(words.unit_rows(rows) if kind == "unit" else words.matrix[rows], np.float32)
    place = {word: number for number, word in enumerate(listed)}
    return [*listed], found_vectors, np.asarray([place.get(word, -1) for word in terms.vocabulary], np.int64), rows


def row_of(words: VectorSpace, word: str) -> int | None:
    """Return the row of a word as given, else capitalized, else in capitals; None if the space has none of these."""
    return next((words.index[form] for form in (word, word.capitalize(), word.upper()) if form in words.index), None)


def _means(terms: Terms, known: Ints, encoder: BagEncoder) -> Float:
    """Return the weighted sum of the word vectors of each text, divided by the text's number of known words, (n, d)."""
    assert encoder.vectors is not None  # noqa: S101 - both callers pass an encoder with vectors
    counted = terms.counts[:, known >= 0]
    places = known[known >= 0]
    sums = counted @ (encoder.weights[places][:, None] * encoder.vectors[places])
    amounts = np.asarray(counted.sum(axis=1)).ravel()
    return np.ascontiguousarray(sums / np.where(amounts > 0, amounts, 1.0)[:, None], np.float32)
