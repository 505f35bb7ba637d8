"""Measure which position each attention head reads: the token before, the token after, or the token itself.

The chance baseline of a head is its mean weight on a random visible word of the same sentence; the advantage of the
head on a position is its mean weight on this position minus the baseline. The p-value compares the advantage with the
highest advantage of all heads and positions in each shuffle of the words. The p-value is therefore valid for the best
of all heads too.
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
"""Number of shuffles of the words of a sentence."""
POSITIONS = {"before": -1, "after": 1, "itself": 0}
"""For the name of each position, its offset: from a token to the token that it reads."""
TITLES = {"before": "the token before it", "after": "the token after it", "itself": "itself"}

METHOD = (
    "Positions compared: the token before, the token after and the token itself, as means over the words of the "
    "sentence. With shuffled words, each word reads a random word instead; p compares with the best of all heads and "
    f"positions in {SHUFFLES} shuffles."
)


class HeadPattern(NamedTuple):
    """One head, and the position on which it has its largest advantage over chance.

    Attributes:
        layer, head: Numbers from 1.
        position: A name of `POSITIONS`.
        weight: Mean weight of a word on the word at this position; words with no word there are left out.
        shuffled: Chance baseline: mean weight of the same words on a random visible word.
        p: p-value: share of shuffles in which the best head and position has at least this advantage.
    """

    layer: int
    head: int
    position: str
    weight: float
    shuffled: float
    p: float

    @property
    def advantage(self) -> float:
        """Return the weight minus the chance baseline."""
        return self.weight - self.shuffled

    @property
    def sentence(self) -> str:
        """Say the mean weight on the position, and the mean weight with shuffled words."""
        return (
            f"On average, a word gives {number(self.weight)} to {TITLES[self.position]}; with shuffled words "
            f"{number(self.shuffled)}."
        )


@dataclass(frozen=True, eq=False)
class HeadPatterns:
    """The weights of all heads on each position.

    Attributes:
        positions: The P names of `POSITIONS` that exist for at least two words of the sentence.
        weights: Mean weight of the words on each position in each head, (P, L, H).
        shuffled: Chance baselines: mean weight of the same words on a random visible word, (P, L, H).
        highest: The highest advantage of all heads and positions in each shuffle, (SHUFFLES,).
    """

    positions: tuple[str, ...]
    weights: Float
    shuffled: Float
    highest: Float

    def of(self, layer: int, head: int) -> HeadPattern:
        """Return the measures of a head on the position that it reads most, compared with chance.

        `layer` and `head` count from 1.
        """
        gains = (self.weights - self.shuffled)[:, layer - 1, head - 1]
        at = int(np.argmax(gains))
        p = (1 + int((self.highest >= gains[at]).sum())) / (len(self.highest) + 1)
        place = (at, layer - 1, head - 1)
        return HeadPattern(layer, head, self.positions[at], float(self.weights[place]), float(self.shuffled[place]), p)

    @property
    def best(self) -> HeadPattern:
        """Return the head and position with the largest advantage of all."""
        gains = self.weights - self.shuffled
        _, layer, head = np.unravel_index(int(np.argmax(gains)), gains.shape)
        return self.of(int(layer) + 1, int(head) + 1)

    @property
    def note(self) -> str:
        """Name the head that reads one position most clearly, and say whether this may be chance."""
        best, heads = self.best, self.weights[0].size
        verdict = "this may be chance" if best.p > LEVEL else "more than chance"
        return (
            f"Of all {heads} heads, head {best.head} of layer {best.layer} reads one position most clearly: it gives "
            f"{number(best.weight)} to {TITLES[best.position]} (with shuffled words {number(best.shuffled)}), "
            f"{verdict} (p = {number(best.p, 3)})."
        )


def head_patterns(weights: Float, words: NDArray[np.bool_], *, causal: bool, seed: int = 0) -> HeadPatterns | None:
    """Measure how much each head reads each position; None if no position exists for at least two words.

    Args:
        weights: Attention weights from a token (row) to a token (column), (L, H, t, t).
        words: Whether a token is a token of the text rather than a special token, (t,).
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
    """Return the mean and the 95 % limit of the highest weight in shuffles, and the p-value of `reached`.

    A shuffle exchanges the weights of each head among the words; then the highest weight of all heads is taken.

    Args:
        rows: The weights of one token on the words of a sentence, (heads, words); each row is shuffled.
        many: Number of shuffled words per head among which the highest weight is taken.
        reached: The weight to test.
    """
    random = np.random.default_rng(seed)
    highest = [float(random.permuted(rows, axis=1)[:, :many].max()) for _ in range(SHUFFLES)]
    upper = sorted(highest)[-int(LEVEL * (SHUFFLES + 1))]  # a weight above it has p ≤ LEVEL
    return float(np.mean(highest)), upper, (1 + sum(one >= reached for one in highest)) / (SHUFFLES + 1)
