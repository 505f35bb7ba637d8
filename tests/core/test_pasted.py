import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from embedviz.core.pasted import text_of, words_of
from pages._shared.output.export import csv_text

WORDS = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), max_size=8)
SIGNS = st.lists(st.text("'-=+@＝\t a", min_size=1), max_size=8)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("king\nqueen\r\nriver", ["king", "queen", "river"]),
        ("king, queen; river\tbank", ["king", "queen", "river", "bank"]),
        (" king ,, king ,new york", ["king", "new york"]),
        ('"a, b", c', ["a, b", "c"]),
        ('"say ""hi""";x', ['say "hi"', "x"]),
        ('5" pipe, "unclosed, x', ['5" pipe', '"unclosed', "x"]),
        ("word, king, queen", ["word", "king", "queen"]),
        ("word,x,y\nking,0.1,0.2\n", ["king"]),
        ("\ufeffword;x\nking, the;1\n", ["king, the"]),
        ("word\tx\n'=1+1\t2\n'tis\t3", ["=1+1", "'tis"]),
        ("word,king\nqueen,paris,river", ["word", "king", "queen", "paris", "river"]),
        ("", []),
        (" ,;\n", []),
    ],
)
def test_a_list_is_read_however_it_is_pasted(text, words):
    assert words_of(text) == words


@given(WORDS)
def test_a_list_written_is_read_back(words):
    words = list(dict.fromkeys(word for word in (word.replace("\r", "").strip() for word in words) if word))
    assert words_of(text_of(words)) == words


@given(WORDS | SIGNS)
@example(["'-foo"])
@example(["' =1", "''@x", "'tis", "-a\n-b"])
def test_the_table_that_we_export_is_read_back(words):
    words = list(dict.fromkeys(word for word in (word.replace("\r", "").strip() for word in words) if word))
    assert words_of(csv_text([(word, 0.5, 1) for word in words], ("word", "x", "y"))) == (words or ["word", "x", "y"])


ESCAPES = st.text(st.sampled_from([*"\\ux20e1bd=' ", "\u202e", "\u200b", "\x1b", "\U000e0041"]), min_size=1)


@given(st.lists(ESCAPES, max_size=6))
@example(["\\u202e", "\u202e=1", "\\x5cu202e", "\\U000e0041"])
def test_nothing_invisible_stands_in_an_exported_table(words):
    words = list(dict.fromkeys(word for word in map(str.strip, words) if word))
    table = csv_text([(word, 0.5, 1) for word in words], ("word", "x", "y"))
    assert table.replace("\r\n", "").isprintable()
    assert words_of(table) == (words or ["word", "x", "y"])


@pytest.mark.parametrize("text", ['"' * 200_000, '"a,' * 70_000, '",""' * 50_000, "a," * 100_000, "word," * 40_000])
def test_a_hostile_text_is_read_in_time(text):
    start = time.perf_counter()
    words_of(text)
    assert time.perf_counter() - start < 5
