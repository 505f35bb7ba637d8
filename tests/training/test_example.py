"""The example as a movie: its shares are those of the recorded vectors, counted one by one."""

import numpy as np

from embedviz.core.trajectory import open_trajectory
from embedviz.training import replay
from embedviz.training.example import train_example


def near(matrix, row, k):
    """The k rows with the largest cosines."""
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    cosines = unit @ unit[row]
    cosines[row] = -np.inf
    return set(np.argsort(-cosines)[:k].tolist())


def test_the_share_of_final_neighbors_is_that_of_the_recorded_vectors(tmp_path):
    train_example(str(tmp_path / "example"))
    way = open_trajectory(tmp_path / "example" / "trajectory")
    film = replay.film(tmp_path / "example")  # another training would be recorded at other moments
    assert list(film.words) == list(way.words)
    assert film.settled[-1] == 1
    middle, rows = len(way) // 2, range(len(way.words))
    shares = [len(near(way.at(middle), row, film.k) & near(way.at(-1), row, film.k)) / film.k for row in rows]
    assert abs(film.settled[middle] - np.mean(shares)) < 0.05  # the film counts a sample of words
