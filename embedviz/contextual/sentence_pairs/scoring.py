"""Score the cosines of sentence pairs against people's scores: corrections, held-out halves, resampled pairs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.contextual.layer_pooling import LayerPooling
from embedviz.contextual.pair_tables import FEWEST, PairsError
from embedviz.contextual.pooled import words_in_common
from embedviz.contextual.sentence_pairs.result import NONE, PairRow, RankAgreement
from embedviz.core.options import OptionError
from embedviz.core.space import Float, Ints, Origin, VectorSpace
from embedviz.core.stats.correlation import ranks, resampled, spearman
from embedviz.core.stats.permutation import family
from embedviz.geometry.corrections import fitted
from embedviz.testsets.datasets import SentencePair

Reals = NDArray[np.float64]
RESAMPLES = 500
_DIGITS = 9  # of a rounded cosine; smaller differences are rounding errors
SHUFFLES = 1_000


class VectorStore:
    """A temporary file that holds, for each pooling, the vectors of all sentences; `get()` loads those of one pooling.

    Attributes:
        wanted: The poolings for which the file has room.
        poolings: The wanted poolings that the model has; all wanted poolings before the first `put()`.
        live: Whether a sentence has a vector in the file, (n,).

    Raises:
        PairsError: The disk has too little room.
    """

    def __init__(self, count: int, dimensions: int, wanted: Sequence[LayerPooling]) -> None:
        self.shape, self.wanted = (count, dimensions), list(wanted)
        self.poolings: list[LayerPooling] = list(wanted)
        self.live = np.zeros(count, np.bool_)
        size, free = len(wanted) * count * dimensions * 4, shutil.disk_usage(tempfile.gettempdir()).free
        if size > free / 2:
            raise PairsError(
                f"The vectors of {count:,} sentences by {len(wanted)} poolings take {size / 2**30:.1f} GB on disk; "
                f"{free / 2**30:.1f} GB are free. Take fewer pairs or poolings."
            )
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 (it is closed with the store)

    def __enter__(self) -> VectorStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def put(self, rows: Sequence[int], found: dict[LayerPooling, Float]) -> None:
        """Write the vectors of some sentences.

        Args:
            rows: Numbers of the m sentences.
            found: For each pooling, the vectors of these sentences, (m, d).
        """
        if not len(rows):
            return
        self.live[list(rows)] = True
        self.poolings = [pooling for pooling in self.wanted if pooling in found]
        order = np.argsort(rows)
        placed = np.asarray(rows, np.int64)[order]
        starts = np.flatnonzero(np.diff(placed, prepend=-2) != 1)
        for pooling, matrix in found.items():
            sorted_rows = np.ascontiguousarray(matrix[order], np.float32)
            for first, last in zip(starts.tolist(), [*starts[1:].tolist(), len(placed)], strict=True):
                self.file.seek(self._offset(pooling, int(placed[first])))
                self.file.write(sorted_rows[first:last].tobytes())

    def get(self, pooling: LayerPooling) -> Float:
        """Return the vectors of all sentences by a pooling, (n, d); zeros for sentences without a token."""
        self.file.seek(self._offset(pooling, 0))
        content = self.file.read(self.shape[0] * self.shape[1] * 4)
        found = np.zeros(self.shape, np.float32)
        flat = np.frombuffer(content, np.float32)
        found.ravel()[: len(flat)] = flat  # the file ends with the last sentence that has a token
        return found

    def _offset(self, pooling: LayerPooling, row: int) -> int:
        return (self.wanted.index(pooling) * self.shape[0] + row) * self.shape[1] * 4


class _Half(NamedTuple):
    """One half of the pairs. A correction is fitted to `fit`: the sentences that occur only in the other half."""

    pairs: Ints
    fit: Ints


@dataclass(frozen=True, eq=False)
class PairTest:
    """The N pairs whose two sentences have vectors, and people's scores.

    Attributes:
        words: A name for each sentence, for the rows of a `VectorSpace`.
        live: Numbers of the sentences in these pairs.
        one, other: Number of the first and of the second sentence of each pair, (N,).
        people: People's scores, (N,).
        halves: The two random halves of the pairs.
        given: The texts and scores of the pairs.
    """

    words: tuple[str, ...]
    live: Ints
    one: Ints
    other: Ints
    people: Reals
    halves: tuple[_Half, _Half]
    given: tuple[SentencePair, ...]
    seed: int

    @classmethod
    def of(cls, given: Sequence[SentencePair], texts: Sequence[str], live: NDArray[np.bool_], seed: int) -> PairTest:
        """Select the pairs whose two sentences have a token, and split the pairs into random halves.

        Raises:
            PairsError: There are too few such pairs, or all have the same score.
        """
        places = {text: at for at, text in enumerate(texts)}
        usable = [pair for pair in given if live[places[pair.one]] and live[places[pair.other]]]
        if len(usable) < FEWEST:
            raise PairsError(f"{len(usable)} pairs have a token in both sentences; {FEWEST} at least are needed.")
        people = np.array([pair.score for pair in usable], np.float64)
        if len(np.unique(people)) == 1:
            raise PairsError(f"All scores of the {len(usable)} pairs that could be read are {people[0]:g}.")
        one = np.array([places[pair.one] for pair in usable], np.int64)
        other = np.array([places[pair.other] for pair in usable], np.int64)
        drawn = np.random.default_rng(seed).permutation(len(usable))
        parts = [np.sort(drawn[: len(usable) // 2]), np.sort(drawn[len(usable) // 2 :])]
        inside = [np.unique([one[rows], other[rows]]) for rows in parts]
        halves = (
            _Half(parts[0], np.setdiff1d(inside[1], inside[0])),
            _Half(parts[1], np.setdiff1d(inside[0], inside[1])),
        )
        words = tuple(f"sentence#{at + 1}" for at in range(len(texts)))
        return cls(words, np.unique([one, other]), one, other, people, halves, tuple(usable), seed)

    def scored(
        self,
        pooling: LayerPooling,
        matrix: Float,
        fits: Sequence[str],
        ranked: list[Reals],
        drawn: list[dict[str, Reals]],
    ) -> list[PairRow]:
        """Return the result rows of a pooling: without a correction, then with each correction named in `fits`.

        Args:
            matrix: The vectors of all sentences, (n, d).
            ranked: List to which the ranks of the cosines are appended, for each row whose `target` is not None.
            drawn: List to which a dictionary is appended for each row: *target* or *held_out* → resampled gains over no
                correction, (r,).
        """
        columns: dict[str, Reals] = {NONE: self._cosines(matrix)}
        if np.ptp(columns[NONE]) < _ALIKE:
            drawn += [{} for _ in (NONE, *fits)]
            return [PairRow(pooling.layer, pooling.name, name, None, None, _NO_ORDER) for name in (NONE, *fits)]
        space = VectorSpace(self.words, matrix, origin=Origin("sentences", pooling.title))
        halves: dict[str, list[Reals]] = {NONE: [self._cosines(matrix, half.pairs) for half in self.halves]}
        why: dict[str, str] = {}
        for name in fits:
            try:
                if name == "whiten" and len(self.live) <= matrix.shape[1] + 1:
                    raise OptionError(_TOO_FEW_TO_WHITEN.format(len(self.live), matrix.shape[1]))
                columns[name] = self._cosines(fitted(space, name, self.live).apply(matrix))
            except OptionError as error:
                why[name] = str(error)
            try:
                halves[name] = [
                    self._cosines(fitted(space, name, half.fit).apply(matrix), half.pairs) for half in self.halves
                ]
            except OptionError as error:
                why.setdefault(name, str(error))
        target, gains = _agreements(columns, [self.people], lambda found: [found], self.seed)
        each = [self.people[half.pairs] for half in self.halves]
        held_out, held_gains = _agreements(halves, each, lambda found: found, self.seed)
        ranked += [ranks(found) for name, found in columns.items() if name in target]
        both = {"target": gains, "held_out": held_gains}
        drawn += [{place: one[name] for place, one in both.items() if name in one} for name in (NONE, *fits)]
        return [
            PairRow(
                pooling.layer,
                pooling.name,
                name,
                target.get(name),
                held_out.get(name),
                why.get(name, "" if name in target else _NO_ORDER),
            )
            for name in (NONE, *fits)
        ]

    def _cosines(self, matrix: Float, chosen: Ints | None = None) -> Reals:
        """Return the cosines of the pairs `chosen` (None: of all), rounded so that equal cosines are exactly equal."""
        rows = slice(None) if chosen is None else chosen
        first, second = (matrix[numbers[rows]].astype(np.float64) for numbers in (self.one, self.other))
        lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
        products = np.einsum("ij,ij->i", first, second)
        made = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
        return np.asarray(np.round(made, _DIGITS))

    def overlap(self) -> tuple[float, float, float] | None:
        """Return ρ between people's scores and the share of words in common (Jaccard), with its 95 % interval.

        None if ρ is undefined.
        """
        counted = [words_in_common(pair.one, pair.other) for pair in self.given]
        found = np.array([common / max(1, every) for common, every in counted], np.float64)
        value = spearman(self.people, found)
        if value is None:
            return None
        low, high = np.percentile(resampled(self.people, found, count=RESAMPLES, seed=self.seed), [2.5, 97.5])
        return value, float(low), float(high)


_NO_ORDER = "All cosines are equal, so there is no order."
_ALIKE = 1e-7
_TOO_FEW_TO_WHITEN = (
    "Whitening fitted to {:,} sentences in {:,} dimensions makes all distances equal, so there is no order. Give more "
    "sentences than dimensions."
)


def _agreements(
    columns: dict[str, Any], people: Sequence[Reals], parts: Callable[[Any], list[Reals]], seed: int
) -> tuple[dict[str, RankAgreement], dict[str, Reals]]:
    """Return agreement with people's scores, and resampled gains; both by the name of the correction.

    A gain is the ρ with the correction minus the ρ without one, for each of r resamples of the pairs, (r,). The same
    resamples are used for all corrections and poolings. A correction with an undefined ρ is left out.

    Args:
        columns: For each name of a correction, the cosines of all pairs, or of each half of the pairs.
        people: People's scores: of all pairs, or of each half.
        parts: Turns a value of `columns` into a list with an array for each half; ρ is the mean over the halves.
    """
    values: dict[str, float] = {}
    drawn: dict[str, Reals] = {}
    for name, column in columns.items():
        found = [spearman(scores, cosines) for scores, cosines in zip(people, parts(column), strict=True)]
        known = [value for value in found if value is not None]
        if len(known) == len(found):
            values[name] = float(np.mean(known))
    for place, scores in enumerate(people):
        here = [parts(columns[name])[place] for name in values]
        anew = resampled(scores, *here, count=RESAMPLES, seed=seed + place) if here else np.zeros((0, 0))
        for at, name in enumerate(values):
            drawn[name] = drawn.get(name, 0.0) + anew[:, at] / len(people)
    made = {}
    for name, value in values.items():
        low, high = np.percentile(drawn[name], [2.5, 97.5]).tolist()
        gain = value - values[NONE] if NONE in values and name != NONE else 0.0
        made[name] = RankAgreement(value, low, high, gain, 0.0, 0.0)
    gains = {name: each - drawn[NONE] for name, each in drawn.items() if NONE in drawn and name != NONE}
    return made, gains


def with_gain_intervals(rows: Sequence[PairRow], drawn: Sequence[dict[str, Reals]]) -> tuple[PairRow, ...]:
    """Return the rows with the intervals of their gains, which are simultaneous over all rows.

    Corrections fitted to the compared sentences (*target*) and to other sentences (*held_out*) have separate intervals.

    Args:
        drawn: For each row, a dictionary from `PairTest.scored`: *target* or *held_out* → resampled gains.
    """
    done = list(rows)
    for setting in ("target", "held_out"):
        places = [at for at, each in enumerate(drawn) if setting in each]
        if not places:
            continue
        gains = np.array([getattr(rows[at], setting).gain for at in places])
        whole = family(gains, np.stack([drawn[at][setting] for at in places]) - gains[:, None])
        for at, gain, low, high in zip(places, gains, whole.low, whole.high, strict=True):
            ends = {"gain_low": float(gain - high), "gain_high": float(gain - low)}
            done[at] = done[at]._replace(**{setting: getattr(done[at], setting)._replace(**ends)})
    return tuple(done)


def shuffled_bounds(people: Reals, ranked: Sequence[Reals], seed: int) -> tuple[float, float]:
    """Return two chance limits, from shuffled scores of people.

    The first is the 95th percentile of |ρ| of a single row of `ranked`. The second is the 95th percentile of the
    highest ρ among all rows. Both are 1 if `ranked` is empty.
    """
    if not ranked:
        return 1.0, 1.0
    columns = np.stack([_unit(each) for each in ranked], axis=1)
    human, random = _unit(ranks(people)), np.random.default_rng(seed)
    shuffles = np.stack([random.permutation(human) for _ in range(SHUFFLES)])
    found = shuffles @ columns
    return float(np.percentile(np.abs(found), 95)), float(np.percentile(found.max(axis=1), 95))


def _unit(values: Reals) -> Reals:
    centered = values - values.mean()
    return np.asarray(centered / (np.linalg.norm(centered) or 1.0))
