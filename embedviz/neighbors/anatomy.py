"""The parts of a word's vector in a FastText space: its own row and its n-grams, with their shares and buckets.

The vector v of a word is the mean of N parts: the word's own row, if there is one, and the vector of each n-gram's
bucket. The share of a part z is its projection on v, z·v / (N |v|²); all shares sum to 1. A random part has a share
too, because v contains it. So shares are compared with a chance band: n-grams of other words, each put in the place of
one n-gram of this word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted, cut, number, share
from embedviz.core.phrases import signed_share as percent
from embedviz.core.progress import Report, tell
from embedviz.core.space import Ints, UnknownWordError, VectorSpace
from embedviz.core.stats.intervals import LEVEL, inner
from embedviz.core.subwords import Subwords
from embedviz.neighbors import Neighbor, similarities
from embedviz.neighbors.lists import listed, nearest_rows

Numbers = NDArray[np.float64]
OWN = "the word itself"
READ = 100_000
"""Maximum number of words whose n-grams are read, from the beginning of the vocabulary."""
_OTHERS = 200  # random words whose n-grams replace an n-gram
_DRAWN = 500  # maximum number of these n-grams
_DRAWS = 50  # random sets of n-grams for one step
_MOST = 4_000  # maximum number of n-grams in a word
_SAME = 0.02  # smallest difference of shares that is called more or fewer than by chance


class ChanceBand(NamedTuple):
    """Mean of the values of random n-grams, and the ends of the range that holds 95 % of these values."""

    mean: float
    low: float
    high: float


class VectorPart(NamedTuple):
    """One part of a word's vector.

    Attributes:
        text: The n-gram; `OWN` for the word's own row.
        times: Number of times that the word contains the n-gram.
        hash: 32-bit FNV-1a hash of the n-gram; None for the word's own row.
        bucket: Row of the n-gram in the table of buckets; None for the word's own row.
        share: Share of the word's vector that the part contributes, by projection, for all `times` together; None if
            the vector is zeros.
    """

    text: str
    times: int
    hash: int | None
    bucket: int | None
    share: float | None


class AssemblyStep(NamedTuple):
    """A step in assembling a word's vector: the mean of the parts so far.

    Attributes:
        added: The parts added in this step, such as *3 letters* for n-grams of three letters, or the word's own row.
        parts: Number of parts so far.
        cosine: Cosine of this mean with the finished vector.
        drawn: Chance band of `cosine` (a mean and a range), from means of equally many n-grams of other words; zeros
            if there are no such n-grams.
        neighbors: The words nearest to this mean.
    """

    added: str
    parts: int
    cosine: float
    drawn: ChanceBand
    neighbors: tuple[Neighbor, ...]


@dataclass(frozen=True, eq=False)
class Anatomy:
    """The parts of a word's vector.

    Attributes:
        known: Whether the word has its own row in the space.
        count: N, the number of parts; a repeated n-gram counts each time.
        parts: The word's own row first, if there is one, then the different n-grams in their order in the word.
        drawn: Shares of n-grams of other words, each put in the place of one n-gram of this word. None if there is
            nothing to compare.
        sampled: Number of n-grams of other words.
        steps: Steps of the assembly, from the shortest n-grams to the finished vector; empty for a vector of zeros.
    """

    word: str
    known: bool
    count: int
    parts: tuple[VectorPart, ...]
    drawn: ChanceBand | None
    sampled: int
    steps: tuple[AssemblyStep, ...]

    @property
    def ngrams(self) -> tuple[VectorPart, ...]:
        """Return the parts without the word's own row."""
        return tuple(part for part in self.parts if part.bucket is not None)

    @property
    def ranked(self) -> tuple[VectorPart, ...]:
        """Return the parts by their shares, the largest first."""
        return tuple(sorted(self.parts, key=lambda part: -(part.share or 0.0)))

    @property
    def even(self) -> float:
        """Return the share of each part if all shares were equal."""
        return 1 / self.count

    @property
    def made(self) -> str:
        """Say of which parts the vector is the mean."""
        word, pieces = cut(self.word, 40), counted(len(self.ngrams), "n-gram")
        if self.known:
            return f"The vector of “{word}” is the mean of its own row and its pieces, {pieces}."
        return f"“{word}” is not in the vocabulary. Its vector is the mean of its pieces, {pieces}."

    @property
    def meaning(self) -> str:
        """Say what the vector is made of, and its largest parts."""
        return f"{self.made} {self.largest}"

    @property
    def largest(self) -> str:
        """Name the part with the largest share, and say how many n-grams exceed chance."""
        first = self.ranked[0]
        if first.share is None:
            return f"The vector of {cut(self.word, 40)} is a row of zeros, so no part has a share."
        if self.count == 1:
            return "It has one part only, with a share of 100\u00a0%."
        twice = f" ({percent(first.share / first.times)} for each of {first.times})" if first.times > 1 else ""
        largest = f"The largest share is that of {named(first)}: {percent(first.share)}{twice}."
        if self.drawn is None:
            return largest
        beyond = sum(part.share is not None and part.share / part.times > self.drawn.high for part in self.ngrams)
        chance = number(LEVEL / 2 * len(self.ngrams), 1).removesuffix(".0")
        pieces, lie = counted(len(self.ngrams), "piece"), "lies" if beyond == 1 else "lie"
        return f"{largest} {beyond} of {pieces} {lie} above the grey band; by chance, about {chance} would."

    def table(self, shared: SharedBuckets | None = None) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return the header and one row per part, for an export.

        Args:
            shared: The buckets of the n-grams, for the columns about other n-grams in the same bucket; None leaves
                these columns empty.
        """
        of = shared.of if shared else {}
        header = ("part", "times", "fnv1a", "bucket", "share", "words with it", "others in the bucket")
        return header, (
            (part.text, part.times, part.hash, part.bucket, part.share, *_in_bucket(of.get(part.text)))
            for part in self.ranked
        )

    @property
    def own(self) -> VectorPart | None:
        """Return the word's own row as a part; None if the word has no row."""
        return self.parts[0] if self.known else None

    @property
    def counted(self) -> str:
        """Say how many shares there are, and whether one of them belongs to the word’s own row."""
        own = f": {len(self.parts) - 1} pieces and the word’s own vector" if self.known else ""
        return f"{len(self.parts)} shares{own}"

    @property
    def baseline(self) -> str:
        """Say what the shares are compared with; empty if the word has only one part."""
        if self.drawn is None:
            return f"Dotted line: equal shares, {percent(self.even)}." if self.count > 1 else ""
        low, high = percent(self.drawn.low), percent(self.drawn.high)
        return f"Grey band: the shares of 95\u00a0% of pieces from other words, {low} to {high}."

    @property
    def method(self) -> str:
        """Explain what a share is and how the chance band was found."""
        share_of = "The share of a part is its projection on the vector; all shares add to 100\u00a0%. A part that "
        share_of += "points against the vector has a negative share."
        if self.drawn is None:
            return share_of
        return (
            f"{share_of} Pieces of other words: {self.sampled:,} n-grams, each put in the place of one of this word’s. "
            f"The mean of their shares is {percent(self.drawn.mean)}. The band leaves out 2.5\u00a0% on "
            "each side."
        )


