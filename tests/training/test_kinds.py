"""Each kind of thing has a vector, and its nearest one is that of its own space."""

import numpy as np
import pytest

from embedviz.neighbors import nearest
from embedviz.training.kinds import kinds


@pytest.fixture(scope="module")
def found():
    return {one.name: one for one in kinds().examples}


def test_the_nearest_word_is_that_of_the_space(found, builtin):
    best = nearest(builtin, "guitar", 1)[0]
    assert (found["word"].nearest, found["word"].example) == (best.word, "guitar")
    assert found["word"].cosine == pytest.approx(best.similarity, abs=1e-5)
    assert (found["word"].rows, found["word"].dimensions) == builtin.matrix.shape
    assert abs(found["word"].usual) < 0.05  # random words of the table


def test_each_kind_is_nearer_than_random_pairs_and_has_a_lesson(found):
    from pages.learn.lessons.table import LESSONS

    assert list(found) == ["word", "subword", "token", "sentence", "document", "node"]
    assert all(one.lead > 0 for one in found.values())
    assert {one.lesson for one in found.values()} <= {one.name for one in LESSONS}
    assert found["token"].example.startswith("bank in “")
    assert found["token"].nearest.startswith("bank in “")
    assert found["sentence"].nearest == "In the garden a man is fixing his bike."
    assert found["node"].rows == 34
    assert np.isfinite([one.cosine for one in found.values()]).all()
