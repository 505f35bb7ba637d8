"""The words of a text, in several scripts."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz.core.texts import places, sentence_places, sentences, tokens

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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Smith left. He met J. K. Rowling.", ["Mr. Smith left.", "He met J. K. Rowling."]),
        ("Was it “nice?” Yes… it was! “Really.” Ok", ["Was it “nice?”", "Yes… it was!", "“Really.”", "Ok"]),
        ("It rose 3.5 per cent. 4 fell.\nNo stop\n\n", ["It rose 3.5 per cent.", "4 fell.", "No stop"]),
        ("これは本です。あれは？「はい。」", ["これは本です。", "あれは？", "「はい。」"]),
        ("In the U.S. on Jan. 3 it snowed.", ["In the U.S. on Jan. 3 it snowed."]),
        ("... ! ?", ["...", "!", "?"]),
        ("", []),
    ],
)
def test_sentences_of_a_text(text, expected):
    assert sentences(text) == expected


def test_sentences_of_wrapped_text_end_at_an_empty_line_and_have_places():
    text = "A title\n \nA text that\ngoes on. And  \r\n on\n\n\nIt ends."
    found = [text[start:end] for start, end in sentence_places(text, wrapped=True)]
    assert found == ["A title", "A text that\ngoes on.", "And  \r\n on", "It ends."]
    places_of = [*sentence_places(text)]
    assert [text[start:end] for start, end in places_of] == sentences(text)
    assert len(places_of) == 6


@pytest.mark.parametrize("text", ["." * 200_000, ". " * 100_000, "Mr. A " * 33_000, "a b. c" * 33_000, "。" * 200_000])
def test_sentences_of_a_hostile_text_are_found_in_one_pass(text):
    begun = time.process_time()
    sentences(text)
    assert time.process_time() - begun < 3