class Bucket(NamedTuple):
    """The bucket of one n-gram of a word.

    Attributes:
        words: Number of words that contain this n-gram, among the first `READ` words.
        others: Other n-grams in the same bucket, each with the number of these words that contain it; most words first.
    """

    words: int
    others: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class SharedBuckets:
    """The buckets of a word's n-grams, and which other n-grams of the vocabulary are in them.

    Attributes:
        of: N-gram of the word → bucket of this n-gram.
        read: Number of words read, from the beginning of the space.
        different: Number of different n-grams in these words.
        buckets: Number of buckets in the FastText model.
        sharing: Fraction of the different n-grams that have another n-gram in their bucket.
    """

    of: Mapping[str, Bucket]
    read: int
    different: int
    buckets: int
    sharing: float

    @property
    def chance(self) -> float:
        """Return the share of n-grams expected to share a bucket if the buckets were drawn at random."""
        return float(-np.expm1((self.different - 1) * np.log1p(-1 / self.buckets))) if self.buckets > 1 else 1.0

    def others_text(self, text: str) -> str:
        """Return a table cell: the two most frequent other n-grams in the bucket of `text`, and how many more."""
        others = [other for other, _ in self.of[text].others]
        more = f" +{len(others) - 2}" if len(others) > 2 else ""
        return " ".join(others[:2]) + more if others else "–"

    beside = others_text  # old name

    @property
    def meaning(self) -> str:
        """Say how many n-grams of the word share a bucket, compared with all n-grams and chance."""
        sharing = sum(bool(one.others) for one in self.of.values())
        verb = "shares its bucket" if sharing == 1 else "share their buckets"
        return (
            f"{sharing} of {counted(len(self.of), 'n-gram')} {verb} with others. Among all {self.different:,} n-grams "
            f"of {self.read:,} words: {share(self.sharing)}; by chance: {share(self.chance)}.{self._reading}"
        )

    @property
    def _reading(self) -> str:
        """Say whether n-grams share buckets more often than by chance, and what sharing costs.

        Empty if no n-gram shares its bucket.
        """
        if not self.sharing:
            return ""
        more = self.sharing - self.chance
        compared = "as many as" if abs(more) < _SAME else "more than" if more > 0 else "fewer than"
        return (
            f" That is {compared} a random hash gives with {self.buckets:,} buckets. Sharing is a cost: it mixes "
            "unrelated n-grams. More buckets would reduce it."
        )


