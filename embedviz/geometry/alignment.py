"""Turning one set of points onto another: orthogonal Procrustes."""

import numpy as np

from embedviz.core.space import Float


def aligned(points: Float, onto: Float, *, scale: bool = False) -> Float:
    """Return the points turned, mirrored and moved to lie as near as can be to their partners (Schönemann 1966).

    Distances between the points stay as they are, unless they are to be scaled.

    Args:
        points: Shape (n, d).
        onto: Their partners, row by row, shape (n, d).
        scale: Whether the points may also be stretched, all alike.

    Raises:
        ValueError: The two are of different shape, or not finite.
    """
    from scipy.linalg import orthogonal_procrustes

    if points.shape != onto.shape or points.ndim != 2:
        raise ValueError(f"Points of shape {points.shape} cannot be turned onto points of shape {onto.shape}.")
    ours, theirs = np.asarray(points, np.float64), np.asarray(onto, np.float64)
    middle = theirs.mean(axis=0)
    ours, theirs = ours - ours.mean(axis=0), theirs - middle
    rotation, agreement = orthogonal_procrustes(ours, theirs)
    size = float((ours**2).sum())
    stretch = agreement / size if scale and size else 1.0
    return np.asarray(stretch * ours @ rotation + middle, np.float32)
