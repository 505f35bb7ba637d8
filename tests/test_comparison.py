"""What two spaces have in common, beside what chance would give."""

import numpy as np
import pytest

from embedviz.comparison import overlap, shared
from embedviz.options import OptionError
from embedviz.space import Origin, VectorSpace


def named(matrix, words=None, name="space", order="frequency"):
    words = words or [f"w{row}" for row in range(len(matrix))]
    return VectorSpace(words, np.asarray(matrix, np.float32), origin=Origin("test", name, order))


def gaussian(n=600, d=20, seed=0):
    return named(np.random.default_rng(seed).normal(size=(n, d)), name=f"gaussian {seed}")


def turned(space, seed=0, scale=1.0):
    """The space after a random rotation, or reflection, of all rows."""
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(space.dimensions, space.dimensions)))[0]
    return named(scale * space.matrix @ turn, list(space.words), "turned")


def degrees(*angles):
    return [(np.cos(np.radians(angle)), np.sin(np.radians(angle))) for angle in angles]


def test_shared_words_are_equal_letter_for_letter_and_have_a_direction():
    one = named([[1, 0], [0, 1], [1, 1], [2, 1], [1, 2], [0, 0]], ["a", "b", "c", "d", "e", "z"])
    other = named([[1, 0], [0, 1], [1, 1], [2, 1], [0, 0], [1, 2]], ["E", "d", "c", "b", "a", "z"])
    with pytest.raises(OptionError, match="share 5 words, 2 of them rows of zeros, letter for letter; 4"):
        shared(one, other)
    other = named([[1, 0], [0, 1], [1, 1], [2, 1], [1, 1], [1, 2]], ["E", "d", "c", "b", "a", "z"])
    found = shared(one, other)
    assert found.words == ("a", "b", "c", "d")
    assert found.ours.tolist() == [0, 1, 2, 3]
    assert found.theirs.tolist() == [4, 3, 2, 1]
    assert (found.total, found.zero) == (5, 1)


def test_shared_words_are_the_first_where_the_order_is_by_frequency_and_random_where_it_is_none():
    space = gaussian(50, 3)
    assert shared(space, space, most=10).words == tuple(space.words[:10])
    unordered = named(space.matrix, list(space.words), order="none")
    drawn = shared(unordered, space, most=10)
    assert len(drawn) == 10
    assert drawn.words != tuple(space.words[:10])
    assert drawn.sample == "10 of the 50 words that both spaces have."


def test_overlap_by_hand():
    """Seven words on a circle, k = 2: in the other space a and g change places."""
    words = list("abcdefg")
    one = named(degrees(0, 10, 21, 33, 46, 60, 75), words)
    other = named(degrees(75, 10, 21, 33, 46, 60, 0), words)
    found = overlap(one, other, k=2)
    assert found.k == 2
    # one: a bc, b ac, c bd, d ce, e df, f eg→(14, 15) eg, g fe; other: a fe, b gc, c bd, d ce, e df, f ea, g bc
    assert found.values.tolist() == [0, 0.5, 1, 1, 1, 0.5, 0]
    assert found.mean == pytest.approx(4 / 7)
    assert found.histogram.tolist() == [2, 2, 3]
    assert found.chance == pytest.approx(2 / 6)
    assert found.by_chance.tolist() == pytest.approx([7 * 6 / 15, 7 * 8 / 15, 7 * 1 / 15])
    assert found.jaccard == pytest.approx((3 + 2 / 3) / 7)
    first = found.changed(1)[0]
    assert (first.word, first.kept, first.lost, first.new) == ("a", (), ("b", "c"), ("f", "e"))
    assert [change.word for change in found.changed(3, most=False)] == ["c", "d", "e"]
    assert found.keeping(1) == ("b", "f")
    assert found.changed(2, among=2)[1].word == "b"


def test_a_space_keeps_all_of_its_own_neighbors(builtin):
    assert overlap(builtin, builtin, sample=300).mean == 1.0


def test_a_rotation_or_a_scale_changes_no_neighbor():
    space = gaussian()
    found = overlap(space, turned(space, 3, scale=0.01))
    assert found.mean == 1.0
    assert found.margin == 0.0
    assert found.meaning.startswith("Every word keeps all of its 10 nearest")


def test_an_unrelated_space_keeps_what_chance_gives():
    found = overlap(gaussian(2_000, 20, 1), gaussian(2_000, 30, 2))
    assert found.mean == pytest.approx(found.chance, abs=0.002)
    assert found.chance == 10 / 1_999
    assert found.histogram[:2] == pytest.approx(found.by_chance[:2], rel=0.3)
    assert found.meaning.endswith("no more than in two unrelated spaces.")


def test_a_sample_lies_within_its_interval_and_says_so(builtin):
    one = builtin.take(np.arange(2_500))
    noise = np.random.default_rng(0).normal(scale=builtin.norms.mean() / 20, size=one.matrix.shape)
    other = named(one.matrix + noise, list(one.words))
    whole = overlap(one, other)
    part = overlap(one, other, sample=500, seed=1)
    assert part.low - 0.01 < whole.mean < part.high + 0.01
    assert 0 < part.margin < 0.03
    assert "500 words looked at, drawn at random; neighbors by cosine among the 2,500 shared" in part.baseline
    assert "All 2,500 words looked at" in whole.baseline


def test_rows_of_zeros_are_nobodys_neighbors(space):
    found = overlap(space, space)
    assert found.shared.zero == 1
    assert "w199" not in found.shared.words
    assert found.shared.sample == (
        "The 199 words that both spaces have. 1 more is a row of zeros in one of the two and left out."
    )


def test_small_spaces():
    few = gaussian(4, 2)
    assert overlap(few, few, k=10).k == 1
    with pytest.raises(OptionError, match="share 3 words letter for letter; 4 with a direction are needed"):
        overlap(gaussian(3, 2), gaussian(5, 2))
    with pytest.raises(OptionError, match="share no word"):
        overlap(few, named(np.eye(4), list("abcd")))
    line = named(np.arange(1, 9)[:, None])
    assert 0 <= overlap(line, line).mean <= 1


def test_progress_reaches_the_end():
    told = []
    overlap(gaussian(), gaussian(), report=lambda fraction, message: told.append((fraction, message)))
    assert told[-1] == (1.0, "600 of 600 words looked at")
