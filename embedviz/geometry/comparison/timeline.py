"""How one word changes over an ordered list of spaces, compared with all words.

Vectors of two spaces are compared after a rotation of one space onto the other (Hamilton et al. 2016). As in
`procrustes`, rows are first scaled to length one, centered, and scaled again. If a rotation is tested on the words that
it was fitted on, these words seem more stable than they are. So the words are divided into five folds, and the rotation
for a word is fitted on the other four folds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import joined, number, share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, UnknownWordError, VectorSpace
from embedviz.core.stats.intervals import LEVEL
from embedviz.geometry.comparison.overlap import SAMPLE, K, overlap_of, sampled_places
from embedviz.geometry.comparison.procrustes import normalised, rotation, self_cosines
from embedviz.geometry.comparison.shared import Shared, shared, unit_pair
from embedviz.neighbors import Neighbor, nearest

MOST = 20
FEW = 10_000
"""A space with fewer words may lack the closest neighbors of a word."""
AROUND = 6
"""Number of neighbors that the map shows from each space."""
STORY = 3
"""Number of nearest words that `story` names for the first and the last space."""


ALIKE = 200
"""Number of words of similar frequency that a word is compared with, because rare words move more."""


class WordBand(NamedTuple):
    """A value of one word, and the distribution of this value over all compared words.

    Attributes:
        low, median, high: 5th, 50th and 95th percentile over the compared words.
        as_low: Share of the other words with the same or a lower value, 0 to 1.
        words: Number of words compared.
    """

    value: float
    low: float
    median: float
    high: float
    as_low: float
    words: int

    @property
    def beyond(self) -> bool:
        """Return whether fewer than 5 % of the other words have the same or a lower value."""
        return self.as_low < LEVEL

    def text(self, say: Callable[[float], str]) -> str:
        """Return a text with the value, the median and the middle 90 % of all words; `say` formats a number."""
        within = f"90\u00a0% of them {say(self.low)} to {say(self.high)}"
        return f"{say(self.value)} (median of all words {say(self.median)}, {within})"

    @property
    def below(self) -> str:
        """Return the share of words with a higher value, as text, such as “96 % of words”.

        If no other word has the same or a lower value, the text is “any other word”.
        """
        return f"{share(1 - self.as_low)} of words" if self.as_low else "any other word"


@dataclass(frozen=True)
class TimelineStep:
    """A word in one space of a timeline; “first space” means the first with a nonzero vector of the word.

    Attributes:
        name: Name of the space.
        missing: Why the word has no vector in this space, in a few words; empty if the word has a vector.
        neighbors: The k words nearest to the word, among all words of this space with a nonzero vector.
        among: Number of words of this space with a nonzero vector.
        words: Number of words of this space.
        cosine: Cosine with the word's own vector in the first space, after a rotation. None in the first space and if
            the word is missing.
        overlap: Share of nearest neighbors in the first space that the word keeps in this space. Neighbors are searched
            among the words that both spaces have. None if `cosine` is None.
        of: Number of nearest neighbors behind `overlap`: k, or fewer in a small space.
        shared: Number of words that this space shares with the first.
        chance: The value of `overlap` for two unrelated spaces.
        place: Frequency rank of the word, from 1; 0 if unknown.
        assumed: Whether the rank is a row number, and the file is only assumed to be sorted by frequency.
        as_rare: Of the `ALIKE` words closest in frequency rank, the share that moved at least as far as the word. None
            if ranks are unknown, or there are too few words.
    """

    name: str
    missing: str = ""
    neighbors: tuple[Neighbor, ...] = ()
    among: int = 0
    words: int = 0
    cosine: WordBand | None = None
    overlap: WordBand | None = None
    of: int = 0
    shared: int = 0
    chance: float = 0.0
    place: int = 0
    assumed: bool = False
    as_rare: float | None = None

    @property
    def searched(self) -> str:
        """Say among how many words the neighbors are searched; without a full stop."""
        if self.among >= self.words:
            return f"Among {self.among:,} words"
        return f"{self.among:,} of {self.words:,} words have a vector"

    @property
    def row(self) -> tuple[object, ...]:
        """Return the row of this space in an export; missing values are None."""
        bands = (value for band in (self.cosine, self.overlap) for value in (band[:4] if band else (None,) * 4))
        return self.name, *bands, ", ".join(one.word for one in self.neighbors) or self.missing


class Spot(NamedTuple):
    """A point on the map of a `TimelinePath`: a neighbor, or the word itself in one space."""

    label: str
    x: float
    y: float


@dataclass(frozen=True)
class TimelinePath:
    """The positions of a word in all spaces, on a map of the last space (two principal components).

    Attributes:
        around: The words that are neighbors of the word in at least one space, at their position in the last space.
        steps: The word itself in each space, rotated onto the last space.
        variance: Share of variance explained by each of the two principal components.
        shared: The smallest number of words that a rotation was fitted on.
    """

    around: tuple[Spot, ...]
    steps: tuple[Spot, ...]
    variance: tuple[float, float]
    shared: int


@dataclass(frozen=True)
class Timeline:
    """One word in a series of spaces.

    Attributes:
        steps: The word in each space, in order.
        first: Name of the first space that has a nonzero vector of the word. Later spaces are compared with this space.
        path: The map of the word's positions. None for fewer than two spaces with the word, for fewer than two
            neighbors on the map, or if all points are equal.
    """

    word: str
    k: int
    steps: tuple[TimelineStep, ...]
    first: str
    path: TimelinePath | None

    @property
    def present(self) -> tuple[TimelineStep, ...]:
        """Return the steps of the spaces that have the word."""
        return tuple(step for step in self.steps if not step.missing)

    @property
    def compared(self) -> tuple[TimelineStep, ...]:
        """Return the steps of the later spaces that have the word; they are compared with the first such space."""
        return tuple(step for step in self.steps if step.cosine is not None)

    @property
    def meaning(self) -> str:
        """Say the nearest words in the first and last space, and whether the word moved farther than most words."""
        return f"{self.story} {self.moved}".strip()

    @property
    def moved(self) -> str:
        """Say whether the word moved farther than most words; empty if only one space has the word."""
        last = self.present[-1]
        return self._verdict(last.cosine, last.overlap, last.of) if last.cosine and last.overlap else ""

    @property
    def sizes(self) -> str:
        """Say that not every word is in every space; empty if the numbers of words with a vector are equal."""
        return "" if len({step.among for step in self.present}) < 2 else "Not every word has a vector in every space."

    @property
    def story(self) -> str:
        """Name the nearest words in the first and in the last space; empty if there are no neighbors.

        If only one space has the word, say so instead.
        """
        ends = self.present[0], self.present[-1]
        if ends[1].cosine is None:
            return f"Only {self.first} has a vector for {self.word}, so it cannot be compared."
        if not all(step.neighbors for step in ends):
            return ""
        near = [joined([one.word for one in step.neighbors[:STORY]]) for step in ends]
        return f"In {ends[0].name}, “{self.word}” is nearest to {near[0]}; in {ends[1].name}, to {near[1]}."

    def _verdict(self, moved: WordBand, neighbors: WordBand, of: int) -> str:
        """Say whether the word moved farther, and kept fewer neighbors, than most words."""
        usual = f"By cosine alone, it moved farther than {moved.below}, which is not unusual."
        keeps = f"kept {neighbors.value * of:.0f} of its {of} nearest neighbors"
        median = f"(the median word keeps {number(neighbors.median * of, 1).removesuffix('.0')})"
        fewer = f"kept fewer neighbors than {neighbors.below}"
        if moved.beyond and neighbors.beyond:
            return f"By cosine alone, it moved farther than {moved.below} and {fewer}."
        if moved.beyond:
            return f"By cosine alone, it moved farther than {moved.below} and {keeps} {median}."
        if neighbors.beyond:
            return f"{usual} But it {fewer}."
        return f"{usual} It {keeps} {median}."

    @property
    def rarity(self) -> str:
        """Say whether equally rare words moved as far as the word; empty for a single space.

        This comparison is needed because noise moves rare words more.
        """
        last = self.present[-1]
        if last.cosine is None:
            return ""
        rare = "Rare words move more, because few texts determine their vectors and the rest is noise."
        if last.as_rare is None:
            what = "Whether equally rare words moved as far" if last.place else f"How frequent “{self.word}” is here"
            return f"{rare} {what} is unknown, so part of its movement may be noise."
        count = round(last.as_rare * ALIKE)
        rank = "frequency rank (the order of the file)" if last.assumed else "frequency rank"
        alike = f"Of the {ALIKE} other words closest to “{self.word}” in {rank}, {count or 'none'} moved as far"
        if last.as_rare < LEVEL:
            return f"{rare} {alike}, so rarity alone does not explain its movement."
        return f"{rare} {alike}, so its movement may be noise."

    @property
    def baseline(self) -> str:
        """Compare the word's cosine and neighbor overlap in its last space with those of all words.

        Empty if only one space has the word.
        """
        last = self.present[-1]
        if last.cosine is None or last.overlap is None:
            return ""
        overlap = last.overlap
        looked = "" if overlap.words == last.cosine.words else f", for neighbors {overlap.words:,} of them"
        return (
            f"Cosine with itself in {self.first}: {last.cosine.text(number)}. Share kept of its {last.of} nearest: "
            f"{overlap.text(share)}; two unrelated spaces: {share(last.chance)}. All words: the {last.cosine.words:,} "
            f"of both spaces{looked}."
        )

    @property
    def method(self) -> str:
        """Explain how the values are computed."""
        return (
            "Vectors are scaled to length one, centered, scaled again, and rotated onto the other space. The rotation "
            "for a word is fitted on the other four fifths of the words. A movement is called usual where "
            f"{share(LEVEL)} of all words or more move as far."
        )

    @property
    def frequency(self) -> str:
        """Say the frequency rank of the word in each space, or that the rank is unknown."""
        known = [step for step in self.present if step.place]
        if not known:
            return f"The frequency of {self.word} is unknown: these spaces have no counts and no order."
        ranks = ", ".join(f"{step.name} {step.place:,}" for step in known)
        if len({step.place for step in known}) == 1 and len(known) == len(self.present):
            if len(known) > 1 and all(step.assumed for step in known):
                return (
                    f"{self.word} has place {known[0].place:,} in the list of words of every space. "
                    "Spaces that share one list do not show how frequent a word is in each."
                )
            ranks = f"{known[0].place:,} in every space"
        unknown = [step.name for step in self.present if not step.place]
        more = f"; unknown in {', '.join(unknown)}" if unknown else ""
        assumed = ", if the files are sorted by frequency" if any(step.assumed for step in known) else ""
        return f"Frequency rank of {self.word}{assumed}: {ranks}{more}."

    @property
    def few(self) -> str:
        """Warn that neighbors come from few words; empty if every space has 10,000 words or more."""
        least = min(step.among for step in self.present)
        if least >= FEW:
            return ""
        return f"Each space finds neighbors among its own words. The smallest space has {least:,} words."

    @property
    def absent(self) -> str:
        """Say in which spaces the word is missing, and why; empty if all spaces have the word."""
        parts = [f"{step.name} ({step.missing})" for step in self.steps if step.missing]
        return f"No vector for {self.word} in {', '.join(parts)}." if parts else ""

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows for an export: one row for each space, with cosine, overlap and nearest words."""
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
    """Return the neighbors and the change of one word in a series of spaces, in the order given.

    Args:
        spaces: 2 to 20 spaces.
        names: One name for each space. With another number of names, the spaces' own names are used.
        k: Number of nearest neighbors by cosine.

    Raises:
        UnknownWordError: No space has a nonzero vector of the word.
        OptionError: There are fewer than 2 or more than 20 spaces, two compared spaces share fewer than four words, or
            k is below 1.
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
        tell(report, at / (len(spaces) + 1), f"comparing {name} with {called[first]}")
        if reason:
            steps.append(TimelineStep(name, reason))
        elif at == first:
            steps.append(
                TimelineStep(
                    name,
                    neighbors=nearest(space, word, k),
                    among=_among(space),
                    words=len(space),
                    **_ranked(space, word),
                )
            )
        else:
            steps.append(_step(spaces[first], space, word, name, k, seed))
    tell(report, len(spaces) / (len(spaces) + 1), "drawing the path")
    visited = [spaces[at] for at in present]
    return Timeline(word, k, tuple(steps), called[first], _path(visited, [called[at] for at in present], word, seed))


def listing_of(names: Sequence[str]) -> str:
    """Return names as text: up to three, joined by commas, then how many more there are."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _among(space: VectorSpace) -> int:
    """Return the number of words with a nonzero vector."""
    return int(np.count_nonzero(space.norms))


