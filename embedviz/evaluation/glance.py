"""A quick first look at a space: mean cosine, WordSim-353 and the effect of whitening, with baselines."""

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
"""Number of words whose neighbors are compared."""
FEWEST = 30
"""Minimum number of pairs for a correlation."""
QUICK = 20_000_000
"""Maximum size (rows × dimensions) of a space that is whitened here; larger spaces take too long."""
CORRECTION = "whiten"


@dataclass(frozen=True, eq=False)
class Glance:
    """The numbers of a first look.

    Attributes:
        mean_cosine: The mean cosine over all pairs of different rows; None for fewer than two rows.
        spread: The standard deviation of the cosine of one pair in an isotropic space, 1/√d.
        pairs: The scores on WordSim-353; None if fewer than `FEWEST` pairs are covered.
        overlap: The share of nearest neighbors that words keep when the space is whitened; None if the space is too
            large, or cannot be whitened.
    """

    mean_cosine: float | None
    spread: float
    pairs: SimilarityScores | None
    overlap: Overlap | None


def glance(space: VectorSpace, *, seed: int = 0, report: Report | None = None) -> Glance:
    """Return the numbers of a first look at a space. At 20,000 words this takes a second or two.

    Args:
        seed: The seed for the sample of words whose neighbors are compared.
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
