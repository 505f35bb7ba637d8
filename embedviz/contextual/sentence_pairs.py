"""Sentence pairs with people's scores: how well cosines order them, by layer, pooling and correction (Spearman's ρ).

A correction is fitted to the very sentences that are compared, which the literature calls the *target* setting; and
beside it to the sentences of one half of the pairs, and measured on the other half.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.contextual.encoder import BUILTIN, Encoder, load
from embedviz.contextual.pair_tables import EXAMPLE, FEWEST, PairsError, SentencePairs, example, read_pairs
from embedviz.contextual.pooled import Way, lacks, pooled, read_in_windows, said, ways, words_in_common
from embedviz.contextual.pooling import POOLINGS, SPECIAL, own_pooling, own_said
from embedviz.core.call import offered
from embedviz.core.options import OptionError, choose
from embedviz.core.phrases import number, signed
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Float, Ints, Origin, VectorSpace
from embedviz.core.stats.correlation import ranks, resampled, spearman
from embedviz.core.stats.permutation import family
from embedviz.geometry.corrections import KEEPS_COSINES, MAPS, fitted
from embedviz.testsets.datasets import SentencePair

Reals = NDArray[np.float64]
NONE = "none"
"""What rows without a correction are called."""
RESAMPLES = 500
_DIGITS = 9  # of a cosine; what differs by less is arithmetic
SHUFFLES = 1_000


class Agreement(NamedTuple):
    """How the order of the cosines agrees with people's.

    Attributes:
        spearman: −1 to 1.
        low, high: Its 95 % interval, from pairs drawn anew.
        gain: What it has more than the same without a correction; 0 where there is none.
        gain_low, gain_high: The interval of that, from the same pairs drawn anew. The intervals of all ways and
            corrections hold together in 95 % of samples.
    """

    spearman: float
    low: float
    high: float
    gain: float
    gain_low: float
    gain_high: float

    @property
    def gains(self) -> int:
        """1 or −1 where the difference to no correction is beyond chance over all ways and corrections, else 0."""
        return (self.gain_low > 0) - (self.gain_high < 0)


class PairRow(NamedTuple):
    """A pooling at a layer with a correction.

    Attributes:
        layer: None where the pooling takes several.
        correction: A name of `MAPS`, or *none*.
        target: Fitted to the sentences that are compared.
        held_out: Fitted to the sentences of one half of the pairs, those left out that stand in the other as well, and
            measured on that; the mean of both halves.
        left_out: Why there is no target figure, or no figure at all.
    """

    layer: int | None
    pooling: str
    correction: str
    target: Agreement | None
    held_out: Agreement | None
    left_out: str = ""

    @property
    def way(self) -> Way:
        """The pooling and its layer."""
        return Way(self.pooling, self.layer)

    @property
    def title(self) -> str:
        """The row in words."""
        fit = "" if self.correction == NONE else f", {MAPS[self.correction].title.lower()}"
        return f"{self.way.title}{fit}"

    def setting(self, held_out: bool) -> Agreement | None:
        """The figure of one of the two settings."""
        return self.held_out if held_out else self.target


@dataclass(frozen=True, eq=False)
class PairScores:
    """What each layer, pooling and correction makes of the pairs.

    Attributes:
        name, source: Of the pairs.
        own: How the model's makers pool, as `encoder.pooling_of` gives it.
        pairs: How many were scored.
        sentences: Different sentences in them, each read once.
        left_out: Pairs with a sentence that the tokenizer makes no token of.
        rows: Every way of pooling without a correction and with each.
        chance: What |ρ| of a row stays below in 95 of 100 shuffles of the scores.
        best_chance: What the highest ρ of all rows stays below in 95 of 100 shuffles.
        overlap: ρ of the share of words that the two sentences have in common, and its interval; None where it is the
            same for all pairs.
        missing: Poolings that the model has not.
        note: What a reader should know of the model and of how sentences were read.
    """

    name: str
    source: str
    model: str
    depth: int
    special: str
    own: str
    pairs: int
    sentences: int
    left_out: int
    rows: tuple[PairRow, ...]
    chance: float
    best_chance: float
    overlap: tuple[float, float, float] | None
    missing: tuple[str, ...]
    note: str

    def row(self, pooling: str, layer: int | None, correction: str = NONE) -> PairRow:
        """The row of a pooling at a layer with a correction.

        Raises:
            OptionError: There is none.
        """
        for one in self.rows:
            if one[:3] == (layer, pooling, correction):
                return one
        raise OptionError(f"There is no row of {pooling}, layer {layer}, {correction}.")

    @property
    def plain(self) -> PairRow:
        """The model's own pooling of the last layer without a correction, or what there is in its place."""
        usual = [one for one in self.rows if one[:3] == (self.depth, own_pooling(self.own), NONE)]
        return usual[0] if usual else [one for one in self.rows if one.correction == NONE][-1]

    def best(self, held_out: bool = False) -> PairRow:
        """The row with the highest ρ of a setting."""
        return max(self.rows, key=lambda one: -2.0 if (each := one.setting(held_out)) is None else each.spearman)

    def effects(self, held_out: bool = False) -> dict[str, tuple[int, int, int]]:
        """For each correction how many ways have a higher ρ with it, a lower one, each beyond its interval, of all."""
        found = {}
        for name in dict.fromkeys(one.correction for one in self.rows if one.correction != NONE):
            every = [one.setting(held_out) for one in self.rows if one.correction == name]
            told = [one for one in every if one is not None]
            found[name] = (sum(one.gains > 0 for one in told), sum(one.gains < 0 for one in told), len(told))
        return found

    @property
    def sample(self) -> str:
        """What was looked at, in sentences."""
        told = [f"{self.pairs:,} pairs of {self.sentences:,} different sentences, {self.model}."]
        if self.left_out:
            have = "pair has a sentence" if self.left_out == 1 else "pairs have a sentence"
            told.append(
                f"{self.left_out:,} {have} without a token, and {'is' if self.left_out == 1 else 'are'} left out."
            )
        return " ".join(filter(None, [*told, own_said(self.own, self.special), self.source]))

    @property
    def baselines(self) -> str:
        """What chance and words in common give, in sentences."""
        shared = (
            "The share of words in common is the same for all pairs."
            if self.overlap is None
            else f"Words in common alone: ρ {number(self.overlap[0])} (95\u00a0%: {number(self.overlap[1])} to "
            f"{number(self.overlap[2])})."
        )
        return (
            f"{shared} Shuffled scores: |ρ| of one row stays below {number(self.chance)}, and the best ρ of the "
            f"{self.scored:,} rows below {number(self.best_chance)}, in 95 of 100 shuffles."
        )

    @property
    def scored(self) -> int:
        """Rows that have a figure in the target setting."""
        return sum(one.target is not None for one in self.rows)

    @property
    def setting(self) -> str:
        """How corrections were fitted, in sentences."""
        return (
            "Target: a correction is fitted to the sentences that are compared, as published tables often do. Held "
            "out: it is fitted to the sentences of one half of the pairs and measured on the other; the mean of both."
        )

    def meaning(self, held_out: bool = False) -> str:
        """What the figures say, in sentences."""
        usual, best = self.plain, self.best(held_out)
        one, top = usual.setting(held_out), best.setting(held_out)
        if one is None or top is None:
            return "No row could be scored."
        told = f"{usual.title}: ρ {number(one.spearman)} ({number(one.low)} to {number(one.high)})"
        if self.overlap is not None:
            told += f"; words in common alone {number(self.overlap[0])}"
        count = sum(row.setting(held_out) is not None for row in self.rows)
        if best != usual:
            told += f". The highest of {count:,}, chosen after the fact: {number(top.spearman)} ({said(best.title)})"
        return f"{told}."

    def corrections_said(self, held_out: bool = False) -> str:
        """What each correction does to how many ways of pooling, in a sentence."""
        told = [
            f"{MAPS[name].title.lower()} raises ρ of {up} and lowers it of {down} of {count} ways"
            for name, (up, down, count) in self.effects(held_out).items()
            if count
        ]
        if not told:
            return ""
        return (
            f"Beyond chance, {'; '.join(told)}. The intervals of all these differences hold together, in 95\u00a0% of "
            "samples of pairs."
        )

    def card(self) -> dict[str, Any]:
        """The figures as plain JSON values; `spearman` is that of the target setting."""
        return {
            "pairs": self.pairs,
            "model": self.model,
            "rows": [_row_card(one) for one in self.rows],
            "name": self.name,
            "sentences": self.sentences,
            "left_out": self.left_out,
            "special": self.special,
            "own_pooling": self.own or None,
            "chance": self.chance,
            "best_chance": self.best_chance,
            "overlap": None if self.overlap is None else dict(zip(_INTERVAL, self.overlap, strict=True)),
            "missing": list(self.missing),
            "meaning": f"{self.meaning()} {self.corrections_said()}".strip(),
            "note": self.note,
        }

    def table(self) -> list[tuple[str | float, ...]]:
        """The rows for a spreadsheet, under `HEADER`; empty where there is no figure."""
        return [
            (
                one.pooling,
                "" if one.layer is None else one.layer,
                one.correction,
                *(one.target or [""] * len(Agreement._fields)),
                *(one.held_out or [""] * len(Agreement._fields)),
            )
            for one in self.rows
        ]


