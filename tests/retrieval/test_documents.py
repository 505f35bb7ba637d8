"""Spaces of texts: weights against scikit-learn and by hand, the way in for other texts, and the folder."""

import numpy as np
import pytest

from embedviz import corpus
from embedviz.core.options import OptionError
from embedviz.core.phrases import shortened
from embedviz.core.space import Origin, VectorSpace, open_folder
from embedviz.core.texts import Texts, tokens
from embedviz.geometry.corrections import corrected
from embedviz.projection.coloring import coloring
from embedviz.retrieval.spaces import (
    DOCUMENTS,
    NEEDS_WORDS,
    make_text_space,
    open_text_space,
    summary_of,
    text_space,
)
from embedviz.retrieval.spaces.guests import reads_texts, text_guests

TEXT = [
    "The cat sat on the mat.",
    "A dog sat on the log, and the cat sat too.",
    "Stocks fell as the bank raised rates",
    "The bank of the river: water, water!",
    "42 — 17",
]
TEXTS = Texts(TEXT, [f"t{number}" for number in range(5)], ["pets", "pets", "money", "river", "none"], "five")


@pytest.fixture(scope="module")
def words():
    listed = ["the", "cat", "dog", "Bank", "water", "sat", "rates", "fish"]
    matrix = np.random.default_rng(3).normal(size=(8, 6)).astype(np.float32)
    return VectorSpace(listed, matrix, np.arange(80, 0, -10), origin=Origin("test", "eight"))


@pytest.fixture(scope="module")
def news():
    return corpus.lee()


def test_tfidf_is_scikit_learns(news):
    from sklearn.feature_extraction.text import TfidfVectorizer

    for texts, columns in ((TEXTS, 5_000), (news, 300)):
        theirs = TfidfVectorizer(analyzer=tokens, max_features=columns)
        expected = theirs.fit_transform(texts.texts).toarray()
        made = text_space(texts, "tfidf", columns=max(columns, 50))
        mine = made.space.matrix
        assert mine.shape == expected.shape
        query = "the bank of Sydney sat by the water"
        encoded = theirs.transform([query]).toarray()[0]
        np.testing.assert_allclose(mine @ made.encode(query), expected @ encoded, atol=1e-6)
        np.testing.assert_allclose(mine @ mine.T, expected @ expected.T, atol=1e-6)


def test_tfidf_searches_over_all_words(news):
    from sklearn.feature_extraction.text import TfidfVectorizer

    theirs = TfidfVectorizer(analyzer=tokens)
    expected = theirs.fit_transform(news.texts) @ theirs.transform(["bushfire in Goulburn"]).toarray()[0]
    np.testing.assert_allclose(
        text_space(news, "tfidf", columns=50).scores("bushfire in Goulburn"), expected, atol=1e-6
    )


def test_a_word_of_all_texts_keeps_the_weight_one():
    texts = Texts(["both here", "both there"], ["a", "b"], None, "two")
    matrix = text_space(texts, "tfidf").space.matrix  # columns: both, here, there
    rare = np.log(3 / 2) + 1
    np.testing.assert_allclose(matrix[0], np.array([1, rare, 0]) / np.hypot(1, rare), rtol=1e-6)


def test_lsa_is_truncated_svd_of_it(news):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    weighted = TfidfVectorizer(analyzer=tokens).fit_transform(news.texts)
    expected = TruncatedSVD(20, algorithm="arpack", random_state=1).fit_transform(weighted)
    mine = text_space(news, "lsa", components=20).space.matrix
    np.testing.assert_allclose(mine @ mine.T, expected @ expected.T, atol=1e-5)


def test_the_mean_is_the_mean_of_known_words(words):
    made = text_space(TEXTS, "mean", words, vectors="raw")
    the, cat, sat = (words.vector(word) for word in ("the", "cat", "sat"))
    np.testing.assert_allclose(made.space.matrix[0], (2 * the + cat + sat) / 4, rtol=1e-5)
    np.testing.assert_allclose(made.encode("BANK, bank?"), words.vector("Bank"), rtol=1e-5)
    unit = text_space(TEXTS, "mean", words).encode("fish")
    np.testing.assert_allclose(np.linalg.norm(unit), 1, rtol=1e-5)


