"""The data behind the isotropy measures: moments over all rows, and one random sample of rows and pairs."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.space import Float, Ints, Origin, VectorSpace
from embedviz.core.stats.resampling import drawn_rows
from embedviz.geometry.isotropy.moments import Directions, Doubles, Moments, directions, isotropic_spectrum, moments
from embedviz.neighbors import KOccurrences, occurrences

SAMPLE = 5_000
"""Maximum number of sampled rows, for the partition function, hubs and random pairs."""
PAIRS = 200_000
"""Number of random pairs of rows."""
K = 10
"""Length of the neighbor lists in which hubs are counted."""
_STEP = 5_000  # pairs computed at a time
_NOTHING = 1e-6  # if a unit row has less length left, the rest is rounding


@dataclass(frozen=True, eq=False)
class SpaceSample:
    """The data of a space that the measures use. Rows of zeros are left out.

    Attributes:
        rows: Row numbers of the measured rows, ascending, (n,).
        raw: Moments of the rows.
        unit: Sums over the rows after each row was scaled to length one.
        sample: A random sample of the rows, scaled to length one, (m, d).
        places: Row numbers of the sample in the space, (m,).
        pairs: Random pairs of different rows, as indices of `sample`, (p, 2).
        values: Eigenvalues of the covariance of the rows, greatest first, (d,).
        norms: Lengths of the rows, (n,).
        ordered: Whether the rows are ordered by frequency, or assumed to be.
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
        """Return the number of dimensions, d."""
        return self.raw.dimensions

    @cached_property
    def cosines(self) -> Doubles:
        """Return the cosine of each random pair, (p,)."""
        return np.clip(self._products(self.precise), -1, 1)

    def cosines_without(self, dimensions: Ints) -> Doubles:
        """Return the cosine of each pair without the given dimensions, (p,); 0 if a row of the pair is then zeros."""
        struck = self.precise[:, dimensions]
        rest = np.sqrt(np.maximum(1 - np.einsum("ij,ij->i", struck, struck), 0))
        scale = np.where(rest > _NOTHING, 1 / np.maximum(rest, _NOTHING), 0.0)
        one, other = self.pairs.T
        return np.asarray(np.clip((self.cosines - self._products(struck)) * scale[one] * scale[other], -1, 1))

    @cached_property
    def precise(self) -> Doubles:
        """Return the sampled unit rows in double precision, (m, d)."""
        sample = self.sample.astype(np.float64)
        return np.asarray(sample / np.linalg.norm(sample, axis=1, keepdims=True))

    def _products(self, sample: Doubles) -> Doubles:
        """Return the dot product of each pair of rows of `sample`, (p,)."""
        found = np.empty(len(self.pairs))
        for start in range(0, len(found), _STEP):
            one, other = self.pairs[start : start + _STEP].T
            found[start : start + _STEP] = np.einsum("ij,ij->i", sample[one], sample[other])
        return found

    @cached_property
    def lists(self) -> KOccurrences:
        """Return for each sampled row the number of neighbor lists that contain it (k-occurrences)."""
        words = [str(place) for place in range(len(self.sample))]
        return occurrences(VectorSpace(words, self.sample, origin=Origin("sample", "the sample", "none")), K)


def look(space: VectorSpace, *, rows: Ints | None = None, sample: int = SAMPLE, seed: int = 0) -> SpaceSample:
    """Return the data of a space from which the isotropy measures are computed.

    Moments, eigenvalues and lengths use all given rows. Cosines and neighbor lists use a random sample.

    Args:
        rows: Row numbers; None for all.
        sample: Maximum number of sampled rows, 2 or more.

    Raises:
        OptionError: Fewer than four rows are not zero.
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
    """Return the data of an isotropic space, whose rows are independent normal numbers.

    The space has as many rows, dimensions, sampled rows and pairs as `like`. Of its rows, only the sample is drawn. The
    moments are set to their expected values, and the eigenvalues are drawn from their distribution for n rows.
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
    """Return `PAIRS` random pairs of different numbers below `count`, (p, 2)."""
    one = random.integers(0, count, PAIRS)
    other = (one + random.integers(1, count, PAIRS)) % count
    return np.stack([one, other], axis=1)