HEADER = (
    *("pooling", "layer", "correction"),
    *Agreement._fields,
    *(f"held_out_{name}" for name in Agreement._fields),
)
_INTERVAL = ("spearman", "low", "high")


def _row_card(row: PairRow) -> dict[str, Any]:
    empty = dict.fromkeys(Agreement._fields)
    return {
        "layer": row.layer,
        "pooling": row.pooling,
        "correction": row.correction,
        **(empty if row.target is None else row.target._asdict()),
        "held_out": None if row.held_out is None else row.held_out._asdict(),
        "left_out": row.left_out or None,
    }


@offered(
    "scores",
    "for row in sentence_pairs.table(scores):",
    '    print(*row, sep="  ")',
    "print(scores.meaning(), scores.corrections_said(), scores.baselines, scores.setting)",
    command="pairs {given} --special {special} --seed {seed}",
)
def pairs(
    given: SentencePairs | str | Path = EXAMPLE,
    *,
    model: Encoder | str | Path = BUILTIN,
    poolings: Sequence[str] = (),
    corrections: Sequence[str] = (),
    special: str = SPECIAL.default,
    device: str = "cpu",
    name: str = "",
    seed: int = 0,
    report: Report | None = None,
) -> PairScores:
    """How well each layer, pooling and correction orders sentence pairs, beside people's scores.

    Args:
        given: Pairs, the path of a table of them, or *example*.
        model: A folder, `builtin`, or what `load` gives.
        poolings: Names of `POOLINGS`; without any, all.
        corrections: Names of `MAPS`; without any, all that change cosines.
        special: Whether every pooling but CLS counts [CLS] and [SEP]: *with* or *without*.
        name: What the file is called.
        seed: Of the halves, of pairs drawn anew and of shuffles.

    Raises:
        PairsError: The file holds no such pairs, or too few have a token.
        OptionError: An unknown pooling or correction.
        EncoderError: The model cannot be opened.
    """
    from threadpoolctl import threadpool_limits

    for correction in corrections:
        choose(MAPS, correction, "correction")
    if not isinstance(given, SentencePairs):
        given = example() if str(given) == EXAMPLE else read_pairs(given, name)
    tell(report, 0.0, "Opening the model")
    encoder = model if isinstance(model, Encoder) else load(model)
    wanted = ways(encoder.depth, poolings)
    fits = tuple(corrections) or tuple(each for each in MAPS if each not in KEEPS_COSINES)
    texts = list(dict.fromkeys(text for pair in given.pairs for text in pair[:2]))
    with _Store(len(texts), encoder.dimensions, wanted) as store:
        windowed = 0
        for portion in pooled(encoder, texts, wanted, special=special, device=device, report=part(report, 0.02, 0.6)):
            windowed += portion.windowed
            store.put(portion.rows, portion.vectors)
        test = _Test.of(given.pairs, texts, store.live, seed)
        rows: list[PairRow] = []
        ranked: list[Reals] = []
        drawn: list[dict[str, Reals]] = []
        with threadpool_limits(1):  # many small products: threads would only wait for each other
            for at, way in enumerate(store.ways):
                tell(report, 0.6 + 0.38 * at / len(store.ways), f"Scoring {said(way.title)}")
                rows += test.scored(way, store.get(way), fits, ranked, drawn)
    tell(report, 0.98, "Shuffling the scores")
    chance, best = _shuffled(test.people, ranked, seed)
    return PairScores(
        given.name,
        given.source,
        encoder.name,
        encoder.depth,
        special,
        encoder.pooling,
        len(test.people),
        len(test.live),
        len(given.pairs) - len(test.people),
        _together(rows, drawn),
        chance,
        best,
        test.overlap(),
        tuple(dict.fromkeys(POOLINGS[way.pooling].title for way in wanted if way not in store.ways)),
        " ".join(filter(None, [_lacking(wanted, store.ways, encoder.name), read_in_windows(windowed), encoder.note])),
    )