@pytest.mark.parametrize("frequencies", ["texts", "space"])
def test_sif_by_hand(words, frequencies):
    made = text_space(TEXTS, "sif", words, frequencies=frequencies, a=1e-3)
    sentence = [[word for word in tokens(text) if word in {word.lower() for word in words.words}] for text in TEXT]
    everything = [word for text in TEXT for word in tokens(text)]
    own = {word.lower(): count for word, count in zip(words.words, words.counts, strict=True)}

    def weight(word):
        p = everything.count(word) / len(everything) if frequencies == "texts" else own[word] / 360
        return 1e-3 / (1e-3 + p)

    vectors = {word.lower(): words.vector(word) for word in words.words}
    rows = np.array([sum((weight(w) * vectors[w] for w in text), np.zeros(6)) / max(1, len(text)) for text in sentence])
    common = np.linalg.svd(rows, full_matrices=False)[2][0]
    np.testing.assert_allclose(made.space.matrix, rows - np.outer(rows @ common, common), atol=1e-6)
    fish = weight("fish") * vectors["fish"]
    np.testing.assert_allclose(made.encode("fish"), fish - common * (fish @ common), atol=1e-6)


@pytest.mark.parametrize("method", DOCUMENTS)
def test_a_text_of_the_space_is_encoded_to_its_row(method, words):
    made = text_space(TEXTS, method, words)
    for row, text in enumerate(TEXT):
        np.testing.assert_allclose(made.encode(text), made.space.matrix[row], atol=1e-6)
    assert not made.encode("17, 42!").any()
    assert not made.space.matrix[4].any()
    assert "1 text has no known word" in made.space.origin.note


@pytest.mark.parametrize("method", DOCUMENTS)
def test_the_parts_sum_to_the_score(method, words, news):
    for texts, query in ((TEXTS, "The cat and the bank of unknown fish"), (news, "fire near Sydney, the fire")):
        made = text_space(texts, method, words)
        scores = made.scores(query)
        unit = made.space.unit @ made.encode(query) / (np.linalg.norm(made.encode(query)) or 1)
        if method != "tfidf" or texts is TEXTS:
            np.testing.assert_allclose(scores, unit, atol=1e-5)
        for row in range(5):
            parts = made.parts(query, row)
            assert sum(part.share for part in parts) == pytest.approx(scores[row], abs=1e-5)
            assert [part.share for part in parts] == sorted((part.share for part in parts), reverse=True)


@pytest.mark.parametrize("method", DOCUMENTS)
def test_several_queries_score_as_one_by_one_and_known_words_are_those_that_score(method, words):
    made = text_space(TEXTS, method, words, **({"min_df": 2} if method in ("tfidf", "lsa") else {}))
    queries = ["the cat", "", "bank of fish", "unknown 42", "The cat and the dog, the dog"]
    found = made.several(queries)
    assert found.shape == (5, 5)
    for row, query in enumerate(queries):
        vector = made.encode(query)
        alone = made.space.unit @ vector / (np.linalg.norm(vector) or 1)
        np.testing.assert_allclose(found[row], made.scores(query), atol=1e-6)
        if method != "tfidf":
            np.testing.assert_allclose(found[row], alone, atol=1e-6)
    listed = sorted({word for text in TEXT for word in tokens(text)} | {"unknown"})
    knows = [word for word in listed if made.scores(word).any()]
    assert [word for word in listed if made.knows(word)] == knows
    assert knows


@pytest.mark.parametrize("method", DOCUMENTS)
def test_a_folder_brings_the_same_space_back(method, words, tmp_path):
    corpus.save_texts(TEXTS, tmp_path / "texts")
    summary = make_text_space(tmp_path / "texts", method, words, tmp_path / "space")
    made, again = text_space(TEXTS, method, words), open_text_space(tmp_path / "space")
    assert summary == summary_of(tmp_path / "space") == make_text_space("lee", method, words, tmp_path / "space")
    np.testing.assert_array_equal(again.space.matrix, made.space.matrix)
    np.testing.assert_array_equal(again.scores("the cat of the bank"), made.scores("the cat of the bank"))
    assert again.parts("the cat", 1) == made.parts("the cat", 1)
    plain = open_folder(tmp_path / "space")
    assert plain.label(0) == TEXT[0]
    assert list(plain.metadata["group"]) == TEXTS.labels
    assert not list(tmp_path.rglob("*.pkl"))


