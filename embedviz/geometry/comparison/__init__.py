"""Two spaces side by side: which words they share, which neighbors they keep, and whether a rotation joins them.

Each figure stands beside what two unrelated spaces would give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from embedviz.core.call import offered
from embedviz.core.phrases import number, share
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import VectorSpace
from embedviz.geometry.comparison.overlap import (
    SAMPLE,
    Change,
    K,
    Overlap,
    changed_word,
    looked_at,
    overlap,
    overlap_of,
)
from embedviz.geometry.comparison.procrustes import HELDOUT, Precision, Procrustes, procrustes, procrustes_of
from embedviz.geometry.comparison.shared import Shared, shared, unit_pair
from embedviz.geometry.comparison.similarity import Agreement, Cka, agreement, agreement_of, cka, cka_of
from embedviz.geometry.comparison.timeline import Band, Path, Spot, Step, Timeline, timeline

__all__ = [
    "Agreement",
    "Band",
    "Change",
    "Cka",
    "Comparison",
    "Figure",
    "Overlap",
    "Path",
    "Precision",
    "Procrustes",
    "Shared",
    "Spot",
    "Step",
    "Timeline",
    "agreement",
    "changed_word",
    "cka",
    "compare",
    "overlap",
    "procrustes",
    "shared",
    "timeline",
]

_AXES_AGREE = 0.1  # of the words found again without a rotation


class Figure(NamedTuple):
    """One row of the table of a comparison, as it is said."""

    name: str
    here: str
    baseline: str
    of_what: str
    meaning: str


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
    agreement: Agreement

    @property
    def shared(self) -> Shared:
        """The words that both spaces have."""
        return self.overlap.shared

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Each figure with its baseline and what it means, in words."""
        kept, moved, geometry, pairs = self.overlap, self.procrustes, self.cka, self.agreement
        same = moved.identity
        guess = f"one guess among {moved.candidates:,}"
        unturned = "The same without any rotation, only centered: whether the axes already agree."
        if same is not None and same.low > moved.random.high and same.value > _AXES_AGREE:
            unturned = (
                "Without any rotation, only centered: the axes already agree, as where one space was made from the "
                "other or the two were aligned before."
            )
        return (
            Figure(
                f"Neighbors kept, of {kept.k}",
                _within(kept.mean, kept.low, kept.high) if kept.margin else share(kept.mean),
                share(kept.chance),
                "two unrelated spaces",
                "The mean share of a word's nearest that are the same.",
            ),
            Figure(
                "Found again, nearest",
                _within(*moved.nearest),
                share(moved.random.value),
                f"a random rotation; {guess}: {share(moved.chance)}",
                "Held-out words whose nearest word, after the rotation, is the word itself.",
            ),
            Figure(
                "Found again, CSLS",
                _within(*moved.csls),
                share(moved.chance),
                guess,
                "The same, with words that are near to everyone held back.",
            ),
            Figure(
                "Found again, unturned",
                _within(*same) if same is not None else "–",
                share(moved.random.value),
                "a random rotation",
                unturned if same is not None else "Rows of different length cannot be compared without a rotation.",
            ),
            Figure(
                "CKA",
                _or_dash(geometry.value),
                _or_dash(geometry.shuffled),
                "the words of one space shuffled",
                f"1 where the spaces are one but for rotation and scale. Debiased: {_or_dash(geometry.debiased)}, "
                "by chance 0.",
            ),
            Figure(
                "Similarity of similarities",
                _or_dash(pairs.spearman)
                + (f" ({number(pairs.low)} to {number(pairs.high)})" if pairs.spearman is not None else ""),
                "0",
                "two unrelated spaces",
                f"Spearman correlation of the cosines of {pairs.pairs:,} random pairs. Pearson: "
                f"{_or_dash(pairs.pearson)}.",
            ),
        )

    def card(self, words: int = 20) -> dict[str, Any]:
        """What `embedviz compare` prints, as plain JSON values; shares are 0 to 1."""
        kept, moved = self.overlap, self.procrustes
        return {
            "shared": self.shared.total,
            "compared": len(self.shared),
            "zero": self.shared.zero,
            "overlap": {
                "k": kept.k,
                "mean": kept.mean,
                "low": kept.low,
                "high": kept.high,
                "chance": kept.chance,
                "sample": len(kept.looked),
                "histogram": kept.histogram.tolist(),
            },
            "procrustes": {
                "precision_at_1": moved.nearest.value,
                "low": moved.nearest.low,
                "high": moved.nearest.high,
                "csls": moved.csls.value,
                "identity": None if moved.identity is None else moved.identity.value,
                "random": moved.random.value,
                "chance": moved.chance,
                "heldout": moved.heldout,
                "training": moved.training,
            },
            "cka": self.cka.value,
            "cka_shuffled": self.cka.shuffled,
            "cka_debiased": self.cka.debiased,
            "similarity_of_similarities": {
                "spearman": self.agreement.spearman,
                "pearson": self.agreement.pearson,
                "low": self.agreement.low,
                "high": self.agreement.high,
                "pairs": self.agreement.pairs,
            },
            "changed": [change.card() for change in kept.changed(words)],
            "unchanged": [change.card() for change in kept.changed(words, most=False)],
        }


def _within(value: float, low: float, high: float) -> str:
    return f"{share(value)} ({share(low)} to {share(high)})"


def _or_dash(value: float | None) -> str:
    return "–" if value is None else number(value)


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
    """All figures of a comparison, over one choice of shared words.

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
