"""Snapshots of word vectors during a training run, which become the trajectory."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embedviz.core.space import Float, Ints
from embedviz.core.trajectory import Trajectory
from embedviz.corpus.tokenized import Corpus

SNAPSHOTS = 40
"""Approximate number of snapshots in a training run. The first is before learning, the last is the result."""
WORDS = 2_000
"""Number of most frequent words that are recorded, in addition to the watched words."""
MOST_BYTES = 2**28
_LARGEST = 6e4  # larger numbers overflow float16


class Snapshots:
    """Vectors of the same words at several moments of a training run. Most snapshots are early, when words move most.

    Args:
        corpus: The corpus of the training.
        rows: Rows of the words to record, ascending, (n,).
        epochs: Planned epochs.
        watched: Words that are recorded in preference to other words if memory is short.

    Attributes:
        rows: Rows of the recorded words; fewer than given if the vectors are so long that memory is short.
    """

    def __init__(self, corpus: Corpus, rows: Ints, epochs: float, watched: Sequence[str] = ()) -> None:
        self._words = [corpus.words[row] for row in rows.tolist()]
        self.rows, self._length = rows, max(epochs, 1e-9)
        self._watched = np.array([corpus.index[word] for word in watched if word in corpus.index], np.int64)
        self._epochs: list[float] = []
        self._taken: list[NDArray[np.float16 | np.float32]] = []

    def due(self, epoch: float) -> bool:
        """Return whether the next snapshot is due.

        Snapshot i is due at the fraction (i / (`SNAPSHOTS` - 1))² of the training, i from 0. A run of at most
        `SNAPSHOTS` // 2 epochs also has a snapshot after each epoch.
        """
        taken = len(self._epochs)
        whole = self._length <= SNAPSHOTS // 2 and epoch == int(epoch)
        return not taken or (
            epoch > self._epochs[-1] and (whole or epoch / self._length >= min(1.0, (taken / (SNAPSHOTS - 1)) ** 2))
        )

    def take(self, epoch: float, vectors: Float) -> None:
        """Record the present vectors of the words in `rows`, (n, d).

        A snapshot of the same moment is replaced. If the number of dimensions d changed, all earlier snapshots are
        deleted.
        """
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
        """Keep `count` of the recorded words: watched words first, then frequent words. Return their old indices."""
        watched = np.flatnonzero(np.isin(self.rows, self._watched))
        order = np.concatenate([watched, np.setdiff1d(np.arange(len(self.rows)), watched)])
        places = np.sort(order[:count])
        self.rows, self._words = self.rows[places], [self._words[place] for place in places.tolist()]
        return np.asarray(places, np.int64)

    def trajectory(self) -> Trajectory:
        """Return the trajectory of the snapshots so far."""
        return Trajectory(self._words, self.rows, np.array(self._epochs, np.float32), np.stack(self._taken))


def recorded_rows(corpus: Corpus, rows: int, watched: Sequence[str]) -> Ints:
    """Return the rows to record, ascending: those of the `WORDS` most frequent words and of the watched words.

    Args:
        rows: Number of rows of the space. Watched words without a row are left out.
    """
    first = np.arange(min(rows, WORDS))
    own = [corpus.index[word] for word in watched if word in corpus.index]
    return np.union1d(first, np.array([row for row in own if row < rows], np.int64)).astype(np.int64)
