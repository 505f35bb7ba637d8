"""Test sets that ship with the program (`embedviz/data/`), and those in gensim's package."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.testsets import (
    Associations,
    Categories,
    OddOne,
    OddOnes,
    Pair,
    Question,
    Questions,
    RatedPairs,
    Section,
    TestSetError,
)
from embedviz.testsets.associations import associations


@cache
def word_groups() -> Mapping[str, tuple[str, ...]]:
    """Return eight everyday groups of lower-case English words, by name; each word is in one group only."""
    text = files("embedviz").joinpath("data/word_groups.json").read_text(encoding="utf-8")
    return {name: tuple(words.split()) for name, words in json.loads(text).items()}


@cache
@offered("given", "print(given.title)")
def categories() -> Categories:
    """Return eight groups of English words, such as *animals*, as a test set of categories."""
    source = "Eight everyday groups of English words, put together for this program."
    return Categories("groups", "Everyday groups", word_groups(), source)


@cache
@offered("given", "print(given.title)")
def odd_ones() -> OddOnes:
    """Return 200 lists of five words: four from one everyday group, the odd one from another; drawn with seed 0."""
    groups = {name: sorted(words) for name, words in word_groups().items()}
    random = np.random.default_rng(0)
    lists = []
    for _ in range(200):
        one, other = random.permutation(len(groups))[:2]
        alike, strange = list(groups.values())[one], list(groups.values())[other]
        odd = strange[random.integers(len(strange))]
        lists.append(OddOne((*(alike[row] for row in random.permutation(len(alike))[:4]), odd), odd))
    source = "Made up by the program: four words of one everyday group and one of another, drawn with seed 0."
    return OddOnes("groups-odd", "Everyday groups", tuple(lists), source)


class Example(NamedTuple):
    """A formula such as “king - man + woman”, and the word that is expected as its answer.

    Attributes:
        place: The rank of the expected word by 3CosAdd in the built-in space.
        alone: The best rank that the expected word has among the neighbors of any one of the positive words, in the
            built-in space.
        why: One or two sentences that explain these ranks; they hold for the built-in space only.
    """

    formula: str
    expected: str
    place: int
    alone: int
    why: str


@cache
def analogies() -> tuple[Example, ...]:
    """Return example formulas with their expected words. In the built-in space, some formulas give another word."""
    text = files("embedviz").joinpath("data/analogies.json").read_text(encoding="utf-8")
    return tuple(Example(**row) for row in json.loads(text))


@cache
@offered("given", "print(given.title)")
def google_analogies() -> Questions:
    """Return the 19,544 analogies of Mikolov et al. (2013), from gensim's package.

    Raises:
        TestSetError: gensim is not installed.
    """
    sections: dict[str, list[Question]] = {}
    for line in _test_data("questions-words.txt"):
        if line.startswith(":"):
            sections[line.lstrip(": ").strip()] = current = []
        elif len(words := line.split()) == 4:
            current.append(Question(words[0], words[1], words[2], (words[3],)))
    return Questions(
        "google",
        "Google analogies",
        tuple(
            Section(name, "syntactic" if name.startswith("gram") else "semantic", tuple(questions))
            for name, questions in sections.items()
        ),
        "Mikolov et al. 2013",
    )


@cache
@offered("given", "print(given.title)")
def wordsim353() -> RatedPairs:
    """Return the 353 word pairs of Finkelstein et al. (2002), rated 0 to 10 for relatedness, from gensim's package.

    Raises:
        TestSetError: gensim is not installed.
    """
    return RatedPairs("wordsim353", "WordSim-353", _pairs("wordsim353.tsv"), "Finkelstein et al. 2002")


@cache
@offered("given", "print(given.title)")
def simlex999() -> RatedPairs:
    """Return the 999 word pairs of Hill et al. (2015), rated 0 to 10 for similarity, from gensim's package.

    Raises:
        TestSetError: gensim is not installed.
    """
    return RatedPairs("simlex999", "SimLex-999", _pairs("simlex999.txt"), "Hill, Reichart and Korhonen 2015")


@cache
@offered("given", "print(given.title)")
def weat_lists() -> Associations:
    """Return the ten WEAT tests of Caliskan, Bryson and Narayanan (2017); the word lists ship with the program."""
    text = files("embedviz").joinpath("data/weat.json").read_text(encoding="utf-8")
    return associations(text, "weat", "WEAT, ten tests", "Caliskan, Bryson and Narayanan 2017")


def bundled() -> tuple[Questions | RatedPairs, ...]:
    """Return the Google analogies, WordSim-353 and SimLex-999 of gensim's package; empty if gensim is not installed."""
    found: list[Questions | RatedPairs] = []
    for of in (google_analogies, wordsim353, simlex999):
        with suppress(TestSetError):
            found.append(of())
    return tuple(found)


