"""Word2Vec: watched, ended, repeated, refused; and the same as gensim's own."""

import numpy as np
import pytest

from embedviz.corpus.tokenized import write_corpus
from embedviz.options import OptionError
from embedviz.static import word2vec
from embedviz.static.trainers import NEEDS, TRAINERS

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
    assert first.epochs == 3
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


def test_a_watcher_that_has_seen_enough_ends_the_run_with_what_there_is(corpus):
    trained = word2vec.train(corpus, watch=lambda step: step.tokens == 0, **{**SMALL, "epochs": 1000})
    assert 0 < trained.epochs < 1000


def test_a_watcher_that_fails_ends_the_run_at_once(corpus):
    def cancel(step):
        if step.tokens:
            raise KeyboardInterrupt
        return True

    with pytest.raises(KeyboardInterrupt):
        word2vec.train(corpus, watch=cancel, **{**SMALL, "epochs": 1000})


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


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"min_count": 1_000_000}, "no word stands that often"),
        ({"alpha": 0.01, "min_alpha": 0.1}, "min_alpha is 0.1"),
        ({"vector_size": 10_000}, "vector_size is 10000"),
        ({"architecture": "glove"}, "skipgram, cbow"),
    ],
)
def test_what_cannot_be_is_said_before_the_run(corpus, options, says):
    for function in (word2vec.train, NEEDS["word2vec"]):
        with pytest.raises(OptionError, match=says):
            function(corpus, **options)


def test_one_word_alone_is_refused(tmp_path):
    corpus = write_corpus([["buffalo"] * 8], tmp_path / "one", name="One")
    with pytest.raises(OptionError, match="only one word in this text, “buffalo”"):
        word2vec.train(corpus, min_count=1)


def test_what_it_needs(corpus):
    needs = NEEDS["word2vec"](corpus, **SMALL)
    assert needs[:2] == (len(corpus.words), 8)
    assert NEEDS["word2vec"](corpus, **{**SMALL, "epochs": 30}).seconds > 9 * needs.seconds > 0
    assert TRAINERS["word2vec"].function is word2vec.train
