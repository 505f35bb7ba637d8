"""Trainers that count instead of learning: one-hot, words by lines, TF-IDF, pointwise mutual information, and LSA.

The row of a word is its weighted counts. The tables stay sparse until the end. Then LSA reduces them by SVD. The other
trainers keep as many columns as the option `columns` and `MOST_DENSE` bytes allow: the longest lines, or the most
frequent words. A watcher sees the weighted counts so far, or zeros before
anything is counted. During LSA it sees zeros until the decomposition is done.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from embedviz.core.options import Choice, OptionError, Parameter, check
from embedviz.core.phrases import share
from embedviz.core.space import Float, VectorSpace
from embedviz.corpus.cooccurrence import Weighting
from embedviz.corpus.tokenized import Corpus
from embedviz.corpus.weighting import MOST_DENSE, left_singular, tf_idf
from embedviz.corpus.weighting import pmi as mutual_information
from embedviz.training.base import Needs, Trained, Trainer, TrainingState, Watch, go_on, origin_of, rows_of
from embedviz.training.counting import CountTable, LazyRows, by_line, by_window, count_in_parts
from embedviz.training.word2vec import MIN_COUNT

LINES, WINDOWS = ("lines", "tfidf"), ("ppmi", "log", "windows")
"""Names of the tables that LSA can decompose: first the tables counted by lines, then the tables counted by windows."""
_LINE, _PAIR, _PRODUCT = 4e-8, 1.5e-8, 3e-10  # seconds per word, per pair, and per cell and component


def onehot(corpus: Corpus, *, watch: Watch = go_on, **options: Any) -> Trained:
    """Return one-hot vectors: each word has its own dimension, and any two words are √2 apart.

    The number of dimensions is limited by the option `columns` and by `MOST_DENSE`. If there are more words than
    dimensions, the vectors of the rarest words are zero.
    """
    values = check(ONEHOT, options)
    rows = rows_of(corpus, values["min_count"])
    width = _fitting(rows, min(values["columns"], rows))
    matrix = np.eye(rows, width, dtype=np.float32)
    done = CountTable(None, 0, 1.0, 0.0)
    if watch(TrainingState(0.0, 1, 0, 0.0, None, lambda: matrix)):
        _last(watch, done, matrix)
    note = _cut(width, rows, "words", "most frequent")
    note += " The others are rows of zeros." if note else ""
    return _trained(corpus, ONEHOT, values, matrix, done, note)


def term_document(corpus: Corpus, *, watch: Watch = go_on, **options: Any) -> Trained:
    """Count how often each word occurs in each line. A row is a word, a dimension is one of the longest lines."""
    return _of_lines(corpus, TERM_DOCUMENT, check(TERM_DOCUMENT, options), watch, lambda table: table)


def tfidf(corpus: Corpus, *, watch: Watch = go_on, **options: Any) -> Trained:
    """Compute TF-IDF: the count of each word in each line times the word's IDF. Every line is scaled to length 1."""
    values = check(TFIDF, options)
    return _of_lines(corpus, TFIDF, values, watch, partial(tf_idf, smooth=values["idf"] == "smooth"))


def pmi(corpus: Corpus, *, watch: Watch = go_on, **options: Any) -> Trained:
    """Compute pointwise mutual information of near words: ln(observed count ÷ expected count) − ln k.

    The option `shift` is k. If the option `values` is *positive*, numbers below 0 become 0.

    Raises:
        OptionError: No two words occur within a window of each other.
    """
    values = check(PMI, options)
    rows = rows_of(corpus, values["min_count"])
    width = _fitting(rows, min(values["columns"], rows))
    weigh = partial(
        mutual_information,
        smoothing=values["smoothing"],
        shift=values["shift"],
        positive=values["values"] == "positive",
    )

    def show(counts: Any) -> LazyRows:
        return LazyRows(lambda table: weigh(table)[:, :width], counts, (rows, width))

    found = _near(corpus, rows, values["window"], values["weighting"], show, watch)
    matrix = show(found.table).all()
    _last(watch, found, matrix)
    notes = [_cut(width, rows, "words", "most frequent"), "A pair that never stands within a window says 0."]
    return _trained(corpus, PMI, values, matrix, found, " ".join(filter(None, notes)))


