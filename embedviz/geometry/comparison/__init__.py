"""Comparison of two spaces by their shared words: neighbors kept, rotation of one space onto the other, cosines.

The baseline of each measure is its value for two unrelated spaces.
"""

from dataclasses import asdict, dataclass
from typing import Any

from embedviz.core.call import offered
from embedviz.core.phrases import share
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import VectorSpace
from embedviz.geometry.comparison.overlap import (
    SAMPLE,
    K,
    NeighborChange,
    Overlap,
    changed_word,
    overlap,
    overlap_among,
    overlap_of,
    sampled_places,
)
from embedviz.geometry.comparison.procrustes import HELDOUT, Precision, Procrustes, procrustes_of
from embedviz.geometry.comparison.series import SeriesChange, WordChange, series
from embedviz.geometry.comparison.shared import CASES, Figure, Shared, shared, unit_pair
from embedviz.geometry.comparison.similarity import Cka, CosineAgreement, agreement_of, cka, cka_of
from embedviz.geometry.comparison.timeline import Spot, Timeline, TimelinePath, TimelineStep, WordBand, timeline

__all__ = [
    "CASES",
    "Cka",
    "Comparison",
    "CosineAgreement",
    "Figure",
    "NeighborChange",
    "Overlap",
    "Precision",
    "Procrustes",
    "SeriesChange",
    "Shared",
    "Spot",
    "Timeline",
    "TimelinePath",
    "TimelineStep",
    "WordBand",
    "WordChange",
    "changed_word",
    "cka",
    "compare",
    "overlap",
    "overlap_among",
    "series",
    "shared",
    "timeline",
]


_EXACT, _MOSTLY = 0.995, 0.75
"""Minimum share of held-out words that the rotation maps nearest to themselves, for the answers “Yes” and “Mostly”.

“Yes” also needs this share of neighbors kept.
"""


@dataclass(frozen=True, eq=False)
class Comparison:
    """All results of a comparison of two spaces.

    Attributes:
        one, other: Names of the two spaces.
    """

    one: str
    other: str
    overlap: Overlap
    procrustes: Procrustes
    cka: Cka
    agreement: CosineAgreement

    @property
    def shared(self) -> Shared:
        """Return the words that both spaces have, with their row numbers in both spaces."""
        return self.overlap.shared

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Return the rows of the results table: each value with its baseline and an explanation."""
        return self.overlap.figure, *self.procrustes.figures, self.cka.figure, self.agreement.figure

    @property
    def rotated(self) -> str:
        """Say how well a rotation maps one space onto the other: yes, mostly, partly or no.

        If mostly or partly, compare the share of words that the rotation maps correctly with the share of neighbors
        that words keep. If the second share is smaller, say this too.
        """
        found, noun, preserved = self.procrustes, self.shared.noun, self.overlap.mean
        value = found.nearest.value
        if found.nearest.low <= found.random.high:
            answer = "No"
        elif value >= _EXACT and preserved >= _EXACT:
            answer = "Yes"
        else:
            answer = "Mostly" if value >= _MOSTLY else "Partly"
        sentence = (
            f"{answer}: for {share(value)} of held-out {noun}s, the nearest {noun} after the rotation is the {noun} "
            f"itself (exact rotation: 100\u00a0%, random rotation: {share(found.random.value)})."
        )
        if answer in ("No", "Yes") or preserved >= value:
            return sentence
        return (
            f"{sentence} Still, a {noun} keeps only {share(preserved)} of its neighbors: it lands near its own place, "
            f"but small shifts change which {noun}s around it are nearest."
        )

    def card(self, words: int = 20) -> dict[str, Any]:
        """Return the results as plain JSON values, for `embedviz compare`; shares are 0 to 1.

        Args:
            words: Number of words in each of the lists *changed* and *unchanged*.
        """
        return {
            "shared": self.shared.total,
            "case": self.shared.case,
            "same_but_for_case": self.shared.folded,
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
    command="compare {one} {other} -k {k} --case {case} --seed {seed}",
)
def compare(
    one: VectorSpace,
    other: VectorSpace,
    *,
    k: int = K,
    case: str = CASES[0],
    sample: int = SAMPLE,
    heldout: int = HELDOUT,
    seed: int = 0,
    report: Report | None = None,
) -> Comparison:
    """Return all results of a comparison of two spaces. All results use the same shared words.

    Args:
        k: Number of nearest neighbors by cosine; limited to less than half the number of shared words.
        case: How labels are matched, one of `CASES`.
        sample: Maximum number of words whose neighbors are compared, drawn at random.
        heldout: Number of words on which the rotation is tested; limited to a fifth of the shared words.

    Raises:
        OptionError: Fewer than four words are shared, the case is unknown, or `k`, `sample` or `heldout` is below 1.
    """
    words = shared(one, other, seed=seed, case=case)
    pair = unit_pair(one, other, words)

    neighbors = overlap_of(words, pair, sampled_places(len(words), sample, seed), k, part(report, 0.0, 0.3))
    moved = procrustes_of(words, pair, heldout, k, seed, part(report, 0.3, 0.95))
    pairs = agreement_of(pair, seed)
    tell(report, 0.97, "comparing the geometry")
    return Comparison(one.origin.name, other.origin.name, neighbors, moved, cka_of(one, other, words), pairs)
