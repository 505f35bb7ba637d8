"""Where words on their way are in a picture: along the last main directions, and turned onto another run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.options import OptionError
from embedviz.space import Float
from embedviz.trajectory import Trajectory

_SHUFFLES = 20


class Places(NamedTuple):
    """Where words are at each moment.

    Attributes:
        points: (s, n, c).
        shares: Of the variance at each moment, what shows, (s,).
        last: The same of the last moment, direction by direction, (c,).
    """

    points: Float
    shares: Float
    last: Float


def places(way: Trajectory, components: int) -> Places:
    """The words at every moment in the principal directions of the last, each moment less its own mean.

    Raises:
        OptionError: A vector has numbers that are none.
    """
    final = _centered(way.at(len(way) - 1))
    count = min(components, final.shape[1])
    values, vectors = np.linalg.eigh(final.T.astype(np.float64) @ final)
    basis = vectors[:, ::-1][:, :count]
    basis = basis * np.where(basis[np.abs(basis).argmax(axis=0), np.arange(count)] < 0, -1, 1)
    points = np.zeros((len(way), len(way.words), components), np.float32)
    shares = np.zeros(len(way), np.float32)
    for step in range(len(way)):
        rows = _centered(way.at(step))
        points[step, :, :count] = rows @ basis
        total = float(np.square(rows, dtype=np.float64).sum())
        shares[step] = float(np.square(points[step], dtype=np.float64).sum()) / total if total else 0.0
    total = float(values.clip(0).sum())
    last = values[::-1][:components].clip(0) / total if total else np.zeros(components)
    return Places(points, shares, np.asarray(np.pad(last, (0, components - len(last))), np.float32))


def _centered(rows: Float) -> Float:
    if not np.isfinite(rows).all():
        raise OptionError("The way of these words has numbers that are none, so it cannot be drawn.")
    return np.asarray(rows - rows.mean(axis=0, dtype=np.float64), np.float32)


@dataclass(frozen=True, eq=False)
class Turn:
    """One picture turned, mirrored and stretched onto another by the words that both have.

    Attributes:
        rotation: (c, c); `scale`: how much the second was stretched.
        shared: How many words both have.
        residual: What is left of the variance of the first between partners, 0 to 1; 0 where they fall together.
        shuffled: The same where partners are drawn at random: the mean of twenty draws.
    """

    rotation: Float
    scale: float
    shared: int
    residual: float
    shuffled: float

    def apply(self, frames: Float) -> Float:
        """The frames turned, (s, n, c)."""
        return np.asarray(self.scale * frames @ self.rotation, np.float32)


def turned(words: Sequence[str], points: Float, others: Sequence[str], onto: Float) -> Turn:
    """How these points lie as near as can be to their partners of the same word (Procrustes; Schönemann 1966).

    Raises:
        OptionError: Fewer than three words have a partner.
    """
    index = {word: place for place, word in enumerate(others)}
    pairs = [(place, index[word]) for place, word in enumerate(words) if word in index]
    if len(pairs) < 3:
        raise OptionError(
            f"The two runs have {len(pairs):,} words in common; three are needed to turn one onto the other."
        )
    here, there = np.array(pairs).T
    ours, theirs = points[here].astype(np.float64), onto[there].astype(np.float64)
    ours, theirs = ours - ours.mean(axis=0), theirs - theirs.mean(axis=0)
    rotation, scale, residual = _procrustes(ours, theirs)
    random = np.random.default_rng(0)
    left = [_procrustes(ours[random.permutation(len(ours))], theirs)[2] for _ in range(_SHUFFLES)]
    return Turn(np.asarray(rotation, np.float32), scale, len(pairs), residual, float(np.mean(left)))


def _procrustes(ours: Float, theirs: Float) -> tuple[Float, float, float]:
    left, agreement, right = np.linalg.svd(ours.T @ theirs)
    sizes = float((ours**2).sum()), float((theirs**2).sum())
    total = float(agreement.sum())
    residual = max(0.0, 1 - total**2 / (sizes[0] * sizes[1])) if sizes[0] and sizes[1] else 1.0
    return left @ right, total / sizes[0] if sizes[0] else 1.0, residual