def lsa(corpus: Corpus, *, watch: Watch = go_on, **options: Any) -> Trained:
    """Compute U Σ^exponent by truncated singular value decomposition of a table of counts. A row is a word.

    Raises:
        OptionError: The table is zero or too small to decompose.
    """
    values = check(LSA, options)
    counts, vector_size = values["counts"], values["vector_size"]
    rows = rows_of(corpus, values["min_count"])
    contexts = len(corpus) if counts in LINES else rows
    size = min(vector_size, rows - 1, contexts - 1)
    if size < 1:
        raise OptionError(f"LSA of lines needs two lines at least; {corpus.name} has {len(corpus):,}.")

    def show(counts: Any) -> LazyRows:
        return LazyRows(lambda table: table, None, (rows, size))  # nothing is decomposed yet

    if counts in LINES:
        found = count_in_parts(corpus, rows, by_line, _join_lines, show, watch)
    else:
        found = _near(corpus, rows, values["window"], "flat", show, watch)
    if found.table is None:
        return _trained(corpus, LSA, values, show(None).all(), found, "")
    begun = time.perf_counter()
    table = _for_svd(counts, found.table, values["smoothing"], values["shift"])
    total = float(table.multiply(table).sum())
    size = min(size, min(table.shape) - 1)
    if not total or size < 1:
        raise OptionError(f"Nothing is left of {corpus.name} to decompose. Lower the shift, or take other counts.")
    matrix, singular, how = left_singular(table, size, values["seed"], exponent=values["exponent"])
    found = replace(found, seconds=found.seconds + time.perf_counter() - begun)
    _last(watch, found, matrix)
    held = float((singular**2).sum()) / total
    notes = [f"The dimensions hold {share(min(1.0, held))} of the table’s squared sum.", how]
    notes += [f"This corpus has {size:,} dimensions at most."] if size < vector_size else []
    more = {"singular values": [round(float(value), 6) for value in singular], "held": held, "nonzero": int(table.nnz)}
    return _trained(corpus, LSA, values, matrix, found, " ".join(filter(None, notes)), more)


def _costs(corpus: Corpus, values: Mapping[str, Any], *, lined: bool = False) -> Needs:
    """Estimate a run of a trainer of this module: memory, time, and how many words and dimensions its space has.

    Args:
        lined: Whether the trainer always counts lines; otherwise its option `counts` decides.
    """
    rows, words = rows_of(corpus, values["min_count"]), len(corpus.tokens)
    lined = lined or values.get("counts") in LINES
    contexts = len(corpus) if lined else rows
    cells, reading = 0, 0.0
    if lined:
        cells, reading = words, 0.1 + words * _LINE
    elif "window" in values:
        pairs = 2 * values["window"] * words
        cells, reading = min(rows * rows, int(1.3 * pairs**0.9)), 0.1 + pairs * _PAIR
    if "vector_size" in values:
        size = max(1, min(values["vector_size"], rows - 1, contexts - 1))
        dense, solving = 8 * 4 * (rows + contexts) * (size + 10), 12 * cells * (size + 10) * _PRODUCT
    else:
        size = _fitting(rows, min(values["columns"], contexts))
        dense, solving = 4 * rows * size, 0.0
    return Needs(rows, size, dense + 40 * cells, reading + solving + rows * size * 4e-9)


