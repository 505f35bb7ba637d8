"""Guests of a map: placed by their neighbors, as scikit-learn finds them, and measured against a random place."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.projection.guests import entries, guests


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_a_guest_stands_at_the_weighted_mean_of_its_nearest(builtin, metric):
    rows, asked = np.arange(100, 400), builtin.words[:10]
    points = np.random.default_rng(0).normal(size=(300, 2)).astype(np.float32)
    found = guests(builtin, rows, points, asked, metric=metric, k=8)
    reference = NearestNeighbors(n_neighbors=8, metric=metric, algorithm="brute").fit(builtin.matrix[rows])
    distances, near = reference.kneighbors(builtin.matrix[:10])
    for at in range(10):
        weights = np.exp(-(distances[at] - distances[at, 0]) / (distances[at, -1] - distances[at, 0]))
        assert found.points[at] == pytest.approx(np.average(points[near[at]], axis=0, weights=weights), abs=1e-3)
    assert found.chance == 8 / 300


def test_a_drawn_row_stands_at_its_own_point_and_noise_keeps_what_a_random_place_would():
    noise = np.random.default_rng(1)
    space = VectorSpace([f"w{row}" for row in range(1_200)], noise.normal(size=(1_200, 40)).astype(np.float32))
    points = noise.normal(size=(1_000, 2)).astype(np.float32)  # a map that knows nothing of the space
    rows = np.arange(1_000)
    numbers = [" ".join(map(str, space.matrix[row].tolist())) for row in range(5)]
    assert guests(space, rows, points, numbers).points == pytest.approx(points[:5])
    found = guests(space, rows, points, space.words[1_000:])
    assert found.kept.mean() == pytest.approx(found.chance, abs=0.02)
    assert "not part of the map’s computation" in found.meaning
    with pytest.raises(OptionError):
        guests(space, rows, points, space.words[:1], metric="other")


def test_formulas_and_vectors_are_placed_as_the_vectors_that_they_are(builtin):
    """A formula stands where its numbers do, whatever their length under cosine; gensim's sum is the reference."""
    rows = np.arange(300)
    points = np.random.default_rng(0).normal(size=(300, 3)).astype(np.float32)
    unit = builtin.unit_rows(np.array([builtin.index[word] for word in ("king", "man", "woman")])).astype(float)
    total = unit[0] - unit[1] + unit[2]
    typed = ["king - man + woman", "sum: " + ", ".join(map(repr, (3 * total).tolist())), " ".join(map(str, total))]
    found = guests(builtin, rows, points, typed)
    assert found.words == ("king − man + woman", "sum", "vector 3")
    assert np.allclose(found.points[1:], found.points[0], atol=1e-4)
    cosines = builtin.unit_rows(rows) @ (total / np.linalg.norm(total))
    assert found.nearest == (builtin.words[int(np.argmax(cosines))],) * 3
    assert 1 - found.distances == pytest.approx([cosines.max()] * 3, abs=1e-5)
    header, table = found.table()
    assert header == ("word", "x", "y", "z", "neighbors kept", "nearest drawn word", "cosine")
    assert [len(row) for row in table] == [7] * 3


def test_what_cannot_be_placed_is_a_sentence_and_the_others_stand(builtin):
    rows, points = np.arange(50), np.zeros((50, 2), np.float32)
    zeros = " ".join(["0"] * builtin.dimensions)
    sentence = "the king rules over the country"
    found = guests(builtin, rows, points, ["king", "1 2 3", "qqzzqqzz", zeros, "king -", sentence, "king"])
    assert any("is a sentence" in each and "map of texts" in each for each in found.unread)
    assert found.words == ("king",)
    assert len(found.unread) == 5
    assert "has 3 numbers; vectors of" in found.unread[0]
    with pytest.raises(OptionError, match="at most 200"):
        guests(builtin, rows, points, [str(place) for place in range(201)])


def test_guests_of_another_space_are_looked_up_there_and_far_ones_are_named():
    random = np.random.default_rng(3)
    here = random.normal(size=(60, 20)).astype(np.float32)
    here[30:] = here[:30] + 0.05 * random.normal(size=(30, 20))  # each drawn word has a close companion
    space = VectorSpace([f"w{row}" for row in range(60)], here)
    other = VectorSpace(["same", "stray"], np.vstack([here[4], random.normal(size=20)]).astype(np.float32))
    points = random.normal(size=(60, 2)).astype(np.float32)
    found = guests(space, np.arange(60), points, ["same", "stray", "w3"], other)
    assert found.words == ("same", "stray")
    assert found.points[0] == pytest.approx(points[4])
    assert found.nearest[0] == "w4"
    assert found.usual < 0.05 < found.far + 0.05 < found.distances[1]
    assert "their places say little: stray." in found.meaning
    assert found.away.tolist() == [False, True]
    assert [remark.endswith("; no drawn word is close to it") for remark in found.remarks] == [False, True]
    assert "one model made both spaces" in found.meaning
    with pytest.raises(OptionError, match="dimensions"):
        guests(space, np.arange(60), points, ["a"], VectorSpace(["a", "b"], np.eye(2)))


def test_a_word_that_is_drawn_is_said_to_be_there_and_not_placed_again(builtin):
    rows, points = np.arange(50), np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32)
    drawn, new = builtin.words[7], builtin.words[70]
    found = guests(builtin, rows, points, [f" {drawn} ", new, drawn, f"{drawn} + {new}"])
    assert found.words == (new, f"{drawn} + {new}")
    assert found.drawn == ((drawn, drawn),)
    assert found.meaning.startswith(f"Already a word of this map, not added again: “{drawn}”")
    assert "Added words" in found.meaning
    alone = guests(builtin, rows, points, [drawn])
    assert alone.points.shape == (0, 2)
    assert "Added words" not in alone.meaning
    other = builtin.take(np.arange(40))
    assert guests(builtin, rows, points, [drawn], other).words == (drawn,)  # a word of another space is another word


def test_words_between_commas_are_entries_but_not_the_numbers_of_a_vector_or_a_word_with_a_comma():
    space = VectorSpace(["a", "b", "c, d"], np.eye(3, dtype=np.float32))
    assert entries("a, b\nmine: 1, 2, 3\nc, d\na - b", space) == ["a", " b", "mine: 1, 2, 3", "c, d", "a - b"]
