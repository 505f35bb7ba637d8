"""Word2Vec (Mikolov et al. 2013), trained by gensim's compiled loops: skip-gram and CBOW.

Every word has two vectors: the input vector v, which becomes its row, and the output vector u, which scores the word
as a prediction. Skip-gram predicts each context word from the center word. CBOW predicts the center word from the mean
of the context vectors. Two objectives replace the softmax over all words: negative sampling separates the correct word
from a few random words, and hierarchical softmax follows binary decisions in a Huffman tree. The defaults are gensim's.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from embedviz.core import device
from embedviz.core.options import Choice, Option, OptionError, Parameter, check
from embedviz.core.phrases import counted, number
from embedviz.core.space import Float, Ints, VectorSpace, WordBlob
from embedviz.core.stats.intervals import Z
from embedviz.core.subwords import Subwords
from embedviz.corpus.tokenized import Corpus
from embedviz.training.base import SAME_TEXT, SMALL, Needs, Trained, Trainer, Watch, go_on, origin_of, rows_of
from embedviz.training.objective import Examples, Guesses, count_of, draw_negatives, guesses, keeping, path, windows
from embedviz.training.passes import BATCH, beyond_numbers, passes

ARCHITECTURES = {"skipgram": "skip-gram", "cbow": "CBOW"}
OBJECTIVES = {"negative": "negative sampling", "hierarchical": "hierarchical softmax"}

ARCHITECTURE = Choice(
    "architecture",
    tuple(ARCHITECTURES),
    "cbow",
    "Skip-gram predicts the words around a word. It is slower, and better for rare words. CBOW predicts a word from "
    "the words around it. It is faster.",
    "Architecture",
    (r"p(w_{t+j} \mid w_t)", r"p(w_t \mid \tfrac{1}{2b} \textstyle\sum_j v_{t+j})"),
)
OBJECTIVE = Choice(
    "objective",
    tuple(OBJECTIVES),
    "negative",
    "Negative sampling separates the right word from random words. Hierarchical softmax finds it by the yes-or-no "
    "steps of a Huffman tree.",
    "Objective",
    (
        r"\ln\sigma(u_o^\top v_c) + \sum_{i=1}^{k} \ln\sigma(-u_i^\top v_c)",
        r"\sum_{q \in \mathrm{path}(o)} \ln\sigma(\pm u_q^\top v_c)",
    ),
)
VECTOR_SIZE = Parameter(
    "vector_size", 1, 1000, 100, "Numbers in each vector.", "Dimensions", formula=r"v_w \in \mathbb{R}^d"
)
WINDOW = Parameter(
    "window",
    1,
    100,
    5,
    "The largest distance between a word and its context words. Each position draws its own distance from 1 to this "
    "value, so near words count more. Wide windows learn topics; narrow windows learn words that can replace each "
    "other.",
    "Window",
    formula=r"b_t \sim U\{1, \dots, \mathrm{window}\}",
)
MIN_COUNT = Parameter(
    "min_count", 1, 1_000_000, 5, "Words with a lower count are removed from the text.", "Minimum count"
)
EPOCHS = Parameter(
    "epochs",
    1,
    1000,
    5,
    "How often the training reads the corpus. Raise it for a small corpus, and where the loss still falls at the end.",
    "Epochs",
)
NEGATIVE = Parameter(
    "negative",
    1,
    100,
    5,
    "Random words per training example. Use 5 to 20 for small corpora and 2 to 5 for large ones.",
    "Negative samples",
    formula=r"k",
)
NS_EXPONENT = Parameter(
    "ns_exponent",
    -2.0,
    2.0,
    0.75,
    "How strongly the random words follow the word counts: 1 as in the text, 0 all equally often.",
    "Negative-sampling exponent",
    formula=r"P(i) \propto n_i^{\,\alpha}",
)
SAMPLE = Parameter(
    "sample",
    0.0,
    0.1,
    0.001,
    "Frequent words are left out at random. A smaller value leaves out more.",
    "Subsampling",
    "off",
    r"P(\text{keep } w) = \min(1,\ \sqrt{t / f_w} + t / f_w)",
)
ALPHA = Parameter(
    "alpha",
    0.00001,
    1.0,
    0.025,
    "The size of the first steps. It falls linearly during the training.",
    "Learning rate",
    formula=r"\eta_t = \eta_0 - (\eta_0 - \eta_{\min}) \cdot t / T",
)
MIN_ALPHA = Parameter(
    "min_alpha", 0.0, 1.0, 0.0001, "The size of the last steps.", "Last learning rate", formula=r"\eta_{\min}"
)
SEED = Parameter(
    "seed",
    0,
    2**31 - 1,
    1,
    "The start of the random numbers. Only 1 worker gives the same run again.",
    "Seed",
)
WORKERS = Parameter(
    "workers",
    0,
    256,
    0,
    "Threads that train at the same time. One thread gives the same numbers each time; several do not.",
    "Workers",
    "all cores",
)
OPTIONS: tuple[Option, ...] = (
    ARCHITECTURE,
    VECTOR_SIZE,
    WINDOW,
    MIN_COUNT,
    EPOCHS,
    OBJECTIVE,
    NEGATIVE,
    NS_EXPONENT,
    SAMPLE,
    ALPHA,
    MIN_ALPHA,
    SEED,
    WORKERS,
)


def train(corpus: Corpus, *, watch: Watch = go_on, **options: Any) -> Trained:
    """Train Word2Vec on a corpus, and return the result; see `embedviz.training.base`."""
    from gensim.models.word2vec_corpusfile import train_epoch_cbow, train_epoch_sg

    chosen = check(ROW, options)
    n_words = row_count(corpus, chosen)
    guessed = draw_guesses(corpus, n_words, chosen)
    model = new_model(corpus, n_words, chosen)

    def epoch(*arguments: Any) -> Any:
        return (train_epoch_sg if model.sg else train_epoch_cbow)(*arguments, False)

    scores = examples(model, corpus, guessed, chosen)
    return fit(corpus, ROW, chosen, model, epoch=epoch, watch=watch, examples=scores, vectors=lambda: model.wv.vectors)


def examples(model: Any, corpus: Corpus, guessed: Guesses, chosen: dict[str, Any]) -> Examples:
    """Return the examples on which the loss of this model is measured, made from the predictions `guessed`."""
    given = averaging(guessed, len(model.wv))
    return Examples([given], [model.wv.vectors], *scored(model, corpus, chosen, guessed.targets))


def costs(corpus: Corpus, chosen: Mapping[str, Any]) -> Needs:
    """Estimate a run of `train()`: its memory and time, and how many words and dimensions its space has."""
    n_words = row_count(corpus, chosen)
    size = chosen["vector_size"]
    return Needs(n_words, size, PLAIN + 2 * 4 * n_words * size + n_words * PER_WORD, seconds(corpus, n_words, chosen))


def suggested(corpus: Corpus, words: float = 1.2e6) -> dict[str, Any]:
    """Return suggested settings for this corpus: a small corpus gets more epochs and a higher learning rate.

    With these settings, skip-gram reaches ρ = .31 on WordSim-353 after training on the Lee news (60,000 words). With
    the default five epochs it reaches −.06 to −.11. From ten million words on, three epochs are enough.

    Args:
        words: Number of words to read from a small corpus over all epochs.
    """
    tokens = max(1, len(corpus.tokens))
    passes = 3 if tokens >= 1e7 else max(5, min(40, round(words / tokens)))
    return {"architecture": "skipgram", "epochs": passes, **({"alpha": 0.05} if tokens < SMALL else {})}


def explained(options: Mapping[str, Any], more: Mapping[str, Any]) -> str:
    """Return sentences about the loss: what a prediction is, the loss before learning, the number of predictions."""
    given = "one word near it" if options.get("architecture") == "skipgram" else "the mean of the words around it"
    if options.get("objective") == "hierarchical":
        task = f"Each prediction finds a word of the text in a tree of all words, given {given}. The loss is in nats."
    else:
        negative = int(options.get("negative", 5))
        before = f"({negative} + 1) ln 2 = {number((negative + 1) * math.log(2))}"
        task = (
            f"Each prediction separates a word of the text from {counted(negative, 'random word')}, given {given}. The "
            f"loss is in nats; before learning it is {before}."
        )
    if "examples" not in more:
        return f"{task} {SAME_TEXT}"
    error = f"; ±{number(Z * more['loss_error'])}" if "loss_error" in more else ""
    return f"{task} {SAME_TEXT} It is the mean of {more['examples']:,} predictions, the same at each epoch{error}."


ROW = Trainer(
    "word2vec",
    "Word2Vec",
    train,
    OPTIONS,
    "Learns a vector for each word by predicting which words occur near each other in the text.",
    "Mikolov et al. 2013",
    costs=costs,
    unit="prediction",
    suggests=suggested,
    explains=explained,
    packages=("numpy", "gensim"),
    variant="architecture",
    titles=ARCHITECTURES,
)

PLAIN = 200 * 2**20
"""Bytes of memory that a training process takes without a vocabulary."""
PER_WORD = 1500
"""Bytes per word of gensim's vocabulary, in Python objects and in its C++ table."""


