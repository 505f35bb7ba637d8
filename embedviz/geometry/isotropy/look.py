"""What the measures look at: the moments of all rows, and one sample of rows and pairs drawn from them."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.space import Float, Ints, Origin, VectorSpace
from embedviz.core.stats.resampling import drawn_rows
from embedviz.geometry.isotropy.moments import Directions, Doubles, Moments, directions, isotropic_spectrum, moments
from embedviz.neighbors import KOccurrences, occurrences

SAMPLE = 5_000
"""Rows for what needs all pairs or every direction: partition function, hubs, uniformity."""
PAIRS = 200_000
"""Random pairs of rows."""
K = 10
"""Length of the lists in which hubs are counted."""
_STEP = 5_000  # pairs at a time
_NOTHING = 1e-6  # a row shorter than this, of one, is rounding


@dataclass(frozen=True, eq=False)
class SpaceSample:
    """A space as the measures see it: rows of zeros left out.

    Attributes:
        rows: Rows looked at, ascending, (n,).
        raw: Moments of the rows. `unit`: sums of them at length one.
        sample: Unit rows of a random sample, (m, d).
        places: Their rows in the space, (m,).
        pairs: Places in the sample of random pairs of different rows, (p, 2).
        values: Eigenvalues of the rows' covariance, greatest first, (d,).
        norms: Lengths of the rows, (n,).
        ordered: Whether the order of the rows stands for frequency.
    """

    rows: Ints
    raw: Moments
    unit: Directions
    sample: Float
    places: Ints
    pairs: Ints
    values: Doubles
    norms: Float
    ordered: bool

    @property
    def count(self) -> int:
        """Return the number of measured rows."""
        return self.raw.count

    @property
    def dimensions(self) -> int:
        """Return the length of a row."""
        return self.raw.dimensions

    @cached_property
    def cosines(self) -> Doubles:
        """Return the cosine of each pair, (p,)."""
        return np.clip(self._products(self.precise), -1, 1)

    def cosines_without(self, dimensions: Ints) -> Doubles:
        """Return cosines of the pairs when these dimensions are struck out, (p,); 0 where nothing is left of a row."""
        struck = self.precise[:, dimensions]
        rest = np.sqrt(np.maximum(1 - np.einsum("ij,ij->i", struck, struck), 0))
        scale = np.where(rest > _NOTHING, 1 / np.maximum(rest, _NOTHING), 0.0)
        one, other = self.pairs.T
        return np.asarray(np.clip((self.cosines - self._products(struck)) * scale[one] * scale[other], -1, 1))

    @cached_property
    def precise(self) -> Doubles:
        """Return the sample at length one in double precision, (m, d)."""
        sample = self.sample.astype(np.float64)
        return np.asarray(sample / np.linalg.norm(sample, axis=1, keepdims=True))

    def _products(self, sample: Doubles) -> Doubles:
        """Return dot products of the pairs' rows, (p,)."""
        found = np.empty(len(self.pairs))
        for start in range(0, len(found), _STEP):
            one, other = self.pairs[start : start + _STEP].T
            found[start : start + _STEP] = np.einsum("ij,ij->i", sample[one], sample[other])
        return found

    @cached_property
    def lists(self) -> KOccurrences:
        """Count in how many lists of nearest neighbors each row of the sample stands."""
        words = [str(place) for place in range(len(self.sample))]
        return occurrences(VectorSpace(words, self.sample, origin=Origin("sample", "the sample", "none")), K)


def look(space: VectorSpace, *, rows: Ints | None = None, sample: int = SAMPLE, seed: int = 0) -> SpaceSample:
    """Return a look at these rows of a space, or at all; means and covariances are over all, the rest of a sample.

    Raises:
        OptionError: Fewer than four rows have a direction.
    """
    rows = np.arange(len(space)) if rows is None else np.sort(np.asarray(rows, np.int64))
    usable = rows[(space.norms[rows] > 0) & np.isfinite(space.norms[rows])]
    if len(usable) < 4:
        raise OptionError(f"Four rows with a direction are needed to measure a space; there are {len(usable)}.")
    random = np.random.default_rng(seed)
    places = drawn_rows(usable, sample, random)
    raw, unit = moments(space, usable), directions(space, usable)
    drawn = np.asarray(space.matrix[places] / space.norms[places, None])
    pairs = _pairs(len(places), random)
    ordered = space.origin.order != "none"
    return SpaceSample(usable, raw, unit, drawn, places, pairs, raw.spectrum[0], space.norms[usable], ordered)


def isotropic(like: SpaceSample, *, seed: int = 0) -> SpaceSample:
    """Return the same look at rows of independent normal numbers: as many rows, dimensions, sampled rows and pairs.

    Its sample is drawn. Of all n rows it has the expected moments, and eigenvalues from their own distribution.
    """
    random = np.random.default_rng([seed, 1])
    n, d = like.count, like.dimensions
    sample = random.standard_normal((len(like.sample), d)).astype(np.float32)
    sample /= np.linalg.norm(sample, axis=1, keepdims=True)
    pairs = _pairs(len(sample), random)
    raw = Moments(n, np.zeros(d), np.zeros(d), n * np.eye(d))
    unit = Directions(n, np.zeros(d), np.full(d, n / d))
    places, values = np.arange(len(sample)), isotropic_spectrum(n, d, seed)
    return replace(like, raw=raw, unit=unit, sample=sample, places=places, pairs=pairs, values=values)


def _pairs(count: int, random: np.random.Generator) -> Ints:
    """Return random pairs of different places, (p, 2)."""
    one = random.integers(0, count, PAIRS)
    other = (one + random.integers(1, count, PAIRS)) % count
    return np.stack([one, other], axis=1)
