"""One word through an ordered list of spaces: what it keeps, beside what all words keep.

Vectors of two spaces are compared after a rotation of one onto the other (Hamilton et al. 2016), by `procrustes`: rows
at length one, centred, and at length one again. A rotation is fitted on the very words that it is asked about, so that
all would seem to stay more than they do; here each word's rotation is fitted on the other four fifths of the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number, share
from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints, UnknownWordError, VectorSpace
from embedviz.core.stats.intervals import LEVEL
from embedviz.geometry.comparison.overlap import SAMPLE, K, looked_at, overlap_of
from embedviz.geometry.comparison.procrustes import normalised, rotation, rotation_of
from embedviz.geometry.comparison.shared import Shared, shared, unit_pair
from embedviz.neighbors import Neighbor, nearest

MOST = 20
FEW = 10_000
"""Words of a space below which the nearest among them may be far from the nearest there are."""
AROUND = 6
"""Neighbors of each step on the path's map."""
_FOLDS = 5


class WordBand(NamedTuple):
    """A value of one word, and what all words looked at have: median and the middle 90 %.

    Attributes:
        as_low: The share of the other words whose value is as low or lower, 0 to 1.
    """

    value: float
    low: float
    median: float
    high: float
    as_low: float
    words: int

    @property
    def beyond(self) -> bool:
        """Whether fewer than 5 % of the words are as low."""
        return self.as_low < LEVEL

    @property
    def said(self) -> str:
        """The value beside the others, in words."""
        within = f"9 in 10: {number(self.low)} to {number(self.high)}"
        return f"{number(self.value)} (all words: {number(self.median)}, {within})"


@dataclass(frozen=True)
class TimelineStep:
    """The word in one space.

    Attributes:
        name: Name of the space.
        missing: Why it has no vector there, in a few words; empty where it has one.
        neighbors: The k nearest among all words of this space that have a direction.
        among: How many words of this space have a direction.
        cosine: With its own vector in the first space, rotated; None in the first and where it is missing.
        overlap: Share of its nearest in the first space that it keeps, among the words of both; None where `cosine` is.
        of: Number of nearest words that `overlap` is a share of: k, less in a small space.
        shared: Words of this space and the first, on which the rotation is fitted.
        chance: The overlap that two unrelated spaces give.
        place: The word's place by frequency, from 1; 0 where the space does not know it.
        assumed: Whether that place is of a file whose order is only taken to be by frequency.
    """

    name: str
    missing: str = ""
    neighbors: tuple[Neighbor, ...] = ()
    among: int = 0
    cosine: WordBand | None = None
    overlap: WordBand | None = None
    of: int = 0
    shared: int = 0
    chance: float = 0.0
    place: int = 0
    assumed: bool = False

    @property
    def row(self) -> tuple[object, ...]:
        """The row of an export; what is missing is None."""
        bands = (value for band in (self.cosine, self.overlap) for value in (band[:4] if band else (None,) * 4))
        return self.name, *bands, ", ".join(one.word for one in self.neighbors) or self.missing


class Spot(NamedTuple):
    """A place on the path's map: a neighbor's word, or the name of a step."""

    label: str
    x: float
    y: float


@dataclass(frozen=True)
class TimelinePath:
    """The word at each step among words placed as in the last space, in the plane of their principal directions.

    Attributes:
        around: The word's neighbors of every step, at their place in the last space.
        steps: The word itself at each step, rotated onto the last space.
        variance: Shares of variance of the two directions.
        shared: The fewest words that a rotation was fitted on.
    """

    around: tuple[Spot, ...]
    steps: tuple[Spot, ...]
    variance: tuple[float, float]
    shared: int