def workers_of(chosen: Mapping[str, Any]) -> int:
    """Return the number of training threads: the option `workers`; if it is 0, all threads of a computation."""
    return chosen["workers"] or device.threads()


def row_count(corpus: Corpus, chosen: Mapping[str, Any]) -> int:
    """Return the number of words that get a vector: those that occur at least `min_count` times.

    Raises:
        OptionError: Fewer than two words occur so often, or `min_alpha` is above `alpha`.
    """
    if chosen["min_alpha"] > chosen["alpha"]:
        raise OptionError(
            f"min_alpha is {chosen['min_alpha']:g} and alpha is {chosen['alpha']:g}. The rate falls from alpha "
            "to min_alpha. Choose a min_alpha that is not above alpha."
        )
    return rows_of(corpus, chosen["min_count"])


def new_model(corpus: Corpus, n_words: int, chosen: dict[str, Any], **more: Any) -> Any:
    """Make an untrained gensim model, with the first `n_words` words of the corpus as its vocabulary.

    Args:
        more: Options that only `FastText` has. Without them the model is a `Word2Vec`.
    """
    from gensim.models import FastText, Word2Vec

    hierarchical = chosen["objective"] == "hierarchical"
    model = (FastText if more else Word2Vec)(
        sg=int(chosen["architecture"] == "skipgram"),
        hs=int(hierarchical),
        negative=0 if hierarchical else chosen["negative"],
        min_count=1,
        sorted_vocab=0,
        workers=1,
        **{name: chosen[name] for name in _GENSIMS},
        **more,
    )
    if more:
        model.wv.adjust_vectors = lambda: None  # gensim would average the vectors of each word in a slow loop
    model.build_vocab_from_freq(dict(zip(_first(corpus, n_words), corpus.counts[:n_words].tolist(), strict=True)))
    return model


