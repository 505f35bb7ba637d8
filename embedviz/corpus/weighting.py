"""Weights for tables of counts, and truncated SVD of such tables; all tables are sparse (scipy CSR)."""

from typing import Any

import numpy as np

from embedviz.core.space import Float, Ints

MOST_DENSE = 2**30
"""Maximum size in bytes of a table of counts as a dense space; a larger table is cut to fewer columns."""
EXACT_BELOW = 1_000
"""The SVD is exact up to this number of rows or columns; for larger tables it is randomized (Halko)."""


def idf(documents: Ints, n: int, *, smooth: bool = True) -> Any:
    """Return the inverse document frequency of words with document frequencies `documents` in n documents, float64.

    With `smooth` it is ln((1 + n) / (1 + df)) + 1, as in scikit-learn: 1 for a word in all documents. Otherwise it is
    ln(n / df): 0 for a word in all documents, and for a word in none.
    """
    if smooth:
        return np.log((1 + n) / (1 + documents)) + 1
    return np.where(documents > 0, np.log(n / np.maximum(documents, 1)), 0.0)


def at_length_one(table: Any) -> Any:
    """Return the table with each row scaled to length 1; rows of zeros are not changed."""
    from scipy.sparse import diags

    lengths = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return (diags(1 / np.where(lengths > 0, lengths, 1.0)) @ table).tocsr()


def tf_idf(table: Any, *, smooth: bool = True) -> Any:
    """Return the TF-IDF of a table of counts, words by documents, (V, n); each column is scaled to length 1."""
    weights = idf(np.diff(table.indptr), table.shape[1], smooth=smooth)
    weighted = table.astype(np.float64)
    weighted.data *= np.repeat(weights, np.diff(table.indptr))
    return at_length_one(weighted.T.tocsr()).T.tocsr()


def pmi(counts: Any, *, smoothing: float = 1.0, shift: float = 1.0, positive: bool = True) -> Any:
    """Return the pointwise mutual information of words (rows) and contexts (columns), in nats, minus ln `shift`.

    PMI(w, c) = ln(P(w, c) / (P(w) · P(c))), where P(c) is proportional to #(c)^smoothing (Levy, Goldberg and Dagan
    2015). As in their code, a pair that was never seen has the value 0, not −∞.

    Args:
        counts: Count of each pair, (n, m).
        shift: The k of skip-gram with k negative samples, which factorises PMI − ln k (Levy and Goldberg 2014).
        positive: Whether negative values become zero (PPMI).
    """
    found = counts.tocsr().astype(np.float64)
    words = np.asarray(found.sum(axis=1)).ravel()
    contexts = np.asarray(found.sum(axis=0)).ravel() ** smoothing
    rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
    expected = words[rows] * contexts[found.indices] / (contexts.sum() or 1.0)
    found.data = np.log(found.data / expected) - np.log(shift)
    if positive:
        np.maximum(found.data, 0.0, out=found.data)
        found.eliminate_zeros()
    return found


def right_singular(table: Any, components: int, seed: int) -> tuple[Any, str]:
    """Return the first right singular vectors, (m, components), and a note on the SVD, empty if the SVD is exact.

    The sign of each vector is chosen so that its largest component in absolute value is positive. The vectors are zero
    for a table of zeros.

    Args:
        components: At least 1, and fewer than the rows and the columns of the table.
    """
    if not table.count_nonzero():
        return np.zeros((table.shape[1], components)), ""
    if min(table.shape) <= EXACT_BELOW:
        from scipy.sparse.linalg import svds

        start = np.random.default_rng(seed).normal(size=min(table.shape))
        _, values, right = svds(table, k=components, v0=start)
        right, how = right[np.argsort(-values)], ""
    else:
        from sklearn.utils.extmath import randomized_svd

        _, _, right = randomized_svd(table, components, n_iter=5, random_state=seed)
        how = f"The decomposition is a randomized one, as for all tables of more than {EXACT_BELOW:,} rows and columns."
    largest = np.argmax(np.abs(right), axis=1)
    signs = np.where(right[np.arange(len(right)), largest] < 0, -1.0, 1.0)
    return (right * signs[:, None]).T, how


def left_singular(table: Any, components: int, seed: int, *, exponent: float) -> tuple[Float, Any, str]:
    """Return U Σ^exponent of the truncated SVD, (n, components) float32, the singular values, and a note.

    The note says how the SVD was computed; it is empty if the SVD is exact.
    """
    right, how = right_singular(table, components, seed)
    rows = np.asarray(table @ right, np.float64)
    values = np.linalg.norm(rows, axis=0)
    scale = np.where(values > values.max(initial=0.0) * 1e-9, values, np.inf) ** (exponent - 1)
    return np.ascontiguousarray(rows * scale, np.float32), values, how
