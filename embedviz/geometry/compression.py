"""Compression of vectors: the nearest neighbors that rows keep with fewer dimensions or fewer bits.

A form is a smaller version of the vectors, such as 64 dimensions or 8-bit integers. Each form is compared with the
original vectors. The measure is the share of a row's k nearest neighbors by cosine that stay the same, over a sample of
rows. Neighbors are searched among the same rows in every form.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace, unit_rows
from embedviz.core.stats.intervals import simultaneous_z
from embedviz.core.stats.resampling import drawn_rows
from embedviz.geometry.structure import sample_with_direction

K = 10
SAMPLE = 1_000
AMONG = 30_000
"""Maximum number of rows among which neighbors are searched, drawn at random."""
SIZES = (256, 128, 64)
"""Numbers of dimensions to which vectors are cut."""
GOOD = 0.9
"""Share of neighbors that a smaller form must keep to be called about as good as the original vectors."""
FEW = 30
_ROWS_AT_ONCE = 250
Encode = Callable[[Float], Float]


class Compressed(NamedTuple):
    """One form of the vectors, for example 8-bit integers.

    Attributes:
        name: Name of the form in commands.
        title: Name of the form on pages.
        bytes: Size in bytes of all rows of the space in this form, without the words.
        preserved: Mean share of a row's k nearest neighbors that stay the same, 0 to 1.
        low, high: Confidence interval of `preserved`; the intervals of all forms together have a level of 95 %.
    """

    name: str
    title: str
    bytes: int
    preserved: float
    low: float
    high: float

    def card(self) -> dict[str, Any]:
        """Return the fields as plain JSON values; the share has the key `kept`, as in earlier versions."""
        return {"kept" if name == "preserved" else name: value for name, value in self._asdict().items()}


@dataclass(frozen=True, eq=False)
class Compression:
    """The share of nearest neighbors that each smaller form of the vectors keeps.

    Attributes:
        forms: The smaller forms, in the order in which they were measured.
        whole: Size of the space in bytes, with 32-bit numbers.
        dimensions: Dimensions of the space.
        chance: Share of neighbors that unrelated vectors would keep by chance.
        sample: Number of rows whose neighbors were compared.
        among: Number of rows among which neighbors were searched.
        rows: Number of rows of the space that are not zero.
        k: Number of nearest neighbors.
    """

    forms: tuple[Compressed, ...]
    whole: int
    dimensions: int
    chance: float
    sample: int
    among: int
    rows: int
    k: int = K

    @property
    def by_bytes(self) -> tuple[Compressed, ...]:
        """Return the smaller forms, sorted by size, largest first."""
        return tuple(sorted(self.forms, key=lambda form: -form.bytes))

    @property
    def with_whole(self) -> tuple[Compressed, ...]:
        """Return the results: first for the original vectors, then for the smaller forms, the largest form first."""
        return (Compressed("whole", "All numbers, 32 bits", self.whole, 1.0, 1.0, 1.0), *self.by_bytes)

    @property
    def smallest(self) -> Compressed | None:
        """Return the smallest form whose interval lies at or above `GOOD`; None if there is no such form."""
        return min((form for form in self.forms if form.low >= GOOD), key=lambda form: form.bytes, default=None)

    @property
    def meaning(self) -> str:
        """Say which form is the smallest that keeps at least 90 % of the neighbors (`smallest`)."""
        best = self.smallest
        if best is None:
            return f"No smaller form keeps {share(GOOD)} of the nearest neighbors."
        return (
            f"{best.title}: {share(best.bytes / self.whole)} of the size, and on average "
            f"{share(best.preserved)} of each row’s {self.k} nearest neighbors stay."
        )

    @property
    def note(self) -> str:
        """Describe the sample, the forms and the baseline."""
        drawn = f"{self.among:,} rows drawn at random" if self.among < self.rows else f"all {self.rows:,} rows"
        return (
            f"Sample: {self.sample:,} rows, their {self.k} nearest by cosine searched among {drawn}. Unrelated vectors "
            f"keep {share(self.chance)}. PCA is not centered, so that it keeps cosines. 8-bit numbers: one scale per "
            "dimension. 1 bit: the sign of each number, compared by Hamming distance. Intervals are 95\u00a0%, for all "
            "forms at once."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows: one row for each smaller form, largest first."""
        return ("form", "bytes", "share of bytes", "neighbors kept", "low", "high"), (
            (form.title, form.bytes, form.bytes / self.whole, form.preserved, form.low, form.high)
            for form in self.by_bytes
        )

    def card(self) -> dict[str, Any]:
        """Return the results as plain JSON values."""
        return {
            "k": self.k,
            "sample": self.sample,
            "among": self.among,
            "bytes": self.whole,
            "chance": self.chance,
            "forms": [form.card() for form in self.forms],
            "meaning": self.meaning,
        }