_GENSIMS = ("vector_size", "window", "epochs", "ns_exponent", "sample", "alpha", "min_alpha", "seed")


def draw_guesses(corpus: Corpus, n_words: int, chosen: dict[str, Any]) -> Guesses:
    """Return a random sample of predictions on which the loss is measured.

    Raises:
        OptionError: No word has a context word.
    """
    count, seed = count_of(corpus), chosen["seed"]
    found = windows(corpus, n_words, window=chosen["window"], sample=chosen["sample"], count=count, seed=seed)
    return guesses(found, pairs=chosen["architecture"] == "skipgram", count=count, seed=seed)


def averaging(guessed: Guesses, n_words: int) -> Any:
    """Return a sparse matrix, (n, n_words), that averages word vectors.

    Row i times the word vectors is the mean vector of the words that are given for prediction i.
    """
    from scipy.sparse import csr_array

    sizes = np.bincount(guessed.given)
    weights = (1 / sizes[guessed.given]).astype(np.float32)
    return csr_array((weights, (guessed.given, guessed.words)), shape=(len(sizes), n_words))


def scored(model: Any, corpus: Corpus, chosen: dict[str, Any], targets: Ints) -> tuple[Ints, Float, Float]:
    """Return the output rows that score each target word, the sign of each score, and the output matrix.

    They are the fields `targets`, `signs` and `output` of `Examples`: output rows and signs have the shape (n, s).
    """
    if model.hs:
        return *path(model.wv.expandos["code"], model.wv.expandos["point"], targets), model.syn1
    found = draw_negatives(corpus, len(model.wv), targets, chosen["negative"], chosen["ns_exponent"], chosen["seed"])
    return *found, model.syn1neg


