"""The output matrix of a training: kept, saved, and scored as gensim scores it; LSA beside NumPy's decomposition."""

import gensim
import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace, open_folder
from embedviz.corpus.preparing import prepared
from embedviz.corpus.weighting import pmi, tf_idf
from embedviz.geometry.corrections import corrected
from embedviz.training import fasttext, word2vec
from embedviz.training.counting import by_line, by_window
from embedviz.training.example import example_space
from embedviz.training.lsa_cuts import lsa_word
from embedviz.training.output_vectors import prediction, two_matrices

SMALL = {"vector_size": 8, "epochs": 1, "min_count": 3, "workers": 1}


@pytest.fixture(scope="module")
def example():
    return example_space()


def test_probabilities_are_those_of_gensim(example):
    model = gensim.models.Word2Vec(vector_size=30, min_count=1, negative=5)
    model.build_vocab_from_freq(dict(zip(example.words, example.counts.tolist(), strict=True)))
    model.wv.vectors, model.syn1neg = np.array(example.matrix), np.array(example.outputs)
    model.wv.index_to_key, model.wv.key_to_index = list(example.words), dict(example.index)
    model.cbow_mean = 1
    found = prediction(example, "king", k=5)
    for (word, probability), ours in zip(model.predict_output_word(["king"], topn=5), found.likely, strict=True):
        assert word == ours.word
        assert ours.probability == pytest.approx(probability, rel=1e-4)
        assert np.exp(ours.score) / found.total == pytest.approx(ours.probability)
    assert found.products == len(example) * 30


def test_a_saved_training_keeps_its_output_vectors(example, tmp_path):
    opened = open_folder(example.save(tmp_path / "kept").folder)
    assert np.array_equal(opened.outputs, example.outputs)
    assert np.array_equal(opened.take([3, 1]).outputs, example.outputs[[3, 1]])
    assert opened.take([0]).outputs.shape == (1, 30)
    with pytest.raises(Exception, match="another shape"):
        VectorSpace(["a"], np.ones((1, 2)), outputs=np.ones((2, 2)))


def test_only_negative_sampling_has_output_vectors_of_words():
    corpus = prepared("teaching")
    assert word2vec.train(corpus, **SMALL, objective="hierarchical").space.outputs is None
    space = fasttext.train(corpus, **SMALL, bucket=100).space
    assert space.outputs.shape == space.matrix.shape
    centered = corrected(space, "center")
    assert centered.outputs is None
    with pytest.raises(OptionError, match="no output vectors"):
        two_matrices(centered, "king")


def test_lists_are_cosines_and_products_of_the_two_matrices(example):
    found = {each.name: each for each in two_matrices(example, "king", k=3).lists}
    row = example.row("king")
    v, u = np.asarray(example.matrix, float), np.asarray(example.outputs, float)
    assert dict(found["across"].words) == pytest.approx(
        {example.words[at]: u[at] @ v[row] for at in np.argsort(-(u @ v[row]))[:3]}
    )
    cosines = u @ u[row] / np.linalg.norm(u, axis=1) / np.linalg.norm(u[row])
    best = [at for at in np.argsort(-cosines) if at != row][:3]
    assert [word for word, _ in found["out"].words] == [example.words[at] for at in best]


def test_a_cut_has_the_singular_values_and_neighbors_of_numpy():
    corpus = prepared("teaching")
    found = lsa_word(corpus, "king", k=3)
    rows = corpus.vocabulary_size(2)
    lines, near = by_line(corpus)[:rows].astype(float), by_window(corpus, 5, "flat")[:rows, :rows].tocsr().astype(float)
    number = corpus.index["king"]
    for name, table in (("tfidf", tf_idf(lines)), ("ppmi", pmi(near))):
        left, values, _ = np.linalg.svd(table.toarray(), full_matrices=False)
        ours = next(each for each in found.tables if each.name == name)
        np.testing.assert_allclose(ours.values[:20], values[:20], rtol=1e-5)
        cut = next(each for each in ours.cuts if each.components == 10)
        assert cut.kept == pytest.approx((values[:10] ** 2).sum() / (values**2).sum(), rel=1e-5)
        vectors = left[:, :10] * values[:10]
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        cosines = np.delete(vectors @ vectors[number], number)
        assert [cosine for _, cosine in cut.found.neighbors] == pytest.approx(np.sort(cosines)[::-1][:3], abs=1e-4)
    with pytest.raises(OptionError):
        lsa_word(corpus, "xylophone")
