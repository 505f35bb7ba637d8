import contextlib
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz.core.space import VectorSpace
from embedviz.core.subwords import Subwords
from embedviz.neighbors.lookup import (
    PatternError,
    as_pattern,
    assembly,
    find,
    has_vector,
    matching,
    separated,
    several,
)


def of(*words):
    return VectorSpace(list(words), np.eye(len(words), dtype=np.float32))


def test_the_other_case_is_offered_and_nothing_replaced(builtin):
    found = find(builtin, "Paris")
    assert found.word is None
    assert found.others == ("paris",)
    assert found.suggestions[0] == "paris"


def test_a_page_takes_the_word_in_the_other_case_and_says_so(builtin):
    found = find(builtin, "Paris").in_other_case()
    assert (found.word, found.respelled) == ("paris", True)
    assert found.substitution == "“Paris” is not in this space. It has “paris”, which is used instead."
    same = find(builtin, "paris")
    assert same.in_other_case() is same
    assert same.substitution == ""
    assert find(builtin, "qqqq").in_other_case().word is None


def test_capitals_and_underscores_are_offered():
    assert find(of("New_York", "PARIS", "paris"), "new york").others == ("New_York",)
    assert find(of("x", "Paris", "PARIS"), "paris").others == ("Paris", "PARIS")


def test_closest_spellings(builtin):
    assert "guitar" in find(builtin, "gitarre").alike
    assert "guitar" in find(builtin, "guittar").alike


def test_nfc_is_tried_and_said():
    found = find(of("café", "x"), "cafe\u0301")
    assert (found.word, found.normalised) == ("café", True)
    assert find(of("café", "x"), "café").normalised is False


def test_nothing_alike(builtin):
    found = find(builtin, "zzzzqqqqxxxx")
    assert (found.word, found.suggestions) == (None, ())
    assert find(builtin, "   ").suggestions == ()
    assert find(builtin, "a" * 10_000).suggestions == ()


def test_patterns_find_the_rows():
    words = of("unlikely", "likely", "un", "Ünlich").words
    assert matching(words, "^un.*ly$").tolist() == [0]
    assert matching(words, "(?i)^ü").tolist() == [3]


@pytest.mark.parametrize("pattern", ["(a", "[", "(?<=a)b", "a{9999}", "\\1"])
def test_a_bad_pattern_is_a_sentence(pattern):
    with pytest.raises(PatternError, match="is no regular expression"):
        matching(["a"], pattern)


def test_a_strangers_pattern_cannot_hold_the_program():
    start = time.perf_counter()
    assert matching(["a" * 400 + "!"] * 100, "(a+)+$").tolist() == []
    assert time.perf_counter() - start < 5  # a backtracking engine would need longer than the universe


@given(st.text(max_size=40))
def test_any_pattern_matches_or_is_refused(pattern):
    with contextlib.suppress(PatternError):
        assert set(matching(["one", "two"], pattern).tolist()) <= {0, 1}


def test_several_words_by_commas_or_blanks():
    space = of("new york", "king", "queen", "x")
    assert several(space, "king, queen") == ["king", "queen"]
    assert several(space, "king queen king") == ["king", "queen"]
    assert several(space, "new york, nobody here") == ["new york", "nobody", "here"]


def test_slashes_make_a_pattern():
    assert as_pattern("/ly$/") == "ly$"
    assert as_pattern("and/or") is None
    assert as_pattern("//") is None


def test_a_word_without_a_row_may_be_assembled():
    buckets = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    space = VectorSpace(["guitar", "bass"], np.ones((2, 4)), subwords=Subwords(3, 6, buckets))
    found = find(space, " guitare ")
    assert (found.word, found.query, found.ngrams, found.alike) == (None, "guitare", 22, ("guitar",))
    assert (find(space, "guitar").query, find(space, "guitar").ngrams) == ("guitar", 0)
    assert find(space, "Guitar").others == ("guitar",)
    assert find(space, "").query is None
    assert [has_vector(space, word) for word in ("guitar", "xyzzy", "")] == [True, True, False]
    text = assembly(space, ["guitar", "xyzzy", "a"])
    assert "“xyzzy” is not in the vocabulary: its vector is assembled from 14 n-grams" in text
    assert "“a” is not in the vocabulary: its vector is assembled from 1 n-gram." in text
    assert "guitar" not in text


def test_where_nothing_is_assembled_an_unknown_word_has_no_vector(space):
    assert find(space, "nobody").query is None
    assert not has_vector(space, "nobody")
    assert assembly(space, ["nobody", "w3"]) == ""


def test_a_pattern_searches_words_and_texts_each_from_its_beginning():
    keys, texts = ["rec.sport/1", "hockey/2", "alt/3"], ["Go Leafs!\nhockey tonight", "no sport", "Hockey"]
    assert matching(keys, "hockey", texts).tolist() == [0, 1]
    assert matching(keys, "(?i)^hockey", texts).tolist() == [1, 2]
    assert matching(keys, "sport", texts).tolist() == [0, 1]


def test_a_word_of_a_text_finds_its_rows_whole_words_first():
    texts = ["Shuttleworth speaks", "The shuttle (STS) returns", "A car"]
    space = VectorSpace(["t1", "t2", "t3"], np.eye(3), metadata={"text": texts, "label": ["shuttle"] * 3})
    assert find(space, "SHUTTLE").labelled == ("t2", "t1")
    assert find(space, "(STS").labelled == ("t2",)
    assert find(space, "nothing").labelled == find(space, "t1").labelled == ()


def test_words_are_split_at_spaces_but_labels_with_spaces_stay_whole():
    space = VectorSpace(["ice cream", "ice", "new york city", "new", "tea"], np.eye(5))
    assert separated(space, ["tea ice cream new"]) == ["tea", "ice cream", "new"]
    assert separated(space, ["ice tea", "new york city tea", "two words"]) == [
        "ice",
        "tea",
        "new york city",
        "two",
        "words",
    ]
    assert several(space, "ice cream, tea\nnew york city") == ["ice cream", "tea", "new york city"]
