"""A first look at a space: one number of each kind, with its baseline, in a second or two."""

import math
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.progress import Report, tell
from embedviz.core.space import VectorSpace
from embedviz.evaluation import SimilarityScores, similarity
from embedviz.geometry.comparison import Overlap, overlap
from embedviz.geometry.corrections import corrected
from embedviz.geometry.isotropy import directions, mean_cosine
from embedviz.testsets import TestSetError
from embedviz.testsets.datasets import wordsim353

SAMPLE = 500
"""Words whose neighbors are compared."""
FEWEST = 30
"""Minimum number of pairs for a correlation."""
QUICK = 20_000_000
"""Numbers of a space above which it is not corrected for a first look."""
CORRECTION = "whiten"


@dataclass(frozen=True, eq=False)
class Glance:
    """Numbers of a first look; None where the space has too little for one.

    Attributes:
        mean_cosine: Of all pairs of different rows; `spread`: its standard deviation in an isotropic space.
        pairs: WordSim-353, where enough of it is covered.
        overlap: Neighbors that words keep when the space is whitened.
    """

    mean_cosine: float | None
    spread: float
    pairs: SimilarityScores | None
    overlap: Overlap | None


def glance(space: VectorSpace, *, seed: int = 0, report: Report | None = None) -> Glance:
    """Return one number of each kind, in a second or two at 20,000 words.

    Args:
        seed: Seed of the words drawn.
    """
    tell(report, 0.0, "a first look")
    live = np.flatnonzero((space.norms > 0) & np.isfinite(space.norms))
    mean = mean_cosine(directions(space, live)) if len(live) > 1 else None
    pairs = preserved = None
    with suppress(TestSetError, OptionError):
        pairs = similarity(space, wordsim353())
    if len(space) * space.dimensions <= QUICK:
        with suppress(OptionError):
            preserved = overlap(space, corrected(space, CORRECTION), sample=SAMPLE, seed=seed)
    enough = pairs is not None and pairs.spearman is not None and pairs.count >= FEWEST
    return Glance(mean, 1 / math.sqrt(space.dimensions), pairs if enough else None, preserved)