def _lacking(wanted: Sequence[Way], had: Sequence[Way], model: str) -> str:
    return lacks(tuple(dict.fromkeys(POOLINGS[way.pooling].title for way in wanted if way not in had)), model)


class _Store:
    """The vectors of all sentences by each way, in a file that goes with it: one way's are in memory at a time."""

    def __init__(self, count: int, dimensions: int, wanted: Sequence[Way]) -> None:
        self.shape, self.wanted = (count, dimensions), list(wanted)
        self.ways: list[Way] = list(wanted)
        self.live = np.zeros(count, np.bool_)
        size, free = len(wanted) * count * dimensions * 4, shutil.disk_usage(tempfile.gettempdir()).free
        if size > free / 2:
            raise PairsError(
                f"The vectors of {count:,} sentences in {len(wanted)} ways take {size / 2**30:.1f} GB on disk; "
                f"{free / 2**30:.1f} GB are free. Take fewer pairs or poolings."
            )
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 (it is closed with the store)

    def __enter__(self) -> _Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def put(self, rows: Sequence[int], found: dict[Way, Float]) -> None:
        """Writes the vectors of some sentences, each run of neighboring rows at once."""
        if not len(rows):
            return
        self.live[list(rows)] = True
        self.ways = [way for way in self.wanted if way in found]
        order = np.argsort(rows)
        placed = np.asarray(rows, np.int64)[order]
        starts = np.flatnonzero(np.diff(placed, prepend=-2) != 1)
        for way, matrix in found.items():
            sorted_rows = np.ascontiguousarray(matrix[order], np.float32)
            for first, last in zip(starts.tolist(), [*starts[1:].tolist(), len(placed)], strict=True):
                self.file.seek(self._offset(way, int(placed[first])))
                self.file.write(sorted_rows[first:last].tobytes())

    def get(self, way: Way) -> Float:
        """The vectors of all sentences by a way, (n, d); zeros for those without a token."""
        self.file.seek(self._offset(way, 0))
        content = self.file.read(self.shape[0] * self.shape[1] * 4)
        found = np.zeros(self.shape, np.float32)
        flat = np.frombuffer(content, np.float32)
        found.ravel()[: len(flat)] = flat  # the file ends with the last sentence that has a token
        return found

    def _offset(self, way: Way, row: int) -> int:
        return (self.wanted.index(way) * self.shape[0] + row) * self.shape[1] * 4


