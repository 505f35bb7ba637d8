"""Isotropy: whether the rows of a space use all directions equally.

`MEASURES` has one row for each measure. The baseline of a measure is its value for an isotropic space: the same number
of rows, filled with independent normal numbers. Means and covariances use all rows; measures of pairs use a sample.
"""

import math

import numpy as np

from embedviz.core.call import offered
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.geometry.isotropy.look import PAIRS, SAMPLE, K, SpaceSample, isotropic, look
from embedviz.geometry.isotropy.measures import MEASURES, ROUNDING, IsotropyMeasure, tied
from embedviz.geometry.isotropy.moments import (
    Directions,
    Moments,
    directions,
    mean_cosine,
    mean_cosine_sd,
    moments,
    participation_ratio,
    parts,
)
from embedviz.geometry.isotropy.shape import (
    LEANING,
    SLIGHT,
    Isotropy,
    Measured,
    Rare,
    Rogue,
    Striking,
    largest_parts,
)
from embedviz.neighbors import Histogram

__all__ = [
    "LEANING",
    "MEASURES",
    "PAIRS",
    "SAMPLE",
    "SLIGHT",
    "Directions",
    "Isotropy",
    "IsotropyMeasure",
    "K",
    "Measured",
    "Moments",
    "Rare",
    "Rogue",
    "SpaceSample",
    "Striking",
    "directions",
    "isotropic",
    "isotropy",
    "largest_parts",
    "look",
    "mean_cosine",
    "mean_cosine_sd",
    "moments",
    "participation_ratio",
    "parts",
]

BINS = 80
ROGUES = 10
HUBS = 10
_STRUCK = (1, 3, 5)
_RARE = {10_000: 1_000, 1_000: 100}  # minimum number of different pairs to n, as in “1 pair in n”
_CURVE = 40  # number of points of the curve of length against rank


@offered(
    "found",
    "for one in found.measures.values():",
    "    print(one.measure.title, *one.texts, sep='  ')",
    "print(found.meaning, found.tail, found.note)",
    command="isotropy {space} --seed {seed}",
)
def isotropy(
    space: VectorSpace,
    *,
    rows: Ints | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    report: Report | None = None,
) -> Isotropy:
    """Return the isotropy measures of a space, each with its value for an isotropic space of the same size.

    Args:
        rows: Row numbers to measure; None for all. Rows of zeros are left out.
        sample: Maximum number of rows for measures of pairs, 2 or more. These rows are drawn at random.

    Raises:
        OptionError: Fewer than four rows are not zero.
    """
    tell(report, 0.0, "means and variances over all rows")
    seen = look(space, rows=rows, sample=sample, seed=seed)
    plain = isotropic(seen, seed=seed)
    measured: dict[str, Measured] = {}
    for place, row in enumerate(MEASURES.values()):
        tell(report, 0.3 + 0.5 * place / len(MEASURES), f"measure {place + 1} of {len(MEASURES)}")
        expected = (row.expected or row.function)(seen if row.expected else plain)
        measured[row.name] = Measured(row.name, _finite(row.function(seen)), _finite(expected))
    tell(report, 0.8, "dimensions with high values")
    rogues = _rogues(seen)
    hubs = seen.lists.hubs(HUBS)
    norms = space.norms if rows is None else space.norms[rows]
    found = Isotropy(
        rows=seen.count,
        zeros=int(np.count_nonzero(norms == 0)),
        broken=int(np.count_nonzero(~np.isfinite(norms))),
        dimensions=seen.dimensions,
        sample=len(seen.sample),
        pairs=len(seen.pairs),
        measures=measured,
        histogram=_histogram(seen),
        expected=_expected(seen),
        rare=_rare(seen),
        components=_shares(seen),
        flat=_shares(plain),
        rogues=rogues,
        striking=_striking(seen, plain, rogues),
        hubs=tuple((space.label(int(seen.places[place])), int(seen.lists.counts[place])) for place in hubs.tolist()),
        busiest=int(plain.lists.counts.max()),
        lengths=tuple(np.percentile(seen.norms, [5, 50, 95]).tolist()),
        curve=_curve(seen),
        order=space.origin.order,
    )
    tell(report, 1.0, "done")
    return found


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


