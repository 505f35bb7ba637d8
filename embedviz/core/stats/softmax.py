"""The softmax with a temperature, and the entropy and perplexity of a distribution."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError

Probabilities = NDArray[np.float64]


def softmax(scores: Any, temperature: float = 1.0) -> Probabilities:
    """Return exp(s/T) / Σ exp(s/T) of the scores s, with the sum over the last axis, in the shape of the scores.

    A score of −∞ gives 0. The greatest score is subtracted first, so that no exponential overflows.

    Raises:
        OptionError: The temperature is not above zero.
    """
    if not temperature > 0:
        raise OptionError(f"The temperature is {temperature:g}. Give a number above zero.")
    scaled = np.asarray(scores, np.float64) / temperature
    powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def entropy(probabilities: Any) -> float:
    """Return the entropy of a distribution in bits: log2 n for n equally likely choices, 0 for a certain choice."""
    values = np.asarray(probabilities, np.float64)
    above = values[values > 0]
    return float(-(above * np.log2(above)).sum()) + 0.0


def effective_choices(probabilities: Any) -> float:
    """Return the perplexity: the number of equally likely choices that have the same entropy, 2 to the entropy."""
    return float(2.0 ** entropy(probabilities))
