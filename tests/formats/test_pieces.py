"""Pieces of a tokenizer as words, beside what the tokenizers library decodes."""

import json

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from embedviz import corpus
from embedviz.formats.labels import labels_of
from embedviz.formats.pieces import as_words, byte_of

TEXTS = ["Zürich and the café are in the “Übersicht” of the coffee", "coffee, coffee! the river 😀 the bank"]


@pytest.fixture(scope="module")
def byte_level():
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=900, initial_alphabet=alphabet, special_tokens=["<|end|>"], show_progress=False
    )
    made.train_from_iterator([*TEXTS * 20, *corpus.lee().texts[:40]], trainer)
    return made


def test_the_characters_of_bytes_are_those_of_the_library():
    assert set(byte_of()) == set(pre_tokenizers.ByteLevel.alphabet())
    assert sorted(byte_of().values()) == list(range(256))


def test_byte_level_pieces_are_the_words_that_the_library_decodes(byte_level):
    vocabulary = byte_level.get_vocab()
    names = labels_of("tokenizer.json", byte_level.to_str().encode(), len(vocabulary))
    assert "##" in names.note
    words = [name.decode() for name in names.words]
    assert len({*words}) == len(words) == len(vocabulary)
    seen = 0
    for piece, row in vocabulary.items():
        text = byte_level.decode([row], skip_special_tokens=False)
        if "\ufffd" not in text and text.strip() and piece != "<|end|>":
            assert words[row] == (text.removeprefix(" ") if text.startswith(" ") else f"##{text}")
            seen += 1
    assert seen > 600
    assert {"the", "coffee", "<|end|>"} <= {*words}


def test_pieces_of_sentencepiece_lose_their_mark():
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.train_from_iterator(
        TEXTS * 20, trainers.BpeTrainer(vocab_size=120, special_tokens=["<s>"], show_progress=False)
    )
    words = as_words(made.get_vocab())
    assert words["the"] == made.token_to_id("▁the")
    assert words["<s>"] == made.token_to_id("<s>")
    assert sorted(words.values()) == sorted(made.get_vocab().values())


def test_a_list_of_words_is_taken_as_it_is():
    words = {word: row for row, word in enumerate([*(f"word{n}" for n in range(99)), "Ġatt"])}
    assert as_words(words) is None
    assert labels_of("vocab.json", json.dumps(words).encode(), 100).note == ""


def test_a_piece_that_is_left_as_it_is_takes_no_other_pieces_word():
    vocabulary = {piece: row for row, piece in enumerate(["Ġriver", "Ġ##a", "a", "Ġa"])}
    assert as_words(vocabulary) == {"river": 0, "Ġ##a": 1, "a": 2, "Ġa": 3}
