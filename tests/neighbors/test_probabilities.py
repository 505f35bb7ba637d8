import numpy as np
import pytest
from scipy import special, stats
from scipy.spatial.distance import cdist

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.neighbors.probabilities import word_probabilities


@pytest.mark.parametrize(("score", "sign"), [("cosine", 1), ("euclidean", -1)])
@pytest.mark.parametrize("temperature", [0.05, 1.0])
def test_probabilities_are_the_softmax_of_all_other_words(builtin, score, sign, temperature):
    row = builtin.row("guitar")
    matrix = builtin.matrix.astype(float)
    distances = cdist(matrix[[row]], matrix, score)[0]
    scores = np.delete(1 - distances if sign > 0 else distances, row)
    words = np.delete(np.array(builtin.words_at(range(len(builtin)))), row)
    expected = special.softmax(sign * scores / temperature)
    found = word_probabilities(builtin, "guitar", temperature=temperature, score=score, k=5)
    order = np.argsort(-expected, kind="stable")[:5]
    assert [each.word for each in found.likely] == words[order].tolist()
    assert [each.probability for each in found.likely] == pytest.approx(expected[order], rel=1e-3)
    assert found.effective == pytest.approx(2 ** stats.entropy(expected, base=2), rel=1e-3)
    assert found.choices == len(builtin) - 1
    assert "guitar" not in words


def test_a_high_temperature_makes_all_words_equal_and_a_low_one_the_first_sure():
    space = VectorSpace(["a", "b", "c", "zero"], np.array([[1, 0], [2, 1], [0, 3], [0, 0]], np.float32))
    flat = word_probabilities(space, "a", temperature=1e6)
    assert [each.probability for each in flat.likely] == pytest.approx([flat.uniform] * 2, rel=1e-4)
    assert flat.effective == pytest.approx(2, rel=1e-6)
    sharp = word_probabilities(space, "a", temperature=1e-3)
    assert (sharp.likely[0].word, sharp.likely[0].probability) == ("b", pytest.approx(1))
    assert sharp.effective == pytest.approx(1)


def test_a_word_without_direction_is_refused():
    space = VectorSpace(["a", "zero"], np.array([[1, 0], [0, 0]], np.float32))
    with pytest.raises(OptionError, match="row of zeros"):
        word_probabilities(space, "zero")
    with pytest.raises(OptionError, match="no other word"):
        word_probabilities(space, "a")
