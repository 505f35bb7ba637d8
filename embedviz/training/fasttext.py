"""FastText (Bojanowski et al. 2017), trained by gensim's compiled loops: Word2Vec with vectors for character n-grams.

Prediction works as in `training.word2vec`. But the input vector of a word is the mean of the word's own vector and the
vectors of its n-grams (`embedviz.core.subwords`). So words with similar spelling share what they learn, and unseen
words have vectors too. The rows of the space are these means, as in fastText's own files.

While gensim trains skip-gram, it divides the sum of these vectors by the number of n-grams, without counting the word's
own vector. The loss is computed in the same way.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from embedviz.core.options import OptionError, Parameter, check
from embedviz.core.space import Float, Ints, WordBlob
from embedviz.core.subwords import Subwords
from embedviz.corpus.tokenized import Corpus
from embedviz.training import word2vec
from embedviz.training.base import SMALL, Needs, Trained, Trainer, Watch, go_on
from embedviz.training.objective import Examples, Guesses

ALPHA = replace(word2vec.ALPHA, high=0.1)
"""Learning rate. Its upper limit is 0.1, because gensim's CBOW with negative sampling crashes if vectors overflow."""
MIN_N = Parameter(
    "min_n",
    1,
    15,
    3,
    "Letters of the shortest n-gram, with < before and > behind the word.",
    "Shortest n-gram",
    formula=r"G_w = \{g \in \langle w \rangle : \mathrm{min}_n \le |g| \le \mathrm{max}_n\}",
)
MAX_N = Parameter("max_n", 1, 15, 6, "Letters of the longest n-gram.", "Longest n-gram")
BUCKET = Parameter(
    "bucket",
    100,
    4_000_000,
    2_000_000,
    "Rows that all n-grams share. With fewer, more n-grams meet in one row, and less memory is needed.",
    "Buckets",
    formula=r"z_g = Z_{\,\mathrm{FNV1a}(g) \bmod B} \qquad v_w = \frac{o_w + \sum_{g \in G_w} z_g}{1 + |G_w|}",
)


def train(corpus: Corpus, *, watch: Watch = go_on, **options: Any) -> Trained:
    """Train FastText on a corpus. The space has `subwords`, so that unseen words have vectors."""
    from gensim.models.fasttext_corpusfile import train_epoch_cbow, train_epoch_sg

    chosen = check(ROW, options)
    n_words = _row_count(corpus, chosen)
    guessed = word2vec.draw_guesses(corpus, n_words, chosen)
    model = word2vec.new_model(corpus, n_words, chosen, **{name: chosen[name] for name in ("min_n", "max_n", "bucket")})
    own, buckets, ngrams = model.wv.vectors_vocab, model.wv.vectors_ngrams, _ngrams(model)
    parts = np.diff(ngrams.indptr) + np.float32(1)

    def some(rows: Ints | slice) -> Float:
        return np.asarray((own[rows] + ngrams[rows] @ buckets) / parts[rows, None], np.float32)

    return word2vec.fit(
        corpus,
        ROW,
        chosen,
        model,
        epoch=train_epoch_sg if model.sg else train_epoch_cbow,
        watch=watch,
        examples=examples(model, corpus, guessed, chosen),
        vectors=lambda: some(slice(None)),
        some=some,
        rows=_rows(corpus, n_words, chosen),
        subwords=Subwords(chosen["min_n"], chosen["max_n"], buckets),
        title=ROW.title,
    )


def examples(model: Any, corpus: Corpus, guessed: Guesses, chosen: dict[str, Any]) -> Examples:
    """Return the examples on which the loss of this model is measured, made from the predictions `guessed`."""
    given = _input_weights(guessed, _ngrams(model), skipgram=bool(model.sg))
    vectors = [model.wv.vectors_vocab, model.wv.vectors_ngrams]
    return Examples(given, vectors, *word2vec.scored(model, corpus, chosen, guessed.targets))


