"""Texts made ready for search by every method, and how well each method finds what it should."""

import re
from dataclasses import replace

import numpy as np
import pytest

from embedviz import corpus
from embedviz import retrieval as search
from embedviz.core.options import OptionError
from embedviz.core.space import SpaceError
from embedviz.core.texts import Texts, tokens
from embedviz.retrieval import accuracy, indexing
from embedviz.retrieval.hits import repeated

QUERIES = ["bush fires near Sydney", "the captain of the Australian cricket team", "cabinet minister resigns"]


@pytest.fixture(scope="module")
def lee(builtin):
    return indexing.index(corpus.lee(), words=builtin)


@pytest.mark.parametrize("method", search.BY_WORDS)
@pytest.mark.parametrize("query", QUERIES)
def test_scores_are_the_sums_of_their_parts_by_the_querys_words_and_by_the_texts(lee, method, query):
    found = search.search(query, lee, [method], k=5).rankings[method]
    assert len(found.hits) == 5
    for hit in found.hits:
        assert sum(part.share for part in hit.parts) == pytest.approx(hit.score, abs=2e-5)
        assert sum(part.share for part in hit.words) == pytest.approx(hit.score, abs=2e-5)
        assert {part.word for part in hit.words} <= {*tokens(lee.texts.texts[hit.row])}
        assert {part.word for part in hit.parts} <= {*tokens(query)}


@pytest.mark.parametrize("method", search.BY_WORDS)
def test_scores_are_in_order_and_stand_among_all(lee, method):
    found = search.search(QUERIES[0], lee, [method], k=300).rankings[method]
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert found.chance.median <= found.chance.p95 <= scores[0]
    assert found.answering == len(found.hits)


@pytest.mark.parametrize("method", ["bm25", "tfidf"])
def test_a_sentence_of_a_text_finds_the_text_first(lee, method):
    for row in range(0, 300, 37):
        sentence = max(lee.texts.texts[row].split(". "), key=len)
        first = search.search(sentence, lee, [method], k=1).rankings[method].hits[0]
        assert lee.texts.texts[first.row] == lee.texts.texts[row]  # two of the texts stand there twice


@pytest.mark.parametrize("method", search.BY_WORDS)
def test_sensible_texts_answer(lee, method):
    found = search.search("bush fires burning homes in New South Wales", lee, [method], k=3).rankings[method]
    fires = sum("fire" in lee.texts.texts[hit.row].lower() for hit in found.hits)
    assert fires >= (1 if method == "mean" else 2)  # its cosines follow the common words
    assert found.beats_chance or method == "mean"


def test_vectors_find_texts_without_the_querys_words(lee):
    found = search.search("blaze", lee, k=5)
    assert found.rankings["bm25"].unknown == ("blaze",) or found.rankings["bm25"].hits
    without = [hit for hit in found.rankings["sif"].hits if not hit.holds]
    assert any("fire" in lee.texts.texts[hit.row].lower() for hit in without)


def test_the_texts_nearest_to_a_text_leave_it_out(lee):
    for method in search.BY_WORDS:
        near = search.like(0, lee, method, k=4)
        assert 0 not in near.rows
        assert len(near.hits) == 4
    with pytest.raises(OptionError, match="There is no text 301"):
        search.like(300, lee, "bm25")


def test_examples_find_texts(lee):
    queries = search.examples(lee, 4)
    assert len(queries) == 4
    for query in queries:
        assert len(search.search(query, lee, ["bm25"], k=3).rankings["bm25"].hits) == 3


def test_examples_are_of_words_that_tell():
    text = ["they say it isn't t the tires of a car", "you t were by the tires of that car", "if t the tires of cars"]
    texts = Texts([*text, *(f"the law of t and a {letter}x" for letter in "abcdef")], list("123456789"), None, "few")
    queries = search.examples(indexing.index(texts, ["bm25"]), 9)
    assert {word for query in queries for word in query.split()} == {"tires", "law"}


def test_results_with_the_same_passage_are_told_apart_from_equal_texts():
    long = "the lion sleeps. " + "other words follow here " * 40
    texts = Texts([long, long + "an end", long, "a lion eats"], list("1234"), None, "few")
    made = indexing.index(texts, ["bm25"])
    listed = search.search("lion sleeps", made, ["bm25"], k=4).rankings["bm25"].hits
    found = {texts.keys[hit.row]: one for hit, one in zip(listed, repeated(listed, texts.texts), strict=True)}
    first = next(hit.rank for hit in listed if hit.row == 0)
    assert found["3"] == f"same text as {first}"
    assert found["2"] == f"another text with the same passage as {first}"
    assert found["1"] == found["4"] == ""


