import threading

import pytest

from embedviz.options import OptionError
from embedviz.pasted import words_of
from pages._shared import kept


@pytest.fixture(autouse=True)
def own_lists(monkeypatch):
    lists = kept._Lists()
    monkeypatch.setattr(kept, "_lists", lambda: lists)


def test_a_list_is_kept_under_a_token_that_nobody_guesses():
    words = ("king", "a, b", 'say "hi"', "naïve", "⁂")
    one, other = kept.keep(words), kept.keep(words)
    assert kept.kept(one) == words
    assert one != other
    assert len(one) >= 22
    assert kept.kept("nobody") is None
    assert kept.kept(kept.keep([])) == ()


def test_the_list_asked_for_longest_ago_goes_first(monkeypatch):
    monkeypatch.setattr(kept, "MOST_BYTES", 100)
    first, second = kept.keep(["a" * 25]), kept.keep(["b" * 25])
    kept.kept(first)
    more = [kept.keep(["c" * 25]) for _ in range(3)]
    assert kept.kept(second) is None
    assert kept.kept(first) is None or kept.kept(more[0]) is not None
    assert [kept.kept(token) for token in more] == [("c" * 25,)] * 3
    assert kept._lists().size <= 100


def test_one_list_takes_a_quarter_at_most(monkeypatch):
    monkeypatch.setattr(kept, "MOST_BYTES", 4 * 2**20)
    with pytest.raises(OptionError, match="1 MB are kept"):
        kept.keep(["a" * 2**21])


def test_a_short_list_stands_in_the_address_and_a_long_one_does_not():
    assert kept.reference("sample_words", ["king", "a, b"]) == {"sample_words": 'king, "a, b"', "list": None}
    assert kept.reference("sample_words", []) == {"sample_words": None, "list": None}
    for words in ([f"w{number}" for number in range(201)], ["x" * 800, "y" * 800]):
        named = kept.reference("sample_words", words)
        assert named["sample_words"] is None
        assert kept.kept(named["list"]) == tuple(words)


def test_what_stands_for_a_list_is_short_and_becomes_the_list():
    words = [f"w{number}, x" for number in range(500)]
    mark = kept.marked(kept.keep(words))
    assert len(mark) < 40
    assert words_of(kept.unmarked(mark)) == words
    assert kept.unmarked("king, kept:queen") == "king, kept:queen"
    assert kept.unmarked_options({"words": mark, "k": 3})["k"] == 3


def test_a_list_that_had_to_go_is_a_sentence():
    with pytest.raises(OptionError, match="no longer kept"):
        kept.marked("gone")


def test_many_may_keep_at_once(monkeypatch):
    monkeypatch.setattr(kept, "MOST_BYTES", 5_000)
    threads = [threading.Thread(target=lambda: [kept.keep(["x" * 50]) for _ in range(200)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lists = kept._lists()
    assert lists.size == sum(map(len, lists.texts.values())) <= 5_000
