import numpy as np
import pytest
from scipy.spatial.distance import pdist

from embedviz.core.options import OptionError
from embedviz.training.lookup import OneHotCode, gradient_rows


def test_one_hot_words_are_all_equally_far_apart():
    code = OneHotCode(9)
    assert pdist(np.eye(9)) == pytest.approx(np.full(36, code.distance))
    assert 1 - pdist(np.eye(9), "cosine") == pytest.approx(np.full(36, code.cosine))
    assert (OneHotCode(8).bits, OneHotCode(50_000).bits) == (3, pytest.approx(15.61, abs=0.005))


@pytest.mark.parametrize("padding", [None, 0])
def test_the_gradient_is_that_of_torch(padding):
    import torch

    random = np.random.default_rng(0)
    batch, arriving = random.integers(0, 12, (4, 5)), random.normal(size=(20, 3))
    layer = torch.nn.Embedding(12, 3, padding_idx=padding, dtype=torch.float64)
    (layer(torch.tensor(batch)).reshape(20, 3) * torch.tensor(arriving)).sum().backward()
    found = gradient_rows(batch, 12, arriving, padding=padding)
    expected = layer.weight.grad.numpy()
    assert found.rows.tolist() == np.flatnonzero(np.abs(expected).sum(axis=1)).tolist()
    assert np.allclose(found.gradient, expected[found.rows])
    hot = np.eye(12)[batch.ravel()]
    assert np.allclose(hot @ layer.weight.detach().numpy(), layer(torch.tensor(batch)).detach().reshape(20, 3))


def test_a_batch_of_640_tokens_changes_at_most_640_of_50_000_rows():
    """At least 98.72 % of the rows have no gradient; more where a word comes twice."""
    once = gradient_rows(np.arange(640), 50_000)
    assert (once.zero, once.least) == (pytest.approx(0.9872), pytest.approx(0.9872))
    twice = gradient_rows(np.arange(640) // 2, 50_000)
    assert (twice.zero, twice.least) == (pytest.approx(0.9936), pytest.approx(0.9872))
    assert set(twice.times.tolist()) == {2}
    assert twice.gradient[0] == [2]


def test_a_batch_outside_the_vocabulary_is_refused():
    with pytest.raises(OptionError, match="rows from 0 to 4"):
        gradient_rows([1, 5], 5)
    with pytest.raises(OptionError, match="a row a token"):
        gradient_rows([1, 2], 5, np.ones((3, 2)))