def test_it_is_said_which_word_of_the_query_weighs_most(lee):
    found = search.search("fire fires the", lee, ["bm25", "tfidf"], k=5)
    assert all(hit.holds for one in found.rankings.values() for hit in one.hits)
    tops = [hit.parts[0].word for one in found.rankings.values() for hit in one.hits]
    best = max(set(tops), key=tops.count)
    assert (
        f"In {tops.count(best)} of the 10 results of BM25 and TF-IDF, “{best}” adds most to the score" in found.meaning
    )


def test_an_index_is_written_and_opened_with_the_same_answers(lee, builtin, tmp_path):
    result = []
    made = indexing.make_index("lee", tmp_path / "a", words=builtin, report=lambda f, m="", **_: result.append((f, m)))
    assert made == (search.BY_WORDS, {})
    fractions = [fraction for fraction, _ in result if fraction is not None]
    assert fractions == sorted(fractions)
    assert 0.9 < fractions[-1] <= 1
    opened = indexing.open_index("lee", tmp_path / "a")
    one, other = search.search(QUERIES[0], lee), search.search(QUERIES[0], opened)
    for name in made.names:
        assert one.rankings[name].rows == other.rankings[name].rows
        assert one.rankings[name].chance.tick == pytest.approx(other.rankings[name].chance.tick, abs=1e-5)
    (tmp_path / "a" / "bm25" / "rows.npy").unlink()
    with pytest.raises(SpaceError, match="no whole index"):
        indexing.open_index("lee", tmp_path / "a")
    before = (tmp_path / "a" / "sif" / "matrix.npy").stat()
    indexing.make_index("lee", tmp_path / "a", words=builtin)  # the damaged index alone is made again
    assert search.search(QUERIES[0], indexing.open_index("lee", tmp_path / "a")).rankings["bm25"].rows == (
        one.rankings["bm25"].rows
    )
    assert (tmp_path / "a" / "sif" / "matrix.npy").stat() == before
    with pytest.raises(OptionError, match="space of texts"):
        indexing.make_index("lee", tmp_path / "a", ["encoder"])


def test_without_word_vectors_the_methods_that_need_none_are_left():
    made = indexing.index(corpus.lee())
    assert [row.name for row in made.methods] == ["bm25", "tfidf", "lsa"]
    with pytest.raises(OptionError, match="search method"):
        indexing.index(corpus.lee(), ["word2vec"])


def test_a_method_that_cannot_be_had_is_left_out_and_says_why(builtin, tmp_path):
    corpus.save_texts(Texts(["שלום עולם"], ["one"], None, "one text"), tmp_path / "texts")
    made = indexing.make_index(tmp_path / "texts", tmp_path / "index", words=builtin)
    assert made.names == ("bm25", "tfidf")
    assert [*made.missing] == ["lsa", "mean", "sif"]
    assert "LSA needs two texts" in made.missing["lsa"]
    found = search.search("עולם", indexing.open_index(tmp_path / "texts", tmp_path / "index"))
    assert [ranking.rows for ranking in found.rankings.values()] == [(0,), (0,)]


def grouped(count=40):
    """Texts of two groups with words of their own, and words of both."""
    generator = np.random.default_rng(0)
    own = {"sea": [f"wave{i}" for i in "abcdefghij"], "air": [f"cloud{i}" for i in "abcdefghij"]}
    texts, labels = [], []
    for row in range(count):
        label = ("sea", "air")[row % 2]
        words = [*generator.choice(own[label], 6), *generator.choice(["the", "of", "and"], 6)]
        texts.append(" ".join(words))
        labels.append(label)
    return Texts(texts, [str(row) for row in range(count)], labels, "two groups")


def test_texts_of_a_group_find_each_other_and_chance_is_known():
    made = indexing.index(grouped(), ["bm25", "tfidf", "lsa"])
    found = accuracy.by_group(made, k=5)
    assert found.chance == pytest.approx(19 / 39)
    for name in ("bm25", "tfidf", "lsa"):
        assert found.mean(name) > 0.95
        low, high = found.interval(name)
        assert low <= found.mean(name) <= high
    assert "(chance: 49\u00a0%)" in found.meaning


