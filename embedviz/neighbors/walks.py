"""Shortest walks from word to word by nearest neighbors: breadth-first search in the graph of neighbors."""

from dataclasses import dataclass

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted
from embedviz.core.progress import Report, tell
from embedviz.core.space import VectorSpace
from embedviz.neighbors.lists import nearest_lists

MOST_STEPS = 12
"""Maximum number of steps of a walk."""


@dataclass(frozen=True)
class ShortestWalk:
    """The shortest walk from one word to another; each step goes to one of the k nearest neighbors.

    Attributes:
        words: The words of one shortest walk, both ends included; empty if no walk was found.
        walks: Number of different walks of this shortest length.
        reached: Number of words that the search reached, the start included.
    """

    start: str
    goal: str
    k: int
    words: tuple[str, ...]
    walks: int
    reached: int

    @property
    def steps(self) -> int | None:
        """Return the number of steps of a shortest walk; None if no walk was found."""
        return len(self.words) - 1 if self.words else None

    @property
    def chance(self) -> float:
        """Return the probability that `steps` random steps are a shortest walk; 0 if there is no walk."""
        return self.walks / self.k**self.steps if self.steps is not None else 0.0

    @property
    def meaning(self) -> str:
        """Say the shortest walk, and how often random steps are a shortest walk."""
        if self.steps is None:
            return f"No walk of {MOST_STEPS} steps or fewer leads from {self.start} to {self.goal}."
        return (
            f"The fewest steps are {self.steps}: {', '.join(self.words)}. Steps drawn at random are a shortest walk "
            f"once in {counted(round(1 / self.chance), 'trial')}."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Return the header and one row per word of the walk."""
        return ("step", "word"), list(enumerate(self.words))


@offered("found", "print(found.words, found.steps, found.chance)")
def shortest_walk(
    space: VectorSpace, start: str, goal: str, k: int = 10, *, report: Report | None = None
) -> ShortestWalk:
    """Return the shortest walk from `start` to `goal`, where each step goes to one of k nearest neighbors (cosine).

    If several walks are equally short, one of them is returned; at each step, nearer neighbors are tried first.

    Raises:
        UnknownWordError: A word has no vector.
        OptionError: k is below 1, the two words are the same, or a word has no row or a row of zeros.
    """
    for word in (start, goal):
        space.vector(word)
        if word not in space.index:
            raise OptionError(f"“{word}” is composed of its n-grams and has no row here. A walk leads over rows alone.")
    if start == goal or k < 1:
        raise OptionError("A walk needs two different words and one neighbor or more.")
    first, last = space.index[start], space.index[goal]
    for word, row in ((start, first), (goal, last)):
        if not space.norms[row] > 0:
            raise OptionError(f"“{word}” is a row of zeros and has no neighbors. Choose another word.")
    k = min(k, int(np.count_nonzero(space.norms > 0)) - 1)  # a word has at most n − 1 neighbors
    counts, parent, frontier = {first: 1}, {first: first}, [first]
    for depth in range(MOST_STEPS):
        tell(report, min(1.0, len(counts) / len(space)), f"{len(counts):,} words reached in {depth} steps")
        lists, _ = nearest_lists(space, np.asarray(frontier), k)
        fresh: dict[int, int] = {}
        for row, near in zip(frontier, lists.tolist(), strict=True):
            for other in near:
                if other not in counts:
                    fresh[other] = fresh.get(other, 0) + counts[row]
                    parent.setdefault(other, row)
        counts |= fresh
        frontier = list(fresh)
        if last in fresh or not frontier:
            break
    if last not in counts:
        return ShortestWalk(start, goal, k, (), 0, len(counts))
    rows = [last]
    while rows[-1] != first:
        rows.append(parent[rows[-1]])
    return ShortestWalk(start, goal, k, tuple(space.words[row] for row in rows[::-1]), counts[last], len(counts))