COLUMNS = Parameter(
    "columns",
    2,
    16_384,
    2_000,
    "Dimensions that are kept: the most frequent words, or the longest lines; 1 GB at most.",
    "Columns",
)
WINDOW = Parameter(
    "window",
    1,
    50,
    5,
    "Words on either side that count as near. Few: words of the same kind; many: words of the same topic.",
    "Window",
)
SHIFT = Parameter(
    "shift",
    1.0,
    100.0,
    1.0,
    "Takes ln k from every value: only stronger ties stay. Skip-gram with k negative samples aims at it.",
    "Shift k",
    formula=r"\mathrm{PMI}(w,c)-\ln k",
)
SMOOTHING = Parameter(
    "smoothing",
    0.0,
    1.0,
    0.75,
    "Below 1, rare contexts count as more frequent than they are, which holds their PMI down.",
    "Context smoothing α",
    formula=r"P_\alpha(c)=\#(c)^\alpha\,/\,\sum_{c'}\#(c')^\alpha",
)
_SPARSE = ("numpy", "scipy")
ONEHOT = Trainer(
    "onehot",
    "One-hot",
    onehot,
    (MIN_COUNT, COLUMNS),
    "A dimension for each word, so all words are equally far apart. This is a baseline for the other trainers.",
    costs=_costs,
)
TERM_DOCUMENT = Trainer(
    "term_document",
    "Words by lines",
    term_document,
    (MIN_COUNT, COLUMNS),
    "Counts how often a word occurs in each line. Words in the same lines are near.",
    "Salton, Wong and Yang 1975",
    costs=partial(_costs, lined=True),
    packages=_SPARSE,
)
TFIDF = Trainer(
    "tfidf",
    "TF-IDF",
    tfidf,
    (
        Choice(
            "idf",
            ("smooth", "plain"),
            "smooth",
            "smooth: a word in every line has weight 1 (scikit-learn). plain: it has weight 0 (gensim).",
            "Weight of rare words",
            formula=(r"\ln\frac{1+n}{1+\mathrm{df}}+1", r"\ln\frac{n}{\mathrm{df}}"),
        ),
        MIN_COUNT,
        COLUMNS,
    ),
    "Counts of words in lines, with more weight for rare words; each line has length 1.",
    "Spärck Jones 1972",
    costs=partial(_costs, lined=True),
    packages=_SPARSE,
)
PMI = Trainer(
    "pmi",
    "PMI",
    pmi,
    (
        Choice(
            "values",
            ("positive", "all"),
            "positive",
            "positive (PPMI): negative values become 0. Pairs that never occur are 0 in both.",
            "Values",
            formula=r"\ln\frac{P(w,c)}{P(w)\,P_\alpha(c)}-\ln k",
        ),
        WINDOW,
        SHIFT,
        SMOOTHING,
        Choice(
            "weighting",
            ("flat", "distance"),
            "flat",
            "flat: a pair counts one. distance: it counts one over its distance, as in GloVe.",
            "Count of a pair",
        ),
        MIN_COUNT,
        COLUMNS,
    ),
    "How much more often two words occur near each other than their counts predict, in nats. A dimension is a word.",
    "Church and Hanks 1990; Levy and Goldberg 2014",
    costs=_costs,
    packages=_SPARSE,
)
LSA = Trainer(
    "lsa",
    "LSA (SVD)",
    lsa,
    (
        Choice(
            "counts",
            (*WINDOWS, *LINES),
            "ppmi",
            "The table to decompose: PPMI, ln(1 + count) or counts within a window; counts or TF-IDF of lines.",
            "Of",
        ),
        Parameter(
            "vector_size",
            1,
            1_000,
            100,
            "More dimensions keep more of the table. Fewer merge words with similar use.",
            "Dimensions",
        ),
        Parameter(
            "exponent",
            0.0,
            1.0,
            0.5,
            "The weight of the singular values. For word similarity, 0 and ½ did better than 1.",
            "Exponent of Σ",
            formula=r"W=U_d\,\Sigma_d^{\,p}",
        ),
        WINDOW,
        SHIFT,
        SMOOTHING,
        MIN_COUNT,
        Parameter("seed", 0, 2**31 - 1, 0, "The start of the random numbers.", "Seed"),
    ),
    "A table of counts, reduced to its first singular vectors, so that words with similar contexts are near.",
    "Deerwester et al. 1990; Levy, Goldberg and Dagan 2015",
    costs=_costs,
    packages=(*_SPARSE, "scikit-learn"),
)
ROWS = (ONEHOT, TERM_DOCUMENT, TFIDF, PMI, LSA)


