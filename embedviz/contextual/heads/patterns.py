"""Positions that attention heads read: the token before, the token after, the token itself; chance by shuffled words.

The chance of a head is its mean weight on a random visible word of the same sentence. The p-value compares the
advantage of a head over this with the highest advantage of all heads and positions when words are shuffled, so it
holds for the best of all heads too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from embedviz.core.phrases import number
from embedviz.core.stats.intervals import LEVEL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from embedviz.core.space import Float

SHUFFLES = 400
"""Shuffles of the words of a sentence."""
POSITIONS = {"before": -1, "after": 1, "itself": 0}
"""Distance of the token that is read, by name."""
TITLES = {"before": "the token before it", "after": "the token after it", "itself": "itself"}

METHOD = (
    "Positions compared: the token before, the token after and the token itself, as means over the words of the "
    "sentence. With shuffled words, each word reads a random word instead; p compares with the best of all heads and "
    f"positions in {SHUFFLES} shuffles."
)


class HeadPattern(NamedTuple):
    """One head and the position that it reads most, compared with chance.

    Attributes:
        position: A name of `POSITIONS`.
        weight: Mean weight on this position, over the words of the sentence that have such a token.
        shuffled: Mean weight on a random word instead.
        p: Probability of such an advantage for the best head and position with shuffled words.
    """

    layer: int
    head: int
    position: str
    weight: float
    shuffled: float
    p: float

    @property
    def advantage(self) -> float:
        """Weight minus chance."""
        return self.weight - self.shuffled

    @property
    def sentence(self) -> str:
        """Return the mean weight, with shuffled words."""
        return (
            f"On average, a word gives {number(self.weight)} to {TITLES[self.position]}; with shuffled words "
            f"{number(self.shuffled)}."
        )


@dataclass(frozen=True, eq=False)
class HeadPatterns:
    """The positions of all heads.

    Attributes:
        positions: The P names of `POSITIONS` that the sentence can have.
        weights: Mean weights, (P, L, H).
        shuffled: Mean weights on random words, (P, L, H).
        highest: The highest advantage of all heads and positions in each shuffle, (SHUFFLES,).
    """

    positions: tuple[str, ...]
    weights: Float
    shuffled: Float
    highest: Float

    def of(self, layer: int, head: int) -> HeadPattern:
        """Return the position with the largest advantage in a head; layers and heads are counted from 1."""
        gains = (self.weights - self.shuffled)[:, layer - 1, head - 1]
        at = int(np.argmax(gains))
        p = (1 + int((self.highest >= gains[at]).sum())) / (len(self.highest) + 1)
        place = (at, layer - 1, head - 1)
        return HeadPattern(layer, head, self.positions[at], float(self.weights[place]), float(self.shuffled[place]), p)

    @property
    def best(self) -> HeadPattern:
        """Return the head with the largest advantage over shuffled words."""
        gains = self.weights - self.shuffled
        _, layer, head = np.unravel_index(int(np.argmax(gains)), gains.shape)
        return self.of(int(layer) + 1, int(head) + 1)

    @property
    def note(self) -> str:
        """Name the head that reads one position most clearly, with its chance."""
        best, heads = self.best, self.weights[0].size
        verdict = "this may be chance" if best.p > LEVEL else "more than chance"
        return (
            f"Of all {heads} heads, head {best.head} of layer {best.layer} reads one position most clearly: it gives "
            f"{number(best.weight)} to {TITLES[best.position]} (with shuffled words {number(best.shuffled)}), "
            f"{verdict} (p = {number(best.p, 3)})."
        )


def head_patterns(weights: Float, words: NDArray[np.bool_], *, causal: bool, seed: int = 0) -> HeadPatterns | None:
    """Measure the positions that each head reads; None where no position has two words.

    Args:
        weights: (L, H, t, t), from a token (row) to a token (column).
        words: Whether a token is a word or sign of the text, not a special token, (t,).
        causal: Whether a token sees only itself and earlier tokens.
    """
    random = np.random.default_rng(seed)
    places = np.flatnonzero(words)
    seen = {int(row): places[places <= row] if causal else places for row in places}
    highest = np.zeros(SHUFFLES, np.float32)
    found: list[tuple[str, Float, Float]] = []
    for name, step in POSITIONS.items():
        rows = [row for row, others in seen.items() if len(others) > 1 and row + step in others]
        if len(rows) < 2:
            continue
        mean = weights[:, :, rows, [row + step for row in rows]].mean(axis=-1)
        chance = np.mean([weights[:, :, row][:, :, seen[row]].mean(axis=-1) for row in rows], axis=0)
        drawn = np.stack([random.choice(seen[row], SHUFFLES) for row in rows])
        each = np.mean([weights[:, :, row][:, :, columns] for row, columns in zip(rows, drawn, strict=True)], axis=0)
        highest = np.maximum(highest, (each - chance[..., None]).max(axis=(0, 1)).astype(np.float32))
        found.append((name, mean, chance))
    if not found:
        return None
    names, means, chances = zip(*found, strict=True)
    return HeadPatterns(names, np.stack(means), np.stack(chances), highest)


def highest_by_chance(rows: Float, many: int, reached: float, *, seed: int = 0) -> tuple[float, float, float]:
    """Return the highest weight of some keys with shuffled words, mean and upper end, and the p-value of a weight.

    Args:
        rows: The weights of each head on the words of a sentence, (heads, words).
        many: Number of keys.
        reached: The highest weight on them without shuffling.
    """
    random = np.random.default_rng(seed)
    highest = [float(random.permuted(rows, axis=1)[:, :many].max()) for _ in range(SHUFFLES)]
    upper = sorted(highest)[-int(LEVEL * (SHUFFLES + 1))]  # a weight above it has p ≤ LEVEL
    return float(np.mean(highest)), upper, (1 + sum(one >= reached for one in highest)) / (SHUFFLES + 1)