@offered("found", "print(found.meaning)", "for form in found.forms:", "    print(*form, sep='  ')")
def compression(
    space: VectorSpace, *, sample: int = SAMPLE, among: int = AMONG, seed: int = 0, report: Report | None = None
) -> Compression:
    """Return the share of nearest neighbors that each smaller form of the vectors keeps.

    Args:
        sample: Maximum number of rows whose neighbors are compared, drawn at random.
        among: Maximum number of rows among which neighbors are searched, drawn at random.

    Raises:
        OptionError: Fewer than 30 rows are not zero, `sample` is below 1, or `among` is below 3.
    """
    if sample < 1 or among < 3:
        raise OptionError("The sample is 1 or more, and the rows searched are 3 or more.")
    random = np.random.default_rng(seed)
    searched, there = sample_with_direction(space, among, random)
    if there < FEW:
        raise OptionError(f"Rows that are not all zeros: {there:,}. {FEW} are needed to compare their neighbors.")
    rows = np.asarray(space.matrix[searched], np.float32)
    looked = drawn_rows(len(rows), sample, random)
    k = min(K, (len(rows) - 1) // 2)
    true, forms = nearest_rows_of(rows, looked, k), []
    encoders = _encoders(space.dimensions, rows)
    for place, (name, title, size, encode) in enumerate(encoders):
        tell(report, (place + 1) / (len(encoders) + 1), title)
        found = nearest_rows_of(encode(rows), looked, k)
        preserved = (true[:, :, None] == found[:, None, :]).any(axis=2).mean(axis=1)
        half = simultaneous_z(len(encoders)) * float(preserved.std(ddof=1)) / np.sqrt(len(preserved))
        mean = float(preserved.mean())
        low, high = max(0.0, mean - half), min(1.0, mean + half)
        forms.append(Compressed(name, title, size * len(space), mean, low, high))
    tell(report, 1.0, "done")
    whole = 4 * space.dimensions * len(space)
    chance = k / (len(rows) - 1)
    return Compression(tuple(forms), whole, space.dimensions, chance, len(looked), len(rows), there, k)


def _encoders(d: int, rows: Float) -> list[tuple[str, str, int, Encode]]:
    """Return for each form: name, title, bytes of a row, and a function from rows to their float32 approximation."""
    sizes = [size for size in SIZES if size < d] or [size for size in (d // 2, d // 4) if size]
    values, directions = np.linalg.eigh(rows.T.astype(np.float64) @ rows)
    axes = np.asarray(directions[:, np.argsort(-values, kind="stable")], np.float32)
    found: list[tuple[str, str, int, Encode]] = [
        ("fp16", "16-bit numbers", 2 * d, _half),
        ("int8", "8-bit numbers", d, _int8),
    ]
    for size in sizes:
        found.append((f"first{size}", f"First {size} dimensions", 4 * size, partial(_first, count=size)))
        if size < len(rows):  # n rows span at most n directions
            found.append((f"pca{size}", f"PCA, {size} dimensions", 4 * size, partial(_projected, axes=axes[:, :size])))
    found.append(
        ("binary", "1 bit per dimension", -(-d // 8), lambda given: np.where(given > 0, 1, -1).astype(np.float32))
    )
    return found


def _first(rows: Float, count: int) -> Float:
    """Return the first `count` dimensions of the rows, (n, count)."""
    return rows[:, :count]


def _projected(rows: Float, axes: Float) -> Float:
    """Return the rows projected on r axes, (n, r); `axes` has shape (d, r)."""
    return rows @ axes


def _half(rows: Float) -> Float:
    """Return the rows as float32 after rounding to 16-bit floats; numbers beyond the 16-bit range are clipped."""
    top = float(np.finfo(np.float16).max)
    return np.clip(rows, -top, top).astype(np.float16).astype(np.float32)


def _int8(rows: Float) -> Float:
    """Return the rows as float32 after rounding to 8-bit integers, with one scale for each dimension."""
    scale = np.maximum(np.abs(rows).max(axis=0), np.finfo(np.float32).tiny) / 127
    return np.asarray(np.rint(rows / scale) * scale, np.float32)


def nearest_rows_of(rows: Float, looked: Ints | Sequence[int], k: int) -> Ints:
    """Return the numbers of the k nearest other rows by cosine, for each row in `looked`; unordered, (m, k)."""
    unit, places = unit_rows(rows), np.asarray(looked)
    found = np.empty((len(places), k), np.int64)
    for start in range(0, len(places), _ROWS_AT_ONCE):
        some = places[start : start + _ROWS_AT_ONCE]
        cosines = unit[some] @ unit.T
        cosines[np.arange(len(some)), some] = -np.inf
        found[start : start + len(some)] = np.argpartition(cosines, len(unit) - k, axis=1)[:, -k:]
    return found
