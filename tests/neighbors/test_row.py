"""One row of a table: the product of a one-hot vector and the table."""

import numpy as np
import pytest

from embedviz.neighbors.row import word_row


def test_a_row_is_the_product_of_a_one_hot_vector_and_the_table(builtin):
    found = word_row(builtin, "guitar")
    one_hot = np.zeros(len(builtin), np.float32)
    one_hot[builtin.words.index("guitar")] = 1
    assert np.array_equal(one_hot @ builtin.matrix, found.values)
    assert found.row == int(one_hot.argmax())
    assert found.shorter == pytest.approx(56.56, abs=0.005)  # 21,719 / 384
    assert 2**found.bits == pytest.approx(21_719)