_LANDMARKS: Mapping[str, tuple[str, int, tuple[str, str]]] = {
    "wordsim353": ("WordSim-353", 300, ("tiger", "cat")),
    "simlex999": ("SimLex-999", 900, ("smart", "intelligent")),
    "men": ("MEN", 2_500, ("sun", "sunlight")),
    "rg65": ("RG-65", 60, ("gem", "jewel")),
}
"""For each published set, by name: title, minimum number of pairs in its file, and a pair that no other set has."""


def recognised(pairs: RatedPairs) -> RatedPairs:
    """Return the pairs with the name and title of the published test set that they come from.

    Pairs of no known test set are returned unchanged.
    """
    found = {(pair.one.lower(), pair.other.lower()) for pair in pairs.pairs}
    for name, (title, least, landmark) in _LANDMARKS.items():
        if landmark in found and least <= len(pairs) < 1.3 * least:
            return replace(pairs, name=name, title=title)
    return pairs


class SentencePair(NamedTuple):
    """Two sentences, and a human score for how similar their meanings are."""

    one: str
    other: str
    score: float


@cache
def sentence_pairs() -> tuple[SentencePair, ...]:
    """Return 24 pairs of English sentences, written for this program and scored 0 to 5 by their author alone.

    A score of 5 means the same meaning, 0 nothing in common. The pairs only show what such a test looks like: 24
    pairs with one rater are too few to measure a model.
    """
    text = files("embedviz").joinpath("data/sentence_pairs.json").read_text(encoding="utf-8")
    return tuple(SentencePair(one, other, score) for one, other, score in json.loads(text))


def _pairs(file: str) -> tuple[Pair, ...]:
    lines = (line.split("\t") for line in _test_data(file) if line.strip() and not line.startswith("#"))
    return tuple(Pair(one.strip(), other.strip(), float(score)) for one, other, score in lines)


def _test_data(file: str) -> list[str]:
    """Return the lines of a test file in gensim's package, without importing gensim."""
    package = find_spec("gensim")
    for folder in (package.submodule_search_locations if package else None) or ():
        path = Path(folder) / "test" / "test_data" / file
        if path.is_file():
            return path.read_text("utf-8").splitlines()
    raise TestSetError(f"{file} comes with gensim 4.4, whose test data are not installed here.")


class SenseSentence(NamedTuple):
    """A sentence that contains a word once, in one sense; `sense` names the sense."""

    sense: str
    sentence: str


@cache
def sense_sentences() -> Mapping[str, tuple[SenseSentence, ...]]:
    """Return sentences for six English words, by word: 22 for each of two or three senses, written for this program.

    Sentence i has the word at the same position in each sense, and has nearly the same length. So the input layer of a
    model, which knows only the word and its position, cannot separate the senses. In real text, one sense is far more
    frequent than the others.
    """
    text = files("embedviz").joinpath("data/senses.json").read_text(encoding="utf-8")
    return {
        word: tuple(SenseSentence(sense, sentence) for sense, lines in senses.items() for sentence in lines)
        for word, senses in json.loads(text).items()
    }


class Published(NamedTuple):
    """Published measurements of a model, layer by layer.

    Attributes:
        title: Name of the model, as pages show it.
        curves: For each measure of `contextual.layers`, by name, its values from layer 0 to the last.
        source: The paper.
        note: How the paper's measurements differ from those of this program.
    """

    title: str
    curves: Mapping[str, tuple[float, ...]]
    source: str
    note: str


@cache
def published_layers() -> tuple[Published, ...]:
    """Return the measurements of BERT, GPT-2 and ELMo by Ethayarajh (2019).

    An adjusted curve, such as *self_similarity_adjusted*, is the curve minus the baseline of the paper. The paper's
    values of maximum explainable variance are left out, because they do not follow from the paper's formula.
    """
    text = files("embedviz").joinpath("data/published_layers.json").read_text(encoding="utf-8")
    held = json.loads(text)
    return tuple(
        Published(
            model["title"],
            {
                **{name: tuple(values) for name, values in model.items() if name != "title"},
                "baseline_all": tuple(model["baseline"]),
                **{
                    f"{name}_adjusted": tuple(
                        round(value - base, 3) for value, base in zip(model[name], model["baseline"], strict=True)
                    )
                    for name in ("self_similarity", "intra")
                },
            },
            held["source"],
            held["note"],
        )
        for model in held["models"].values()
    )
