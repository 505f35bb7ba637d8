"""Search: BM25 against a hand-worked example and a plain one, parts that sum to their score, snippets, chance."""

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import gensim
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz import retrieval as searching
from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.core.space import SpaceError, VectorSpace
from embedviz.core.texts import ScorePart, Texts, places, tokens
from embedviz.corpus.function_words import ENGLISH
from embedviz.neighbors import similarities
from embedviz.retrieval import BM25, Indexed, bm25, open_bm25, search, snippet
from embedviz.retrieval.snippets import MOST_READ

LEE = Path(gensim.__file__).parent / "test" / "test_data" / "lee_background.cor"
SMALL = ["the cat sat on the mat", "the dog sat", "a cat and a dog", ""]


def texts_of(texts, labels=None):
    return Texts(texts, [str(row) for row in range(len(texts))], labels, "some texts")


@pytest.fixture(scope="module")
def lee():
    return texts_of(LEE.read_text("utf-8").splitlines())


@pytest.fixture(scope="module")
def lee_bm25(lee):
    return bm25(lee)


class Counted:
    """Vectors of plain word counts: cosines that can be checked by hand."""

    def __init__(self, texts):
        self.texts = texts.texts
        self.listed = sorted({word for text in self.texts for word in tokens(text)})
        self.space = VectorSpace(texts.keys, np.stack([self.encode(text) for text in self.texts]))

    def encode(self, text):
        found = Counter(tokens(text))
        return np.asarray([found[word] for word in self.listed], np.float32)

    def several(self, queries):
        scores = similarities(self.space, np.stack([self.encode(query) for query in queries]))
        return np.where(np.isfinite(scores), scores, 0.0)

    def scores(self, query):
        return self.several([query])[0]

    def parts(self, query, row):
        return self.shares(query, self.space.matrix[row])

    def text_parts(self, query, row):
        return self.shares(self.texts[row], self.encode(query))

    def knows(self, word):
        return word in self.listed

    def passages(self, query, row):
        return []

    def shares(self, text, vector):
        found, own, words = Counter(tokens(text)), self.encode(text), self.listed
        length = float(np.linalg.norm(own) * np.linalg.norm(vector)) or 1.0
        parts = [
            ScorePart(w, float(n * vector[words.index(w)]) / length if w in words else 0.0) for w, n in found.items()
        ]
        return sorted(parts, key=lambda part: -part.share)


def plain_bm25(texts, query, k1=1.2, b=0.75):
    read = [tokens(text) for text in texts]
    mean = sum(map(len, read)) / len(read)
    frequency = {word: sum(word in other for other in read) for word in tokens(query)}
    scores = []
    for words in read:
        score = 0.0
        for word in tokens(query):
            df, tf = frequency[word], words.count(word)
            idf = math.log(1 + (len(read) - df + 0.5) / (df + 0.5))
            score += idf * tf / (tf + k1 * (1 - b + b * len(words) / mean)) if tf else 0.0
        scores.append(score)
    return scores


def test_bm25_by_hand():
    """`cat`: df 2 of 4, idf ln(1 + 2.5/2.5) = ln 2; lengths 6, 3, 5, 0, mean 3.5; 1 / (1 + 1.2 (.25 + .75·6/3.5))."""
    index = bm25(texts_of(SMALL))
    first = math.log(2) / (1 + 1.2 * (0.25 + 0.75 * 6 / 3.5))
    third = math.log(2) / (1 + 1.2 * (0.25 + 0.75 * 5 / 3.5))
    np.testing.assert_allclose(index.scores("cat"), [first, 0, third, 0], rtol=1e-12)
    np.testing.assert_allclose(index.scores("Cat cat zebra"), [2 * first, 0, 2 * third, 0], rtol=1e-12)


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0, 0), (2.0, 1.0), (0.9, 0.4)])
def test_bm25_is_the_plain_formula(lee, lee_bm25, k1, b):
    query = "hundreds of people near the fire, the Fire"
    np.testing.assert_allclose(
        lee_bm25.turned(k1, b).scores(query), plain_bm25(lee.texts, query, k1, b), rtol=1e-10, atol=1e-12
    )


