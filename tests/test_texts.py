"""The words of a text, in several scripts."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz.texts import places, tokens

DECOMPOSED = "Cafe\u0301 nai\u0308ve"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat's 2 mats, cat_s", ["the", "cat's", "mats", "cat", "s"]),
        ("हिन्दी में किताबें हैं।", ["हिन्दी", "में", "किताबें", "हैं"]),
        (DECOMPOSED, ["café", "naïve"]),
        ("كِتَابٌ جَدِيدٌ", ["كِتَابٌ", "جَدِيدٌ"]),
        ("می\u200cخواهم کتاب", ["می\u200cخواهم", "کتاب"]),
        ("สวัสดีครับ ที่นี่", ["สวัสดีครับ", "ที่นี่"]),
        ("\u0301 1\u0301 a\u200c b", ["a", "b"]),
        ("Ünïcode СЛОВА 東京", ["ünïcode", "слова", "東京"]),
    ],
)
def test_marks_belong_to_their_words(text, words):
    assert tokens(text) == [unicodedata.normalize("NFC", word) for word in words]


def test_a_word_is_one_however_its_accents_are_written():
    assert tokens(DECOMPOSED) == tokens(unicodedata.normalize("NFC", DECOMPOSED)) == ["café", "naïve"]
    assert [DECOMPOSED[place.start : place.end] for place in places(DECOMPOSED)] == DECOMPOSED.split()


@given(st.text(st.characters(categories=["L", "M", "Nd", "Zs", "Po", "Cf"])))
def test_words_are_composed_and_places_are_theirs(text):
    found = list(places(text))
    assert [place.word for place in found] == tokens(text)
    assert all(unicodedata.is_normalized("NFC", word) for word in tokens(text))
    assert all(tokens(text[place.start : place.end]) == [place.word] for place in found)