def test_the_groups_of_a_table_have_the_name_of_their_column(tmp_path):
    rows = [
        f"the {noun} of the {place},{topic}"
        for noun in ("cat", "dog")
        for place, topic in (("bank", "money"), ("sea", "travel"))
    ]
    (tmp_path / "table.csv").write_text("\n".join(["headline,topic", *rows]))
    corpus.import_texts(tmp_path / "table.csv", tmp_path / "texts", group="topic")
    make_text_space(tmp_path / "texts", "tfidf", None, tmp_path / "space")
    space = open_folder(tmp_path / "space")
    assert (space.column_title("group"), space.column_title("text")) == ("topic", "text")
    assert corrected(space, "center").column_title("group") == "topic"
    assert corpus.open_texts(tmp_path / "texts").group == corpus.open_texts(tmp_path / "space").group == "topic"
    assert coloring(space, np.arange(4), "column", column="group").title == "topic"


def test_refusals_are_sentences(words):
    blank = Texts(["1", "2"], ["a", "b"], None, "numbers")
    one = Texts(["only one cat"], ["a"], None, "one")
    for texts, method, space, options in (
        (blank, "tfidf", None, {}),
        (one, "lsa", None, {}),
        (TEXTS, "mean", None, {}),
        (TEXTS, "sif", words.take([7]), {}),
        (TEXTS, "sif", VectorSpace(["cat"], np.ones((1, 2))), {"frequencies": "space"}),
        (TEXTS, "tfidf", None, {"min_df": 6}),
        (Texts([], [], None, "none"), "tfidf", None, {}),
    ):
        with pytest.raises(OptionError, match=r"^[A-Z].*[.]"):
            text_space(texts, method, space, **options)
    assert text_space(one, "sif", words.take([1])).space.matrix.shape == (1, 6)


def test_a_long_text_is_shown_by_its_beginning():
    assert shortened("Two\n  words") == "Two words"
    long = shortened("several words that go on and on " * 9)
    assert len(long) <= 60
    assert long.endswith("on…")


def test_every_method_that_needs_words_says_so():
    assert set(NEEDS_WORDS) < set(DOCUMENTS)


@pytest.mark.parametrize("method", ["tfidf", "sif"])
def test_sentences_are_placed_on_a_map_of_texts_by_the_method_that_read_the_texts(method, words, tmp_path):
    corpus.save_texts(TEXTS, tmp_path / "texts")
    make_text_space(tmp_path / "texts", method, words, tmp_path / "space")
    made = open_text_space(tmp_path / "space")
    rows, points = np.arange(4), np.random.default_rng(0).normal(size=(4, 2)).astype(np.float32)
    key, sentence, new = made.space.words[3], TEXT[1].replace("dog ", "dog  "), TEXT[1].replace(",", " —")
    numbers = " ".join(map(str, made.space.matrix[2].tolist()))
    found = text_guests(made.space, rows, points, [sentence, new, key, f"own: {numbers}", "qqzz qqzz qqzz"])
    assert found.words == (new, "own")
    assert found.points == pytest.approx(points[[1, 2]], abs=1e-4)
    assert found.nearest == tuple(made.space.label(row) for row in (1, 2))
    assert found.drawn == ((sentence, TEXT[1]), (key, made.space.label(3)))
    assert "Already a text of this map" in found.meaning
    assert found.source == ""
    assert "Added texts" in found.meaning
    assert len(found.unread) == 1
    assert "no word" in found.unread[0]
    assert reads_texts(tmp_path / "space")
    saved = words.save(tmp_path / "words")
    assert not reads_texts(tmp_path / "words")
    with pytest.raises(OptionError, match="does not say how its texts were read"):
        text_guests(saved, rows, points, ["a new sentence"])
