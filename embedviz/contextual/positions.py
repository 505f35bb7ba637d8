"""How a transformer knows the order of its tokens: sinusoidal, learned and rotary positions.

Self-attention is permutation equivariant: without positions, the same tokens in another order get the same vectors in
that order. Sinusoidal and learned positions are added to the input vectors (Vaswani et al. 2017; Devlin et al. 2019).
Rotary positions turn queries and keys in every layer (Su et al. 2021), so that their product depends on the distance.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.builtin import model_folder
from embedviz.core.options import OptionError
from embedviz.core.space import Float

BASE = 10_000.0
LEARNED = "embeddings.position_embeddings.weight"
Reals = NDArray[np.float64]


def frequencies(size: int, base: float = BASE) -> Reals:
    """Return the angles per position in radians of each pair of dimensions, (size / 2,): base^(-2i / size).

    Raises:
        OptionError: The number of dimensions is odd.
    """
    if size < 2 or size % 2:
        raise OptionError(f"{size} dimensions cannot be paired. Choose an even number.")
    return np.asarray(base ** (-np.arange(0, size, 2) / size), np.float64)


def sinusoidal(positions: int, size: int, base: float = BASE) -> Reals:
    """Return sinusoidal positions, (positions, size): the sine and cosine of a pair in neighboring columns."""
    angles = np.outer(np.arange(positions), frequencies(size, base))
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(positions, size)


def rotated(vectors: Any, positions: Any, base: float = BASE) -> Reals:
    """Return vectors turned by the angles of their positions, (n, size), as rotary positions turn queries and keys.

    Neighboring columns are a pair, as in the paper. Lengths do not change, and the product of a query at position m
    and a key at position n depends on m - n alone.

    Args:
        vectors: (n, size), or (size,) for the same vector at every position.
        positions: (n,).
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
    """Return the learned positions of the built-in model, (512, 384).

    Raises:
        SpaceError: The built-in model is not installed.
    """
    from safetensors import safe_open

    with safe_open(model_folder() / "model.safetensors", framework="np") as tensors:
        table: Float = tensors.get_tensor(LEARNED)
    table.flags.writeable = False
    return table


def similarity_by_distance(table: Any) -> Reals:
    """Return the mean cosine of two positions at each distance, (positions - 1,), from distance 1 on."""
    given = np.asarray(table, np.float64)
    units = given / np.linalg.norm(given, axis=1, keepdims=True)
    cosines = units @ units.T
    return np.array([np.diagonal(cosines, distance).mean() for distance in range(1, len(given))])
