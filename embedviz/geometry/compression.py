"""What smaller vectors cost: the nearest neighbors that rows keep with fewer dimensions or fewer bits.

Each smaller form is compared with the space itself: the share of a row's k nearest by cosine that are the same, over a
sample of rows, searched among the same rows.
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
"""Rows among which neighbors are searched, drawn at random where there are more."""
SIZES = (256, 128, 64)
"""Dimensions of the smaller forms."""
GOOD = 0.9
"""Share of neighbors kept from which a smaller form is called about as good."""
FEW = 30
_ROWS_AT_ONCE = 250
Encode = Callable[[Float], Float]


class Compressed(NamedTuple):
    """One form of the vectors.

    Attributes:
        name: For commands; `title`: for people.
        bytes: Of all rows of the space in this form, without the words.
        preserved: Mean share of a row's k nearest that are the same, 0 to 1.
        low, high: The 95 % interval over rows; those of all forms hold at once.
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
    """The neighbors that each smaller form keeps.

    Attributes:
        forms: The smaller forms, in the order in which they were measured.
        whole: Bytes of the space as 32-bit numbers.
        chance: The share that unrelated vectors keep.
        sample: Rows whose neighbors were compared; `among`: rows that were searched, of `rows`.
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
        """Return the smaller forms, that of most bytes first."""
        return tuple(sorted(self.forms, key=lambda form: -form.bytes))

    @property
    def with_whole(self) -> tuple[Compressed, ...]:
        """List the vectors as they are, then the smaller forms."""
        return (Compressed("whole", "All numbers, 32 bits", self.whole, 1.0, 1.0, 1.0), *self.by_bytes)

    @property
    def smallest(self) -> Compressed | None:
        """Return the smallest form whose interval lies above `GOOD`; None where there is none."""
        return min((form for form in self.forms if form.low >= GOOD), key=lambda form: form.bytes, default=None)

    @property
    def meaning(self) -> str:
        """Say which smaller form keeps most neighbors."""
        best = self.smallest
        if best is None:
            return f"No smaller form keeps {share(GOOD)} of the nearest neighbors."
        return (
            f"{best.title}: {share(best.bytes / self.whole)} of the size, and on average "
            f"{share(best.preserved)} of each row’s {self.k} nearest neighbors stay."
        )

    @property
    def note(self) -> str:
        """Say the sample, the forms and the baseline."""
        drawn = f"{self.among:,} rows drawn at random" if self.among < self.rows else f"all {self.rows:,} rows"
        return (
            f"Sample: {self.sample:,} rows, their {self.k} nearest by cosine searched among {drawn}. Unrelated vectors "
            f"keep {share(self.chance)}. PCA is not centered, so that it keeps cosines. 8-bit numbers: one scale per "
            "dimension. 1 bit: the sign of each number, compared by Hamming distance. Intervals are 95\u00a0%, for all "
            "forms at once."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows: each form with its bytes and the share of neighbors kept, the largest first."""
        return ("form", "bytes", "share of bytes", "neighbors kept", "low", "high"), (
            (form.title, form.bytes, form.bytes / self.whole, form.preserved, form.low, form.high)
            for form in self.by_bytes
        )

    def card(self) -> dict[str, Any]:
        """Return what was measured as plain JSON values."""
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
    """Return which share of the nearest neighbors each smaller form of the vectors keeps.

    Args:
        sample: Rows whose neighbors are compared.
        among: Rows among which neighbors are searched.

    Raises:
        OptionError: Fewer than 30 rows have a direction, or a number is below 1.
    """
    if min(sample, among) < 1:
        raise OptionError("The sample and the rows searched are 1 or more.")
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
    """Return name, title, bytes of a row, and a function that returns rows in this form as float32."""
    sizes = [size for size in SIZES if size < d] or [size for size in (d // 2, d // 4) if size]
    values, directions = np.linalg.eigh(rows.T.astype(np.float64) @ rows)
    axes = np.asarray(directions[:, np.argsort(-values, kind="stable")], np.float32)
    found: list[tuple[str, str, int, Encode]] = [
        ("fp16", "16-bit numbers", 2 * d, _half),
        ("int8", "8-bit numbers", d, _int8),
    ]
    for size in sizes:
        found.append((f"first{size}", f"First {size} dimensions", 4 * size, partial(_first, count=size)))
        if size < len(rows):  # n rows have at most n - 1 principal components
            found.append((f"pca{size}", f"PCA, {size} dimensions", 4 * size, partial(_projected, axes=axes[:, :size])))
    found.append(
        ("binary", "1 bit per dimension", -(-d // 8), lambda given: np.where(given > 0, 1, -1).astype(np.float32))
    )
    return found


def _first(rows: Float, count: int) -> Float:
    """Return the first dimensions of the rows."""
    return rows[:, :count]


def _projected(rows: Float, axes: Float) -> Float:
    """Return the rows in these directions, (d, r)."""
    return rows @ axes


def _half(rows: Float) -> Float:
    """Return the rows as 16-bit floats hold them; a number beyond their range becomes the largest."""
    top = float(np.finfo(np.float16).max)
    return np.clip(rows, -top, top).astype(np.float16).astype(np.float32)


def _int8(rows: Float) -> Float:
    """Return the rows as 8-bit integers hold them, with one scale per dimension."""
    scale = np.maximum(np.abs(rows).max(axis=0), np.finfo(np.float32).tiny) / 127
    return np.asarray(np.rint(rows / scale) * scale, np.float32)


def nearest_rows_of(rows: Float, looked: Ints | Sequence[int], k: int) -> Ints:
    """Return the k nearest others of some rows by cosine, in no order, (m, k)."""
    unit, places = unit_rows(rows), np.asarray(looked)
    found = np.empty((len(places), k), np.int64)
    for start in range(0, len(places), _ROWS_AT_ONCE):
        some = places[start : start + _ROWS_AT_ONCE]
        cosines = unit[some] @ unit.T
        cosines[np.arange(len(some)), some] = -np.inf
        found[start : start + len(some)] = np.argpartition(cosines, len(unit) - k, axis=1)[:, -k:]
    return found