@dataclass(frozen=True)
class Timeline:
    """One word through spaces in order.

    Attributes:
        first: Name of the first space in which the word has a direction, which the others are compared with.
        path: None where fewer than two steps have the word, or too few words lie around it.
    """

    word: str
    k: int
    steps: tuple[TimelineStep, ...]
    first: str
    path: TimelinePath | None

    @property
    def present(self) -> tuple[TimelineStep, ...]:
        """The steps that have the word."""
        return tuple(step for step in self.steps if not step.missing)

    @property
    def compared(self) -> tuple[TimelineStep, ...]:
        """The steps that are compared with the first."""
        return tuple(step for step in self.steps if step.cosine is not None)

    @property
    def meaning(self) -> str:
        """Whether the word moved more than words do, in sentences."""
        last = self.present[-1]
        if last.cosine is None or last.overlap is None:
            return f"Only {self.first} has a vector for {self.word}: there is nothing to compare it with."
        moved, kept = last.cosine, last.overlap
        far = f"moves more than {_all_but(moved)}" if moved.beyond else "moves as words do"
        few = f"keeps fewer of its neighbors than {_all_but(kept)}"
        as_far, as_few = f"{share(moved.as_low)} go as far or farther", f"{share(kept.as_low)} keep as few"
        begin = f"From {self.first} to {last.name}, {self.word} {far}"
        if moved.beyond and kept.beyond:
            return f"{begin}, and {few}."
        if moved.beyond:
            return f"{begin}, though it keeps its neighbors as words do: {as_few}."
        if kept.beyond:
            return f"{begin} ({as_far}), though it {few}."
        return f"{begin} and keeps its neighbors as they do: {as_far}, {as_few}."

    @property
    def baseline(self) -> str:
        """Figures of the last step beside those of all words, and the sample, in sentences."""
        last = self.present[-1]
        if last.cosine is None or last.overlap is None:
            return ""
        kept = last.overlap
        within = f"9 in 10: {share(kept.low)} to {share(kept.high)}; unrelated spaces: {share(last.chance)}"
        looked = "" if kept.words == last.cosine.words else f", for neighbors {kept.words:,} of them"
        return (
            f"Cosine with itself in {self.first}: {last.cosine.said}. Of its {last.of} nearest it keeps "
            f"{share(kept.value)} (all words: {share(kept.median)}, {within}). All words: the {last.cosine.words:,} "
            f"with a direction in both{looked}. Rare words move more by noise."
        )

    @property
    def frequency(self) -> str:
        """The word's place by frequency at each step, in a sentence, or that it is unknown."""
        known = [step for step in self.present if step.place]
        if not known:
            return f"How frequent {self.word} is, these spaces do not say: their words come without counts or order."
        told = ", ".join(f"{step.name} {step.place:,}" for step in known)
        if len({step.place for step in known}) == 1 and len(known) == len(self.present):
            told = f"{known[0].place:,} at every step"
        unknown = [step.name for step in self.present if not step.place]
        more = f"; unknown in {', '.join(unknown)}" if unknown else ""
        assumed = ", if the files are ordered by it" if any(step.assumed for step in known) else ""
        return f"Place of {self.word} by frequency{assumed}: {told}{more}."

    @property
    def few(self) -> str:
        """That neighbors come from few words, in a sentence; empty where every step has many."""
        least = min(step.among for step in self.present)
        return f"The nearest of only {least:,} words: nearer ones may be missing." if least < FEW else ""

    @property
    def absent(self) -> str:
        """Where the word is missing and why, in a sentence; empty where it is nowhere missing."""
        parts = [f"{step.name} ({step.missing})" for step in self.steps if step.missing]
        return f"No vector for {self.word} in {', '.join(parts)}." if parts else ""

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows of an export: each step with its cosine and overlap, their bands and nearest words."""
        bands = *("cosine", "p5", "median", "p95"), *("kept", "kept p5", "kept median", "kept p95")
        return ("step", *bands, "nearest"), (step.row for step in self.steps)


@offered(
    "found",
    "for step in found.steps:",
    "    print(step.name, step.missing, *(one.word for one in step.neighbors))",
    "    print(step.cosine, step.overlap)",
    "print(found.meaning, found.baseline)",
)
def timeline(
    spaces: Sequence[VectorSpace],
    word: str,
    *,
    names: Sequence[str] = (),
    k: int = K,
    seed: int = 0,
    report: Report | None = None,
) -> Timeline:
    """Return what becomes of a word from space to space, in the order given.

    Args:
        spaces: 2 to 20.
        names: What the steps are called; the spaces' own names where there are none.
        k: Neighbors by cosine.

    Raises:
        UnknownWordError: No space has the word with a direction.
        OptionError: Fewer than two spaces or more than twenty, or two of them share fewer than four words.
    """
    if not 2 <= len(spaces) <= MOST:
        raise OptionError(f"{len(spaces)} spaces were given; a timeline has 2 to {MOST}.")
    called = list(names) if len(names) == len(spaces) else [space.origin.name for space in spaces]
    reasons = [_missing(space, word) for space in spaces]
    present = [at for at, reason in enumerate(reasons) if not reason]
    if not present:
        raise UnknownWordError(word, listing_of(called), sum(map(len, spaces)))
    first, steps = present[0], []
    for at, (space, name, reason) in enumerate(zip(spaces, called, reasons, strict=True)):
        if report is not None:
            report(at / (len(spaces) + 1), f"{name} beside {called[first]}")
        if reason:
            steps.append(TimelineStep(name, reason))
        elif at == first:
            steps.append(
                TimelineStep(name, neighbors=nearest(space, word, k), among=_among(space), **_ranked(space, word))
            )
        else:
            steps.append(_step(spaces[first], space, word, name, k, seed))
    if report is not None:
        report(len(spaces) / (len(spaces) + 1), "drawing the path")
    shown = [spaces[at] for at in present]
    return Timeline(word, k, tuple(steps), called[first], _path(shown, [called[at] for at in present], word, seed))


def listing_of(names: Sequence[str]) -> str:
    """Return the names as the space that a word is sought in."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _among(space: VectorSpace) -> int:
    """Return words that have a direction."""
    return int(np.count_nonzero(space.norms))


def _all_but(band: WordBand) -> str:
    return f"all but {share(band.as_low)} of words" if band.as_low else "any other word"


