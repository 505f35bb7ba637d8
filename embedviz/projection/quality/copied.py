"""Maps of structureless copies of the rows by the same method: the random baseline of a map's quality."""

import contextlib
import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz.core import device
from embedviz.core.options import TextOption
from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.copies import fitted_cloud
from embedviz.projection import PROJECTIONS, lay_out, shipped
from embedviz.projection.quality.coranking import ranks
from embedviz.projection.quality.permissions import MapSummary

COMPARING = "Comparing with maps of random data"
"""The beginning of the messages that report the progress."""
_FORM = 1  # version of the format of the files
_MOST_FILES = 200


class MapSampling(NamedTuple):
    """The points at which a map is measured, and the numbers of neighbors for which it is measured.

    Attributes:
        rows: The points whose neighbors are compared, as indices into the points of the map, (m,).
        ks: The numbers of neighbors at which the curve is computed, (g,).
        scales: The numbers of neighbors at which the map is tested, (s,); all are among `ks`.
        seed: Seed of the copies, of the triplets, and of the order of equal distances.
    """

    rows: Ints
    ks: Ints
    scales: Ints
    seed: int


@dataclass(frozen=True, eq=False)
class Copies:
    """Measures of the maps of structureless copies.

    Attributes:
        found: The measures of all copies. The first index of each array is the number of the copy.
        points: The map of the first copy, (n, 2) or (n, 3).
    """

    found: MapSummary
    points: Float

    @property
    def count(self) -> int:
        """Return the number of copies."""
        return len(self.found.far)


def copies(
    stored: Float,
    high: Float,
    points: Float,
    method: str,
    options: Mapping[str, Any],
    metric: str,
    looked: MapSampling,
    count: int,
    report: Report | None = None,
) -> Copies:
    """Draw copies of the rows, map each copy by the same method, and measure each map like the map of the rows.

    The copies are drawn from a Gaussian distribution. If copies of the same rows were measured before, the result is
    read from the cache folder, or from the files that ship with the program.

    Args:
        stored: The rows as stored in the space, (n, d), to which the Gaussian is fitted. Fitted to rows of length one,
            it would be too round: then a map of pure noise would have better measures than the maps of its copies.
        high: The rows that `as_seen` returns, (n, d).
        points: The map of the rows, (n, 2) or (n, 3).
        method, options: Method of the map and its options.
        looked: The points and the numbers of neighbors at which all maps are measured.
        count: Number of copies.
    """
    worded = any(isinstance(option, TextOption) for option in PROJECTIONS[method].options)
    file = _file(stored, points if worded else points[:0], method, options, metric, looked, count)
    for each in (file, Path(str(files("embedviz"))) / shipped.FOLDER / file.name):
        if (known := _read(each)) is not None:
            return known
    cloud = fitted_cloud(stored, unit=metric == "cosine")
    draw = drawing(high, points, method, options)
    found, first = [], points
    for place in range(count):
        heard = heard_copy(report, place, count)
        rows = cloud.draw(len(high), np.random.default_rng([looked.seed, place]))
        laid = draw(rows, heard)
        first = laid if place == 0 else first
        found.append(summary_of(rows, laid, looked))
        if heard is not None:
            heard(1.0)
    made = Copies(MapSummary(*(np.stack([np.asarray(each[field]) for each in found]) for field in range(3))), first)
    _write(file, made)
    return made


def summary_of(high: Float, points: Float, looked: MapSampling) -> MapSummary:
    """Return the measures of the map that shows the rows `high` at `points`."""
    seen = ranks(high, points, looked.rows, int(looked.scales[0]), looked.scales, looked.seed)
    return MapSummary(seen.beyond_random[looked.ks - 1], seen.gaps, np.asarray(2 * seen.far - 1))


def drawing(
    high: Float, points: Float, method: str, options: Mapping[str, Any]
) -> Callable[[Float, Report | None], Float]:
    """Return a function that maps a copy of the data by the method and the options of the given map.

    If words define the axes of the given map, the copy is mapped along the same directions. A copy may have fewer rows
    than the map; options that are then too high are lowered.
    """
    if any(isinstance(option, TextOption) for option in PROJECTIONS[method].options):
        mean = high.mean(axis=0, dtype=np.float64)
        centered = high - mean
        axes = np.linalg.pinv(centered.T @ centered, hermitian=True) @ (centered.T @ np.asarray(points, np.float64))
        return lambda rows, report: np.asarray((rows - mean) @ axes, np.float32)

    def laid(rows: Float, report: Report | None) -> Float:
        copy = VectorSpace([str(row) for row in range(len(rows))], rows, checked=True)
        fitting = PROJECTIONS[method].fitting(options, len(rows))
        return lay_out(copy, None, method, report=report, **fitting).points

    return laid


def heard_copy(report: Report | None, place: int, count: int) -> Report | None:
    """Return a report function for the map of copy `place`, from 0, of `count` copies.

    It reports the progress, but not the points of the map. If `report` is None, the result is None.
    """
    if report is None:
        return None
    step = f"{COMPARING}: map {place + 1} of {count}"

    def report_copy(fraction: float | None = None, message: str = "", **_: Any) -> None:
        report((place + (fraction or 0.0)) / count, step)

    return report_copy


def _file(
    stored: Float, points: Float, method: str, options: Mapping[str, Any], metric: str, looked: MapSampling, count: int
) -> Path:
    """Return the path of the file that caches the measures of the copies of these rows.

    The path does not depend on the seed of the map, because the same copies are the baseline for all seeds.
    """
    settings = {name: value for name, value in options.items() if name != "seed"}
    described = json.dumps([_FORM, method, settings, metric, stored.shape, looked.seed, count], sort_keys=True)
    digest = hashlib.blake2b(described.encode(), digest_size=16)
    for array in (stored, points, looked.rows, looked.ks, looked.scales):
        digest.update(np.ascontiguousarray(array).tobytes())
    return device.cache_folder() / "copies" / f"{digest.hexdigest()}.npz"


def _read(file: Path) -> Copies | None:
    damaged = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)
    with contextlib.suppress(*damaged), file.open("rb") as stream, np.load(stream, allow_pickle=False) as held:
        return Copies(MapSummary(held["curve"], held["gaps"], held["far"]), held["points"])
    return None


def _write(file: Path, made: Copies) -> None:
    """Write the measures of copies to a file of the cache, and delete the oldest files of the cache.

    The file is written completely or not at all. If it cannot be written, the copies are computed again next time.
    """
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(prefix=".draft-", dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                np.savez(stream, points=made.points, **made.found._asdict())
            Path(draft).replace(file)
        finally:
            Path(draft).unlink(missing_ok=True)
        held = sorted(file.parent.glob("*.npz"), key=lambda one: one.stat().st_mtime)
        for old in held[:-_MOST_FILES]:
            old.unlink(missing_ok=True)
