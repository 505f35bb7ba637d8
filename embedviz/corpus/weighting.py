"""Weights for tables of counts, and their first singular vectors; all tables are sparse (scipy CSR)."""

from typing import Any

import numpy as np

from embedviz.core.space import Float, Ints

MOST_DENSE = 2**30
"""Bytes of a table of counts that is opened as a space; beyond it fewer columns are kept."""
EXACT_BELOW = 1_000
"""Rows or columns up to which a decomposition is exact; beyond it is Halko's randomized one."""


def idf(documents: Ints, n: int, *, smooth: bool = True) -> Any:
    """Return the inverse document frequency of words that occur in `documents` of n documents, float64.

    Smooth: ln((1 + n) / (1 + df)) + 1, as scikit-learn; a word in all documents weighs 1. Else ln(n / df); a word in
    all documents, or in none, weighs 0.
    """
    if smooth:
        return np.log((1 + n) / (1 + documents)) + 1
    return np.where(documents > 0, np.log(n / np.maximum(documents, 1)), 0.0)


def at_length_one(table: Any) -> Any:
    """Return the table with each row divided by its length; rows of zeros stay so."""
    from scipy.sparse import diags

    lengths = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return (diags(1 / np.where(lengths > 0, lengths, 1.0)) @ table).tocsr()


def tf_idf(table: Any, *, smooth: bool = True) -> Any:
    """Return the TF-IDF of words by lines, each line at length one over the words that are kept."""
    weights = idf(np.diff(table.indptr), table.shape[1], smooth=smooth)
    weighted = table.astype(np.float64)
    weighted.data *= np.repeat(weights, np.diff(table.indptr))
    return at_length_one(weighted.T.tocsr()).T.tocsr()


def pmi(counts: Any, *, smoothing: float = 1.0, shift: float = 1.0, positive: bool = True) -> Any:
    """Return the pointwise mutual information of words (rows) and contexts (columns), in nats, less ln `shift`.

    PMI(w, c) = ln(P(w, c) / (P(w) · P(c))), where P(c) is the share of #(c)^smoothing (Levy, Goldberg and Dagan 2015).
    A pair that was never seen says 0, not −∞, as in their code.

    Args:
        counts: How often each pair was seen, (n, m).
        shift: k: skip-gram with k negative samples factorises PMI − ln k (Levy and Goldberg 2014).
        positive: Whether what lies below zero becomes zero (PPMI).
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
    """Return the first right singular vectors (m, components), their largest part positive, and how they were found."""
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
    """Return U Σ^exponent of the truncated SVD, (n, components) float32, the singular values, and how it was found."""
    right, how = right_singular(table, components, seed)
    rows = np.asarray(table @ right, np.float64)
    values = np.linalg.norm(rows, axis=0)
    scale = np.where(values > values.max(initial=0.0) * 1e-9, values, np.inf) ** (exponent - 1)
    return np.ascontiguousarray(rows * scale, np.float32), values, how
