"""Word2Vec: watched, ended, repeated, refused; and the same as gensim's own."""

import time

import numpy as np
import pytest

from embedviz.core.options import OptionError, check
from embedviz.corpus.tokenized import write_corpus
from embedviz.training import word2vec
from embedviz.training.passes import BATCH
from embedviz.training.trainers import TRAINERS

SMALL = {"vector_size": 8, "window": 2, "min_count": 1, "epochs": 3, "workers": 1}


def lines(count, seed=0):
    """Sentences of 6 to 30 words of two halves of a vocabulary of 60."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        half = random.integers(2) * 30
        yield [f"w{half + int(number)}" for number in random.zipf(1.4, random.integers(6, 30)) % 30]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(lines(1500), tmp_path_factory.mktemp("corpus") / "made", name="Made")


def test_a_run_of_one_worker_repeats_itself_to_the_bit_whoever_watches(corpus):
    first = word2vec.train(corpus, **SMALL)
    second = word2vec.train(corpus, watch=lambda step: bool(step.vectors().shape), **SMALL)
    assert first.space.matrix.tobytes() == second.space.matrix.tobytes()
    assert (first.epochs, len(first.loss)) == (3, 3)
    assert first.tokens == 3 * len(corpus.tokens)
    other = word2vec.train(corpus, **{**SMALL, "seed": 2})
    assert not np.allclose(first.space.matrix, other.space.matrix)


def test_a_watcher_sees_the_beginning_and_the_end_and_what_is_between(corpus):
    steps = []
    trained = word2vec.train(corpus, watch=lambda step: steps.append(step) or True, **{**SMALL, "epochs": 40})
    assert (steps[0].epoch, steps[0].tokens, steps[-1].epoch) == (0, 0, 40)
    assert [step.tokens for step in steps] == sorted(step.tokens for step in steps)
    np.testing.assert_array_equal(steps[-1].vectors(), trained.space.matrix)
    np.testing.assert_array_equal(steps[-1].at(np.array([3, 1])), trained.space.matrix[[3, 1]])


def test_the_seconds_are_those_of_training_not_of_a_slow_watcher(corpus):
    steps = []

    def watch(step):
        steps.append(step)
        if step.epoch in (0, 3):
            time.sleep(0.2)
        return True

    began = time.monotonic()
    seconds = word2vec.train(corpus, watch=watch, **SMALL).seconds
    assert steps[0].seconds == 0 < steps[-1].seconds == seconds
    assert time.monotonic() - began - seconds > 0.4


def test_a_watcher_that_has_seen_enough_ends_the_run_with_what_there_is(corpus):
    trained = word2vec.train(corpus, watch=lambda step: step.tokens == 0, **{**SMALL, "epochs": 1000})
    assert 0 < trained.epochs < 1000
    assert len(trained.loss) == int(trained.epochs)


def test_a_watcher_that_fails_ends_the_run_at_once(corpus):
    def cancel(step):
        if step.tokens:
            raise KeyboardInterrupt
        return True

    with pytest.raises(KeyboardInterrupt):
        word2vec.train(corpus, watch=cancel, **{**SMALL, "epochs": 1000})


@pytest.mark.parametrize("objective", list(word2vec.OBJECTIVES))
@pytest.mark.parametrize("architecture", list(word2vec.ARCHITECTURES))
def test_a_corpus_of_one_batch_is_learned_as_gensim_learns_it(tmp_path, architecture, objective):
    corpus = write_corpus(lines(400), tmp_path / "short", name="Short")
    assert len(corpus.tokens) <= BATCH
    chosen = check(word2vec.ROW, {**SMALL, "architecture": architecture, "objective": objective})
    theirs = word2vec.new_model(corpus, len(corpus.words), chosen)
    theirs.train(corpus_file=str(corpus.file), total_words=len(corpus.tokens), epochs=3)
    np.testing.assert_allclose(word2vec.train(corpus, **chosen).space.matrix, theirs.wv.vectors, atol=2e-6)


@pytest.mark.parametrize("objective", list(word2vec.OBJECTIVES))
@pytest.mark.parametrize("architecture", list(word2vec.ARCHITECTURES))
def test_the_loss_is_gensims_own_sum_over_its_guesses(monkeypatch, corpus, architecture, objective):
    from gensim.models.word2vec_corpusfile import CythonVocab, train_epoch_cbow, train_epoch_sg

    monkeypatch.setattr("embedviz.training.objective._WORDS", 3)
    made = []
    monkeypatch.setattr(word2vec, "new_model", lambda *a, make=word2vec.new_model: made.append(make(*a)) or made[-1])
    chosen = {**SMALL, "architecture": architecture, "objective": objective, "window": 1, "sample": 0, "epochs": 8}
    exact = word2vec.train(corpus, **chosen).loss[-1]
    monkeypatch.setattr("embedviz.training.objective._surprise", from_gensims_table)
    loss = word2vec.train(corpus, **chosen).loss[-1]
    assert exact < loss < exact + 0.1
    model = made[0]
    model.alpha = model.min_alpha = 0.0
    model.running_training_loss = 0.0
    epoch = train_epoch_sg if model.sg else train_epoch_cbow
    vocabulary, total = CythonVocab(model.wv, hs=model.hs), len(corpus.tokens)
    epoch(model, str(corpus.file), 0, vocabulary, 0, None, total, *model._get_thread_working_mem(), True)
    words = np.diff(corpus.ends, prepend=0)
    examples = (2 * (words - 1)).sum() if model.sg else total
    skipped = drawn_twice(corpus, model) if model.negative else 0
    assert loss == pytest.approx(model.running_training_loss / examples + skipped, abs=0.04)


def from_gensims_table(scores):
    """-ln σ as gensim's compiled code looks it up: 1,000 entries from -6 to 6, 83 to the unit, nothing beyond."""
    read = np.floor((scores + 6) * 83) / 1000 * 12 - 6
    return np.where(abs(scores) < 6, np.logaddexp(0, -read), 0)


