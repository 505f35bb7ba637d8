"""Static and contextual vectors of one word on one map, by their cosines with the same anchor words.

Different spaces share no axes. In each space, a vector is therefore described by its cosines with the same words, the
anchors (relative representations, Moschella et al. 2023). First, the vectors of a space are centered by the mean of its
anchors. Each list of cosines is then standardized, so that the dot product of two lists is their correlation.
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
"""Maximum number of anchor words."""
OTHERS = 100
"""Maximum number of random words for the baseline. Their static vectors too are compared with the occurrences of the
studied word."""
_FEWEST = 50
_LETTERS = 3
_LEAST = 1e-12  # a centered list of cosines that is shorter is rounding noise


class StaticProfile(NamedTuple):
    """The static vector of the word in one space, compared with the occurrences.

    Attributes:
        title: Title of the space.
        by_sense: For each sense, the mean correlation of the word's list of cosines with the lists of the sense's
            occurrences.
        usual: Baseline: for 95 % of other words, the largest of their mean correlations with the senses is below it.
        near: The five nearest neighbors of the word in the space.
        assembled: Number of n-grams from which the vector is assembled; 0 if the space has a row for the word.
    """

    title: str
    by_sense: tuple[float, ...]
    usual: float
    near: tuple[str, ...]
    assembled: int = 0


@dataclass(frozen=True, eq=False)
class AnchoredMap:
    """The n occurrences of a word and its vectors in s static spaces, described by the same anchors.

    Attributes:
        senses: The names of the senses.
        labels: The sense of each occurrence, (n,).
        points: Coordinates on the map, (n + s, 2): the occurrences, then the static vectors. The axes are the first two
            principal directions of the occurrences' lists of cosines.
        held: Share of the variance of the occurrences' lists of cosines that the map shows.
        profiles: The static vector of each space, compared with the occurrences.
        layer: Layer of the encoder for the occurrences and the anchors; each anchor is read as a sentence of one word.
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
        """Say the correlation of each static vector with the occurrences of each sense, with the baseline."""
        sentences = [
            f"{one.title.partition(',')[0]} "
            + " and ".join(f"{number(value)} ({sense})" for sense, value in zip(self.senses, one.by_sense, strict=True))
            + f" (95\u00a0% of other words: below {number(one.usual)})"
            for one in self.profiles
        ]
        return f"Correlation of the static vector with the occurrences: {'; '.join(sentences)}."

    @property
    def meaning(self) -> str:
        """Say how the word is described in each space, and give the correlations."""
        return (
            f"In each space “{self.word}” is described by its cosines with {len(self.anchors)} anchor words. "
            f"{self.correlations}"
        )

    @property
    def unseen(self) -> str:
        """Say which spaces have no row for the word, so that its vector is made of n-grams; empty if all have a row."""
        return " ".join(
            f"The space “{one.title.partition(',')[0]}” has no row for “{self.word}”: its vector there is the mean of "
            f"{one.assembled} n-grams, so only the letters count."
            for one in self.profiles
            if one.assembled
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows: a row for each point, with its name (sense or title of the space) and coordinates."""
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
    """Map a word's static vectors and its occurrences in an encoder, by their cosines with the same anchors.

    If a space has no row for the word, the word's vector is assembled from the n-grams of the space.

    Args:
        one, other, third: The static spaces.
        layer: Layer of the encoder.
        seed: Seed of the choice of anchors among the words that all spaces have.

    Raises:
        OptionError: A space has no vector for the word, the spaces share too few words, the word has no built-in
            sentences, or there is no such layer.
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
        vectors: The vectors, (n, d).
        anchors: The anchors' vectors, (k, d); their mean is subtracted from vectors and anchors.
    """
    basis = np.asarray(anchors, np.float64)
    middle = basis.mean(axis=0)
    cosines = (
        precise_unit_rows(np.asarray(vectors, np.float64) - middle, _LEAST)
        @ precise_unit_rows(basis - middle, _LEAST).T
    )
    return precise_unit_rows(cosines - cosines.mean(axis=1, keepdims=True), _LEAST)


def occurrences_of(encoder: Encoder, words: Sequence[str], layer: int) -> Float:
    """Read each word as a sentence of its own; return the mean vector of its tokens at a layer, (n, d)."""
    hidden = encode(encoder, list(words), layers=[layer])
    states = np.asarray(hidden.layer(layer), np.float32)
    return np.stack([states[hidden.token_numbers(row, 0, len(word))].mean(axis=0) for row, word in enumerate(words)])


def _words(
    spaces: Sequence[VectorSpace], word: str, random: np.random.Generator
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sample anchors and other words at random from the words that all spaces have.

    Function words, words under three letters and the word itself are left out.

    Raises:
        OptionError: A space has no vector for the word, or the spaces share fewer than 2 · `_FEWEST` such words.
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
    """Compare the static vector of a word in a space with the occurrences of each sense of this word.

    All arrays have standardized cosines with the k anchor words.

    Args:
        lists: Those of the word, in the first row, and of o other words, (1 + o, k).
        clouds: Those of the occurrences, (n, k).
        groups: For each sense, which occurrences have this sense, (n,).
    """
    from embedviz.neighbors import neighborhood

    means = np.stack([(lists @ clouds[group].T).mean(axis=1) for group in groups], axis=1)
    near = tuple(each.word for each in neighborhood(space, word, k=5).neighbors)
    usual = float(np.percentile(means[1:].max(axis=1), 95))
    return StaticProfile(space.origin.name, tuple(means[0].tolist()), usual, near, space.assembled(word))