class _Half(NamedTuple):
    """One half of the pairs, and the sentences that stand in the other half alone."""

    pairs: Ints
    fit: Ints


@dataclass(frozen=True, eq=False)
class _Test:
    """The pairs whose sentences have vectors, as numbers of sentences, and people's scores."""

    words: tuple[str, ...]
    live: Ints
    one: Ints
    other: Ints
    people: Reals
    halves: tuple[_Half, _Half]
    given: tuple[SentencePair, ...]
    seed: int

    @classmethod
    def of(cls, given: Sequence[SentencePair], texts: Sequence[str], live: NDArray[np.bool_], seed: int) -> _Test:
        """The test of those pairs both of whose sentences have a token.

        Raises:
            PairsError: They are too few, or all have one score.
        """
        places = {text: at for at, text in enumerate(texts)}
        kept = [pair for pair in given if live[places[pair.one]] and live[places[pair.other]]]
        if len(kept) < FEWEST:
            raise PairsError(f"{len(kept)} pairs have a token in both sentences; {FEWEST} at least are needed.")
        people = np.array([pair.score for pair in kept], np.float64)
        if len(np.unique(people)) == 1:
            raise PairsError(f"All scores of the {len(kept)} pairs that could be read are {people[0]:g}.")
        one = np.array([places[pair.one] for pair in kept], np.int64)
        other = np.array([places[pair.other] for pair in kept], np.int64)
        drawn = np.random.default_rng(seed).permutation(len(kept))
        parts = [np.sort(drawn[: len(kept) // 2]), np.sort(drawn[len(kept) // 2 :])]
        inside = [np.unique([one[rows], other[rows]]) for rows in parts]
        halves = (
            _Half(parts[0], np.setdiff1d(inside[1], inside[0])),
            _Half(parts[1], np.setdiff1d(inside[0], inside[1])),
        )
        words = tuple(f"sentence#{at + 1}" for at in range(len(texts)))
        return cls(words, np.unique([one, other]), one, other, people, halves, tuple(kept), seed)

    def scored(
        self, way: Way, matrix: Float, fits: Sequence[str], ranked: list[Reals], drawn: list[dict[str, Reals]]
    ) -> list[PairRow]:
        """The rows of a way, without a correction and with each.

        The ranks of their cosines join `ranked`, and for each row the gains of pairs drawn anew join `drawn`.
        """
        columns: dict[str, Reals] = {NONE: self._cosines(matrix)}
        if np.ptp(columns[NONE]) < _ALIKE:
            drawn += [{} for _ in (NONE, *fits)]
            return [PairRow(way.layer, way.pooling, name, None, None, _NO_ORDER) for name in (NONE, *fits)]
        space = VectorSpace(self.words, matrix, origin=Origin("sentences", way.title))
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
                *way[::-1],
                name,
                target.get(name),
                held_out.get(name),
                why.get(name, "" if name in target else _NO_ORDER),
            )
            for name in (NONE, *fits)
        ]

    def _cosines(self, matrix: Float, chosen: Ints | None = None) -> Reals:
        """The cosines of the pairs, or of these, rounded so that what is equal but for arithmetic is equal."""
        rows = slice(None) if chosen is None else chosen
        first, second = (matrix[numbers[rows]].astype(np.float64) for numbers in (self.one, self.other))
        lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
        products = np.einsum("ij,ij->i", first, second)
        made = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
        return np.asarray(np.round(made, _DIGITS))

    def overlap(self) -> tuple[float, float, float] | None:
        """ρ of the share of words in common (Jaccard), with its interval."""
        counted = [words_in_common(pair.one, pair.other) for pair in self.given]
        found = np.array([common / max(1, every) for common, every in counted], np.float64)
        value = spearman(self.people, found)
        if value is None:
            return None
        low, high = np.percentile(resampled(self.people, found, count=RESAMPLES, seed=self.seed), [2.5, 97.5])
        return value, float(low), float(high)


_NO_ORDER = "All cosines are equal: there is no order."
_ALIKE = 1e-7
_TOO_FEW_TO_WHITEN = (
    "Whitening fitted to {:,} sentences in {:,} dimensions makes all of them equally far from each other: there is no "
    "order. More sentences than dimensions are needed."
)


def _agreements(
    columns: dict[str, Any], people: Sequence[Reals], parts: Callable[[Any], list[Reals]], seed: int
) -> tuple[dict[str, Agreement], dict[str, Reals]]:
    """The agreement of each column, a mean over its parts, and its gain over the first in pairs drawn anew, (r,).

    The same pairs are drawn for all columns and all ways.
    """
    values: dict[str, float] = {}
    drawn: dict[str, Reals] = {}
    for name, column in columns.items():
        found = [spearman(scores, cosines) for scores, cosines in zip(people, parts(column), strict=True)]
        told = [value for value in found if value is not None]
        if len(told) == len(found):
            values[name] = float(np.mean(told))
    for place, scores in enumerate(people):
        here = [parts(columns[name])[place] for name in values]
        anew = resampled(scores, *here, count=RESAMPLES, seed=seed + place) if here else np.zeros((0, 0))
        for at, name in enumerate(values):
            drawn[name] = drawn.get(name, 0.0) + anew[:, at] / len(people)
    made = {}
    for name, value in values.items():
        low, high = np.percentile(drawn[name], [2.5, 97.5]).tolist()
        gain = value - values[NONE] if NONE in values and name != NONE else 0.0
        made[name] = Agreement(value, low, high, gain, 0.0, 0.0)
    gains = {name: each - drawn[NONE] for name, each in drawn.items() if NONE in drawn and name != NONE}
    return made, gains


def _together(rows: Sequence[PairRow], drawn: Sequence[dict[str, Reals]]) -> tuple[PairRow, ...]:
    """The rows with intervals of their gains; those of one setting are one family."""
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


def _shuffled(people: Reals, ranked: Sequence[Reals], seed: int) -> tuple[float, float]:
    """What |ρ| of a row, and the highest ρ of all, stay below in 95 of 100 shuffles of people's scores."""
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


TABLE = ("pooling", "layer", "correction", "ρ", "95\u00a0%", "more than none", "held out", "95\u00a0%")


def table(found: PairScores) -> list[tuple[str, ...]]:
    """The rows in words, under `TABLE`; a difference beyond its interval has a star."""
    lines = []
    for one in found.rows:
        fit = "–" if one.correction == NONE else MAPS[one.correction].title
        layer = "–" if one.layer is None else str(one.layer)
        lines.append(
            (POOLINGS[one.pooling].title, layer, fit, *_cells(one.target, one.correction), *_held(one.held_out))
        )
    return lines


def _cells(found: Agreement | None, correction: str) -> tuple[str, ...]:
    if found is None:
        return "–", "–", "–"
    gain = "" if correction == NONE else signed(found.gain) + ("*" if found.gains else "")
    return number(found.spearman), f"{number(found.low)} to {number(found.high)}", gain


def _held(found: Agreement | None) -> tuple[str, ...]:
    return ("–", "–") if found is None else (number(found.spearman), f"{number(found.low)} to {number(found.high)}")