@offered(
    "found",
    "for part in found.ranked:",
    "    print(part.text, part.hash, part.bucket, part.share, sep='  ')",
    "for step in found.steps:",
    "    print(step.added, f'{step.cosine:.2f}', *(one.word for one in step.neighbors))",
    "print(found.meaning, found.baseline, sep='\\n')",
)
def anatomy(space: VectorSpace, word: str, k: int = 3, *, seed: int = 0) -> Anatomy:
    """Return the parts of a word's vector with their shares, and the shares of random n-grams as baseline.

    Args:
        k: Number of nearest words that are listed after each step in which the vector is added up from its parts.

    Raises:
        OptionError: The space has no n-grams, or the word has too many.
        UnknownWordError: The word has neither a row nor n-grams.
    """
    subwords = _subwords(space)
    vector = space.vector(word)
    known = word in space.index
    texts, rows, hashes = subwords.ngrams(word), subwords.rows(word), subwords.hashes(word)
    if len(rows) > _MOST:
        raise OptionError(f"This word has {len(rows):,} n-grams; the limit is {_MOST:,}.")
    vectors = subwords.buckets[rows].astype(np.float64)
    whole = vector.astype(np.float64)
    count = len(rows) + known
    if not count:
        raise UnknownWordError(word, space.origin.name, len(space))
    own = count * whole - vectors.sum(0)
    length = float(whole @ whole)
    shares = vectors @ whole / (count * length) if length else None
    parts = [VectorPart(OWN, 1, None, None, float(own @ whole) / (count * length) if length else None)] if known else []
    for place, text in enumerate(texts):
        if text not in texts[:place]:
            same = [at for at, other in enumerate(texts) if other == text]
            carried = None if shares is None else float(shares[same].sum())
            parts.append(VectorPart(text, len(same), int(hashes[place]), int(rows[place]), carried))
    others = _others(space, rows, seed)
    comparable = length and len(others) and len(rows) and count > 1
    drawn = _in_place(whole, vectors, others, count, seed) if comparable else None
    steps = _steps(space, word, whole, texts, vectors, others, k, seed) if length else ()
    return Anatomy(word, known, count, tuple(parts), drawn, len(others), steps)


@offered("shared", "print(shared.meaning)")
def shared_buckets(space: VectorSpace, word: str, report: Report | None = None) -> SharedBuckets:
    """Return for each n-gram of a word which other n-grams of the first `READ` words share its bucket.

    Raises:
        OptionError: The space has no n-grams.
    """
    subwords = _subwords(space)
    wanted = np.unique(subwords.rows(word))
    words = space.words[: min(len(space), READ)]
    keys: list[NDArray[np.uint64]] = []
    buckets: list[Ints] = []
    found: dict[int, dict[str, int]] = {int(bucket): {} for bucket in wanted}
    for block in subwords.each(words):
        seen, first = np.unique(block.keys, return_index=True)
        keys.append(seen)
        buckets.append(block.buckets[first])
        for place, times in _counted(block.keys, block.words, np.flatnonzero(np.isin(block.buckets, wanted))):
            there = found[int(block.buckets[place])]
            text = block.text(place)
            there[text] = there.get(text, 0) + times
        tell(report, float(block.words[-1] + 1) / len(words) if len(block.words) else 0.0, "Reading the vocabulary")
    different, first = np.unique(np.concatenate(keys), return_index=True) if keys else (np.zeros(0), np.zeros(0, int))
    _, sizes = np.unique(np.concatenate(buckets)[first], return_counts=True) if keys else (None, np.zeros(0, int))
    sharing = float(sizes[sizes > 1].sum() / max(1, len(different)))
    of = {}
    for text, bucket in zip(subwords.ngrams(word), subwords.rows(word).tolist(), strict=True):
        others = sorted(((other, times) for other, times in found[bucket].items() if other != text), key=_most_first)
        of[text] = Bucket(found[bucket].get(text, 0), tuple(others))
    return SharedBuckets(of, len(words), len(different), len(subwords.buckets), sharing)