def test_the_parts_of_bm25_sum_to_the_score(lee_bm25):
    query = "a fire in the Blue Mountains, the worst fire"
    scores = lee_bm25.scores(query)
    for row in (0, 7, int(scores.argmax())):
        parts = lee_bm25.parts(query, row)
        assert sum(part.share for part in parts) == pytest.approx(scores[row], abs=1e-12)
        assert [part.share for part in parts] == sorted((part.share for part in parts), reverse=True)


def test_constants_out_of_range_are_refused(lee_bm25):
    with pytest.raises(OptionError, match="b is 2; it may be from 0 to 1"):
        lee_bm25.turned(1.2, 2)
    with pytest.raises(OptionError, match="k1"):
        bm25(texts_of(SMALL), k1=-1)


def test_an_index_is_saved_and_mapped(lee_bm25, tmp_path):
    opened = lee_bm25.save(tmp_path / "index")
    np.testing.assert_array_equal(opened.scores("Sydney fire"), lee_bm25.scores("Sydney fire"))
    assert isinstance(opened.rows.base, np.memmap)
    with pytest.raises(FileExistsError):
        lee_bm25.save(tmp_path / "index")
    (tmp_path / "index" / "counts.npy").unlink()
    with pytest.raises(SpaceError, match="no whole index"):
        open_bm25(tmp_path / "index")


@pytest.mark.parametrize("texts", [[""], ["one"], ["", "  ", "…"], ["🎸 🎻"], []])
def test_texts_with_next_to_no_words_make_an_index(texts, tmp_path):
    index = bm25(texts_of(texts)).save(tmp_path / "index")
    assert len(index) == len(texts)
    assert np.isfinite(index.scores("one two")).all()


def test_a_sentence_of_a_text_finds_that_text_first(lee, lee_bm25):
    indexed = Indexed(lee, lee_bm25, {"tfidf": Counted(lee)})
    for row in range(0, 299, 23):
        sentence = max(lee.texts[row].split(". "), key=len)
        found = search(sentence, indexed, ["bm25"], k=3)
        assert found.rankings["bm25"].hits[0].row == row


def test_every_score_is_the_sum_of_its_parts_by_either_side(lee, lee_bm25):
    found = search("bush fires near Sydney and the wind", Indexed(lee, lee_bm25, {"tfidf": Counted(lee)}), k=5)
    for one in found.rankings.values():
        assert len(one.hits) == 5
        for hit in one.hits:
            assert sum(part.share for part in hit.parts) == pytest.approx(hit.score, abs=1e-5)
            assert sum(part.share for part in hit.words) == pytest.approx(hit.score, abs=1e-5)
            assert set(hit.holds) <= set(tokens(lee.texts[hit.row]))


def test_content_words_are_marked_and_function_words_only_without_them(lee, lee_bm25):
    indexed = Indexed(lee, lee_bm25, {"tfidf": Counted(lee)})
    for one in search("the fire to the north", indexed, k=5).rankings.values():
        assert all(not indexed.function_words & {part.word for part in hit.telling} for hit in one.hits[:1])
        assert all(part.share > 0.05 * hit.score for hit in one.hits for part in hit.telling)
    (hit,) = search("to the", indexed, ["bm25"], k=1).rankings["bm25"].hits
    shares = {part.word: part.share / hit.score for part in hit.words}
    assert shares["the"] < 0.05 < shares["to"]  # a word with a share near nothing is not marked
    assert {part.word for part in hit.telling} == {"to"}


