"""Table 1 of the GloVe paper: probabilities of four words near *ice* and near *steam*, in six billion words of text."""

from typing import NamedTuple

SOURCE = "Pennington, Socher and Manning 2014, Table 1: 6 billion words"
ONE, OTHER = "ice", "steam"


class PublishedRatio(NamedTuple):
    """A row of the table with its printed values.

    Attributes:
        word: The word k.
        shares: P(k|ice) and P(k|steam).
        ratio: P(k|ice) / P(k|steam), computed by the authors from unrounded probabilities.
    """

    word: str
    shares: tuple[float, float]
    ratio: float


PUBLISHED = (
    PublishedRatio("solid", (1.9e-4, 2.2e-5), 8.9),
    PublishedRatio("gas", (6.6e-5, 7.8e-4), 8.5e-2),
    PublishedRatio("water", (3.0e-3, 2.2e-3), 1.36),
    PublishedRatio("fashion", (1.7e-5, 1.8e-5), 0.96),
)
"""The four rows in the order of the paper."""
