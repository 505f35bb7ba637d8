"""A sentence as a grid of nearest input vectors, and static beside contextual vectors by anchors."""

import numpy as np
import pytest

from embedviz import catalog
from embedviz.contextual.anchors import anchored, profiles
from embedviz.contextual.encoder import EncoderError, encode, load
from embedviz.contextual.sentence_grid import sentence_grid
from embedviz.core.options import OptionError


def test_each_cell_is_the_nearest_row_of_the_input_table():
    encoder = load("builtin")
    table = encoder.network.get_input_embeddings().weight.detach().numpy().astype(float)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    sentence = "The bank of the river unforgettable."
    grid, hidden = sentence_grid(sentence), encode(encoder, [sentence])
    assert grid.tokens[:5] == ("the", "bank", "of", "the", "river")
    for layer in (0, 3, 6):
        vectors = np.asarray(hidden.layer(layer))[1:-1].astype(float)
        cosines = vectors / np.linalg.norm(vectors, axis=1, keepdims=True) @ table.T
        for row, cell, own in zip(cosines, grid.layers[layer], hidden.ids[1:-1], strict=True):
            first, second = np.argsort(-row)[:2]
            other = second if first == own else first
            assert cell.own == (first == own)
            assert cell.text == encoder.tokenizer.convert_ids_to_tokens(int(first))
            assert cell.other == encoder.tokenizer.convert_ids_to_tokens(int(other))
            assert cell.other_cosine == pytest.approx(row[other], abs=1e-4)
    with pytest.raises(EncoderError, match="tokens"):
        sentence_grid("word " * 40)


def test_cosines_with_anchors_do_not_change_when_a_space_is_turned_moved_and_scaled():
    random = np.random.default_rng(2)
    vectors, anchors = random.normal(size=(5, 8)), random.normal(size=(30, 8))
    turn, move = np.linalg.qr(random.normal(size=(8, 8)))[0], random.normal(size=8)
    np.testing.assert_allclose(
        profiles(vectors, anchors), profiles(3 * vectors @ turn + move, 3 * anchors @ turn + move)
    )
    again = profiles(vectors, anchors)
    wanted = np.corrcoef(again[0], again[1])[0, 1]
    assert again[0] @ again[1] == pytest.approx(wanted)


def test_the_input_table_is_nearer_to_the_occurrences_than_other_words_are():
    news, table = catalog.open_space("shelf:google-news"), catalog.open_space("builtin")
    found = anchored(news, table, "bank", 0)
    own = found.profiles[1]
    assert min(own.by_sense) > 0.9 > own.usual  # layer 0 is this table with positions and a norm
    assert len(found.points) == len(found.labels) + 2
    assert "bank" not in found.anchors
    ngrams = catalog.open_space("shelf:fasttext")
    third = anchored(news, table, "bank", 0, third=ngrams).profiles[2]
    assert third.assembled == len(ngrams.subwords.ngrams("bank"))
    assert max(third.by_sense) < third.usual  # a model that never saw the word knows its letters alone
    with pytest.raises(OptionError, match="crane"):
        anchored(news, table, "crane", 0)
