"""n-grams, their buckets and what is assembled from them: fastText's own numbers, and gensim's."""

import os
import tracemalloc
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz.core.subwords import Subwords
from embedviz.formats import read

GENSIM = Path(str(files("gensim"))) / "test" / "test_data"
REAL = Path(os.environ.get("EMBEDVIZ_DATA", "nowhere")) / "vectors" / "model_unsupervised_test.bin"
MODELS = [GENSIM / name for name in ("lee_fasttext_new.bin", "crime-and-punishment.bin", "toy-model.bin")] + [REAL]
UNSEEN = ["chatgpt", "schloß", "日本語", "раскольников", "x", "", "zzzzz", "new york", "🇸🇰", "w" * 500]


def of(min_n, max_n, buckets=2_000_000):
    return Subwords(min_n, max_n, np.zeros((buckets, 1), np.float32))


def test_the_n_grams_of_where_and_their_buckets():
    subwords = of(3, 3)
    assert subwords.ngrams("where") == ["<wh", "whe", "her", "ere", "re>"]
    assert subwords.rows("where").tolist() == [167652, 420941, 1473420, 1529033, 867498]


@pytest.mark.parametrize(("word", "trigrams", "all_of_them"), [("chatgpt", 7, 22), ("where", 5, 14), ("", 0, 0)])
def test_how_many_n_grams_a_word_has(word, trigrams, all_of_them):
    assert len(of(3, 3).rows(word)) == trigrams
    assert len(of(3, 6).rows(word)) == all_of_them


def test_the_whole_word_is_among_them_when_it_is_short_enough():
    assert "<cat>" in of(3, 6).ngrams("cat")
    assert of(1, 2).ngrams("é") == ["<é", "é", "é>"]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), st.integers(1, 4), st.integers(0, 4))
def test_n_grams_and_hashes_are_gensims(word, min_n, more):
    from gensim.models.fasttext_inner import compute_ngrams_bytes, ft_hash_bytes

    theirs = compute_ngrams_bytes(word, min_n, min_n + more)
    subwords = of(min_n, min_n + more, 1013)
    assert [ngram.encode() for ngram in subwords.ngrams(word)] == theirs
    assert subwords.rows(word).tolist() == [ft_hash_bytes(ngram) % 1013 for ngram in theirs]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_vectors_are_gensims_for_words_with_and_without_a_row(path):
    from gensim.models.fasttext import load_facebook_vectors

    if not path.exists():
        pytest.skip("the model is not at hand")
    theirs = load_facebook_vectors(str(path))
    space, reading = read(path)
    assert reading.format == "fasttext"
    assert list(space.words) == theirs.index_to_key
    np.testing.assert_allclose(space.matrix, theirs.vectors, atol=1e-6)
    assert space.counts.tolist() == [theirs.get_vecattr(word, "count") for word in space.words]
    assert space.origin.order == "frequency"
    for word in UNSEEN:
        if word in space.index:
            continue
        np.testing.assert_allclose(space.subwords.vector(word), theirs.get_vector(word), atol=1e-6)
        assert bool(space.assembled(word)) == bool(theirs.get_vector(word).any())


def test_large_and_small_blocks_give_the_same(monkeypatch):
    random = np.random.default_rng(0)
    subwords = Subwords(2, 5, random.normal(size=(50, 3)).astype(np.float32))
    words = [b"", b"a", "日本".encode(), b"long" * 30, b"\xff\x80\x80", b"b"]
    own = random.normal(size=(6, 3)).astype(np.float32)
    whole, long = subwords.composed(words, own), subwords.vector("long" * 30)
    monkeypatch.setattr("embedviz.core.subwords._GATHERED", 100)
    monkeypatch.setattr("embedviz.core.subwords._CUT", 50)
    np.testing.assert_allclose(subwords.composed(words, own), whole, atol=1e-6)
    np.testing.assert_allclose(subwords.vector("long" * 30), long, atol=1e-6)
    parts = subwords.buckets[subwords.rows("日本")]
    np.testing.assert_allclose(whole[2], (own[2] + parts.sum(axis=0)) / (len(parts) + 1), atol=1e-6)


@pytest.mark.parametrize(("d", "count"), [(1, 15), (1_000, 1)])
def test_long_words_take_no_more_memory_than_short_ones(d, count):
    subwords = Subwords(1, 32, np.ones((1, d), np.float32))
    words = [b"a" * 4096] * count
    tracemalloc.start()
    try:
        vectors = subwords.composed(words, np.ones((count, d), np.float32))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64e6
    np.testing.assert_allclose(vectors, 1, rtol=1e-5)


def test_buckets_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        of(3, 6, 10).buckets[0] = 1
