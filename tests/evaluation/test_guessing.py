"""Questions about neighbors: the answer is the nearest option, and the rules beside it are worked anew."""

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.evaluation.guessing import guess_turns


def test_the_answer_is_the_nearest_option_and_no_other_form_of_the_word(builtin):
    found = guess_turns(builtin)
    assert len(found.turns) == 200
    for one in found.turns[:20]:
        rows = np.stack([builtin.vector(word).astype(float) for word in (one.word, *one.options)])
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        np.testing.assert_allclose(unit[1:] @ unit[0], one.cosines, atol=1e-5)
        assert one.answer == one.options[int(np.argmax(one.cosines))]
        assert len({one.word, *one.options}) == 6
        assert one.answer[:4] != one.word[:4]  # no other form of the word
    assert guess_turns(builtin).turns[:3] == found.turns[:3]
    assert guess_turns(builtin, seed=1).turns[0] != found.turns[0]


def test_a_space_of_noise_is_answered_by_its_letters_at_chance_and_by_half_of_it_more_often():
    random = np.random.default_rng(0)
    words = ["".join(chr(97 + letter) for letter in random.integers(0, 26, 6)) for _ in range(400)]
    found = guess_turns(VectorSpace(words, random.normal(size=(400, 20)).astype(np.float32)))
    low, high = found.spelled.interval
    assert low < found.chance < high
    assert found.halved.interval[0] > found.chance
    assert "chance: 20\u00a0%" in found.meaning


def test_a_space_of_few_rows_is_a_sentence():
    space = VectorSpace([f"w{row}" for row in range(9)], np.eye(9, dtype=np.float32))
    with pytest.raises(OptionError, match="has 9 rows to guess; 20 are needed"):
        guess_turns(space)
