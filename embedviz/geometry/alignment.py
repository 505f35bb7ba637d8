"""Rotation of one set of points onto another: orthogonal Procrustes."""

import numpy as np

from embedviz.core.space import Float


def aligned(points: Float, onto: Float, *, scale: bool = False) -> Float:
    """Return the points rotated, reflected and shifted so that they are as near to `onto` as possible, (n, d).

    The distances between the points do not change, unless `scale` is set. Method: Schönemann 1966.

    Args:
        points: Shape (n, d).
        onto: Target points; row i belongs to row i of `points`, shape (n, d).
        scale: Whether all points are also scaled by one common factor.

    Raises:
        ValueError: The two arrays have different shapes, or values that are not finite.
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