def costs(corpus: Corpus, chosen: Mapping[str, Any]) -> Needs:
    """Estimate a run of `train()`: its memory and time, and how many words and dimensions its space has."""
    n_words, size = _row_count(corpus, chosen), chosen["vector_size"]
    ngrams = _many(corpus, n_words, chosen)
    held = 4 * size * (3 * n_words + chosen["bucket"]) + n_words * word2vec.PER_WORD + 40 * int(ngrams.sum())
    rows = _rows(corpus, n_words, chosen)
    drawing = chosen["bucket"] * size * _DRAW
    return Needs(n_words, size, word2vec.PLAIN + held, word2vec.seconds(corpus, n_words, chosen, rows) + drawing)


def suggested(corpus: Corpus) -> dict[str, Any]:
    """Return suggested settings for a corpus of this size; see `word2vec.suggested()`."""
    small = len(corpus.tokens) < SMALL
    return word2vec.suggested(corpus, words=2.4e6) | ({"bucket": 20_000} if small else {})


ROW = Trainer(
    "fasttext",
    "FastText",
    train,
    (*(ALPHA if option is word2vec.ALPHA else option for option in word2vec.OPTIONS), MIN_N, MAX_N, BUCKET),
    "Word2Vec in which a word averages its own vector and those of its n-grams, so that unseen words have vectors too.",
    "Bojanowski et al. 2017",
    costs=costs,
    unit="prediction",
    suggests=suggested,
    explains=word2vec.explained,
    packages=word2vec.ROW.packages,
    variant="architecture",
    titles=word2vec.ARCHITECTURES,
)

_DRAW = 5e-9  # seconds to draw one initial number of a bucket's vector


def _row_count(corpus: Corpus, chosen: Mapping[str, Any]) -> int:
    if chosen["min_n"] > chosen["max_n"]:
        raise OptionError(
            f"min_n is {chosen['min_n']} and max_n {chosen['max_n']}: no n-gram is that long. Choose a min_n that is "
            "not above max_n."
        )
    return word2vec.row_count(corpus, chosen)


def _many(corpus: Corpus, n_words: int, chosen: Mapping[str, Any]) -> Ints:
    """Return the number of n-grams of each word, (n_words,). It is approximate for letters of more than one byte."""
    letters = np.diff(WordBlob.of(corpus.words).offsets[: n_words + 1]) + 2
    return np.asarray(sum(np.maximum(0, letters - n + 1) for n in range(chosen["min_n"], chosen["max_n"] + 1)))


def _rows(corpus: Corpus, n_words: int, chosen: Mapping[str, Any]) -> float:
    """Estimate how many vectors are averaged for a word: the mean over all occurrences of words in the text."""
    counts = corpus.counts[:n_words]
    return 1 + float((_many(corpus, n_words, chosen) * counts).sum() / counts.sum())


def _ngrams(model: Any) -> Any:
    """Return how many n-grams of each word fall into each bucket, a sparse matrix (words, buckets)."""
    from scipy.sparse import csr_array

    rows = model.wv.buckets_word
    bounds = np.cumsum([0, *map(len, rows)])
    places = np.concatenate(rows).astype(np.int32) if bounds[-1] else np.zeros(0, np.int32)
    ones = np.ones(len(places), np.float32)
    return csr_array((ones, places, bounds), shape=(len(rows), len(model.wv.vectors_ngrams)))


def _input_weights(guessed: Guesses, ngrams: Any, *, skipgram: bool) -> tuple[Any, Any]:
    """Return two sparse matrices of weights: over words, (n, words), and over n-gram buckets, (n, buckets).

    Row i of both belongs to prediction i: summed with these weights, the vectors of the words and buckets give the
    input vector of the prediction, as in gensim.
    """
    words = word2vec.averaging(guessed, ngrams.shape[0])
    words.data[:] = 1
    sizes = np.diff(ngrams.indptr).astype(np.float32)
    parts = np.maximum(1, words @ sizes) if skipgram else words @ (sizes + 1)
    shares = (1 / parts)[:, None]
    return words.multiply(shares).tocsr(), (words @ ngrams).multiply(shares).tocsr()