def _shares(seen: SpaceSample) -> Float:
    total = float(seen.values.sum())
    return np.asarray(seen.values / total if total > 0 else seen.values, np.float32)


def _histogram(seen: SpaceSample) -> Histogram:
    """Return a histogram of the pair cosines; its range also covers the cosines of random directions."""
    wide = 4 / math.sqrt(seen.dimensions)
    low = max(-1.0, min(float(np.percentile(seen.cosines, 0.1)), -wide))
    high = min(1.0, max(float(np.percentile(seen.cosines, 99.9)), wide))
    counts, edges = np.histogram(seen.cosines, bins=BINS, range=(low, high))
    return Histogram(counts, edges.astype(np.float32))


def _expected(seen: SpaceSample) -> Float:
    """Return the expected count of each histogram bin for random directions in d dimensions, (bins,).

    (1 + cosine) ÷ 2 has the beta distribution with both parameters (d − 1) ÷ 2. In one dimension this value is 0 or 1.
    """
    from scipy.special import betainc

    edges = _histogram(seen).edges.astype(np.float64)
    half = (seen.dimensions - 1) / 2
    below = betainc(half, half, np.clip((1 + edges) / 2, 0, 1)) if half else (np.trunc(edges) + 1) / 2
    return np.asarray(len(seen.pairs) * np.diff(below), np.float32)


def _rare(seen: SpaceSample) -> Rare | None:
    """Return the cosine that 1 in 1,000 random pairs exceeds.

    If the sampled rows form fewer than 10,000 pairs, it is the cosine that 1 in 100 pairs exceeds. The result is None
    for fewer than 1,000 pairs, or if all cosines are equal.
    """
    from scipy.special import betaincinv

    different = len(seen.sample) * (len(seen.sample) - 1) // 2
    one_in = next((count for least, count in _RARE.items() if different >= least), 0)
    if not one_in or tied(seen):
        return None
    half = (seen.dimensions - 1) / 2
    isotropic = 2 * float(betaincinv(half, half, 1 - 1 / one_in)) - 1
    return Rare(one_in, float(np.quantile(seen.cosines, 1 - 1 / one_in)), isotropic)


def _rogues(seen: SpaceSample) -> tuple[Rogue, ...]:
    parts_of, mean = seen.unit.parts, mean_cosine(seen.unit)
    clear = mean > max(SLIGHT, 3 * mean_cosine_sd(seen.count, seen.dimensions))
    return largest_parts(parts_of, mean, ROGUES, clear=clear)


def _striking(seen: SpaceSample, plain: SpaceSample, rogues: tuple[Rogue, ...]) -> tuple[Striking, ...]:
    order = np.asarray([rogue.dimension for rogue in rogues], np.int64)
    return tuple(
        Striking(struck, _agreement(seen, order[:struck]), _agreement(plain, order[:struck]))
        for struck in _STRUCK
        if struck < seen.dimensions
    )


def _agreement(seen: SpaceSample, struck: Ints) -> float:
    """Return r² between the cosines of all pairs and the same cosines without the dimensions `struck`.

    The value is 0 if the cosines of all pairs are equal, with or without these dimensions.
    """
    whole, rest = (each - each.mean() for each in (seen.cosines, seen.cosines_without(struck)))
    if min(float(whole.std()), float(rest.std())) < ROUNDING:
        return 0.0
    return float(whole @ rest) ** 2 / float((whole @ whole) * (rest @ rest))


def _curve(seen: SpaceSample) -> Float:
    """Return frequency ranks, and the median length of the rows near each rank, (c, 2).

    The ranks are equally spaced on a logarithmic scale. The array is empty, (0, 2), if the rows are not ordered by
    frequency, or if there are fewer than 40.
    """
    if not seen.ordered or seen.count < _CURVE:
        return np.zeros((0, 2), np.float32)
    edges = np.unique(np.geomspace(1, seen.count, _CURVE + 1).round().astype(np.int64))
    found = [
        (math.sqrt(first * last), float(np.median(seen.norms[first - 1 : last])))
        for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]
    return np.asarray(found, np.float32)
