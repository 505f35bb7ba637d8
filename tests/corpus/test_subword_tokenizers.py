"""Tokenizers side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz.core.options import OptionError
from embedviz.corpus import teaching
from embedviz.corpus.subword_tokenizers import (
    MOST_SHOWN,
    _trained,
    by_byte_pairs,
    by_wordpiece,
    by_words,
    merges,
)

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest widest widest\n" * 3


def test_wordpiece_gives_the_ids_of_bert():
    """“embedding” is em ##bed ##ding, and “The bank is open” 1996 2924 2003 2330."""
    assert [(one.piece, one.id) for one in by_wordpiece("embedding").pieces] == [
        ("em", 7861),
        ("##bed", 8270),
        ("##ding", 4667),
    ]
    found = by_wordpiece("The bank is open")
    assert [one.id for one in found.pieces] == [1996, 2924, 2003, 2330]
    assert found.vocabulary == 30_522
    assert not found.unknown
    assert by_wordpiece("bank " * 300).pieces[-1].text == "bank"


def test_bytes_pairs_join_the_most_frequent_first():
    """The example of Sennrich et al. (2016): e s, es t, l o, lo w, n e, …"""
    first = merges(TEXT, 262)
    assert "es" in first[:2]
    assert "est" in first[:3]


@pytest.mark.parametrize("size", [256, 257, 300, 700])
def test_a_smaller_vocabulary_is_that_of_a_training_of_this_size(size):
    training = teaching.text()[:60_000]
    alone = _trained(training, size)
    for text in ("the queen likes chatgpt and embeddings", "Ünïcode κ 猫 \u2003 tabs\tand kings"):
        ids = [one.id for one in by_byte_pairs(text, training, size).pieces]
        assert ids == alone.encode(text, add_special_tokens=False).ids


def test_a_word_that_was_frequent_is_one_piece_and_an_unseen_one_is_several():
    found = by_byte_pairs("low newest zyx", TEXT, 300)
    assert [one.text for one in found.pieces] == ["low", " newest", " ", "z", "y", "x"]
    assert not found.unknown


@given(st.text(max_size=60))
def test_byte_pairs_write_every_text(text):
    found = by_byte_pairs(text, TEXT, 280)
    assert "".join(one.text for one in found.pieces) == text


def test_words_outside_of_the_vocabulary_have_no_id():
    found = by_words("The zephyr blows", ["the", "blows"])
    assert [one.id for one in found.pieces] == [0, None, 1]
    assert found.unknown == 1


def test_what_is_too_large_is_refused():
    with pytest.raises(OptionError, match="at most"):
        by_wordpiece("a" * (MOST_SHOWN + 1))
    with pytest.raises(OptionError, match="Choose a number from 256"):
        by_byte_pairs("a", TEXT, 255)
