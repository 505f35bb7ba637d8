"""Static and contextual vectors of one word on one map, by their cosines with the same anchor words.

Different spaces share no axes. A vector is therefore described by its cosines with the same words, the anchors, each
in its own space (relative representations, Moschella et al. 2023). The vectors of a space are centered by the mean of
its anchors first, and each list of cosines is standardized, so that the product of two lists is their correlation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.contextual.encoder import BUILTIN, Encoder, encode, load
from embedviz.contextual.occurrences import occurrences
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, VectorSpace, precise_unit_rows
from embedviz.corpus.function_words import ENGLISH
from embedviz.testsets.datasets import sense_sentences

ANCHORS = 200
OTHERS = 100
"""Other words whose lists are compared with the occurrences: the baseline."""
_FEWEST = 50
_LETTERS = 3


class StaticProfile(NamedTuple):
    """A word of a static space beside the occurrences of the word.

    Attributes:
        title: Of the space.
        by_sense: Mean correlation of its list with those of the occurrences of each sense.
        usual: 95th percentile of the same for other words of the space, over all senses.
        near: Its nearest words in its own space.
        assembled: From how many n-grams its vector is assembled; 0 where it has a row.
    """

    title: str
    by_sense: tuple[float, ...]
    usual: float
    near: tuple[str, ...]
    assembled: int = 0


@dataclass(frozen=True, eq=False)
class AnchoredMap:
    """Occurrences of a word and its static vectors, described by the same anchors.

    Attributes:
        senses: The names of the senses.
        labels: The sense of each occurrence, (n,).
        points: Two principal directions of the lists of the occurrences: the n occurrences first, then each static
            space, (n + s, 2).
        held: Share of the variance of the occurrences in these two directions.
        profiles: One for each static space.
        layer: Of the occurrences, and of the anchors, which are read as sentences of one word.
        anchors: The anchor words.
    """

    word: str
    senses: tuple[str, ...]
    labels: tuple[str, ...]
    points: Float
    held: float
    profiles: tuple[StaticProfile, ...]
    layer: int
    anchors: tuple[str, ...]
    model: str

    @property
    def correlations(self) -> str:
        """Say how the list of each static vector correlates with the occurrences of each sense."""
        sentences = [
            f"{one.title.partition(',')[0]} "
            + " and ".join(f"{number(value)} ({sense})" for sense, value in zip(self.senses, one.by_sense, strict=True))
            + f" (95\u00a0% of other words: below {number(one.usual)})"
            for one in self.profiles
        ]
        return f"Correlation of the static vector with the occurrences: {'; '.join(sentences)}."

    @property
    def meaning(self) -> str:
        """Say how the word is described, and how each static vector correlates with the occurrences."""
        return (
            f"In each space “{self.word}” is described by its cosines with {len(self.anchors)} anchor words. "
            f"{self.correlations}"
        )

    @property
    def unseen(self) -> str:
        """Say which spaces assemble the vector, since their texts do not have the word; empty where none does."""
        return " ".join(
            f"The space “{one.title.partition(',')[0]}” has no row for “{self.word}”: its vector there is the mean of "
            f"{one.assembled} n-grams, so only the letters count."
            for one in self.profiles
            if one.assembled
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows of an export: every point with its label."""
        names = (*self.labels, *(one.title for one in self.profiles))
        return ("point", "x", "y"), (
            (name, float(x), float(y)) for name, (x, y) in zip(names, self.points, strict=True)
        )


