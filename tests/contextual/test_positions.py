"""Positions of tokens: sinusoidal, learned, rotary."""

import numpy as np
import pytest

from embedviz.contextual import positions
from embedviz.core.options import OptionError


def test_sinusoids_are_those_of_the_formula():
    """PE(p, 2i) = sin(p / 10000^(2i/d)), PE(p, 2i + 1) = cos of the same (Vaswani et al. 2017)."""
    found = positions.sinusoidal(50, 16)
    for position, dimension in ((0, 0), (3, 4), (49, 14)):
        angle = position / 10_000 ** (dimension / 16)
        assert found[position, dimension] == pytest.approx(np.sin(angle))
        assert found[position, dimension + 1] == pytest.approx(np.cos(angle))
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), np.sqrt(8))


def test_a_shift_is_a_rotation_that_does_not_depend_on_the_position():
    found = positions.sinusoidal(40, 8)
    products = found @ found.T
    for distance in (1, 5, 20):
        values = np.diagonal(products, distance)
        np.testing.assert_allclose(values, values[0])


def test_a_rotated_product_depends_on_the_distance_alone():
    random = np.random.default_rng(0)
    query, key = random.normal(size=(2, 64))
    for shift in (0, 7, 100):
        turned = positions.rotated(query, [3 + shift])[0] @ positions.rotated(key, [8 + shift])[0]
        assert turned == pytest.approx(positions.rotated(query, [0])[0] @ positions.rotated(key, [5])[0])
    np.testing.assert_allclose(np.linalg.norm(positions.rotated(query, np.arange(9)), axis=1), np.linalg.norm(query))


def test_rotation_is_a_product_of_complex_numbers():
    """A pair of columns is a complex number, turned by e^(i m θ) (Su et al. 2021, equation 12)."""
    vectors = np.random.default_rng(1).normal(size=(6, 16))
    turns = np.exp(1j * np.outer(np.arange(6), 10_000.0 ** (-np.arange(0, 16, 2) / 16)))
    theirs = (vectors[:, 0::2] + 1j * vectors[:, 1::2]) * turns
    ours = positions.rotated(vectors, np.arange(6))
    np.testing.assert_allclose(ours[:, 0::2] + 1j * ours[:, 1::2], theirs)


def test_learned_positions_are_those_of_the_model():
    from transformers import BertModel

    from embedviz.core.builtin import model_folder

    table = positions.learned()
    assert table.shape == (512, 384)
    own = BertModel.from_pretrained(model_folder()).embeddings.position_embeddings.weight.detach().numpy()
    np.testing.assert_array_equal(table, own)


def test_near_positions_are_alike():
    for table in (positions.sinusoidal(64, 32), positions.learned()[:64]):
        found = positions.similarity_by_distance(table)
        assert found[0] > found[20]


def test_an_odd_number_of_dimensions_is_refused():
    with pytest.raises(OptionError, match="even number"):
        positions.sinusoidal(4, 5)