company = shared_buckets
"""Old name of `shared_buckets`, used by exported Python and cards of earlier versions."""


def named(part: VectorPart) -> str:
    """Return the name of a part for a sentence: an n-gram in quotation marks, or `OWN`."""
    return part.text if part.bucket is None else f"“{part.text}”"


def _in_bucket(found: Bucket | None) -> tuple[int | None, str | None]:
    return (found.words, " ".join(text for text, _ in found.others)) if found else (None, None)


def _most_first(other: tuple[str, int]) -> tuple[int, str]:
    return -other[1], other[0]


def _subwords(space: VectorSpace) -> Subwords:
    if space.subwords is None:
        raise OptionError(f"{space.origin.name} has no n-grams. Open a fastText model (.bin), or train FastText.")
    return space.subwords


def _counted(keys: NDArray[np.uint64], words: Ints, places: Ints) -> list[tuple[int, int]]:
    """Return for each different n-gram the index of one occurrence, and the number of words that contain the n-gram.

    Args:
        keys: N-gram of each occurrence, as a number.
        words: Word of each occurrence.
        places: Indices of the occurrences to count.
    """
    order = places[np.lexsort((words[places], keys[places]))]
    key, word = keys[order], words[order]
    fresh = np.ones(len(order), bool)
    fresh[1:] = (key[1:] != key[:-1]) | (word[1:] != word[:-1])
    order, key = order[fresh], key[fresh]
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    return list(zip(order[first].tolist(), counts.tolist(), strict=True))


def _others(space: VectorSpace, without: Ints, seed: int) -> Numbers:
    """Return the vectors of at most `_DRAWN` n-grams of random words, (m, d), without the buckets in `without`."""
    subwords, random = _subwords(space), np.random.default_rng(seed)
    words = space.words_at(random.permutation(len(space))[:_OTHERS])
    rows = [subwords.rows(word) for word in words]
    apart = np.concatenate(rows)
    apart = apart[~np.isin(apart, without)]
    return np.asarray(subwords.buckets[random.permutation(apart)[:_DRAWN]], np.float64)


def _in_place(whole: Numbers, vectors: Numbers, others: Numbers, count: int, seed: int) -> ChanceBand:
    """Return the chance band: shares of n-grams of other words, each put in the place of one n-gram of the word."""
    places = np.random.default_rng(seed).integers(0, len(vectors), len(others))
    changed = whole + (others - vectors[places]) / count
    lengths = np.maximum((changed**2).sum(1), 1e-300)
    return _band((others * changed).sum(1) / (count * lengths))


def _band(values: Numbers) -> ChanceBand:
    return ChanceBand(float(values.mean()), *inner(values))


def _steps(
    space: VectorSpace,
    word: str,
    whole: Numbers,
    texts: list[str],
    vectors: Numbers,
    others: Numbers,
    k: int,
    seed: int,
) -> tuple[AssemblyStep, ...]:
    lengths = np.array([len(text) for text in texts])
    random = np.random.default_rng(seed)
    names, means, counts = [], [], []
    for n in np.unique(lengths).tolist():
        names.append(counted(n, "letter"))
        means.append(vectors[lengths <= n].mean(0))
        counts.append(int((lengths <= n).sum()))
    if word in space.index:
        names.append(OWN)
        means.append(whole)
        counts.append(len(texts) + 1)
    together = np.asarray(means, np.float32)
    values = similarities(space, together)
    steps = []
    for place, name in enumerate(names):
        near = nearest_rows(space, values[place], (word,), k)
        drawn = ChanceBand(0.0, 0.0, 0.0)
        if len(others):
            chosen = random.integers(0, len(others), (_DRAWS, counts[place]))
            drawn = _band(np.array([_cosine(others[rows].mean(0), whole) for rows in chosen]))
        found = listed(space, values[place, near], near)
        steps.append(AssemblyStep(name, counts[place], _cosine(means[place], whole), drawn, found))
    return tuple(steps)


def _cosine(one: Numbers, other: Numbers) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths else 0.0
