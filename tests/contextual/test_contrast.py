"""Contrastive losses beside numbers worked by hand and torch's autograd, and a batch of sentences by hand."""

import math

import numpy as np
import pytest
import torch

from embedviz.contextual.contrast import first_pairs, info_nce, sentence_batch, triplet_loss
from embedviz.contextual.encoder import EncoderError, encode
from embedviz.contextual.token_parts import token_parts
from embedviz.core.options import OptionError
from embedviz.core.texts import Texts

TEXTS = (
    "The farmer planted barley in the field. It was harvested in the late summer.",
    "Nobody answered the phone at the office. The caller tried again an hour later.",
    "A boy is playing the violin on a stage. The audience listens to him in silence.",
)


def texts(*given):
    return Texts(list(given), [f"t{place}" for place in range(len(given))], None, "test")


def test_a_triplet_loss_is_worked_by_hand():
    loss = triplet_loss([0, 0], [1, 0], [0, 1], 1)
    assert (loss.value, loss.positive, loss.negative) == (1, 1, 1)
    assert triplet_loss([0, 0], [1, 0], [0, 3], 1).value == 0  # 1 − 9 + 1 < 0
    assert not np.any(triplet_loss([0, 0], [1, 0], [0, 3], 1).anchor)


@pytest.mark.parametrize("margin", [0.5, 2.0])
def test_the_gradients_of_a_triplet_are_those_of_autograd(margin):
    a, p, n = (torch.tensor(row, dtype=torch.float64, requires_grad=True) for row in ([1, 0.2], [0.5, 1], [1.5, -0.4]))
    value = ((a - p).pow(2).sum() - (a - n).pow(2).sum() + margin).clamp(min=0)
    value.backward()
    loss = triplet_loss(a.detach(), p.detach(), n.detach(), margin)
    assert loss.value == pytest.approx(float(value.detach()))
    for ours, theirs in zip((loss.anchor, loss.toward, loss.away), (a.grad, p.grad, n.grad), strict=True):
        np.testing.assert_allclose(ours, theirs)


def test_info_nce_is_worked_by_hand():
    two = info_nce([[1, 0], [0, 1]], 1)
    assert two.value == pytest.approx(math.log(1 + math.exp(-1)))
    assert two.bound == pytest.approx(math.log(2) - two.value)
    assert info_nce(np.full((5, 5), 0.3)).value == pytest.approx(math.log(5))  # equal similarities: the bound is 0
    assert info_nce(np.eye(4), 0.001).bound == pytest.approx(math.log(4))  # never above ln N


def test_info_nce_and_its_gradient_are_those_of_autograd():
    table = torch.tensor(np.random.default_rng(0).uniform(-1, 1, (6, 6)), requires_grad=True)
    value = torch.nn.functional.cross_entropy(table / 0.2, torch.arange(6))
    value.backward()
    found = info_nce(table.detach().numpy(), 0.2)
    assert found.value == pytest.approx(float(value.detach()))
    np.testing.assert_allclose(found.gradient, table.grad)
    np.testing.assert_allclose(found.probabilities, torch.softmax(table.detach() / 0.2, dim=1))


@pytest.mark.parametrize(
    ("table", "temperature", "says"),
    [
        ([[1.0]], 1, "A batch of one pair has no negatives"),
        ([[1.0, 2.0]], 1, "a square table is needed"),
        (np.eye(2), 0, "The temperature is 0; it must be above 0"),
    ],
)
def test_a_batch_without_a_loss_is_a_sentence(table, temperature, says):
    with pytest.raises(OptionError, match=says):
        info_nce(table, temperature)


def test_a_batch_has_the_cosines_of_its_sentences(encoder):
    batch = sentence_batch(texts(*TEXTS), 3, model=encoder)
    assert batch.anchors[0] == "The farmer planted barley in the field."
    every = [*batch.anchors, *batch.positives]
    hidden = encode(encoder, every)
    means = np.stack([hidden.layer(6)[hidden.span(place)].mean(axis=0, dtype=np.float64) for place in range(6)])
    unit = means / np.linalg.norm(means, axis=1, keepdims=True)
    np.testing.assert_allclose(batch.similarities, unit[:3] @ unit[3:].T, atol=1e-6)
    assert batch.layers[6].alignment == pytest.approx(2 - 2 * np.diag(batch.similarities).mean())
    assert len(batch.layers) == 7


def test_pairs_are_the_first_two_sentences_and_none_comes_twice():
    assert first_pairs(["Too short.", *TEXTS[:1], *TEXTS[:1], "One sentence that is long enough."]) == [
        ("The farmer planted barley in the field.", "It was harvested in the late summer.")
    ]
    with pytest.raises(OptionError, match="1 of 1 texts begin with two different sentences; two are needed"):
        sentence_batch(texts(TEXTS[0]), 4)
    with pytest.raises(OptionError, match="n is 1; a batch has 2 to 64 pairs"):
        sentence_batch(texts(*TEXTS), 1)


def test_the_parts_of_tokens_add_to_the_cosine_and_to_one(encoder):
    found = token_parts("The bank raised the rate.", "Money costs more.", model=encoder)
    assert found.parts.sum() == pytest.approx(found.cosine)
    assert found.one.shares.sum() == pytest.approx(1)
    assert found.one.decided.sum() == 384
    assert found.one.tokens[:3] == ("[CLS]", "the", "bank")
    hidden = encode(encoder, ["The bank raised the rate.", "Money costs more."])
    one, other = (hidden.layer(6)[hidden.span(place)].astype(float) for place in range(2))
    a, b = one.mean(axis=0), other.mean(axis=0)
    assert found.cosine == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    expected = one[2] @ other[1] / (len(one) * len(other) * np.linalg.norm(a) * np.linalg.norm(b))
    assert found.parts[2, 1] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "says"),
    [(("", "a word"), "Sentence 1, “”, has no token"), (("a", "x" * 201), "A sentence has 201 characters")],
)
def test_sentences_that_cannot_be_pooled_are_a_sentence(given, says, encoder):
    with pytest.raises(EncoderError, match=says):
        token_parts(*given, model=encoder)