def _ranked(space: VectorSpace, word: str) -> dict[str, Any]:
    """Return two fields of a `TimelineStep`: the frequency rank `place`, and whether it is `assumed`.

    The rank is by counts; without counts it is the row number, or 0 if the order of the rows means nothing. It is
    `assumed` if the rows are only assumed to be sorted by frequency.
    """
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
    looked = np.union1d(sampled_places(len(words), SAMPLE, seed), [place])
    neighbors = overlap_of(words, pair, looked, k)
    own = int(np.searchsorted(looked, place))
    return TimelineStep(
        name,
        neighbors=nearest(space, word, k),
        among=_among(space),
        words=len(space),
        cosine=_band(cosines, place),
        overlap=_band(neighbors.values, own),
        of=neighbors.k,
        shared=len(words),
        chance=neighbors.chance,
        as_rare=_as_rare(cosines, words.ours, place) if first.origin.order != "none" else None,
        **_ranked(space, word),
    )


def _band(values: Float, own: int) -> WordBand:
    low, middle, high = np.percentile(values, (5, 50, 95)).tolist()
    as_low = (np.count_nonzero(values <= values[own]) - 1) / max(1, len(values) - 1)
    return WordBand(float(values[own]), low, middle, high, float(as_low), len(values))


def _as_rare(cosines: Float, rows: Ints, place: int) -> float | None:
    """Return the share of words of similar rank whose cosine is at most that of the word at index `place`.

    These are the `ALIKE` words closest in rank, which `rows` gives. None if `rows` has no more than `ALIKE` words.
    """
    order = np.argsort(rows, kind="stable")
    at = int(np.flatnonzero(order == place)[0])
    if len(order) <= ALIKE:
        return None
    start = min(max(0, at - ALIKE // 2), len(order) - ALIKE - 1)
    around = order[start : start + ALIKE + 1]
    return float((np.count_nonzero(cosines[around] <= cosines[place]) - 1) / ALIKE)


def _path(spaces: Sequence[VectorSpace], names: Sequence[str], word: str, seed: int) -> TimelinePath | None:
    """Return the map of the word in all spaces, with its neighbors.

    None for one space, for fewer than two neighbors, or if all points of the map are equal.
    """
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
    """Return the mean of the unit rows (each row scaled to length one), (d,). Rows of zeros are left out."""
    total = np.zeros(space.dimensions)
    for rows in space.blocks():
        total += space.unit_rows(rows).sum(axis=0, dtype=np.float64)
    return np.asarray(total / max(1, _among(space)), np.float32)


def _directed(space: VectorSpace, rows: Ints, middle: Float) -> Float:
    """Return some rows after scaling to length one, subtracting the mean `middle`, and scaling again, (m, d)."""
    moved = np.asarray(space.unit_rows(rows)) - middle
    lengths: Any = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(np.divide(moved, lengths, out=np.zeros_like(moved), where=lengths > 1e-6))


def _carried(space: VectorSpace, last: VectorSpace, words: Shared, word: str) -> Float:
    """Return the vector of the word, rotated onto the last space, with the dimensions of that space, (d,)."""
    ours, theirs = normalised(*unit_pair(space, last, words))
    place = words.places[word]
    return np.asarray((ours[place] @ rotation(ours, theirs))[: last.dimensions])
