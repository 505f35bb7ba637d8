"""Two spaces side by side: which words they share, which neighbors they keep, and whether a rotation joins them.

Each figure stands beside what two unrelated spaces would give.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from embedviz.core.call import offered
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import VectorSpace
from embedviz.geometry.comparison.overlap import (
    SAMPLE,
    K,
    NeighborChange,
    Overlap,
    changed_word,
    looked_at,
    overlap,
    overlap_of,
)
from embedviz.geometry.comparison.procrustes import HELDOUT, Precision, Procrustes, procrustes_of
from embedviz.geometry.comparison.shared import Figure, Shared, shared, unit_pair
from embedviz.geometry.comparison.similarity import Cka, CosineAgreement, agreement_of, cka, cka_of
from embedviz.geometry.comparison.timeline import Spot, Timeline, TimelinePath, TimelineStep, WordBand, timeline

__all__ = [
    "Cka",
    "Comparison",
    "CosineAgreement",
    "Figure",
    "NeighborChange",
    "Overlap",
    "Precision",
    "Procrustes",
    "Shared",
    "Spot",
    "Timeline",
    "TimelinePath",
    "TimelineStep",
    "WordBand",
    "changed_word",
    "cka",
    "compare",
    "overlap",
    "shared",
    "timeline",
]


@dataclass(frozen=True, eq=False)
class Comparison:
    """All that is measured between two spaces.

    Attributes:
        one, other: What they are called.
    """

    one: str
    other: str
    overlap: Overlap
    procrustes: Procrustes
    cka: Cka
    agreement: CosineAgreement

    @property
    def shared(self) -> Shared:
        """The words that both spaces have."""
        return self.overlap.shared

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Each figure with its baseline and what it means, in words."""
        return self.overlap.figure, *self.procrustes.figures, self.cka.figure, self.agreement.figure

    def card(self, words: int = 20) -> dict[str, Any]:
        """Return what `embedviz compare` prints, as plain JSON values; shares are 0 to 1."""
        return {
            "shared": self.shared.total,
            "compared": len(self.shared),
            "zero": self.shared.zero,
            "overlap": self.overlap.card(),
            "procrustes": self.procrustes.card(),
            "cka": self.cka.value,
            "cka_shuffled": self.cka.shuffled,
            "cka_debiased": self.cka.debiased,
            "similarity_of_similarities": asdict(self.agreement),
            "changed": [change.card() for change in self.overlap.changed(words)],
            "unchanged": [change.card() for change in self.overlap.changed(words, most=False)],
        }


@offered(
    "found",
    "for figure in found.figures:",
    "    print(figure.name, figure.here, figure.baseline, figure.of_what, sep='  ')",
    "for change in found.overlap.changed(8):",
    "    print(change)",
    command="compare {one} {other} -k {k} --seed {seed}",
)
def compare(
    one: VectorSpace,
    other: VectorSpace,
    *,
    k: int = K,
    sample: int = SAMPLE,
    heldout: int = HELDOUT,
    seed: int = 0,
    report: Report | None = None,
) -> Comparison:
    """Return all figures of a comparison, over one choice of shared words.

    Args:
        k: Neighbors by cosine; cut to less than half of the shared words.
        sample: Words whose neighbors are looked at, drawn at random where more are shared.
        heldout: Words that the rotation is not fitted on, cut to a fifth of those shared.

    Raises:
        OptionError: Fewer than four words are shared, or a number is below 1.
    """
    words = shared(one, other, seed=seed)
    pair = unit_pair(one, other, words)

    kept = overlap_of(words, pair, looked_at(len(words), sample, seed), k, part(report, 0.0, 0.3))
    moved = procrustes_of(words, pair, heldout, k, seed, part(report, 0.3, 0.95))
    pairs = agreement_of(pair, seed)
    tell(report, 0.97, "comparing the geometry")
    return Comparison(one.origin.name, other.origin.name, kept, moved, cka_of(one, other, words), pairs)