def drawn_twice(corpus, model):
    """What gensim's loss lacks: it draws the right word among the others now and then, and leaves that out."""
    from scipy.special import log_expit

    share = np.diff(model.cum_table.astype(float), prepend=0) / model.cum_table[-1]
    often = corpus.counts / corpus.counts.sum()
    unlike = -log_expit(-(model.wv.vectors @ model.syn1neg.T))
    return float(model.negative * (often * share).sum() * (often @ unlike @ share))


def test_before_anything_is_learned_the_loss_is_ln_2_for_each_score(corpus):
    seen = []
    trained = word2vec.train(corpus, watch=lambda step: seen.append(step.loss), negative=7, **SMALL)
    assert seen[0] == pytest.approx(8 * np.log(2)) == pytest.approx(trained.baseline)
    assert trained.loss == ()
    assert trained.more["examples"] == 1000


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("objective", list(word2vec.OBJECTIVES))
@pytest.mark.parametrize("architecture", list(word2vec.ARCHITECTURES))
def test_words_of_one_half_come_to_lie_together(corpus, architecture, objective, workers):
    chosen = {**SMALL, "epochs": 10, "alpha": 0.1, "workers": workers}
    space = word2vec.train(corpus, architecture=architecture, objective=objective, **chosen).space
    unit = space.matrix[:40] / np.linalg.norm(space.matrix[:40], axis=1)[:, None]
    half = np.array([int(word[1:]) < 30 for word in space.words[:40]])
    cosines, same = unit @ unit.T, half[:, None] == half
    assert cosines[same & ~np.eye(40, dtype=bool)].mean() > cosines[~same].mean() + 0.3
    assert list(space.words) == list(corpus.words)
    assert space.counts.tolist() == corpus.counts.tolist()
    assert space.origin.order == "frequency"
    assert space.origin.parameters["objective"] == objective
    assert space.origin.name == f"Made · {word2vec.ARCHITECTURES[architecture]}"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"min_count": 1_000_000}, "No word of"),
        ({"alpha": 0.01, "min_alpha": 0.1}, "min_alpha is 0.1"),
        ({"vector_size": 10_000}, "vector_size is 10000"),
        ({"architecture": "glove"}, "skipgram, cbow"),
    ],
)
def test_what_cannot_be_is_said_before_the_run(corpus, options, says):
    for function in (word2vec.train, TRAINERS["word2vec"].needs):
        with pytest.raises(OptionError, match=says):
            function(corpus, **options)


@pytest.mark.parametrize("spoiled", [slice(None), slice(-1, None)])
def test_vectors_that_grow_beyond_all_numbers_are_refused(monkeypatch, corpus, spoiled):
    def broken(*given, make=word2vec.new_model):
        model = make(*given)
        model.wv.vectors[spoiled] = np.inf
        return model

    monkeypatch.setattr(word2vec, "new_model", broken)
    with pytest.raises(OptionError, match="no longer finite numbers: the learning rate"):
        word2vec.train(corpus, watch=lambda step: False, **SMALL)


def test_one_word_alone_is_refused(tmp_path):
    corpus = write_corpus([["buffalo"] * 8], tmp_path / "one", name="One")
    with pytest.raises(OptionError, match="One has only one word, “buffalo”"):
        word2vec.train(corpus, min_count=1)


def test_what_it_needs(corpus):
    needs = TRAINERS["word2vec"].needs(corpus, **SMALL)
    assert needs[:2] == (len(corpus.words), 8)
    assert TRAINERS["word2vec"].needs(corpus, **{**SMALL, "epochs": 30}).seconds > 9 * needs.seconds > 0
    assert TRAINERS["word2vec"].function is word2vec.train
