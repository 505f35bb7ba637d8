"""How a transformer knows the order of its tokens: sinusoidal, learned and rotary positions.

Self-attention is permutation equivariant: without positions, the same tokens in another order get the same vectors in
that order. Sinusoidal and learned positions are added to the input vectors (Vaswani et al. 2017; Devlin et al. 2019).
Rotary positions rotate queries and keys in every layer (Su et al. 2021), so that their dot product depends on the
distance.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.builtin import model_folder
from embedviz.core.options import OptionError
from embedviz.core.space import Float

BASE = 10_000.0
"""Base of the frequencies, as in Vaswani et al. 2017."""
LEARNED = "embeddings.position_embeddings.weight"
"""Name of the tensor of learned positions in BERT."""
Reals = NDArray[np.float64]


def frequencies(size: int, base: float = BASE) -> Reals:
    """Return the frequency base^(-2i / size) of each pair of dimensions i, (size / 2,), in radians per position.

    Raises:
        OptionError: The number of dimensions is odd or below 2.
    """
    if size < 2 or size % 2:
        raise OptionError(f"{size} dimensions cannot be paired. Choose an even number.")
    return np.asarray(base ** (-np.arange(0, size, 2) / size), np.float64)


def sinusoidal(positions: int, size: int, base: float = BASE) -> Reals:
    """Return sinusoidal position vectors, (positions, size); sine and cosine of a frequency are in neighboring columns.

    Raises:
        OptionError: `size` is odd or below 2.
    """
    angles = np.outer(np.arange(positions), frequencies(size, base))
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(positions, size)


def rotated(vectors: Any, positions: Any, base: float = BASE) -> Reals:
    """Return vectors rotated by the angles of their positions, (n, size), as rotary positions rotate queries and keys.

    Two neighboring columns are rotated together, as in the paper. The lengths of the vectors do not change. The dot
    product of a query at position m and a key at position n depends on the positions only by m - n.

    Args:
        vectors: One vector per position, (n, size), or one vector for all positions, (size,).
        positions: The positions, (n,).

    Raises:
        OptionError: The number of dimensions is odd or below 2.
    """
    given = np.asarray(vectors, np.float64)
    places = np.atleast_1d(np.asarray(positions, np.float64))
    given = np.broadcast_to(given, (len(places), given.shape[-1]))
    angles = np.outer(places, frequencies(given.shape[1], base))
    cosine, sine = np.cos(angles), np.sin(angles)
    even, odd = given[:, 0::2], given[:, 1::2]
    return np.stack([even * cosine - odd * sine, even * sine + odd * cosine], axis=2).reshape(given.shape)


@lru_cache(1)
def learned() -> Float:
    """Return the learned position vectors of the built-in model, (512, 384).

    Raises:
        SpaceError: The built-in model is not installed.
    """
    from safetensors import safe_open

    with safe_open(model_folder() / "model.safetensors", framework="np") as tensors:
        table: Float = tensors.get_tensor(LEARNED)
    table.flags.writeable = False
    return table


def similarity_by_distance(table: Any) -> Reals:
    """Return, for each distance 1, 2, …, the mean cosine of two positions with this distance, (positions - 1,).

    Args:
        table: A vector for each position, (positions, size).
    """
    given = np.asarray(table, np.float64)
    units = given / np.linalg.norm(given, axis=1, keepdims=True)
    cosines = units @ units.T
    return np.array([np.diagonal(cosines, distance).mean() for distance in range(1, len(given))])