def _of_lines(
    corpus: Corpus, method: Trainer, values: Mapping[str, Any], watch: Watch, weigh: Callable[[Any], Any]
) -> Trained:
    rows = rows_of(corpus, values["min_count"])
    width = _fitting(rows, min(values["columns"], len(corpus)))
    longest = np.sort(np.argsort(-np.diff(corpus.ends, prepend=0), kind="stable")[:width])

    def columns(table: Any) -> Any:
        of_lines = weigh(table)[:, longest[longest < table.shape[1]]]
        of_lines.resize((rows, width))  # adds columns for the lines that were not read yet
        return of_lines

    def show(counts: Any) -> LazyRows:
        return LazyRows(columns, counts, (rows, width))

    found = count_in_parts(corpus, rows, by_line, _join_lines, show, watch)
    matrix = show(found.table).all()
    _last(watch, found, matrix)
    return _trained(corpus, method, values, matrix, found, _cut(width, len(corpus), "lines", "longest"))


def _near(
    corpus: Corpus, rows: int, window: int, weighting: Weighting, show: Callable[[Any], LazyRows], watch: Watch
) -> CountTable:
    """Count how often two words occur within a window of each other. The watcher may end the counting early.

    Raises:
        OptionError: No two words occur within a window of each other.
    """
    count = partial(by_window, window=window, weighting=weighting)
    found = count_in_parts(corpus, rows, count, lambda one, other: one + other, show, watch)
    if found.table is not None and not found.table.nnz:
        raise OptionError(f"No two words of {corpus.name} stand on one line. Join its lines, or lower min_count.")
    return found


def _for_svd(counts: str, table: Any, smoothing: float, shift: float) -> Any:
    """Return the weighted table that LSA decomposes.

    Args:
        counts: The name of the weighting, one of `LINES` or `WINDOWS`.
        table: The counts, sparse.
    """
    if counts == "ppmi":
        return mutual_information(table, smoothing=smoothing, shift=shift)
    if counts == "tfidf":
        return tf_idf(table)
    return table.log1p() if counts == "log" else table.astype(np.float64)


def _join_lines(one: Any, other: Any) -> Any:
    from scipy.sparse import hstack

    return hstack([one, other], format="csr")


def _fitting(rows: int, columns: int) -> int:
    """Return how many columns with `rows` numbers each fit into `MOST_DENSE` bytes: from 1 to `columns`."""
    return max(1, min(columns, MOST_DENSE // (4 * rows)))


def _cut(width: int, of: int, noun: str, which: str) -> str:
    return "" if width == of else f"The {width:,} {which} of {of:,} {noun} are columns."


def _last(watch: Watch, found: CountTable, matrix: Float) -> None:
    watch(TrainingState(found.share, 1, found.read, found.seconds, None, lambda: matrix))


def _trained(
    corpus: Corpus,
    method: Trainer,
    values: Mapping[str, Any],
    matrix: Float,
    found: CountTable,
    note: str,
    more: Mapping[str, Any] | None = None,
) -> Trained:
    sentences = [note] if note else []
    if found.share < 1:
        sentences.append(f"Stopped after {share(found.share)} of the corpus.")
    origin = origin_of(corpus, method, values, " ".join(sentences))
    rows = len(matrix)
    space = VectorSpace(corpus.words[:rows], matrix, corpus.counts[:rows], origin=origin)
    return Trained(space, None, None, found.share, found.read, found.seconds, more or {}, repeats=True)