def test_small_groups_that_are_all_found_are_a_perfect_result():
    """Groups of four among 24 texts: three others at most, so ten nearest would hold 30 % at best."""
    topics = ["cats purr", "dogs bark", "rain falls", "bread rises", "trains stop", "stars shine"]
    texts = [f"{topic} {'very ' * row} often" for topic in topics for row in range(4)]
    labels = [f"g{row // 4}" for row in range(24)]
    found = accuracy.by_group(indexing.index(Texts(texts, [str(row) for row in range(24)], labels, "six"), ["bm25"]))
    assert found.mean("bm25") == 1
    assert found.chance == pytest.approx(3 / 23)
    assert found.beyond_chance
    assert "100\u00a0% of the nearest texts by BM25 are of the query’s group (chance: 13\u00a0%)." in found.meaning


def test_a_shuffled_grouping_is_chance():
    texts = grouped(200)
    labels = np.random.default_rng(1).permutation(texts.labels).tolist()
    made = indexing.index(Texts(texts.texts, texts.keys, labels, "shuffled"), ["bm25", "tfidf"])
    found = accuracy.by_group(made, k=10, sample=200)
    for name in ("bm25", "tfidf"):
        assert found.mean(name) == pytest.approx(found.chance, abs=0.05)


def test_some_words_of_a_text_find_it(lee):
    found = accuracy.by_item(lee, ["bm25", "mean"], sample=60)
    assert found.chance == pytest.approx(10 / 300)
    assert found.mean("bm25") > 0.9
    assert found.difference("bm25", "mean")[1] > 0
    assert found.ranked == ["bm25", "mean"]
    assert found.meaning.endswith("Significantly fewer: Mean.")
    assert [row[0] for row in found.table()[1]] == ["BM25", "Mean"]


def test_a_test_of_the_methods_needs_more_texts_than_chance_finds(lee):
    assert accuracy.untestable(lee) == ""
    assert accuracy.untestable(indexing.index(grouped(20), ["bm25"])) == ""
    few = indexing.index(grouped(19), ["bm25"])
    assert accuracy.untestable(few).endswith("on 20 texts or more of at least 8 words. 19 of 19 are that long.")
    short = indexing.index(Texts(["fire"] * 30, [str(row) for row in range(30)], None, "short"), ["bm25"])
    assert accuracy.untestable(short).endswith("None of 30 is that long.")


def test_texts_without_groups_or_words_are_refused(lee):
    with pytest.raises(OptionError, match="no groups"):
        accuracy.by_group(lee)
    single = Texts(["one two", "three four"], ["a", "b"], ["x", "y"], "two")
    with pytest.raises(OptionError, match="No group has two texts"):
        accuracy.by_group(indexing.index(single, ["bm25"]))
    with pytest.raises(OptionError, match="No text has 8 words"):
        accuracy.by_item(indexing.index(single, ["bm25"]))


def test_only_texts_with_a_value_are_searched_and_their_order_and_scores_are_those_of_the_whole(tmp_path):
    texts = ["fire in the hills", "fire and fire again", "water in the river", "a fire by the river", "hills"]
    source = Texts(texts, list("abcde"), ["x", "y", "x", "x", "y"], "Five", columns={"year": list("12121")})
    indexed = indexing.index(source)
    whole = search.search("fire hills", indexed, ["bm25"], k=5).rankings["bm25"]
    for column, value, rows in (("group", "x", {0, 2, 3}), ("year", "1", {0, 2, 4})):
        found = search.search("fire hills", indexed, ["bm25"], k=5, column=column, value=value)
        part = found.rankings["bm25"]
        assert [(hit.row, hit.score) for hit in part.hits] == [
            (hit.row, hit.score) for hit in whole.hits if hit.row in rows
        ]
        assert [hit.rank for hit in part.hits] == [*range(1, len(part.hits) + 1)]
        assert found.compared == 3
        assert found.sample == f"Exact search over the 3 texts with {column} = “{value}”."


def test_random_queries_are_answered_by_the_texts_that_are_searched(lee):
    kinds = ["rare" if row in (3, 200) else "usual" for row in range(len(lee.texts))]
    indexed = replace(lee, texts=replace(lee.texts, labels=kinds))
    whole = search.search("fire in the hills", indexed, ["bm25"]).rankings["bm25"].chance
    part = search.search("fire in the hills", indexed, ["bm25"], column="group", value="rare").rankings["bm25"].chance
    assert sum(part.lifts) < sum(whole.lifts)  # the best of two texts, not of 300


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [("year", "1", "have no column “year”. Columns: group."), ("group", "z", "No text has “z” in the column group")],
)
def test_a_filter_that_fits_no_text_is_a_sentence(column, value, says):
    indexed = indexing.index(Texts(["a fire", "a river"], ["a", "b"], ["x", "y"], "Two"))
    with pytest.raises(OptionError, match=re.escape(says)):
        search.search("fire", indexed, ["bm25"], column=column, value=value)