def fit(
    corpus: Corpus,
    row: Trainer,
    chosen: dict[str, Any],
    model: Any,
    *,
    rows: float = 1.0,
    subwords: Subwords | None = None,
    title: str = "",
    **how: Any,
) -> Trained:
    """Train a gensim model until all epochs are done or the watcher ends it, and return the result.

    Args:
        row: The trainer.
        rows: Mean number of vectors that are averaged for a word; see `batch_of`.
        title: First words of the name of the run; the architecture follows.
        how: The arguments of `passes` that are not set here: `epoch`, `watch`, `examples`, `vectors` and `some`.

    Raises:
        OptionError: The vectors are not finite.
    """
    n_words = len(model.wv)
    done = passes(model, corpus=corpus, workers=workers_of(chosen), batch=batch_of(n_words, chosen, rows), **how)
    matrix = np.asarray(how["vectors"]())
    if not np.isfinite(matrix).all():
        raise beyond_numbers(chosen["alpha"])
    name = f"{title} {ARCHITECTURES[chosen['architecture']]}".strip()
    origin = origin_of(corpus, row, chosen, title=name)
    space = VectorSpace(
        _first(corpus, n_words),
        matrix,
        corpus.counts[:n_words],
        origin=origin,
        subwords=subwords,
        outputs=None if model.hs else model.syn1neg,  # with a Huffman tree, output rows are nodes, not words
        checked=True,
    )
    scores: Examples = how["examples"]
    more = {"examples": len(scores), "loss_error": scores.loss().error}
    alone = chosen["workers"] == 1  # several threads overwrite each other's updates
    return Trained(space, done.losses, scores.baseline, done.epochs, done.tokens, done.seconds, more, repeats=alone)


def _first(corpus: Corpus, n_words: int) -> list[str]:
    return WordBlob.of(corpus.words).at(np.arange(n_words))


def batch_of(n_words: int, chosen: Mapping[str, Any], rows: float = 1.0) -> int:
    """Return the number of words per batch, between `BATCH` / 20 and `BATCH`.

    The longer the training takes for a word, the fewer words are in a batch.

    Args:
        rows: Mean number of vectors that are averaged for a word: 1 in Word2Vec, more in FastText.
    """
    vectors = _vectors(n_words, chosen, rows) * (1 + chosen["vector_size"] / _PER_CALL)
    return int(np.clip(BATCH * _USUAL / vectors, BATCH // 20, BATCH))


def _vectors(n_words: int, chosen: Mapping[str, Any], rows: float) -> float:
    """Return the mean number of vectors that the training reads and writes for each word of the text.

    Args:
        rows: As for `batch_of`.
    """
    scores = chosen["negative"] + 1.0 if chosen["objective"] == "negative" else max(1.0, 0.7 * float(np.log2(n_words)))
    contexts = chosen["window"] + 1.0
    return float(contexts * (scores + rows) if chosen["architecture"] == "skipgram" else scores + contexts * rows)


def seconds(corpus: Corpus, n_words: int, chosen: Mapping[str, Any], rows: float = 1.0) -> float:
    """Estimate the duration of the training in seconds. `rows` is as for `batch_of`."""
    learned = float((corpus.counts[:n_words] * keeping(corpus, n_words, chosen["sample"])).sum())
    touched = learned * _vectors(n_words, chosen, rows) * _CALL * (1 + chosen["vector_size"] / _PER_CALL)
    each: float = touched + len(corpus.tokens) * _READ
    return float(chosen["epochs"] * each / workers_of(chosen)) + _START * n_words


_CALL = 40e-9  # seconds to read and write one vector, without its numbers
_PER_CALL = 120  # dimensions whose numbers take as long as `_CALL`
_USUAL = 200  # cost per word (vectors, weighted by their length) up to which a batch has `BATCH` words
_READ = 150e-9  # seconds to read one word of the text
_START = 20e-6  # seconds to set up one word of the vocabulary
