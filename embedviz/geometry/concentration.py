"""Directions in many dimensions: cosines of random vectors, and the number of nearly orthogonal directions.

The cosine t of two random directions in d dimensions has the density c (1 − t²)^((d−3)/2), mean 0 and standard
deviation 1/√d: (t + 1)/2 is Beta((d−1)/2, (d−1)/2).
"""

from dataclasses import dataclass
from math import exp, lgamma, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError

Doubles = NDArray[np.float64]
MOST_DIMENSIONS = 10_000
LARGEST_COSINE = 0.7
"""Largest cosine that `room` accepts."""
_LEAST_PAIR = 1e-300  # its inverse is still far from the limit of double precision


@dataclass(frozen=True)
class RandomCosine:
    """The distribution of the cosine of two random directions.

    Attributes:
        dimensions: Number of dimensions d, at least 2.
    """

    dimensions: int

    @property
    def spread(self) -> float:
        """Return the standard deviation of the cosine, 1/√d."""
        return 1 / sqrt(self.dimensions)

    def density(self, cosines: Any) -> Doubles:
        """Return the density at each of the given cosines, which are −1 to 1; in the shape of `cosines`."""
        half = self.dimensions / 2
        scale = exp(lgamma(half) - lgamma(half - 0.5)) / sqrt(pi)
        values = np.asarray(cosines, np.float64)
        with np.errstate(divide="ignore"):
            return np.asarray(scale * np.maximum(1 - values**2, 0) ** (half - 1.5))

    def beyond(self, cosine: float) -> float:
        """Return the probability that the absolute cosine of two random directions is at least `cosine`."""
        from scipy.special import betainc

        return float(betainc((self.dimensions - 1) / 2, 0.5, max(0.0, 1 - cosine**2)))

    def within(self, share: float = 0.95) -> float:
        """Return the absolute cosine below which a share of all random pairs lies."""
        from scipy.special import betaincinv

        return float(sqrt(1 - betaincinv((self.dimensions - 1) / 2, 0.5, 1 - share)))


def random_cosine(dimensions: int) -> RandomCosine:
    """Return the distribution of the cosine of two random directions.

    Raises:
        OptionError: There are fewer than 2 or more than 10,000 dimensions.
    """
    if not 2 <= dimensions <= MOST_DIMENSIONS:
        raise OptionError(f"{dimensions:,} dimensions were given. Give 2 to {MOST_DIMENSIONS:,}.")
    return RandomCosine(int(dimensions))


@dataclass(frozen=True)
class Room:
    """How many directions fit into d dimensions if the absolute cosine of any two is at most ε.

    Attributes:
        dimensions: Number of dimensions d.
        cosine: The limit ε.
        pair: Probability that the absolute cosine of two random directions exceeds ε.
        fit: A number of directions that fits for certain: the larger of `drawn` and d, since the d axes always fit.
        rule: A simpler estimate of the number of directions that fit: e^(d ε² / 4).
        drawn: A number of random directions that keep the limit with a probability above 0.
    """

    dimensions: int
    cosine: float
    pair: float
    fit: int
    rule: float
    drawn: int

    @property
    def meaning(self) -> str:
        """Say how many directions fit if cosines may be up to ε, and how many fit if all cosines are exactly 0."""
        return (
            f"At least {self.fit:,} directions fit in {self.dimensions:,} dimensions with no cosine beyond "
            f"{self.cosine:g}. At exact right angles {self.dimensions:,} fit."
        )


def room(dimensions: int, cosine: float) -> Room:
    """Return how many directions fit if all cosines are within ±`cosine`, by the union bound over pairs.

    N random directions have N(N − 1)/2 pairs. Let p be the probability that the cosine of one pair is beyond ±`cosine`.
    If p · N(N − 1)/2 is below 1, some draw of N directions has no such pair.

    Raises:
        OptionError: The dimensions or the cosine are out of range, or N is too large for double precision.
    """
    if not 0 < cosine <= LARGEST_COSINE:
        raise OptionError(f"The cosine is {cosine:g}. Give a number above 0, at most {LARGEST_COSINE}.")
    pair = random_cosine(dimensions).beyond(cosine)
    if pair < _LEAST_PAIR:
        raise OptionError("So many directions fit that the number is beyond double precision. Lower the cosine.")
    fit = int((1 + sqrt(1 + 8 / pair)) / 2)
    if fit < 2**50 and fit * (fit - 1) / 2 * pair >= 1:
        fit -= 1  # N is exactly at the bound, which has to be below 1
    return Room(dimensions, cosine, pair, max(fit, dimensions), exp(min(700.0, dimensions * cosine**2 / 4)), fit)
