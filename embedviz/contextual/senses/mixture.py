"""One vector for a word with two senses: the weighted mean of the two senses' vectors.

The vectors are context counts or mean vectors of a layer. Each context word c of an occurrence belongs to the sense of
this occurrence, so P(c|word) = Σ P(sense) P(c|sense). Likewise, the mean vector of all occurrences is the mean of the
senses' mean vectors, weighted by their numbers of occurrences. Both equations are exact. A trained static vector is
near such a sum, and the senses can partly be recovered from it (Arora et al. 2018).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz.contextual.encoder import BUILTIN, Encoder, encode
from embedviz.contextual.occurrences import occurrences
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.core.progress import Report
from embedviz.core.texts import tokens
from embedviz.corpus import teaching
from embedviz.corpus.function_words import ENGLISH
from embedviz.geometry.plane import VectorPair, vector_pair
from embedviz.testsets.datasets import sense_sentences

MOST_LISTED = 5
"""Number of listed context words for each sense."""


class MixedContext(NamedTuple):
    """A context word with its probability given each sense, P(c|sense)."""

    word: str
    shares: tuple[float, float]

    def at(self, weight: float) -> float:
        """Return P(c|word) if P(second sense) is `weight`, 0 to 1, and P(first sense) is the rest."""
        return (1 - weight) * self.shares[0] + weight * self.shares[1]


class SenseMean(NamedTuple):
    """The weighted mean v of two vectors a and b.

    Attributes:
        product: v · a.
        cosines: Cosine of v with a, and with b.
    """

    product: float
    cosines: tuple[float, float]


@dataclass(frozen=True)
class SenseMixture:
    """Two senses of a word as vectors, and the weighted means between them.

    The vectors are context counts (“for counts”) or mean vectors at a layer of an encoder (“for a layer”).

    Attributes:
        senses: The names of the senses.
        numbers: For each sense, the number of its context words (counts) or of its occurrences (layer).
        pair: Lengths and dot product of the senses' vectors.
        halves: Baseline: the sentences of one sense (for a layer: its occurrences) are divided into two halves, and the
            vectors of the halves have this cosine. Mean over the two senses.
        contexts: The content words whose probability differs most between the senses; the words of the first sense come
            first. Empty for a layer.
        layer: Layer of the encoder; None for counts.
        model: Name of the encoder; empty for counts.
    """

    word: str
    senses: tuple[str, str]
    numbers: tuple[int, int]
    pair: VectorPair
    halves: float
    contexts: tuple[MixedContext, ...] = ()
    layer: int | None = None
    model: str = ""

    @property
    def weight(self) -> float:
        """Return the second sense's share of all context words (for counts) or of all occurrences (for a layer)."""
        return self.numbers[1] / sum(self.numbers)

    def at(self, weight: float) -> SenseMean:
        """Return the dot product and the cosines of the weighted mean of the two senses' vectors.

        Args:
            weight: Weight of the second sense, 0 to 1; the first sense has the rest.

        Raises:
            OptionError: The weight is not between 0 and 1.
        """
        if not 0 <= weight <= 1:
            raise OptionError(f"The weight is {weight:g}. Choose a number from 0 to 1.")
        (one, other), dot = self.pair.norms, self.pair.dot
        rest = 1 - weight
        size = np.sqrt(rest**2 * one**2 + weight**2 * other**2 + 2 * rest * weight * dot)
        with_one, with_other = rest * one**2 + weight * dot, rest * dot + weight * other**2
        return SenseMean(float(with_one), (float(with_one / size / one), float(with_other / size / other)))

    @property
    def meaning(self) -> str:
        """Say the cosine of the two senses, with the cosine of two halves of one sense as the baseline."""
        (one, other), (many, others) = self.senses, self.numbers
        what = "contexts" if self.layer is None else "occurrences"
        where = "context counts" if self.layer is None else f"mean vectors at layer {self.layer}"
        return (
            f"“{self.word}” has {many:,} {what} of the sense {one} and {others:,} of the sense {other}. The {where} of "
            f"the two senses have the cosine {number(self.pair.cosine)}, those of two halves of one sense "
            f"{number(self.halves)}."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows: for each weight 0, 0.1, … 1 the cosines of the weighted mean with the two senses."""
        rows = ((weight / 10, *self.at(weight / 10).cosines) for weight in range(11))
        return (f"weight of {self.senses[1]}", *(f"cosine with {name}" for name in self.senses)), rows


_LINES = (
    "print(found.meaning)",
    "for weight in (0, 0.25, 0.5, 0.75, 1):",
    "    print(weight, *found.at(weight).cosines)",
)


@offered("found", *_LINES)
def count_mixture(word: str = "bank", *, window: int = 5) -> SenseMixture:
    """Return the context counts of a word for each of its two senses in the teaching corpus, where senses are known.

    Args:
        window: Number of context words on each side.

    Raises:
        OptionError: The word does not have two senses in the teaching corpus, or the window is below 1.
    """
    if window < 1:
        raise OptionError(f"The window is {window}. Give 1 or more.")
    found: dict[str, list[Counter[str]]] = {}
    for part, text in teaching.sentences():
        words = tokens(text)
        if part in teaching.BANKS and word in words:
            near: Counter[str] = Counter()
            for place in (place for place, each in enumerate(words) if each == word):
                near.update(words[max(0, place - window) : place] + words[place + 1 : place + 1 + window])
            found.setdefault(part, []).append(near)
    if len(found) != 2:
        raise OptionError(f"“{word[:40]}” has not two senses in the teaching corpus. Choose “bank”.")
    names = sorted(found)
    vocabulary = sorted({each for lines in found.values() for line in lines for each in line})
    tables = [np.array([[line[each] for each in vocabulary] for line in found[name]], np.float64) for name in names]
    shares = [table.sum(axis=0) / table.sum() for table in tables]
    order = [at for at in np.argsort(shares[0] - shares[1], kind="stable").tolist() if vocabulary[at] not in ENGLISH]
    listed = [*order[::-1][:MOST_LISTED], *order[:MOST_LISTED][::-1]]
    return SenseMixture(
        word,
        (names[0], names[1]),
        (int(tables[0].sum()), int(tables[1].sum())),
        vector_pair(*shares),
        _halves(tables),
        tuple(MixedContext(vocabulary[at], (float(shares[0][at]), float(shares[1][at]))) for at in listed),
    )


@offered("found", *_LINES)
def layer_mixture(
    word: str = "bank",
    layer: int = 0,
    *,
    model: Encoder | str | Path = BUILTIN,
    report: Report | None = None,
) -> SenseMixture:
    """Return the mean vectors of a word's first two senses in the built-in sentences, at a layer of an encoder.

    Raises:
        OptionError: The word has no built-in sentences, or there is no such layer.
        EncoderError: The model cannot be opened.
    """
    known = sense_sentences()
    if word not in known:
        raise OptionError(f"“{word[:40]}” has no built-in sentences. Choose one of: {', '.join(known)}.")
    given = known[word]
    first, second = list(dict.fromkeys(each.sense for each in given))[:2]
    chosen = [each for each in given if each.sense in (first, second)]
    hidden = encode(model, [each.sentence for each in chosen], layers=[layer], report=report)
    found = occurrences(hidden, word, senses=[each.sense for each in chosen])
    vectors = found.vectors(layer).astype(np.float64)
    senses = [chosen[place.sentence].sense for place in found.places]
    tables = [vectors[[sense == name for sense in senses]] for name in (first, second)]
    return SenseMixture(
        word,
        (first, second),
        (len(tables[0]), len(tables[1])),
        vector_pair(*(table.mean(axis=0) for table in tables)),
        _halves(tables),
        layer=layer,
        model=hidden.origin.name,
    )


def _halves(tables: Sequence[Any]) -> float:
    """Return the cosine of the sum of a table's even rows with the sum of its odd rows, averaged over the tables."""
    return float(np.mean([vector_pair(table[::2].sum(axis=0), table[1::2].sum(axis=0)).cosine for table in tables]))