def test_chance_is_what_other_words_as_common_would_find(lee, lee_bm25):
    indexed = Indexed(lee, lee_bm25, {})
    found = search("Steve Waugh Test cricket captain", indexed).rankings["bm25"]
    assert found.beats_chance
    assert len(found.chance.lifts) == searching.ranking.DRAWS
    assert 0 <= found.chance.median <= found.chance.p95 < found.hits[0].score
    generator = np.random.default_rng(3)
    beaten = 0
    for _ in range(40):  # words that no text joins: seldom better than twenty others of their kind
        words = [lee_bm25.words[int(place)] for place in generator.integers(len(lee_bm25.words), size=4)]
        beaten += search(" ".join(words), indexed).rankings["bm25"].beats_chance
    assert beaten <= 8


def test_stand_ins_are_about_as_common(lee, lee_bm25):
    indexed = Indexed(lee, lee_bm25, {})
    for word in ("the", "fire", "sydney"):
        held = lee_bm25.document_frequency[lee_bm25.index[word]]
        others = [int(lee_bm25.document_frequency[lee_bm25.index[other]]) for other in indexed.as_common(word)]
        assert word not in indexed.as_common(word)
        assert len(others) == 200
        assert min(others) <= held <= max(others) or word == "the"


def test_agreement_counts_shared_texts_beside_chance(lee, lee_bm25):
    indexed = Indexed(lee, lee_bm25, {"tfidf": Counted(lee)})
    (pair,) = search("bush fires near Sydney", indexed, k=10).agreement
    found = search("bush fires near Sydney", indexed, k=10).rankings
    assert pair.shared == len({*found["bm25"].rows} & {*found["tfidf"].rows})
    assert pair.chance == pytest.approx(100 / 300)
    assert len(lee) == 300


@pytest.mark.parametrize("query", ["", "   ", "🎸🎸", "zz qq", "שלום עולם", "a" * 10_000, "fire " * 2_000, "<z>&\\"])
def test_whatever_is_asked_is_answered(lee, lee_bm25, query):
    found = search(query, Indexed(lee, lee_bm25, {"tfidf": Counted(lee)}))
    assert found.meaning is not None
    assert found.found == ("fire" in query)
    assert found.nowhere == tuple(dict.fromkeys(word for word in tokens(query) if word not in {"fire", *ENGLISH}))


def test_the_sentence_is_about_the_texts_that_are_listed():
    output = texts_of(["reset the password", "password lost", *(f"{letter}x of the garden" for letter in "abcdef")])
    vectors = Counted(output)
    whole = search("reset the password", Indexed(output, bm25(output), {"tfidf": vectors}), k=8)
    once = search("reset the password", Indexed(output, bm25(output), {"tfidf": vectors}), k=1)
    cut = whole.first(1)
    assert [one.rows for one in whole.rankings.values()] != [one.rows for one in cut.rankings.values()]
    assert [one.rows for one in cut.rankings.values()] == [one.rows for one in once.rankings.values()]
    assert (cut.meaning, cut.certainty, cut.table()) == (once.meaning, once.certainty, once.table())


def test_a_right_answer_is_not_called_chance():
    output = texts_of([f"{first} the {second}" for first in ("reset", "change") for second in ("key", "code", "name")])
    found = search("reset the key", Indexed(output, bm25(output), {}))
    assert found.rankings["bm25"].rows[0] == 0
    assert not found.rankings["bm25"].beats_chance
    assert found.certainty == (
        "Random queries score as high as the first result of BM25, and 6 texts are too few to tell: "
        "read this text to judge."
    )
    by_chance = found.rankings["bm25"]
    above = replace(by_chance, title="SIF", chance=by_chance.chance._replace(lifts=(-by_chance.chance.median,)))
    both = replace(found, rankings={"bm25": by_chance, "sif": above})
    assert (both.beyond, both.doubt) == ("Only the first result of SIF beats chance.", found.certainty)
    assert found.beyond == ""
    turned = replace(by_chance, hits=by_chance.hits[::-1])
    differing = replace(found, rankings={"bm25": by_chance, "sif": turned})
    assert differing.meaning.startswith("Both methods rank another text first.")
    copied = replace(by_chance, title="SIF", hits=(by_chance.hits[0]._replace(row=5), *by_chance.hits[1:]))
    equal = replace(found, rankings={"bm25": by_chance, "sif": copied})
    assert equal.meaning.startswith(f"BM25 and SIF rank “{by_chance.hits[0].title}” first.")
    assert both.certainty == f"{both.beyond} {both.doubt}"
    assert f"Score of a random text: BM25 {number(by_chance.chance.median)} and SIF " in both.baseline