@offered(
    "found",
    "for one in found.profiles:",
    "    print(one.title, one.by_sense, one.usual, one.near)",
    "print(found.meaning)",
)
def anchored(
    one: VectorSpace,
    other: VectorSpace,
    word: str = "bank",
    layer: int = 6,
    *,
    third: VectorSpace | None = None,
    model: Encoder | str | Path = BUILTIN,
    seed: int = 0,
    report: Report | None = None,
) -> AnchoredMap:
    """Return a word of static spaces, and its occurrences in an encoder, by their cosines with the same anchors.

    A space without a row for the word assembles its vector from n-grams, where it has them.

    Args:
        third: One more static space.
        seed: Of the choice of anchors among the words that all spaces have.

    Raises:
        OptionError: A space has no vector of the word, the spaces share too few words, or there are no sentences.
        EncoderError: The model cannot be opened.
    """
    known = sense_sentences()
    if word not in known:
        raise OptionError(f"“{word[:40]}” has no built-in sentences. Choose one of: {', '.join(known)}.")
    spaces = [space for space in (one, other, third) if space is not None]
    anchors, others = _words(spaces, word, np.random.default_rng(seed))
    tell(report, 0.05, "Opening the model")
    encoder = load(model)
    tell(report, 0.6, "Reading the anchors, each as a sentence of one word")
    alone = occurrences_of(encoder, anchors, layer)
    tell(report, 0.7, "Reading the sentences of the word")
    given = known[word]
    hidden = encode(encoder, [each.sentence for each in given], layers=[layer])
    found = occurrences(hidden, word)
    labels = tuple(given[place.sentence].sense for place in found.places)
    clouds = profiles(found.vectors(layer), alone)
    tell(report, 0.8, "Comparing with other words")
    static = []
    for space in spaces:
        rows = np.stack([space.vector(each) for each in (word, *others)])
        static.append(profiles(rows, space.matrix[[space.row(each) for each in anchors]]))
    senses = tuple(dict.fromkeys(labels))
    groups = [np.array([label == sense for label in labels]) for sense in senses]
    every = np.concatenate([clouds, *(each[:1] for each in static)])
    middle = every - clouds.mean(axis=0)
    _, spread, directions = np.linalg.svd(clouds - clouds.mean(axis=0), full_matrices=False)
    return AnchoredMap(
        word,
        senses,
        labels,
        np.asarray(middle @ directions[:2].T, np.float32),
        float((spread[:2] ** 2).sum() / (spread**2).sum()),
        tuple(_profile(space, word, lists, clouds, groups) for space, lists in zip(spaces, static, strict=True)),
        layer,
        anchors,
        encoder.name,
    )


def profiles(vectors: Any, anchors: Any) -> NDArray[np.float64]:
    """Return the standardized cosines of vectors with the anchors of their space, (n, k); rows have mean 0, length 1.

    Args:
        vectors: (n, d).
        anchors: (k, d); their mean is subtracted from both.
    """
    basis = np.asarray(anchors, np.float64)
    middle = basis.mean(axis=0)
    cosines = precise_unit_rows(np.asarray(vectors, np.float64) - middle) @ precise_unit_rows(basis - middle).T
    return precise_unit_rows(cosines - cosines.mean(axis=1, keepdims=True))


def occurrences_of(encoder: Encoder, words: Sequence[str], layer: int) -> Float:
    """Return the vector of each word at a layer, read as a sentence of its own, (n, d): the mean of its pieces."""
    hidden = encode(encoder, list(words), layers=[layer])
    states = np.asarray(hidden.layer(layer), np.float32)
    return np.stack([states[hidden.token_numbers(row, 0, len(word))].mean(axis=0) for row, word in enumerate(words)])


def _words(
    spaces: Sequence[VectorSpace], word: str, random: np.random.Generator
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return anchors and other words that all spaces have: no function words, and not the word itself.

    Raises:
        OptionError: A space has no vector of the word, or there are too few words.
    """
    for space in spaces:
        if word not in space.index and not space.assembled(word):
            raise OptionError(f"“{word}” is not among the words of {space.origin.name}. Choose another space.")
    common = [
        each
        for each in spaces[0].words
        if all(each in space.index for space in spaces[1:])
        and each.isalpha()
        and len(each) >= _LETTERS
        and each not in ENGLISH
        and each != word
    ]
    if len(common) < 2 * _FEWEST:
        raise OptionError(f"The spaces have {len(common)} words in common; {2 * _FEWEST} are needed.")
    drawn = [common[place] for place in random.permutation(len(common)).tolist()]
    cut = min(ANCHORS, len(drawn) // 2)
    return tuple(drawn[:cut]), tuple(drawn[cut : cut + OTHERS])


def _profile(
    space: VectorSpace, word: str, lists: Any, clouds: Any, groups: Sequence[NDArray[np.bool_]]
) -> StaticProfile:
    """Return a static vector beside the occurrences, with the baseline of other words."""
    from embedviz.neighbors import neighborhood

    means = np.stack([(lists @ clouds[group].T).mean(axis=1) for group in groups], axis=1)
    near = tuple(each.word for each in neighborhood(space, word, k=5).neighbors)
    usual = float(np.percentile(means[1:].max(axis=1), 95))
    return StaticProfile(space.origin.name, tuple(means[0].tolist()), usual, near, space.assembled(word))
