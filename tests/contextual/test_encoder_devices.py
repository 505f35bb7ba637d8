"""Encoding as on a graphics card. `cpu:0` stands for the card, see `a_card`."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch

from embedviz.contextual.encoder import encode, reading
from embedviz.core import graphics_card

SENTENCES = [f"The bank of river {number} was {'very ' * (number % 7)}wide." for number in range(40)]


@pytest.fixture
def full(monkeypatch):
    """Let torch have no memory for more than so many sentences at once; the list gets the sizes that were read."""

    def most(count, on="cpu:0"):
        sizes, run = [], reading._run

        def limited(network, encoder, batch):
            if len(batch) > count and graphics_card.LastUse.name == on:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
            sizes.append(len(batch))
            return run(network, encoder, batch)

        monkeypatch.setattr(reading, "_run", limited)
        return sizes

    return most


def cosines(one, other):
    return (one * other).sum(-1) / np.linalg.norm(one, axis=-1) / np.linalg.norm(other, axis=-1)


@pytest.mark.parametrize(("dtype", "used", "least"), [("float32", "float32", 1 - 1e-6), ("auto", "float16", 0.999)])
def test_a_card_gives_what_the_cpu_gives(encoder, forced_card, dtype, used, least):
    ours, theirs = encode(encoder, SENTENCES, device="cpu"), encode(encoder, SENTENCES, dtype=dtype)
    assert cosines(ours.layers, theirs.layers).min() > least
    assert {"dtype": used, "device": "cpu:0"}.items() <= theirs.origin.parameters.items()
    assert ours.origin.parameters["dtype"] == "float32"
    assert "device" not in ours.origin.parameters


def test_few_sentences_stay_on_the_cpu_and_many_do_not(encoder, a_card, monkeypatch):
    assert "device" not in encode(encoder, SENTENCES[:3]).origin.parameters
    monkeypatch.setattr(reading, "_PAYS", reading._weights(encoder.network) * 20)
    assert encode(encoder, SENTENCES[:3]).origin.parameters["device"] == "cpu:0"


@pytest.mark.parametrize("most", [1, 3])
def test_batches_become_half_as_large_until_they_fit(encoder, forced_card, full, most):
    some = SENTENCES[:12]
    expected = encode(encoder, some, device="cpu").layers
    sizes = full(most)
    found = encode(encoder, some, dtype="float32")
    np.testing.assert_allclose(found.layers, expected, atol=1e-4)
    assert (sum(sizes), max(sizes)) == (len(some), most)
    assert found.origin.parameters["device"] == "cpu:0"


def test_where_one_sentence_does_not_fit_the_cpu_reads_all(encoder, forced_card, full, tmp_path):
    expected = encode(encoder, SENTENCES, device="cpu")
    full(0)
    result = []
    found = encode(encoder, SENTENCES, out=tmp_path / "states", report=lambda fraction, message: result.append(message))
    np.testing.assert_array_equal(found.layers, expected.layers)
    assert found.origin == expected.origin
    assert "The graphics card has too little free memory. The CPU computes it." in result


def test_what_half_precision_cannot_hold_is_read_in_single_precision(encoder, forced_card):
    network = copy.deepcopy(encoder.network)
    with torch.no_grad():
        network.embeddings.LayerNorm.weight *= 1e6
    found = encode(replace(encoder, network=network), SENTENCES[:2], layers=[0])
    assert np.abs(found.layers).max() > 65_504
    assert found.origin.parameters["dtype"] == "float32"
    with pytest.raises(reading.OverflowedError, match="vectors that are not numbers"):
        encode(replace(encoder, network=network), SENTENCES[:2], layers=[0], dtype="float16")
