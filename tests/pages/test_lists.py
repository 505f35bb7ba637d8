import pytest

from embedviz.core.options import OptionError
from embedviz.core.pasted import words_of
from pages._shared.app import lists, word_lists


def test_a_short_list_stands_in_the_address_and_a_long_one_does_not():
    assert lists.reference("sample_words", ["king", "a, b"]) == {"sample_words": 'king, "a, b"', "list": None}
    assert lists.reference("sample_words", []) == {"sample_words": None, "list": None}
    for words in ([f"w{number}" for number in range(201)], ["x" * 400, "y" * 400, "z" * 400, "v" * 400]):
        named = lists.reference("sample_words", words)
        assert named["sample_words"] is None
        assert word_lists.words_behind(named["list"]) == tuple(words)


def test_what_stands_for_a_list_is_short_and_becomes_the_list():
    words = [f"w{number}, x" for number in range(500)]
    mark = lists.marked(word_lists.keep(words))
    assert len(mark) < 40
    assert words_of(lists.unmarked(mark)) == words
    assert lists.unmarked("king, kept:queen") == "king, kept:queen"
    assert lists.whole({"words": mark, "k": 3})["k"] == 3


def test_a_list_that_had_to_go_is_a_sentence():
    with pytest.raises(OptionError, match="no longer has this list"):
        lists.marked("gone")


def test_a_list_that_is_too_long_is_a_sentence(monkeypatch):
    few = word_lists.WordListStore(100)
    monkeypatch.setattr(word_lists, "live", lambda *_: few)
    with pytest.raises(OptionError, match="too many to store"):
        lists.reference("sample_words", ["x" * 300] * 300)
