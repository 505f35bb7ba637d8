"""FastText: composed as gensim composes, learned as gensim learns, with a vector for words that were never seen."""

import numpy as np
import pytest

from embedviz.core.options import OptionError, check
from embedviz.core.space import open_folder
from embedviz.corpus.tokenized import write_corpus
from embedviz.training import fasttext, word2vec
from embedviz.training.passes import BATCH
from embedviz.training.trainers import TRAINERS

SMALL = {"vector_size": 8, "window": 2, "min_count": 1, "epochs": 3, "workers": 1, "bucket": 300}
NGRAMS = ("min_n", "max_n", "bucket")
STEMS = [["walk", "talk", "jump", "play"], ["stone", "cloud", "river", "plant"]]


def lines(count, seed=0):
    """Sentences of verbs in many forms, and of things in two."""
    random = np.random.default_rng(seed)
    ends = [["", "s", "ed", "ing"], ["", "s"]]
    for _ in range(count):
        kind = random.integers(2)
        yield [random.choice(STEMS[kind]) + random.choice(ends[kind]) for _ in range(random.integers(4, 12))]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(lines(600), tmp_path_factory.mktemp("corpus") / "made", name="Made")


@pytest.fixture(scope="module")
def trained(corpus):
    return fasttext.train(corpus, **{**SMALL, "epochs": 20, "architecture": "skipgram", "alpha": 0.1})


@pytest.mark.parametrize("objective", list(word2vec.OBJECTIVES))
@pytest.mark.parametrize("architecture", list(word2vec.ARCHITECTURES))
def test_a_corpus_of_one_batch_is_learned_as_gensim_learns_it(corpus, architecture, objective):
    assert len(corpus.tokens) <= BATCH
    chosen = check(fasttext.ROW, {**SMALL, "architecture": architecture, "objective": objective})
    theirs = word2vec.new_model(corpus, len(corpus.words), chosen, **{name: chosen[name] for name in NGRAMS})
    del theirs.wv.adjust_vectors
    theirs.wv.adjust_vectors()
    theirs.train(corpus_file=str(corpus.file), total_words=len(corpus.tokens), epochs=3)
    space = fasttext.train(corpus, **chosen).space
    np.testing.assert_allclose(space.matrix, theirs.wv.vectors, atol=2e-6)
    np.testing.assert_allclose(space.vector("walkings"), theirs.wv["walkings"], atol=2e-6)


def test_a_run_of_one_worker_repeats_itself_to_the_bit(corpus):
    first, second = (fasttext.train(corpus, **SMALL) for _ in range(2))
    assert first.space.matrix.tobytes() == second.space.matrix.tobytes()
    assert first.space.subwords.buckets.tobytes() == second.space.subwords.buckets.tobytes()


def test_a_word_that_was_never_seen_lies_beside_those_it_looks_like(trained, tmp_path):
    space = trained.space.save(tmp_path / "space")
    assert open_folder(tmp_path / "space").subwords.max_n == 6
    assert "talkinged" not in space
    cosines = space.unit_rows(slice(None)) @ space.vector("talkinged")
    alike = np.array([word.startswith("talk") for word in space.words])
    verbs = np.array([word.startswith(tuple(STEMS[0])) for word in space.words])
    assert cosines[alike].mean() > cosines[verbs & ~alike].mean() > cosines[~verbs].mean()


def test_rows_are_composed_of_the_word_and_its_n_grams_at_every_moment(corpus):
    seen = []

    def watch(step):
        rows = np.array([4, 0])
        seen.append(np.abs(step.at(rows) - step.vectors()[rows]).max())
        return False

    space = fasttext.train(corpus, watch=watch, **SMALL).space
    assert seen == [0]
    for word in ("walking", "river"):
        apart = np.abs(space.vector(word) - space.subwords.vector(word)).max()
        assert 0 < apart < 1 / (1 + len(space.subwords.ngrams(word)))


@pytest.mark.parametrize("architecture", list(word2vec.ARCHITECTURES))
def test_the_loss_is_that_of_the_vectors_it_trains(monkeypatch, corpus, architecture):
    made = []
    monkeypatch.setattr(
        word2vec, "new_model", lambda *a, make=word2vec.new_model, **b: made.append(make(*a, **b)) or made[-1]
    )
    chosen = check(fasttext.ROW, {**SMALL, "architecture": architecture, "window": 1, "sample": 0.0, "epochs": 30})
    trained = fasttext.train(corpus, **chosen)
    model = made[0]
    skipgram, parts = bool(model.sg), model.wv.buckets_word
    hidden, targets = [], []
    for number in range(len(corpus)):
        line = [corpus.index[word] for word in corpus.line(number)]
        for place, word in enumerate(line):
            around = [line[near] for near in (place - 1, place + 1) if 0 <= near < len(line)]
            for given in [[near] for near in around] if skipgram else [around]:
                total = sum(
                    model.wv.vectors_vocab[each] + model.wv.vectors_ngrams[parts[each]].sum(0) for each in given
                )
                hidden.append(total / sum(len(parts[each]) + (not skipgram) for each in given))
                targets.append(word)
    share = np.diff(model.cum_table.astype(float), prepend=0) / model.cum_table[-1]
    scores = np.array(hidden) @ model.syn1neg.T
    others = np.tile(share, (len(targets), 1))
    others[np.arange(len(targets)), targets] = 0
    others /= others.sum(1, keepdims=True)
    losses = np.logaddexp(0, -scores[np.arange(len(targets)), targets])
    losses += chosen["negative"] * (others * np.logaddexp(0, scores)).sum(1)
    assert trained.loss[-1] == pytest.approx(losses.mean(), abs=4 * trained.more["loss_error"])
    assert trained.loss[-1] < trained.baseline - 0.5


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"min_n": 5, "max_n": 3}, "no n-gram is that long"),
        ({"bucket": 10**8}, "bucket is 1"),
        ({"alpha": 0.5}, "alpha is 0.5"),
    ],
)
def test_what_cannot_be_is_said_before_the_run(corpus, options, says):
    for function in (fasttext.train, TRAINERS["fasttext"].needs):
        with pytest.raises(OptionError, match=says):
            function(corpus, **options)


def test_what_it_needs(corpus):
    few, many = (TRAINERS["fasttext"].needs(corpus, min_count=1, bucket=bucket) for bucket in (1000, 2_000_000))
    assert few[:2] == (len(corpus.words), 100)
    assert many.bytes - few.bytes == 4 * 100 * 1_999_000
    assert TRAINERS["fasttext"].option("bucket").default == 2_000_000


def test_a_run_is_called_by_its_architecture_behind_its_method(corpus):
    named = [
        row.function(corpus, **{name: SMALL[name] for name in SMALL if name in {one.name for one in row.options}})
        for row in (word2vec.ROW, fasttext.ROW)
    ]
    assert [one.space.origin.name.partition(" · ")[2] for one in named] == ["CBOW", "FastText CBOW"]