def _ranked(space: VectorSpace, word: str) -> dict[str, Any]:
    """Return the word's place by its count, or by the rows in that order, and whether that order is assumed."""
    row, order = space.index[word], space.origin.order
    if space.counts is not None:
        return {"place": 1 + int(np.count_nonzero(np.asarray(space.counts) > space.counts[row]))}
    return {"place": row + 1 if order != "none" else 0, "assumed": order == "assumed"}


def _missing(space: VectorSpace, word: str) -> str:
    row = space.index.get(word)
    if row is None:
        return "not among its words"
    return "" if space.norms[row] > 0 else "a row of zeros"


def _step(first: VectorSpace, space: VectorSpace, word: str, name: str, k: int, seed: int) -> TimelineStep:
    words = shared(first, space, also=word, seed=seed)
    pair, place = unit_pair(first, space, words), words.places[word]
    cosines = self_cosines(pair, seed)
    looked = np.union1d(looked_at(len(words), SAMPLE, seed), [place])
    kept = overlap_of(words, pair, looked, k)
    own = int(np.searchsorted(looked, place))
    return TimelineStep(
        name,
        neighbors=nearest(space, word, k),
        among=_among(space),
        cosine=_band(cosines, place),
        overlap=_band(kept.values, own),
        of=kept.k,
        shared=len(words),
        chance=kept.chance,
        **_ranked(space, word),
    )


def self_cosines(pair: tuple[Float, Float], seed: int = 0) -> Float:
    """Return the cosine of each word with itself after a rotation fitted on the other four fifths of the words, (n,).

    Args:
        pair: Unit rows of the same words in two spaces, (n, d) and (n, e).
    """
    ours, theirs = normalised(*pair)
    products = ours.T @ theirs
    fold = np.random.default_rng(seed).permutation(len(ours)) % _FOLDS
    cosines = np.zeros(len(ours), np.float32)
    for part in range(_FOLDS):
        held = np.flatnonzero(fold == part)
        if len(held):
            turn = rotation_of(products - ours[held].T @ theirs[held])
            cosines[held] = np.einsum("ij,ij->i", ours[held] @ turn, theirs[held])
    return cosines


def _band(values: Float, own: int) -> WordBand:
    low, middle, high = np.percentile(values, (5, 50, 95)).tolist()
    as_low = (np.count_nonzero(values <= values[own]) - 1) / max(1, len(values) - 1)
    return WordBand(float(values[own]), low, middle, high, float(as_low), len(values))


def _path(spaces: Sequence[VectorSpace], names: Sequence[str], word: str, seed: int) -> TimelinePath | None:
    """Return the word at each step, rotated onto the last space, among the neighbors that it has at any step."""
    last = spaces[-1]
    around = list(dict.fromkeys(one.word for space in spaces for one in nearest(space, word, AROUND)))
    rows = np.asarray([last.index[each] for each in around if not _missing(last, each)], np.int64)
    if len(spaces) < 2 or len(rows) < 2:
        return None
    middle = _mean(last)
    placed, own, fewest = _directed(last, rows, middle), [], len(last)
    for space in spaces[:-1]:
        words = shared(space, last, also=word, seed=seed)
        own.append(_carried(space, last, words, word))
        fewest = min(fewest, len(words))
    own.append(_directed(last, np.array([last.index[word]]), middle)[0])
    points = np.vstack([placed, np.array(own)]).astype(np.float64)
    points -= points.mean(axis=0)
    _, spread, directions = np.linalg.svd(points, full_matrices=False)
    total = float((spread**2).sum())
    if not total:
        return None
    flat = points @ directions[:2].T
    flat = np.pad(flat, ((0, 0), (0, 2 - flat.shape[1])))
    shares = [float(each**2) / total for each in spread[:2]]
    spots = [
        Spot(label, float(x), float(y)) for label, (x, y) in zip([*last.words_at(rows), *names], flat, strict=True)
    ]
    variance = (shares[0], shares[1] if len(shares) > 1 else 0.0)
    return TimelinePath(tuple(spots[: len(rows)]), tuple(spots[len(rows) :]), variance, fewest)


def _mean(space: VectorSpace) -> Float:
    """Return the mean of the unit rows that are not zero, (d,)."""
    total = np.zeros(space.dimensions)
    for rows in space.blocks():
        total += space.unit_rows(rows).sum(axis=0, dtype=np.float64)
    return np.asarray(total / max(1, _among(space)), np.float32)


def _directed(space: VectorSpace, rows: Ints, middle: Float) -> Float:
    """Return those rows at length one, centred, and at length one again."""
    moved = np.asarray(space.unit_rows(rows)) - middle
    lengths: Any = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(np.divide(moved, lengths, out=np.zeros_like(moved), where=lengths > 1e-6))


def _carried(space: VectorSpace, last: VectorSpace, words: Shared, word: str) -> Float:
    """Return the word's vector rotated onto the last space, (d of the last,)."""
    ours, theirs = normalised(*unit_pair(space, last, words))
    place = words.places[word]
    return np.asarray((ours[place] @ rotation(ours, theirs))[: last.dimensions])
