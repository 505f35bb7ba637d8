"""Snapshots of words while they learn, from which a trajectory is made."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embedviz.core.space import Float, Ints
from embedviz.core.trajectory import Trajectory
from embedviz.corpus.tokenized import Corpus

SNAPSHOTS = 40
"""Snapshots of a whole training; the first is before learning, the last is the result."""
WORDS = 2_000
"""Of the most frequent words, those that are kept, with those that are watched."""
MOST_BYTES = 2**28
_LARGEST = 6e4  # above this float16 ends


class Snapshots:
    """The same words at several moments, gathered while a training runs: often at first, when they move most.

    Args:
        corpus: Whose words the rows are.
        rows: Of the words that are kept, ascending, (n,).
        epochs: Passes planned.
        watched: Words that are kept before all others.

    Attributes:
        rows: The same; fewer where the vectors turn out to be long.
    """

    def __init__(self, corpus: Corpus, rows: Ints, epochs: float, watched: Sequence[str] = ()) -> None:
        self._words = [corpus.words[row] for row in rows.tolist()]
        self.rows, self._length = rows, max(epochs, 1e-9)
        self._watched = np.array([corpus.index[word] for word in watched if word in corpus.index], np.int64)
        self._epochs: list[float] = []
        self._taken: list[NDArray[np.float16 | np.float32]] = []

    def due(self, epoch: float) -> bool:
        """Return whether it is time for the next one: on a curve over the run, and after each of few epochs."""
        taken = len(self._epochs)
        whole = self._length <= SNAPSHOTS // 2 and epoch == int(epoch)
        return not taken or (
            epoch > self._epochs[-1] and (whole or epoch / self._length >= min(1.0, (taken / (SNAPSHOTS - 1)) ** 2))
        )

    def take(self, epoch: float, vectors: Float) -> None:
        """Keep the vectors of the rows, (n, d); one of the same moment is replaced, those of another width go."""
        rows = np.asarray(vectors, np.float32)
        if self._taken and self._taken[0].shape[1] != rows.shape[1]:
            self._epochs, self._taken = [], []
        if self._epochs and epoch <= self._epochs[-1]:
            self._epochs.pop()
            self._taken.pop()
        if SNAPSHOTS * 2 * rows.size > MOST_BYTES and not self._taken:
            rows = rows[self._fewer(max(1, MOST_BYTES // (SNAPSHOTS * 2 * rows.shape[1])))]
        self._epochs.append(epoch)
        self._taken.append(rows.astype(np.float16) if np.abs(rows).max(initial=0) < _LARGEST else rows)

    def _fewer(self, count: int) -> Ints:
        """Keep so many words, watched ones before the most frequent, and return their places among those before."""
        watched = np.flatnonzero(np.isin(self.rows, self._watched))
        order = np.concatenate([watched, np.setdiff1d(np.arange(len(self.rows)), watched)])
        places = np.sort(order[:count])
        self.rows, self._words = self.rows[places], [self._words[place] for place in places.tolist()]
        return np.asarray(places, np.int64)

    def trajectory(self) -> Trajectory:
        """Return what was kept so far."""
        return Trajectory(self._words, self.rows, np.array(self._epochs, np.float32), np.stack(self._taken))


def recorded_rows(corpus: Corpus, rows: int, watched: Sequence[str]) -> Ints:
    """Return the rows of the most frequent words and of those watched, ascending, of a space of so many rows."""
    first = np.arange(min(rows, WORDS))
    own = [corpus.index[word] for word in watched if word in corpus.index]
    return np.union1d(first, np.array([row for row in own if row < rows], np.int64)).astype(np.int64)