def test_a_text_that_shares_only_function_words_is_said_to():
    output = texts_of(["onions fried in oil", "a telescope in orbit", "the race by half a second", "rain on the hills"])
    found = search("rockets in space", Indexed(output, bm25(output), {}))
    (first, *_) = found.rankings["bm25"].hits
    assert found.idle_words(first) == ("in",)
    assert found.meaning.endswith("The first text of BM25 shares only “in” with the query.")
    for query in ("telescope in space", "in the"):
        other = search(query, Indexed(output, bm25(output), {}))
        assert other.idle_words(other.rankings["bm25"].hits[0]) == ()
        assert "shares only" not in other.meaning


def test_one_text_is_searched():
    one = texts_of(["a violin plays"])
    found = search("violin", Indexed(one, bm25(one), {"tfidf": Counted(one)}))
    assert [ranking.rows for ranking in found.rankings.values()] == [(0,), (0,)]


def test_an_unknown_method_and_unlike_sizes_are_refused(lee, lee_bm25):
    indexed = Indexed(lee, lee_bm25, {})
    with pytest.raises(OptionError, match="no index of these texts called 'lsa'"):
        search("fire", indexed, ["lsa"])
    with pytest.raises(OptionError, match="300 texts; there are 1"):
        Indexed(texts_of(["one"]), lee_bm25, {})


def test_a_long_query_is_cut_and_says_so(lee, lee_bm25):
    found = search(" ".join(lee_bm25.words[:2_000]), Indexed(lee, lee_bm25, {}))
    assert found.cut
    assert len(found.words) == searching.ranking.MOST_WORDS


def test_a_snippet_is_where_the_words_stand_closest():
    text = "fire. " + "something else entirely " * 40 + "a fire in the blue mountains burned " + "and so on " * 50
    found = snippet(text, {"fire": 1.0, "blue": 0.5, "mountains": 0.5, "the": -0.1})
    assert [found.text[mark.start : mark.end] for mark in found.marks] == ["fire", "blue", "mountains"]
    assert found.before
    assert found.after
    assert len(found.text) <= searching.snippets.WIDTH
    assert text[found.start :].startswith(found.text)


@given(st.text(st.characters(codec="utf-8"), max_size=400), st.integers(10, 300))
def test_marks_lie_on_words_of_any_script(text, width):
    shares = dict.fromkeys(tokens(text)[::3], 1.0)
    found = snippet(text, shares, width=width)
    assert text[found.start : found.start + len(found.text)] == found.text
    ends = 0
    for mark in found.marks:
        assert ends <= mark.start < mark.end <= len(found.text)
        ends = mark.end


@given(st.text(max_size=60))
def test_places_are_the_tokens_with_where_they_stand(text):
    assert [place.word for place in places(text)] == tokens(text)
    assert all(0 <= place.start < place.end <= len(text) for place in places(text))


def test_places_hold_where_lower_case_is_longer():
    assert [("İİ Fire"[place.start : place.end], place.word) for place in places("İİ Fire")][-1] == ("Fire", "fire")


def test_a_huge_text_is_read_to_a_limit():
    found = snippet("word " * 1_000_000, {"word": 1.0})
    assert len(found.text) <= searching.snippets.WIDTH
    assert not snippet(" " * MOST_READ + "word", {"word": 1.0}).marks


def test_an_index_is_plain_data():
    assert BM25.__dataclass_params__.frozen
