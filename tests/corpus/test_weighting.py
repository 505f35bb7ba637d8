import numpy as np
from scipy.sparse import csr_matrix

from embedviz.corpus.weighting import left_singular


def test_a_table_of_zeros_has_vectors_of_zeros():
    """Lines of one word have no two words near each other."""
    vectors, values, note = left_singular(csr_matrix((5, 4)), 2, 0, exponent=0.5)
    assert vectors.tolist() == [[0.0, 0.0]] * 5
    assert (values.tolist(), note) == ([0.0, 0.0], "")
    assert np.isfinite(vectors).all()
